//! What the engine of an agent records.

use serde::{Deserialize, Serialize};

use super::records;

records! {
    /// Kinds that the engine writes.
    AttemptFailed = "attempt_failed",
    TurnsExhausted = "turns_exhausted",
    ContextGuard = "context_guard",
    LegalNarrowed = "legal_narrowed",
    ToolAlias = "tool_alias",
    ToolReasoning = "tool_reasoning",
    ToolFailed = "tool_failed",
    AnswerDue = "answer_due",
    CallsIgnored = "calls_ignored",
    Deliberated = "deliberated",
    Normalised = "normalised",
}

/// The model refused, was cut short or missed the shape (BOG-047).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptFailed {
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Kind of the failure.
    pub reason: String,
}

/// All turns of an attempt were used without an answer (BOG-043).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnsExhausted {
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Turns.
    pub turns: u32,
}

/// The oldest exchanges were dropped from a conversation, to keep its bound of tokens (BOG-046).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextGuard {
    /// Messages that were dropped.
    pub dropped: u64,
    /// Tokens of the prompt before.
    pub prompt_tokens: u64,
    /// How the tokens are known: `reported`, `exact` or `estimated`.
    pub source: String,
}

/// A grammar, hint or list holds only so many of the legal actions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LegalNarrowed {
    /// How many it holds.
    pub listed: u64,
}

/// The name of a flag was taken for the name of its tool (BOG-224).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAlias {
    /// The name as written.
    pub written: String,
    /// The tool.
    pub tool: String,
}

/// The reason that an agent gave for a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolReasoning {
    /// The tool.
    pub tool: String,
    /// The reason.
    pub reasoning: String,
}

/// A tool failed, and the agent read why as the observation (BOG-044).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailed {
    /// The tool as written.
    pub tool: String,
    /// Why, shortened.
    pub message: String,
}

/// A tool was called where the answer was due (BOG-056).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerDue {
    /// The tool.
    pub tool: String,
}

/// Native calls after the first action of a message that say nothing more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallsIgnored {
    /// How many there were.
    pub count: u64,
}

/// A deliberation tool was used (BOG-110..117).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deliberated {
    /// Role of the agent.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// Whether the budget of questions was used up before.
    pub over_budget: bool,
}

/// A reply was read after taking off what does not belong to its protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Normalised {
    /// Role of the agent.
    pub agent: String,
    /// The protocol.
    pub protocol: String,
    /// What else is to be said of it. Journals from before there were marks have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<ReadingMark>,
}

/// What is remarkable about a reply that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadingMark {
    /// Other text follows the answer, on its line or on later ones. It may take the answer back, which is carried out all the same.
    FollowedByText,
}
