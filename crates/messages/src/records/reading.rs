//! How the messages of agents were read, whatever system they are of.

use gimbal_core::TokenCount;
use serde::{Deserialize, Serialize};

use super::records;
use crate::Tier;

records! {
    /// Kinds that every system writes whose agents answer with messages.
    Parsed = "parsed",
    Reshaped = "reshaped",
}

/// How the message of an agent was read (BOG-070).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parsed {
    /// Name of the message.
    pub contract: String,
    /// Which way it was read.
    pub tier: Tier,
    /// How many of its values could not be read; absent where all could, and for the default, which is unread as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<u64>,
    /// The tokens of the message, where its contract bounds tokens: exact where the tokenizer of the model that wrote it is at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenCount>,
}

/// Rules brought a message into the shape of its contract (SH-03): how many changes of each kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reshaped {
    /// The role of the agent that wrote it.
    pub role: String,
    /// Name of the contract.
    pub contract: String,
    /// Values read as the type that is asked for.
    pub coerced: u32,
    /// Texts, lists and numbers cut to their bounds.
    pub clipped: u32,
    /// Members left out.
    pub dropped: u32,
    /// Defaults filled in.
    pub filled: u32,
}
