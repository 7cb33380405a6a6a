//! One debate as `gimbal trace` shows it: drawn over its packet, or as messages.

use std::any::Any;

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Texts};
use gimbal_analysis::work_folds::{FoldSource, FoldStates, WorkFold};
use gimbal_core::event::Body;
use gimbal_evidence::Packet;
use gimbal_view::Figure;
use gimbal_view::work::{EpisodeMessage, EpisodeView};

use super::{Debate, Message, drawn};

/// The debate of an episode, and its packet.
#[derive(Clone, Debug, Default)]
pub struct ShownDebate {
    /// The debate; empty if the episode has none.
    pub debate: Debate,
    /// The packet, where the journal holds one.
    pub packet: Option<Packet>,
}

impl ShownDebate {
    /// Draws the debate, each fact with its class.
    ///
    /// # Errors
    /// What the debate lacks: nobody spoke.
    pub fn figure(&self, title: &str) -> Result<Figure, String> {
        let facts = self.packet.iter().flat_map(|packet| packet.facts());
        let names = facts.map(|fact| (fact.id.to_string(), fact.class.to_string())).collect();
        drawn(&self.debate, title, &names)
    }
}

impl<E> EpisodeFold<E> for ShownDebate {
    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        for (number, event) in (0..).zip(episode.events) {
            match &event.body {
                Body::Note(note) if Debate::KINDS.contains(&note.kind.as_str()) => {
                    let data = texts.text(&note.data).map_err(FoldError::Text)?;
                    let added = self.debate.add(&note.kind, &data);
                    added.map_err(|error| FoldError::Record { event: number, error })?;
                }
                Body::Started(started) => {
                    if let Some(used) = started.materials.iter().find(|used| used.kind == "packet") {
                        let text = texts.text(&used.text).map_err(FoldError::Text)?;
                        self.packet = Packet::read(text.as_bytes()).ok();
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl WorkFold for ShownDebate {
    fn finish(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

static SHOWN: FoldSource =
    FoldSource { name: "ares-shown", applies: |_| true, start: |_| Box::new(ShownDebate::default()) };

/// How the work shows an episode.
pub(crate) static VIEW: EpisodeView = EpisodeView { subject: "debate over a packet", fold: &SHOWN, figure, messages };

fn figure(states: &FoldStates, name: &str) -> Result<Figure, String> {
    let nothing = ShownDebate::default();
    states.get(&SHOWN).unwrap_or(&nothing).figure(&format!("The debate of {name}"))
}

fn messages(states: &FoldStates) -> Vec<EpisodeMessage> {
    let shown = |message: &Message| EpisodeMessage {
        text: message.text(),
        json: serde_json::to_string(message).unwrap_or_default(),
    };
    states.get::<ShownDebate>(&SHOWN).map(|one| one.debate.messages().iter().map(shown).collect()).unwrap_or_default()
}
