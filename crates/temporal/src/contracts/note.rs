//! What projection did to a message, for counting.

use std::collections::BTreeMap;

use gimbal_messages::ChangeKind;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Kind;
use crate::Layer;

/// One change to a message, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What was done.
    pub cause: Cause,
    /// JSON pointer into the message.
    pub place: String,
}

/// What was done to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Characters that a reader does not see were taken out.
    Hidden,
    /// Marks of a chat format were taken out.
    Markup,
    /// A span that tells the reader to leave its instructions was taken out.
    Instruction,
    /// A member was taken out that the sender may not send.
    Field,
    /// Something was cut to keep to the budget of tokens.
    Truncated,
    /// A value of another type was read as the type of the schema.
    Coerced,
    /// A text, list or number was cut to the bounds of the schema.
    Clipped,
    /// A member was left out that the schema does not have.
    Dropped,
    /// A missing member was filled in.
    Filled,
    /// The message named another layer as its sender.
    Claimed,
    /// A second subgoal of the same name was left out.
    Duplicate,
    /// A dependency on a subgoal that the plan does not have was left out.
    Unresolved,
    /// A subgoal was left out that is beyond the receiver's time scale (Eq. 16), or that depends on such a one.
    TooSlow,
}

/// How a message came to follow its contract (Eq. 18).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is what the layer wrote.
    AsWritten,
    /// Rules changed it.
    ByRule,
    /// It could not be used, and the default replaces it.
    Default(Refusal),
}

/// Why a message could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It is of a kind that its sender does not send.
    #[error("{sender} sends no {}; send a message of a kind that it may send", kind.name())]
    Sender {
        /// The sender.
        sender: Layer,
        /// The kind.
        kind: Kind,
    },
    /// It does not follow the schema, place by place.
    #[error("{0}")]
    Schema(String),
    /// Subgoals of a plan wait for one another.
    #[error("/subgoals: {} depend on one another in a circle; take one of the dependencies out", .0.join(", "))]
    Cyclic(Vec<String>),
    /// It does not fit into the budget of its sender.
    #[error("the message has {tokens} tokens and may have {most}; write a shorter one")]
    TooLong {
        /// Its tokens.
        tokens: u64,
        /// Most tokens.
        most: u64,
    },
    /// The steps of the projection undo one another.
    #[error("the message does not come to rest under its own repairs; write a plainer one")]
    Unsettled,
}

/// Counts of outcomes and changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Messages that are what the layer wrote.
    pub as_written: u64,
    /// Messages that rules changed.
    pub by_rule: u64,
    /// Messages that the default replaces.
    pub default: u64,
    /// Changes by cause.
    pub causes: BTreeMap<Cause, u64>,
}

impl Tally {
    /// Counts one message.
    pub fn add(&mut self, outcome: &Outcome, notes: &[Note]) {
        match outcome {
            Outcome::AsWritten => self.as_written += 1,
            Outcome::ByRule => self.by_rule += 1,
            Outcome::Default(_) => self.default += 1,
        }
        for note in notes {
            *self.causes.entry(note.cause).or_default() += 1;
        }
    }

    /// All messages.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.as_written + self.by_rule + self.default
    }
}

impl From<ChangeKind> for Cause {
    fn from(kind: ChangeKind) -> Self {
        match kind {
            ChangeKind::Coerced => Self::Coerced,
            ChangeKind::Clipped => Self::Clipped,
            ChangeKind::Dropped => Self::Dropped,
            ChangeKind::Filled => Self::Filled,
        }
    }
}
