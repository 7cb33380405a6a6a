//! What the stage itself records.

use serde::{Deserialize, Serialize};

use super::records;

records! {
    /// Kinds that the stage writes.
    PromptLacks = "prompt_lacks",
    Left = "left",
    Branched = "branched",
}

/// What a reader missed in the prompt of the call before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptLacks {
    /// One text for each: kind of the lack, and the words that are missing.
    pub missed: Vec<String>,
}

/// An architecture left an environment that runs on: the rest is played with the idle call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Steps that were played before.
    pub step: u32,
    /// Steps of the whole episode.
    pub horizon: u32,
}

/// What an architecture with a simulator did in branches of the environment, over the whole episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branched {
    /// Branches that were made, forks of branches too.
    pub branches: u64,
    /// Calls that were made in them, rejected ones too. They are not tool calls of the episode.
    pub calls: u64,
    /// Calls that the limit `branch_calls` refused.
    pub refused: u64,
}
