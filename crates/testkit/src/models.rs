//! Throw-away models: zero latency, seeded, and misbehaving on demand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use gimbal_core::{
    CallContext, ChatModel, ChatRequest, Completion, Finish, Grammar, ModelError, ModelErrorKind, Rng, Usage,
    UsageSource,
};

/// Picks one of the actions after `legal: ` in the last message (or of the grammar's choices), by the call's seed.
#[derive(Debug, Default)]
pub struct Picker {
    /// Gives way to other tasks before it answers, this many times: episodes then truly interleave.
    pub yields: u32,
    /// Waits this many microseconds before it answers.
    pub delay_us: u64,
    /// Kinds of failure to report instead, by the call's seed modulo the length; none answers.
    pub failures: Vec<Option<ModelErrorKind>>,
    /// Failures of infrastructure to report before all else, for the first calls of the model's life.
    pub outages: AtomicU64,
    /// The form of an answer: `{}` is replaced by the action.
    pub wrap: Option<String>,
}

/// The same words at every call.
#[derive(Debug)]
pub struct Parrot(pub Arc<str>);

/// Says its lines one after another, and the last one forever.
#[derive(Debug)]
pub struct Reciter(std::sync::Mutex<(std::collections::VecDeque<Arc<str>>, Arc<str>)>);

impl Reciter {
    /// A model of these lines.
    #[must_use]
    pub fn of<T: Into<Arc<str>>>(lines: impl IntoIterator<Item = T>) -> Self {
        let lines: std::collections::VecDeque<Arc<str>> = lines.into_iter().map(Into::into).collect();
        let last = lines.back().cloned().unwrap_or_else(|| "".into());
        Self(std::sync::Mutex::new((lines, last)))
    }
}

fn usage(request: &ChatRequest, text: &str) -> Usage {
    let input: usize = request.messages.iter().map(|message| message.text.len()).sum();
    Usage {
        input: input.div_ceil(4) as u64,
        output: text.len().div_ceil(4) as u64,
        source: UsageSource::Estimated,
        ..Usage::default()
    }
}

fn completion(request: &ChatRequest, text: Arc<str>) -> Completion {
    Completion {
        usage: usage(request, &text),
        text,
        calls: Vec::new(),
        finish: Finish::Stop,
        reasoning: None,
        missed: Vec::new(),
        latency_us: 0,
        provider: gimbal_core::chat::ProviderFacts::default(),
    }
}

impl Picker {
    fn outcome(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        if self.outages.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
            return Err(ModelError::new(ModelErrorKind::Unavailable, "the throw-away model is out of order"));
        }
        if !self.failures.is_empty()
            && let Some(kind) = self.failures[(context.seed % self.failures.len() as u64) as usize]
        {
            let mut error = ModelError::new(kind, "the throw-away model misbehaves");
            error.usage = Some(usage(request, ""));
            return Err(error);
        }
        let last = request.messages.last().map_or("", |message| &*message.text);
        let listed = last.rsplit_once("legal: ").map_or("", |(_, list)| list);
        let mut actions: Vec<&str> = listed.split(" | ").filter(|action| !action.is_empty()).collect();
        if let (true, Some(Grammar::Choice(choices))) = (actions.is_empty(), request.grammar.as_deref()) {
            actions = choices.iter().map(String::as_str).collect();
        }
        let picked = Rng::stream(context.seed, "picker").choose(&actions).copied().unwrap_or("nothing to pick");
        let text = self.wrap.as_ref().map_or_else(|| picked.to_owned(), |wrap| wrap.replace("{}", picked));
        Ok(completion(request, text.into()))
    }
}

#[async_trait]
impl ChatModel for Picker {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let attempt = context.wire.sent(request, false)?;
        for _ in 0..self.yields {
            tokio::task::yield_now().await;
        }
        if self.delay_us > 0 {
            tokio::time::sleep(std::time::Duration::from_micros(self.delay_us)).await;
        }
        let outcome = self.outcome(request, context);
        context.wire.received(attempt, &outcome)?;
        outcome
    }
}

#[async_trait]
impl ChatModel for Parrot {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let attempt = context.wire.sent(request, false)?;
        let outcome = Ok(completion(request, Arc::clone(&self.0)));
        context.wire.received(attempt, &outcome)?;
        outcome
    }
}

#[async_trait]
impl ChatModel for Reciter {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let attempt = context.wire.sent(request, false)?;
        let line = {
            let mut lines = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            lines.0.pop_front().unwrap_or_else(|| Arc::clone(&lines.1))
        };
        let outcome = Ok(completion(request, line));
        context.wire.received(attempt, &outcome)?;
        outcome
    }
}
