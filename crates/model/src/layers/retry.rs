//! Repeats what may succeed when it is sent again.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, ModelError, Rng, seed};

use crate::config::RetryPolicy;
use crate::layers::Clock;

/// Exponential back-off with full jitter. The jitter comes from the call's seed, so that a run repeats itself, while
/// episodes in flight are spread.
pub(crate) struct Retry<M> {
    inner: M,
    policy: RetryPolicy,
    clock: Arc<dyn Clock>,
}

impl<M> Retry<M> {
    pub(crate) fn new(inner: M, policy: RetryPolicy, clock: Arc<dyn Clock>) -> Self {
        Self { inner, policy, clock }
    }

    /// A provider that asks for more time than we have is left alone altogether.
    fn beyond_patience(&self, mut error: ModelError) -> ModelError {
        if let Some(asked) =
            error.retry_after_ms.filter(|asked| error.kind.is_transient() && *asked > self.policy.patience_ms)
        {
            error.lasting = true;
            error.message = format!(
                "{} (it asks us to wait {} s, longer than `retry: patience_ms` allows)",
                error.message,
                asked.div_ceil(1000)
            );
        }
        error
    }

    /// The pause after the failure of attempt `number` (from 0); `None` if the call is abandoned.
    fn pause(&self, number: u32, error: &ModelError, draws: &mut Rng) -> Option<Duration> {
        if !error.kind.is_transient() || number + 1 >= self.policy.attempts {
            return None;
        }
        let bound = self.policy.first_ms.saturating_mul(1_u64.checked_shl(number).unwrap_or(u64::MAX));
        let jitter = draws.below(bound.min(self.policy.longest_ms).saturating_add(1));
        match error.retry_after_ms {
            Some(asked) if asked > self.policy.patience_ms => None,
            // In addition to the requested pause, so that calls with the same pause do not return at once.
            Some(asked) => Some(Duration::from_millis(asked.saturating_add(jitter.min(self.policy.first_ms)))),
            None => Some(Duration::from_millis(jitter)),
        }
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Retry<M> {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let mut draws =
            Rng::stream(seed::derive(&[&context.seed.to_be_bytes(), &context.call.to_be_bytes()]), "retry-jitter");
        let mut number = 0;
        loop {
            let error = match self.inner.complete(request, context).await {
                Ok(completion) => return Ok(completion),
                Err(error) => error,
            };
            let Some(pause) = self.pause(number, &error, &mut draws) else {
                let error = self.beyond_patience(error);
                return Err(if number == 0 { error } else { after(error, number + 1) });
            };
            context.wire.pause();
            self.clock.sleep(pause).await;
            context.wire.resume().await;
            number += 1;
        }
    }

    through_inner!();
}

fn after(mut error: ModelError, attempts: u32) -> ModelError {
    error.message = format!("{} (given up after {attempts} attempts)", error.message);
    error
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use async_trait::async_trait;
    use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Finish, ModelError, ModelErrorKind};

    use super::Retry;
    use crate::answer;
    use crate::config::RetryPolicy;
    use crate::layers::clock::testing::FakeClock;
    use crate::testing::{NoWire, ask, context};

    /// Fails in these ways in turn, then answers.
    struct Failing(Mutex<Vec<ModelError>>);

    #[async_trait]
    impl ChatModel for Failing {
        async fn complete(&self, request: &ChatRequest, _: &CallContext<'_>) -> Result<Completion, ModelError> {
            match self.0.lock().unwrap().pop() {
                Some(error) => Err(error),
                None => Ok(answer::plain(request, "there", Vec::new(), Finish::Stop)),
            }
        }
    }

    fn run(errors: Vec<ModelError>, policy: RetryPolicy) -> (Result<Completion, ModelError>, Vec<Duration>) {
        let clock = FakeClock::new();
        let errors = errors.into_iter().rev().collect();
        let model = Retry::new(Failing(Mutex::new(errors)), policy, clock.clone());
        let outcome = ask(&model, &ChatRequest::default(), &context(&NoWire, 5, 0));
        (outcome, clock.slept())
    }

    fn error(kind: ModelErrorKind, retry_after_ms: Option<u64>) -> ModelError {
        ModelError { retry_after_ms, ..ModelError::new(kind, "no luck") }
    }

    // covers: BOG-150
    #[test]
    fn pauses_grow_under_a_doubling_bound_and_repeat_with_the_seed() {
        let errors = || (0..5).map(|_| error(ModelErrorKind::Unavailable, None)).collect::<Vec<_>>();
        let policy = RetryPolicy { longest_ms: 2000, ..RetryPolicy::default() };
        let (outcome, slept) = run(errors(), policy);
        assert!(outcome.is_ok());
        assert_eq!(slept.len(), 5);
        for (pause, bound) in slept.iter().zip([500, 1000, 2000, 2000, 2000]) {
            assert!(*pause <= Duration::from_millis(bound), "{slept:?}");
        }
        assert_eq!(run(errors(), policy).1, slept);
        assert!(slept.iter().any(|pause| *pause > Duration::from_millis(500)), "{slept:?}");
    }

    // covers: ARES-093, BOG-150
    #[test]
    fn what_the_provider_asked_for_is_waited_for() {
        let (outcome, slept) = run(vec![error(ModelErrorKind::RateLimited, Some(7000))], RetryPolicy::default());
        assert!(outcome.is_ok());
        assert!(slept.len() == 1 && (7000..=7500).contains(&(slept[0].as_millis() as u64)), "{slept:?}");
        let (outcome, slept) = run(vec![error(ModelErrorKind::RateLimited, Some(120_001))], RetryPolicy::default());
        let error = outcome.unwrap_err();
        assert_eq!((error.kind, error.lasting), (ModelErrorKind::RateLimited, true));
        assert!(error.message.contains("wait 121 s"), "{error}");
        assert!(slept.is_empty());
    }

    #[test]
    fn gives_up_after_so_many_and_never_repeats_what_cannot_succeed() {
        let errors = (0..9).map(|_| error(ModelErrorKind::Timeout, None)).collect();
        let (outcome, slept) = run(errors, RetryPolicy { attempts: 3, ..RetryPolicy::default() });
        assert_eq!(outcome.unwrap_err().message, "no luck (given up after 3 attempts)");
        assert_eq!(slept.len(), 2);
        for kind in [
            ModelErrorKind::Denied,
            ModelErrorKind::BadRequest,
            ModelErrorKind::Refusal,
            ModelErrorKind::Truncated,
            ModelErrorKind::BadShape,
            ModelErrorKind::NotRecorded,
            ModelErrorKind::Cancelled,
        ] {
            let (outcome, slept) = run(vec![error(kind, None)], RetryPolicy::default());
            assert_eq!((outcome.unwrap_err().kind, slept.len()), (kind, 0));
        }
    }
}
