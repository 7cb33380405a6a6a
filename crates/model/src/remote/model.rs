//! A remote model.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Grammar, ModelError};
use serde_json::Value;

use super::address::Address;
use super::failure::Asked;
use super::mask::Mask;
use super::provider::{Provider, WireFormat};
use super::survey::Survey;
use super::write::{self, Draft};
use super::{body, transport};
use crate::config::{self, ModelsConfig};
use crate::error::SetupError;
use crate::traits::Known;
use crate::{answer, estimate};

/// Longest raw body that is kept of an answer, in bytes; of a longer one the usage is.
const KEPT: usize = 256 << 10;
/// Least bound of the output that is ever sent.
const LEAST_OUTPUT: u64 = 16;
/// Input tokens that a server's template and instructions of its own may add to a request.
const OWN_INPUT: u64 = 4096;
/// The same where a study's `extra_body` may ask the server for more: pages that it looks up, stored prompts.
const LOOKED_UP: u64 = 1 << 20;
/// Output tokens of hidden reasoning, at most, where the bound of the output does not count them.
const HIDDEN: u64 = 1 << 17;

/// A remote model behind the seam.
pub struct Remote {
    name: String,
    id: String,
    provider: Provider,
    address: Address,
    key_variable: String,
    known: Known,
    client: reqwest::Client,
    /// Whether it has answered a request.
    answered: AtomicBool,
    survey: Arc<Survey>,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("name", &self.name).field("address", &self.address).finish_non_exhaustive()
    }
}

impl Remote {
    /// Whether the model can be asked: its key and base address are there.
    ///
    /// # Errors
    /// [`SetupError::Key`] or [`SetupError::Address`].
    pub fn check(name: &str, provider: Provider, config: &ModelsConfig) -> Result<(), SetupError> {
        Address::find(name, provider, config).map(|_| ())
    }

    /// A client of its own for this model. Sends nothing yet. `survey` holds what its server reports.
    ///
    /// # Errors
    /// As [`Remote::check`], or [`SetupError::Client`].
    pub fn open(
        name: &str,
        provider: Provider,
        id: &str,
        config: &ModelsConfig,
        survey: Arc<Survey>,
    ) -> Result<Self, SetupError> {
        if provider.wire() == WireFormat::Gemini && id.contains(['?', '#', '%']) {
            return Err(SetupError::Name(format!("model `{name}`: the name must not hold `?`, `#` or `%`")));
        }
        let address = Address::find(name, provider, config)?;
        let client = transport::client(name, &address, config)?;
        Ok(Self {
            name: name.to_owned(),
            id: id.to_owned(),
            provider,
            address,
            key_variable: config::key_variable(config, name, provider),
            known: config.known(name),
            client,
            answered: AtomicBool::new(false),
            survey,
        })
    }

