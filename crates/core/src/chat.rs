//! What is asked of a model, and what it answers.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::{Digest, Milli, ToolSpec};

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The system prompt.
    System,
    /// The scaffolding, in the place of a user.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Speaker {
    /// The name that providers and events use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// One message of a conversation. Immutable, so that its hash is taken once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Message {
    /// Its author.
    pub speaker: Speaker,
    /// Its text.
    pub text: Arc<str>,
    /// Calls that an assistant message makes (native tools).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<RequestedCall>,
    /// The call that a tool message answers (native tools).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    #[serde(skip)]
    digest: OnceLock<Digest>,
    #[serde(skip)]
    stored: OnceLock<Digest>,
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.speaker == other.speaker
            && self.text == other.text
            && self.calls == other.calls
            && self.answers == other.answers
    }
}

impl Message {
    /// A plain message.
    #[must_use]
    pub fn new(speaker: Speaker, text: impl Into<Arc<str>>) -> Self {
        Self {
            speaker,
            text: text.into(),
            calls: Vec::new(),
            answers: None,
            digest: OnceLock::new(),
            stored: OnceLock::new(),
        }
    }

    /// An assistant message that makes native tool calls.
    #[must_use]
    pub fn with_calls(text: impl Into<Arc<str>>, calls: Vec<RequestedCall>) -> Self {
        Self { calls, ..Self::new(Speaker::Assistant, text) }
    }

    /// The result of the native tool call with this id.
    #[must_use]
    pub fn answering(id: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Self { answers: Some(id.into()), ..Self::new(Speaker::Tool, text) }
    }

    /// The content as one text, for the store: the text itself, or with native calls its JSON form.
    #[must_use]
    pub fn stored_text(&self) -> Arc<str> {
        if self.calls.is_empty() && self.answers.is_none() {
            return Arc::clone(&self.text);
        }
        let calls: Vec<Value> = self
            .calls
            .iter()
            .map(|call| serde_json::json!({ "arguments": call.arguments, "id": call.id, "tool": call.tool }))
            .collect();
        let whole = serde_json::json!({ "answers": self.answers, "calls": calls, "text": &*self.text });
        crate::canonical::text(&whole).into()
    }

    /// Hash of [`Message::stored_text`]; taken once.
    #[must_use]
    pub fn stored_digest(&self) -> Digest {
        *self.stored.get_or_init(|| Digest::of(self.stored_text().as_bytes()))
    }

    /// Hash over speaker and content; taken once.
    #[must_use]
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| Digest::of_parts(&[self.speaker.name().as_bytes(), self.stored_text().as_bytes()]))
    }
}

/// A native tool call that a model asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestedCall {
    /// The provider's id of the call.
    pub id: String,
    /// Name of the tool.
    pub tool: String,
    /// Arguments as the model wrote them (an object unless the model erred).
    pub arguments: Value,
}

/// The shape that a completion must have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grammar {
    /// JSON that a schema accepts.
    JsonSchema(Value),
    /// One of these texts.
    Choice(Vec<String>),
    /// A text that a regular expression matches as a whole.
    Regex(String),
}

impl Grammar {
    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> GrammarKind {
        match self {
            Self::JsonSchema(_) => GrammarKind::Schema,
            Self::Choice(_) => GrammarKind::Choice,
            Self::Regex(_) => GrammarKind::Regex,
        }
    }
}

/// The kinds of grammars. Servers differ in which of them they can enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrammarKind {
    /// JSON Schema.
    Schema,
    /// One of several texts.
    Choice,
    /// A regular expression.
    Regex,
}

impl GrammarKind {
    /// The name that files use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Choice => "choice",
            Self::Regex => "regex",
        }
    }

    /// The words that messages use.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Schema => "JSON Schemas",
            Self::Choice => "lists of choices",
            Self::Regex => "regular expressions",
        }
    }
}

/// Decoding settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    /// Temperature in thousandths; 0 is greedy (BOG-045).
    pub temperature: Milli,
    /// Nucleus mass in thousandths; none leaves the provider's default.
    pub top_p: Option<Milli>,
    /// Upper bound of the output, in tokens.
    pub max_output_tokens: u32,
    /// Seed, where the provider takes one.
    pub seed: Option<u64>,
    /// Further settings of the provider.
    #[serde(skip_serializing_if = "ProviderSettings::is_default")]
    pub provider: ProviderSettings,
}

