//! What an architecture shows of its agents without playing: their messages, places and prompts.

use gimbal_core::{ArchitectureKind, BuildError, Files};
use gimbal_messages::Message;
use serde_json::{Value, json};

use crate::{Agent, Persona};

/// An agent with its place in an architecture.
pub struct Placed {
    /// Place, such as `planner`.
    pub place: &'static str,
    /// The agent.
    pub agent: Agent,
}

/// The agents of an architecture under some settings.
#[derive(Default)]
pub struct Team {
    /// The agents by their places.
    pub agents: Vec<Placed>,
    /// Context blocks of the one that acts, in the order in which its prompt shows them.
    pub context: Vec<String>,
}

impl Team {
    /// A team of these agents, each with its place.
    #[must_use]
    pub fn new(agents: impl IntoIterator<Item = (&'static str, Agent)>, context: Vec<String>) -> Self {
        let agents = agents.into_iter().map(|(place, agent)| Placed { place, agent }).collect();
        Self { agents, context }
    }

    /// The agents without their places.
    #[must_use]
    pub fn into_agents(self) -> Vec<Agent> {
        self.agents.into_iter().map(|placed| placed.agent).collect()
    }
}

/// A message that an agent answers with, and the place of the agent in its architecture.
#[derive(Clone, Copy)]
pub struct Answer {
    /// Place, such as `planner`.
    pub place: &'static str,
    /// The message.
    pub message: &'static dyn Message,
}

impl Answer {
    /// A message under a place.
    #[must_use]
    pub const fn new(place: &'static str, message: &'static dyn Message) -> Self {
        Self { place, message }
    }
}

/// What an agent that answers with no message is asked to work on, with made-up values.
pub struct Assignment {
    /// What it is about, such as the name of a subtask.
    pub target: String,
    /// The message that asks.
    pub message: Value,
}

/// An architecture with agents: what plays, and what commands about personas and tests of requests ask of it.
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

    /// The agents of a setting.
    ///
    /// # Errors
    /// Which key or file is wrong, and what would be right.
    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError>;

    /// The place that a persona takes in this architecture; `None` if no place is for it. A persona that answers with a message
    /// takes the place of that message.
    fn place_of(&self, persona: &Persona) -> Option<&'static str> {
        place_by_message(&self.answers(), persona)
    }

    /// Settings under which an agent is in this place with this persona.
    fn showing(&self, place: &str, persona: &str) -> Value {
        json!({ place: { "persona": persona } })
    }

    /// What the agent in this place is asked to work on, where it answers with no message and is asked nevertheless.
    fn assignment(&self, _place: &str) -> Option<Assignment> {
        None
    }

    /// Settings under which its agents are audited, beside those of the named configurations.
    fn audited(&self) -> Vec<Value> {
        vec![json!({})]
    }
}

/// The place of the agent that answers with the message of this persona; `None` if the persona or the places name none.
#[must_use]
pub fn place_by_message(answers: &[Answer], persona: &Persona) -> Option<&'static str> {
    let message = persona.core.contract.as_deref()?;
    answers.iter().find(|answer| answer.message.name() == message).map(|answer| answer.place)
}
