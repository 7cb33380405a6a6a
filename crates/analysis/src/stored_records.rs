//! Folds of works that read records: each record of an episode in its place, between them the model calls, and after them the last
//! observation, as far as a state takes them in.
//!
//! A work implements [`RecordState`] and names its fold with [`FoldSource::of_records`].

use std::any::Any;
use std::collections::BTreeMap;

use gimbal_core::event::{Body, ModelCalled};
use gimbal_core::{Digest, RecordError};

use crate::episode::{Episode, EpisodeFold, FoldError, Texts};
use crate::work_folds::{FoldSource, RunCell, WorkFold};

/// A model call: enough to tell whether two calls differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCall {
    /// The step under way, from 1.
    pub step: u32,
    /// The role that was asked.
    pub role: String,
    /// Hash of the conversation that was sent.
    pub request: Digest,
    /// Hash of what was answered.
    pub reply: Digest,
}

/// The conversations of an episode's calls, by number: what a later call keeps of an earlier one is not written down again.
#[derive(Debug, Default)]
struct Conversations(BTreeMap<u64, Vec<String>>);

impl Conversations {
    fn call(&mut self, step: u32, called: &ModelCalled) -> ModelCall {
        let kept = usize::try_from(called.kept).unwrap_or(usize::MAX);
        let earlier = called.extends.first().and_then(|number| self.0.get(number));
        let own = called.messages.iter().map(|message| format!("{} {}", message.speaker, message.text));
        let whole: Vec<String> = earlier.into_iter().flatten().take(kept).cloned().chain(own).collect();
        let parts: Vec<&[u8]> = whole.iter().map(String::as_bytes).collect();
        let request = Digest::of_parts(&parts);
        self.0.insert(called.call, whole);
        let reply = Digest::of(called.reply.to_string().as_bytes());
        ModelCall { step, role: called.role.clone(), request, reply }
    }
}

/// A record as a journal holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRecord<'a> {
    /// Its kind.
    pub kind: &'a str,
    /// Its data as JSON text.
    pub data: &'a str,
}

/// What a state takes in of each episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Takes {
    kinds: &'static [&'static str],
    calls: bool,
    last_observation: bool,
}

impl Takes {
    /// Records of these kinds.
    #[must_use]
    pub const fn records(kinds: &'static [&'static str]) -> Self {
        Self { kinds, calls: false, last_observation: false }
    }

    /// Model calls too, each in its place among the records.
    #[must_use]
    pub const fn and_calls(self) -> Self {
        Self { calls: true, ..self }
    }

    /// The last observation too.
    #[must_use]
    pub const fn and_last_observation(self) -> Self {
        Self { last_observation: true, ..self }
    }
}

/// What a work keeps of records. Sums keep the memory of a report flat in episodes.
pub trait RecordState: Any + Default {
    /// What it takes in; nothing else is passed to it.
    const TAKES: Takes;

    /// Takes in a record. Records come in the order of episodes and events; `episode` says whose it is.
    ///
    /// # Errors
    /// When the record does not have the form of its kind.
    fn on_record(&mut self, _episode: &Episode<'_>, _record: &StoredRecord<'_>) -> Result<(), RecordError> {
        Ok(())
    }

    /// Takes in a model call.
    fn on_call(&mut self, _episode: &Episode<'_>, _call: &ModelCall) {}

    /// Takes in the last observation, as the agent would read it, after everything else of the episode.
    fn on_end(&mut self, _episode: &Episode<'_>, _observation: &str) {}
}

/// The fold that passes episodes to a state.
#[derive(Debug, Default)]
struct RecordFold<S>(S);

impl<E, S: RecordState> EpisodeFold<E> for RecordFold<S> {
    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let (state, takes) = (&mut self.0, S::TAKES);
        let mut last = None;
        let mut conversations = Conversations::default();
        for (number, event) in (0..).zip(episode.events) {
            match &event.body {
                Body::Note(note) if takes.kinds.contains(&note.kind.as_str()) => {
                    let data = texts.text(&note.data).map_err(FoldError::Text)?;
                    let record = StoredRecord { kind: &note.kind, data: &data };
                    state.on_record(episode, &record).map_err(|error| FoldError::Record { event: number, error })?;
                }
                Body::ModelCalled(called) if takes.calls => {
                    state.on_call(episode, &conversations.call(event.step, called));
                }
                Body::Started(started) => last = Some(&started.observation),
                Body::Stepped(step) => last = Some(&step.observation),
                _ => {}
            }
        }
        if let Some(text) = last.filter(|_| takes.last_observation) {
            let observation = texts.text(text).map_err(FoldError::Text)?;
            state.on_end(episode, &observation);
        }
        Ok(())
    }
}

impl<S: RecordState> WorkFold for RecordFold<S> {
    fn finish(self: Box<Self>) -> Box<dyn Any> {
        Box::new(self.0)
    }
}

impl FoldSource {
    /// The fold over records that keeps a state of this type, for every run; `name` is unique among all works.
    #[must_use]
    pub const fn of_records<S: RecordState>(name: &'static str) -> Self {
        Self { name, applies: every_run, start: start::<S> }
    }
}

fn every_run(_cells: &[RunCell<'_>]) -> bool {
    true
}

fn start<'r, S: RecordState>(_cells: &[RunCell<'r>]) -> Box<dyn WorkFold + 'r> {
    Box::new(RecordFold(S::default()))
}