/// What a role sends to its provider in addition to the usual settings. It decides answers, so it is in the key of an episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderSettings {
    /// Whether stop texts are sent; none sends them to models that take them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<bool>,
    /// How much a reasoning model should think, in the provider's words: `low`, `high`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// Members of the request's body that go over what would be written otherwise.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra_body: serde_json::Map<String, Value>,
    /// Headers of the request; never keys.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub extra_headers: std::collections::BTreeMap<String, String>,
}

impl ProviderSettings {
    /// Whether nothing is set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for Sampling {
    /// Greedy with at most 1,024 tokens of output.
    fn default() -> Self {
        Self {
            temperature: Milli::ZERO,
            top_p: None,
            max_output_tokens: 1024,
            seed: None,
            provider: ProviderSettings::default(),
        }
    }
}

/// What is asked of a model.
#[derive(Clone, Debug, Default)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Arc<Message>>,
    /// Tools that the model may call natively.
    pub tools: Arc<[ToolSpec]>,
    /// The shape that the completion must have.
    pub grammar: Option<Arc<Grammar>>,
    /// Texts at which the completion ends (not part of it).
    pub stop: Vec<String>,
    /// Decoding settings.
    pub sampling: Sampling,
}

impl ChatRequest {
    /// Hash of the request: of everything that a provider would see.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut parts: Vec<Vec<u8>> = self.messages.iter().map(|message| message.digest().0.to_vec()).collect();
        let value = serde_json::json!({
            "grammar": self.grammar.as_deref(), "sampling": self.sampling, "stop": self.stop, "tools": &*self.tools,
        });
        parts.push(crate::canonical::text(&value).into_bytes());
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Digest::of_parts(&parts)
    }
}

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

/// What kind of thing went wrong with a model call. None of them is ever model text (BOG-047).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorKind {
    /// The provider could not be reached, or the connection broke.
    Transport,
    /// No answer in time.
    Timeout,
    /// Too many requests.
    RateLimited,
    /// The provider failed (5xx).
    Unavailable,
    /// The key is missing, wrong or has no right to this model.
    Denied,
    /// The provider did not accept the request.
    BadRequest,
    /// The provider's answer cannot be read: wrong content type, invalid JSON, no choices.
    BadResponse,
    /// The model refused.
    Refusal,
    /// The output bound was reached before the answer was whole.
    Truncated,
    /// The text does not have the shape that the grammar demands.
    BadShape,
    /// A recorded conversation has no such request.
    NotRecorded,
    /// The call was cancelled.
    Cancelled,
}

impl ModelErrorKind {
    /// Whether this is the environment's failure and not the agent's: retried, shown separately, never an outcome.
    #[must_use]
    pub const fn is_infrastructure(self) -> bool {
        !matches!(self, Self::Refusal | Self::Truncated | Self::BadShape)
    }

    /// Whether the same request may succeed when it is sent again.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        matches!(self, Self::Transport | Self::Timeout | Self::RateLimited | Self::Unavailable | Self::BadResponse)
    }

    /// Whether the provider may have worked on the request, and charge for it, though no answer could be read. Requests
    /// that a provider turns down itself are free.
    #[must_use]
    pub const fn may_be_billed(self) -> bool {
        matches!(self, Self::Transport | Self::Timeout | Self::BadResponse | Self::Cancelled)
    }

    /// The name that events and tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transport => "transport",
            Self::Timeout => "timeout",
            Self::RateLimited => "rate_limited",
            Self::Unavailable => "unavailable",
            Self::Denied => "denied",
            Self::BadRequest => "bad_request",
            Self::BadResponse => "bad_response",
            Self::Refusal => "refusal",
            Self::Truncated => "truncated",
            Self::BadShape => "bad_shape",
            Self::NotRecorded => "not_recorded",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A model call that gave no completion.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{message}")]
pub struct ModelError {
    /// What kind.
    pub kind: ModelErrorKind,
    /// Where, what and how to fix it. Never holds a key.
    pub message: String,
    /// Tokens that were used nevertheless, where known: a refused or cut answer is still paid for.
    pub usage: Option<Usage>,
    /// The partial or refused text, kept for the trace; never parsed as an answer.
    pub partial: Option<Arc<str>>,
    /// How long the provider asks us to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// Whether no other request to this model can succeed either, until it is fixed or much time has passed: a
    /// wrong key, no credit, no such model, a wait beyond all patience.
    pub lasting: bool,
    /// Wall time of the call in microseconds.
    pub latency_us: u64,
    /// What the provider reported with it.
    pub provider: Box<ProviderFacts>,
}

impl ModelError {
    /// An error of this kind with its message.
    #[must_use]
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            usage: None,
            partial: None,
            retry_after_ms: None,
            lasting: false,
            latency_us: 0,
            provider: Box::default(),
        }
    }
}
