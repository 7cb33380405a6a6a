//! Reads a provider's answer from its raw body.
//!
//! One reader for each wire format. None of them panics on anything, and none of them guesses: what is not there is
//! missing.

mod anthropic;
mod gemini;
mod openai;

use std::sync::Arc;

use gimbal_core::chat::ProviderFacts;
use gimbal_core::{Completion, Finish, ModelError, ModelErrorKind, RequestedCall, Usage, UsageSource};
use serde_json::Value;

use super::provider::WireFormat;

/// What a body says.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The text, word for word.
    pub text: String,
    /// Native tool calls.
    pub calls: Vec<RequestedCall>,
    /// Visible reasoning, where it stands apart.
    pub reasoning: Option<String>,
    /// How it ended.
    pub end: End,
    /// Tokens as reported.
    pub usage: Usage,
    /// The provider's id of the answer.
    pub id: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, at a stop text, or to make calls.
    Whole,
    /// The output bound was reached.
    Length,
    /// The model or a filter refused, in these words.
    Refused(String),
    /// There is no answer in it at all, for this reason.
    Nothing(String),
}

/// Reads a body.
#[must_use]
pub fn read(format: WireFormat, body: &Value) -> Read {
    match format {
        WireFormat::OpenAi => openai::read(body),
        WireFormat::Anthropic => anthropic::read(body),
        WireFormat::Gemini => gemini::read(body),
    }
}

impl Read {
    /// The typed outcome: only a whole answer is a completion.
    pub(super) fn outcome(self, raw: String, latency_us: u64) -> Result<Completion, ModelError> {
        let provider = ProviderFacts { id: self.id, model: self.model, raw: Some(raw) };
        let (kind, message, partial) = match self.end {
            End::Whole => {
                return Ok(Completion {
                    text: self.text.into(),
                    finish: if self.calls.is_empty() { Finish::Stop } else { Finish::Calls },
                    calls: self.calls,
                    usage: self.usage,
                    reasoning: self.reasoning.map(Arc::from),
                    latency_us,
                    provider,
                });
            }
            End::Length => (
                ModelErrorKind::Truncated,
                "the output bound was reached before the answer was whole: raise `max_output_tokens`".to_owned(),
                Some(self.text),
            ),
            End::Refused(words) => {
                let said = if words.is_empty() { self.text } else { words };
                (ModelErrorKind::Refusal, "the provider or its model refused to answer".to_owned(), Some(said))
            }
            End::Nothing(why) => {
                (ModelErrorKind::BadResponse, format!("the provider's answer holds no text: {why}"), None)
            }
        };
        Err(ModelError {
            usage: Some(self.usage),
            partial: partial.map(Arc::from),
            latency_us,
            provider: Box::new(provider),
            ..ModelError::new(kind, message)
        })
    }
}

/// A count of tokens; none if it is no such number.
fn count(value: Option<&Value>) -> Option<u64> {
    value.and_then(Value::as_u64)
}

/// A usage of these counts; missing when the two that every provider reports are both absent.
fn usage(input: Option<u64>, cached: Option<u64>, output: Option<u64>, reasoning: Option<u64>) -> Usage {
    let source = if input.is_none() && output.is_none() { UsageSource::Missing } else { UsageSource::Reported };
    Usage {
        input: input.unwrap_or(0),
        cached_input: cached.unwrap_or(0),
        output: output.unwrap_or(0),
        reasoning: reasoning.unwrap_or(0),
        source,
    }
}

/// A text at a member of an object.
fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests;