    fn asked(&self) -> Asked<'_> {
        Asked {
            model: &self.name,
            key_variable: &self.key_variable,
            key: self.address.key.as_ref(),
            answered: self.answered.load(Ordering::Relaxed),
        }
    }

    fn mask(&self, request: &ChatRequest) -> Mask {
        Mask::of(request, &self.known, self.provider.wire(), self.address.dialect)
    }

    /// The bound of the output that fits, and what to say where it is less than what was asked for.
    fn most(&self, request: &ChatRequest) -> (u32, Option<String>) {
        let asked = request.sampling.max_output_tokens;
        let mut most = u64::from(asked);
        let mut why = String::new();
        if let Some(output) = self.known.output.map(u64::from).filter(|output| *output < most) {
            (most, why) = (output, format!("the model writes at most {output}"));
        }
        if let Some(context) = self.survey.context().or(self.known.context) {
            // Cautious: of most languages a token holds more bytes, and templates add a few to every message.
            let prompt = estimate::cautious_prompt(request);
            let left = context.saturating_sub(prompt).max(LEAST_OUTPUT);
            if left < most {
                (most, why) = (left, format!("the context holds {context} and the prompt takes about {prompt}"));
            }
        }
        let most = u32::try_from(most).unwrap_or(asked);
        (most, (most < asked).then(|| format!("the bound of the output was cut from {asked} to {most} tokens: {why}")))
    }

    /// The most that a report of usage may say of a request of so many bytes: a token is a byte at least, and the bound of
    /// the output holds, give or take.
    fn bounds(&self, request: &ChatRequest, bytes: usize, most: u32) -> body::Bounds {
        let most = u64::from(most);
        let own = if request.sampling.provider.extra_body.is_empty() {
            OWN_INPUT
        } else {
            self.survey.context().or(self.known.context).unwrap_or(0).max(LOOKED_UP)
        };
        let slack = if self.provider.bounds_reasoning() { most / 4 + 256 } else { HIDDEN };
        body::Bounds { input: (bytes as u64).saturating_add(own), output: most.saturating_add(slack) }
    }

    /// Sends the request; with the answer, the bytes of the request.
    async fn send(&self, request: &ChatRequest, mask: &Mask, most: u32) -> Result<(Value, usize), ModelError> {
        let format = self.provider.wire();
        let draft = Draft { request, provider: self.provider, id: &self.id, known: &self.known, mask, most };
        let body = draft.body().to_string();
        let bytes = body.len();
        let mut post = self
            .client
            .post(write::url(format, &self.address.base, &self.id))
            .header("content-type", "application/json")
            .body(body);
        for (name, value) in &request.sampling.provider.extra_headers {
            post = post.header(name, value);
        }
        let key = self.address.key.as_ref().map(|key| key.expose());
        for (name, value) in write::headers(format, key) {
            post = post.header(name, value);
        }
        let received = transport::send(post).await.map_err(|broken| self.asked().broken(&broken))?;
        let answer = self.asked().json(&received)?;
        self.answered.store(true, Ordering::Relaxed);
        Ok((answer, bytes))
    }

    /// The answer's raw body as it is kept: whole, or of a long one the report of usage.
    fn kept(&self, answer: &Value) -> String {
        let whole = self.asked().scrub(&answer.to_string());
        if whole.len() <= KEPT {
            return whole;
        }
        let mut short = serde_json::json!({ "cut": format!("{} bytes were not kept", whole.len()) });
        for key in ["id", "model", "usage", "usageMetadata", "responseId", "modelVersion"] {
            if let Some(value) = answer.get(key).filter(|value| value.to_string().len() < 4096) {
                short[key] = value.clone();
            }
        }
        self.asked().scrub(&short.to_string())
    }
}

#[async_trait]
impl ChatModel for Remote {
    async fn complete(&self, request: &ChatRequest, _: &CallContext<'_>) -> Result<Completion, ModelError> {
        let start = Instant::now();
        let mask = self.mask(request);
        let (most, cut) = self.most(request);
        let answer = self.send(request, &mask, most).await;
        let latency_us = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        let asked = self.asked();
        let (mut answer, bytes) = answer.map_err(|error| ModelError { latency_us, ..error })?;
        // First of all, so that no part of the answer leaves this room with the key in it (BOG-148).
        if let Some(key) = asked.key {
            body::take_out(&mut answer, key);
        }
        let read = body::read(self.provider.wire(), &answer).within(self.bounds(request, bytes, most));
        let mut read = read.without(asked.key);
        read.text = mask.unwrapped(read.text);
        if !write::sends_stop(request, &self.known) {
            read.text.truncate(answer::until_stop(&read.text, &request.stop).len());
        }
        let notes = [read.note.take(), mask.note, cut];
        read.note = notes.into_iter().flatten().reduce(|all, next| format!("{all}; {next}"));
        let judged = |completion| match &mask.native {
            Some(native) => native.judge(completion),
            None => Ok(completion),
        };
        read.outcome(self.kept(&answer), latency_us).and_then(judged).map_err(|error| ModelError {
            message: format!("{}: {}", self.name, asked.excerpt(&error.message)),
            partial: error.partial.map(|partial| Arc::from(asked.scrub(&partial))),
            ..error
        })
    }

    fn reasons_within_bound(&self) -> bool {
        self.known.effort
    }

    fn enforced(&self, request: &ChatRequest) -> Option<Arc<Grammar>> {
        self.mask(request).judged
    }
}
