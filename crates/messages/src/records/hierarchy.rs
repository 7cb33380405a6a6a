//! What a planner with advisers records (BOG-056..074).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::records;

records! {
    /// Kinds that the hierarchy writes, beside those of the engine and of reading.
    Dropped = "dropped",
    Mismatch = "mismatch",
    OffMenu = "off_menu",
    Arbitrated = "arbitrated",
}

/// A suggestion is not a legal action: the planner reads that it was dropped and cannot take it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// The action as written.
    pub action: String,
    /// Kind of the rejection.
    pub why: String,
}

/// A suggestion or a finding is about another subject (BOG-071).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// The subject that was asked about.
    pub asked: String,
    /// The subject of the answer.
    pub got: String,
}

/// The decision is none of the suggestions of this step; where none were asked for, it is not the idle call (BOG-R05).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffMenu {
    /// The decision as an action.
    pub action: String,
}

/// The mediator changed the suggestions (BOG-234).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arbitrated {
    /// Name of the rule.
    pub rule: String,
    /// The message with the suggestions before.
    pub before: Value,
    /// The message with the suggestions after.
    pub after: Value,
}
