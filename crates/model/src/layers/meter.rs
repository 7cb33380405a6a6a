//! Totals per model (BOG-150).

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, ModelError, Usage, UsageSource, Wire};

/// What was asked of a model since it was opened. For progress and for the client's own totals; a run's figures are
/// folds over its ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Calls, whatever became of them.
    pub calls: u64,
    /// Calls that failed in the end.
    pub failed: u64,
    /// Requests that left, repeated ones too.
    pub attempts: u64,
    /// Answers from our own cache.
    pub cached: u64,
    /// Attempts whose tokens are not a provider's count but an estimate by length.
    pub usage_missing: u64,
    /// Attempts of unknown cost: they left, and no whole answer came. Their prompts are in none of the sums.
    pub unknown: u64,
    /// Input tokens of all attempts.
    pub input_tokens: u64,
    /// Those of them that the provider had cached.
    pub cached_input_tokens: u64,
    /// Output tokens of all attempts.
    pub output_tokens: u64,
    /// Those of them that were hidden reasoning.
    pub reasoning_tokens: u64,
    /// Wall time of all attempts in microseconds.
    pub latency_us: u64,
}

impl Totals {
    fn add(&mut self, usage: Option<&Usage>, latency_us: u64) {
        self.latency_us = self.latency_us.saturating_add(latency_us);
        // Turned down by the provider: nothing was used.
        let Some(usage) = usage else { return };
        if usage.source == UsageSource::Missing {
            self.unknown += 1;
            return;
        }
        self.input_tokens = self.input_tokens.saturating_add(usage.input);
        self.cached_input_tokens = self.cached_input_tokens.saturating_add(usage.cached_input);
        self.output_tokens = self.output_tokens.saturating_add(usage.output);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(usage.reasoning);
        self.usage_missing += u64::from(usage.source == UsageSource::Estimated);
    }
}

/// The outermost layer.
pub(crate) struct Meter {
    inner: Box<dyn ChatModel>,
    totals: Arc<Mutex<Totals>>,
}

impl Meter {
    pub(crate) fn new(inner: Box<dyn ChatModel>, totals: Arc<Mutex<Totals>>) -> Self {
        Self { inner, totals }
    }
}

/// Counts on its way to the ledger.
struct Counting<'a> {
    wire: &'a dyn Wire,
    totals: &'a Mutex<Totals>,
    /// Attempts that were answered by the cache: nothing was spent on them.
    cached: Mutex<Vec<u64>>,
}

impl Wire for Counting<'_> {
    fn sent(&self, request: &ChatRequest, cached: bool) -> Result<u64, ModelError> {
        let attempt = self.wire.sent(request, cached)?;
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        if cached {
            totals.cached += 1;
            self.cached.lock().unwrap_or_else(PoisonError::into_inner).push(attempt);
        } else {
            totals.attempts += 1;
        }
        Ok(attempt)
    }

    fn received(&self, attempt: u64, outcome: &Result<Completion, ModelError>) -> Result<(), ModelError> {
        self.wire.received(attempt, outcome)?;
        if !self.cached.lock().unwrap_or_else(PoisonError::into_inner).contains(&attempt) {
            let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
            match outcome {
                Ok(completion) => totals.add(Some(&completion.usage), completion.latency_us),
                Err(error) => totals.add(error.usage.as_ref(), error.latency_us),
            }
        }
        Ok(())
    }

    fn pause(&self) {
        self.wire.pause();
    }

    fn resume(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.wire.resume()
    }
}

#[async_trait]
impl ChatModel for Meter {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let wire = Counting { wire: context.wire, totals: &self.totals, cached: Mutex::default() };
        let outcome = self.inner.complete(request, &CallContext { wire: &wire, ..*context }).await;
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.calls += 1;
        totals.failed += u64::from(outcome.is_err());
        drop(totals);
        outcome
    }

    through_inner!();
}
