//! What a model answered, with its tokens and what its provider reported.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::message::RequestedCall;

/// Tokens of one call as the provider reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All input tokens, cached ones included.
    pub input: u64,
    /// Input tokens that the provider had cached.
    pub cached_input: u64,
    /// All output tokens, reasoning included.
    pub output: u64,
    /// Output tokens spent on hidden reasoning.
    pub reasoning: u64,
    /// Who counted.
    pub source: UsageSource,
}

/// Who counted the tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UsageSource {
    /// The provider reported them.
    Reported,
    /// The embedded model's own tokenizer counted them exactly.
    Exact,
    /// Not a language model (scripted, noisy expert): an estimate by length.
    #[default]
    Estimated,
    /// Nobody counted them. Of a request whose answer never came whole, `input` is the estimated length of the prompt, so
    /// that limits can be kept; what it truly cost is unknown.
    Missing,
}

/// Why a completion ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model, a stop text or the grammar ended it.
    Stop,
    /// The model asks for tool calls.
    Calls,
}

/// What a model answered, whole and well formed.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The text.
    pub text: Arc<str>,
    /// Native tool calls.
    pub calls: Vec<RequestedCall>,
    /// Why it ended.
    pub finish: Finish,
    /// Tokens.
    pub usage: Usage,
    /// Visible reasoning, where the provider gives it separately from the text.
    pub reasoning: Option<Arc<str>>,
    /// What a reader looked for in the prompt and did not find; empty for every other model.
    pub missed: Vec<Missed>,
    /// Wall time of the call in microseconds; volatile, so it goes to the ledger and never into an event.
    pub latency_us: u64,
    /// The provider's id of the answer, its raw body and the like; volatile as well.
    pub provider: ProviderFacts,
}

/// Information that a prompt lacks for its answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Missed {
    /// The kind of information.
    pub lack: InformationKind,
    /// The words that were looked for, and where.
    pub words: String,
}

/// Kinds of information that a prompt can lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InformationKind {
    /// The role that answers, or its environment.
    Role,
    /// The goal.
    Goal,
    /// What the environment shows now.
    Observation,
    /// Which tools or actions there are.
    Tools,
    /// How a call or an answer is written.
    Form,
    /// Names that an argument may take.
    Names,
    /// What was done before.
    History,
}

impl InformationKind {
    /// The name that notes and tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Role => "role",
            Self::Goal => "goal",
            Self::Observation => "observation",
            Self::Tools => "tools",
            Self::Form => "form",
            Self::Names => "names",
            Self::History => "history",
        }
    }
}

/// What a provider reports about a call in addition to the answer; volatile, kept in the ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderFacts {
    /// The provider's id of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model that answered, as the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The raw body, from which usage was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// What was odd about the answer, though it could be read: a report of usage that cannot be believed, a grammar that
    /// the provider could not be given, a bound of the output that was cut to fit the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Requests of the model that were allowed at once when this one was answered, where that changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_once: Option<u32>,
}
