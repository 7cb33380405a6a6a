//! Why a model call gave no completion.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::completion::{ProviderFacts, Usage};

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
