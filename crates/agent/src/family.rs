//! What an architecture shows of its agents without playing: their messages, places and prompts.

use gimbal_core::{ArchitectureKind, Block, BuildError, Files};
use gimbal_messages::{Message, spaced};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::shown_environment::ShownEnvironment;
use crate::{Agent, Persona};

/// An agent with its place in an architecture.
pub struct Placed {
    /// Place, such as `planner`.
    pub place: &'static str,
    /// The agent.
    pub agent: Agent,
    /// Settings of its architecture that its requests state, under the keys of the settings; `null` if there are none.
    pub settings: Value,
}

impl Placed {
    /// An agent in a place whose requests state no setting.
    #[must_use]
    pub const fn new(place: &'static str, agent: Agent) -> Self {
        Self { place, agent, settings: Value::Null }
    }

    /// A setting that its requests state; `None` if it is not set or not a value of this type.
    #[must_use]
    pub fn setting<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        serde_json::from_value(self.settings.get(key)?.clone()).ok()
    }
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
        let agents = agents.into_iter().map(|(place, agent)| Placed::new(place, agent)).collect();
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

/// What an agent is asked, with made-up values.
pub struct Assignment {
    /// What it is about, such as the name of a subtask.
    pub target: String,
    /// The message that asks, as its prompt shows it.
    pub message: String,
    /// What its prompt shows before the context blocks: the first observation, where this agent is shown it.
    pub first: Option<Block>,
    /// What a person should know of the values that are shown, one sentence each; agents are not told.
    pub notes: Vec<String>,
}

impl Assignment {
    /// An assignment without a first observation. A message that is a text is shown as it is, any other as JSON.
    #[must_use]
    pub fn new(target: &str, message: &Value) -> Self {
        let message = message.as_str().map_or_else(|| spaced(message), str::to_owned);
        Self { target: target.to_owned(), message, first: None, notes: Vec::new() }
    }

    /// What an agent that answers with a message is asked, as the message says; `None` if it answers with none.
    #[must_use]
    pub fn by_message(agent: &Agent, shown: &ShownEnvironment) -> Option<Self> {
        let target = shown.target();
        agent.message().map(|message| Self::new(target, &message.request(&shown.brief, target)))
    }
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

    /// Whether one of its agents chooses among the ways of a graph: `gimbal graph cost` measures the first one that does.
    fn has_router(&self) -> bool {
        false
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

    /// What an agent is asked in this environment: filled with made-up values by the code that fills its requests, so that what is shown has
    /// the members of what is sent. `None` if it is asked for the action of a step alone.
    fn asked(&self, placed: &Placed, shown: &ShownEnvironment) -> Option<Assignment> {
        Assignment::by_message(&placed.agent, shown)
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
