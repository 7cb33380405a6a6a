//! Records that only one system writes and reads: the fold that hands them to the state of a work, one at a time, between them the model
//! calls of the episode, and behind them its last observation, where a work asks for these.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

use gimbal_core::event::{Body, ModelCalled};
use gimbal_core::{Digest, RecordError, TextRef};
use serde::{Deserialize, Serialize};

use crate::episode::{Episode, EpisodeFold, FoldError, Texts};

/// The kind by which a source asks for the last observation of each episode. It comes behind the episode's records, and is not the
/// kind of any record.
pub const LAST_OBSERVATION: &str = "last observation";

/// The kind by which a source asks for model calls, each where it stands among the records: [`ModelCall`] as JSON. It is not a kind of any
/// record.
pub const MODEL_CALL: &str = "model call";

/// What a source gets of a model call: enough to tell whether two calls differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

impl ModelCall {
    /// Reads the data of a [`MODEL_CALL`].
    ///
    /// # Errors
    /// When they do not have its form.
    pub fn read(data: &str) -> Result<Self, RecordError> {
        let wrong =
            |error: serde_json::Error| RecordError { kind: MODEL_CALL, key: String::new(), why: error.to_string() };
        serde_json::from_str(data).map_err(wrong)
    }
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
    /// Cell of its episode.
    pub cell: &'a str,
    /// Task of its episode.
    pub task: &'a str,
    /// Run number of its episode.
    pub run: u32,
    /// Trial of its episode, from 0.
    pub trial: u32,
    /// Name of its episode: cell, task, run.
    pub episode: &'a str,
    /// Its kind; [`MODEL_CALL`] or [`LAST_OBSERVATION`] where it is not a record.
    pub kind: &'a str,
    /// Its data as JSON text; the text of a last observation as the agent would read it.
    pub data: &'a str,
}

/// What a work keeps of records. Sums keep the memory of a report flat in episodes.
pub trait RecordState: Any {
    /// Takes in a record. Records come in the order of episodes and events.
    ///
    /// # Errors
    /// When the record does not have the form of its kind.
    fn add(&mut self, record: &StoredRecord<'_>) -> Result<(), RecordError>;
}

/// The records that a work reads, and the state that takes them in.
#[derive(Clone, Copy)]
pub struct RecordSource {
    /// Name of the state, unique among all works.
    pub name: &'static str,
    /// Kinds of records, [`MODEL_CALL`] and [`LAST_OBSERVATION`].
    pub kinds: &'static [&'static str],
    /// Makes the state before the first record.
    pub start: fn() -> Box<dyn RecordState>,
}

impl fmt::Debug for RecordSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RecordSource").field("name", &self.name).field("kinds", &self.kinds).finish()
    }
}

/// States of works by name.
#[derive(Default)]
pub struct RecordStates(BTreeMap<&'static str, State>);

struct State {
    kinds: &'static [&'static str],
    kept: Box<dyn RecordState>,
}

impl RecordStates {
    /// The state of this name; `None` where it was not folded or has another type.
    #[must_use]
    pub fn get<S: RecordState>(&self, name: &str) -> Option<&S> {
        let kept: &dyn Any = self.0.get(name)?.kept.as_ref();
        kept.downcast_ref()
    }
}

impl fmt::Debug for RecordStates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// The fold from episodes to the states of works.
#[derive(Debug, Default)]
pub struct RecordFold {
    states: RecordStates,
}

impl RecordFold {
    /// A fold over the records of these sources; a source that comes twice is folded once.
    #[must_use]
    pub fn new<'s>(sources: impl IntoIterator<Item = &'s RecordSource>) -> Self {
        let states = sources.into_iter().map(|source| {
            let state = State { kinds: source.kinds, kept: (source.start)() };
            (source.name, state)
        });
        Self { states: RecordStates(states.collect()) }
    }

    /// The states after the last episode.
    #[must_use]
    pub fn finish(self) -> RecordStates {
        self.states
    }
}

impl<E> EpisodeFold<E> for RecordFold {
    fn wants(&self, _episode: &Episode<'_>) -> bool {
        !self.states.0.is_empty()
    }

    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let name = episode.name();
        let asks_for_calls = self.states.0.values().any(|state| state.kinds.contains(&MODEL_CALL));
        let mut hand = |kind: &str, number: u64, data: &TextRef| {
            for state in self.states.0.values_mut().filter(|state| state.kinds.contains(&kind)) {
                let data = texts.text(data).map_err(FoldError::Text)?;
                let Episode { cell, task, run, trial, .. } = *episode;
                let record = StoredRecord { cell, task, run, trial, episode: &name, kind, data: &data };
                state.kept.add(&record).map_err(|error| FoldError::Record { event: number, error })?;
            }
            Ok(())
        };
        let mut last = None;
        let mut conversations = Conversations::default();
        for (number, event) in (0..).zip(episode.events) {
            match &event.body {
                Body::Note(note) => hand(&note.kind, number, &note.data)?,
                Body::ModelCalled(called) if asks_for_calls => {
                    let call = conversations.call(event.step, called);
                    let data = serde_json::to_string(&call).unwrap_or_default();
                    hand(MODEL_CALL, number, &TextRef::inline(&data))?;
                }
                Body::Started(started) => last = Some((number, &started.observation)),
                Body::Stepped(step) => last = Some((number, &step.observation)),
                _ => {}
            }
        }
        last.map_or(Ok(()), |(number, text)| hand(LAST_OBSERVATION, number, text))
    }
}
