//! What an environment returns: observations, transitions, questions to models, failures.

use std::sync::Arc;

use thiserror::Error;

use crate::stop::EnvironmentStop;
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
    /// Why the environment ended the episode, where it did.
    pub done: Option<EnvironmentStop>,
}

/// An answer of the environment to a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The environment moved one step.
    Step(Transition),
    /// The tool must ask a model first; the stage does, and goes on with [`crate::Environment::answer`].
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
    /// An option that does not exist or has a wrong value.
    #[error("{message}")]
    Option {
        /// The option, with the keys of the maps around it: `household.rooms`. Empty where it is all of them.
        key: String,
        /// What was found, and what would be right.
        message: String,
    },
    /// Data that the environment reads are missing or damaged: which file, and how to fix it.
    #[error("{0}")]
    Data(String),
    /// A service of the environment could not be reached.
    #[error("{0}")]
    Service(String),
}
