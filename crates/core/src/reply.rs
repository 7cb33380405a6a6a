//! What an environment returns: observations, transitions, questions to models, failures.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Data, Grammar, Message, Milli};

/// What the agent sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// As an agent reads it.
    pub text: String,
    /// The same, structured, for the tracker; null where the text is all there is.
    pub data: Data,
}

/// What an accepted call led to.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// What the agent sees now; stage, tracker and architecture share it.
    pub observation: Arc<Observation>,
    /// Reward of this step.
    pub reward: Milli,
    /// Whether the environment ended, and how.
    pub done: Option<Ending>,
}

/// How an environment ends an episode by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The goal is reached.
    Solved,
    /// The environment's own number of steps is used up.
    Horizon,
    /// The goal can no longer be reached, or the environment was lost.
    Failed,
    /// The agent gave a final answer, which is judged apart.
    Answered,
    /// The environment reached a state in which its original breaks off with an error: there is no next step.
    Broken,
}

/// An answer of the environment to a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The environment moved one step.
    Step(Transition),
    /// The tool must ask a model first; the stage does, and goes on with [`Environment::answer`].
    Ask(Ask),
}

/// A question of the environment to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// The role that answers: `reader`, `judge`, `user`, ...
    pub role: String,
    /// The messages to send.
    pub messages: Vec<Message>,
    /// The shape that the answer must have.
    pub grammar: Option<Grammar>,
}

/// What can go wrong with an environment itself: its data, its options, its services. Never what an agent did.
#[derive(Debug, Error)]
pub enum EnvError {
    /// An option, task or split that does not exist.
    #[error("{0}")]
    Usage(String),
    /// Data that the environment reads are missing or damaged: which file, and how to mend it.
    #[error("{0}")]
    Data(String),
    /// A service of the environment could not be reached.
    #[error("{0}")]
    Service(String),
}
