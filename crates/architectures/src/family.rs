//! What an architecture shows of its agents without playing: their messages, places and prompts.

use gimbal_agent::Agent;
use gimbal_core::{ArchitectureKind, BuildError, Files};
use gimbal_messages::Message;
use serde_json::{Value, json};

/// An agent with its place in an architecture.
pub type Placed = (&'static str, Agent);

/// A message that an agent answers with, and the place of the agent in its architecture.
#[derive(Clone, Copy)]
pub struct Answer {
    /// Place, such as `planner`.
    pub place: &'static str,
    /// The message.
    pub message: &'static dyn Message,
}

/// Lists a message under a place.
pub(crate) const fn answer(place: &'static str, message: &'static dyn Message) -> Answer {
    Answer { place, message }
}

/// An architecture of this crate: what plays, and what commands about personas and messages ask of it.
pub trait Family: ArchitectureKind {
    /// Messages that its agents answer with. A message that several architectures use is listed by one of them.
    fn answers(&self) -> Vec<Answer> {
        Vec::new()
    }

    /// Whether it asks agents.
    fn asks_agents(&self) -> bool {
        true
    }

    /// Whether the prompts of agents that answer with a message show the context blocks, as those about a packet do.
    fn shows_blocks_to_all(&self) -> bool {
        false
    }

    /// The agents of a setting by their places, and the context blocks of the one that acts.
    ///
    /// # Errors
    /// Which key or file is wrong, and what would be right.
    fn agents(&self, settings: &Value, files: &dyn Files) -> Result<(Vec<Placed>, Vec<String>), BuildError>;

    /// The place that a persona takes where agents of several places answer with one message; `place` is that of [`Family::answers`].
    fn place(&self, place: &'static str, _persona: &str) -> &'static str {
        place
    }

    /// Settings under which an agent is in this place with this persona.
    fn showing(&self, place: &str, persona: &str) -> Value {
        json!({ place: { "persona": persona } })
    }

    /// Settings under which its agents are audited, beside those of the named configurations.
    fn audited(&self) -> Vec<Value> {
        vec![json!({})]
    }
}
