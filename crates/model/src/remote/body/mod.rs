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
use crate::secret::Secret;

/// The content of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The text, word for word.
    pub text: String,
    /// Native tool calls.
    pub calls: Vec<RequestedCall>,
    /// Visible reasoning, where it is separate from the text.
    pub reasoning: Option<String>,
    /// How it ended.
    pub end: BodyFinish,
    /// Tokens as reported.
    pub usage: Usage,
    /// What is odd about the answer, though it can be read.
    pub note: Option<String>,
    /// The provider's id of the answer.
    pub id: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyFinish {
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
    let (mut read, report) = match format {
        WireFormat::OpenAi => (openai::read(body), body.get("usage")),
        WireFormat::Anthropic => (anthropic::read(body), body.get("usage")),
        WireFormat::Gemini => (gemini::read(body), body.get("usageMetadata")),
    };
    if read.usage.source == UsageSource::Missing && report.is_some_and(|report| !report.is_null()) {
        read.note = Some("the report of usage cannot be believed and counts as missing".to_owned());
    }
    if let Some(why) = unbelievable(&read) {
        read.usage = Usage { source: UsageSource::Missing, ..Usage::default() };
        read.note = Some(format!("the report of usage cannot be believed ({why}) and counts as missing"));
    }
    read
}

/// Why a report of usage cannot be true, if so. A provider that reports nothing for what it did would switch limits off.
fn unbelievable(read: &Read) -> Option<&'static str> {
    let usage = &read.usage;
    let said = !read.text.is_empty() || !read.calls.is_empty();
    match usage.source {
        UsageSource::Missing => None,
        _ if usage.cached_input > usage.input => Some("more input was cached than there was"),
        _ if usage.reasoning > usage.output => Some("more output was reasoning than there was"),
        _ if said && usage.output == 0 => Some("no output beside an answer"),
        _ if said && usage.input == 0 => Some("no input beside an answer"),
        _ => None,
    }
}

/// The most that a report of usage may say of one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Input tokens.
    pub input: u64,
    /// Output tokens, beyond those of the words that are there to be seen.
    pub output: u64,
}

/// Takes a key out of every text of a body. What is kept and what is shown is made of the body, so that nothing else
/// has to be looked at but what is put together of several texts.
pub(super) fn take_out(body: &mut Value, key: &Secret) {
    match body {
        Value::String(text) => {
            // Arguments of calls are JSON within JSON, where a letter has more than one way to be written.
            if text.contains('\\')
                && text.trim_start().starts_with(['{', '['])
                && let Ok(mut inner) = serde_json::from_str::<Value>(text)
            {
                let before = inner.clone();
                take_out(&mut inner, key);
                if inner != before {
                    *text = inner.to_string();
                }
            }
            key.take_out(text);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| take_out(item, key)),
        Value::Object(members) => {
            let named = |name: &String| {
                let mut without = name.clone();
                key.take_out(&mut without);
                without != *name
            };
            if members.keys().any(named) {
                let all = std::mem::take(members);
                members.extend(all.into_iter().map(|(mut name, value)| {
                    key.take_out(&mut name);
                    (name, value)
                }));
            }
            members.values_mut().for_each(|member| take_out(member, key));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Read {
    /// With a report of more tokens than the request can have taken counted as missing.
    pub(super) fn within(mut self, bounds: Bounds) -> Self {
        let calls = self.calls.iter().map(|call| call.tool.len() + call.arguments.to_string().len());
        let seen = calls.sum::<usize>() + self.text.len() + self.reasoning.as_deref().map_or(0, str::len);
        // A token is a byte at least. A server that goes beyond the bound that it was given may well say so.
        let output = bounds.output.max(seen as u64);
        let Usage { input, output: told, source, .. } = self.usage;
        let why = match source {
            UsageSource::Missing => None,
            _ if input > bounds.input => Some(format!("{input} tokens of input, and {} are possible", bounds.input)),
            _ if told > output => Some(format!("{told} tokens of output, and {output} are possible")),
            _ => None,
        };
        if let Some(why) = why {
            self.usage = Usage { source: UsageSource::Missing, ..Usage::default() };
            self.note = Some(format!("the report of usage cannot be believed ({why}) and counts as missing"));
        }
        self
    }

    /// Without a key anywhere: texts are put together of parts, and arguments are JSON within JSON.
    pub(super) fn without(mut self, key: Option<&Secret>) -> Self {
        let Some(key) = key else { return self };
        key.take_out(&mut self.text);
        for call in &mut self.calls {
            key.take_out(&mut call.id);
            key.take_out(&mut call.tool);
            take_out(&mut call.arguments, key);
        }
        let words = match &mut self.end {
            BodyFinish::Refused(words) | BodyFinish::Nothing(words) => Some(words),
            BodyFinish::Whole | BodyFinish::Length => None,
        };
        for text in [&mut self.reasoning, &mut self.id, &mut self.model].into_iter().flatten().chain(words) {
            key.take_out(text);
        }
        self
    }

    /// The typed outcome: only a whole answer is a completion.
    pub(super) fn outcome(self, raw: String, latency_us: u64) -> Result<Completion, ModelError> {
        let provider = ProviderFacts { id: self.id, model: self.model, raw: Some(raw), note: self.note, at_once: None };
        let (kind, message, partial) = match self.end {
            BodyFinish::Whole => {
                return Ok(Completion {
                    text: self.text.into(),
                    finish: if self.calls.is_empty() { Finish::Stop } else { Finish::Calls },
                    calls: self.calls,
                    usage: self.usage,
                    reasoning: self.reasoning.map(Arc::from),
                    missed: Vec::new(),
                    latency_us,
                    provider,
                });
            }
            BodyFinish::Length => (
                ModelErrorKind::Truncated,
                "the output bound was reached before the answer was whole: raise `max_output_tokens`".to_owned(),
                Some(self.text),
            ),
            BodyFinish::Refused(words) => {
                let said = if words.is_empty() { self.text } else { words };
                (ModelErrorKind::Refusal, "the provider or its model refused to answer".to_owned(), Some(said))
            }
            BodyFinish::Nothing(why) => {
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

/// The most tokens that a report of one call may hold: far beyond any context, and far from any overflow.
const MOST: u64 = 1 << 40;

/// A count of tokens; `None` where there is none. What is there and is not such a number counts as out of all bounds, so that
/// sums with it are out of bounds as well, and [`usage`] leaves the report out.
fn count(value: Option<&Value>) -> Option<u64> {
    let value = value.filter(|value| !value.is_null())?;
    // Some servers write whole numbers with a point.
    let whole = || value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=MOST as f64).contains(number));
    Some(value.as_u64().or_else(|| whole().map(|number| number as u64)).unwrap_or(u64::MAX))
}

/// A usage of these counts; missing when one of the two that every provider reports is absent, or any is out of bounds.
fn usage(input: Option<u64>, cached: Option<u64>, output: Option<u64>, reasoning: Option<u64>) -> Usage {
    let believed = [input, cached, output, reasoning].into_iter().flatten().all(|count| count <= MOST);
    match (input, output) {
        (Some(input), Some(output)) if believed => Usage {
            input,
            cached_input: cached.unwrap_or(0),
            output,
            reasoning: reasoning.unwrap_or(0),
            source: UsageSource::Reported,
        },
        _ => Usage { source: UsageSource::Missing, ..Usage::default() },
    }
}

/// A text at a member of an object.
fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests;
