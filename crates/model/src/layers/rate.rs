//! How fast a model may be asked: requests at once, and requests a minute.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, ModelError, ModelErrorKind};

use crate::config::Rate;
use crate::layers::Clock;
use crate::layers::gate::{Gate, Place};

/// Time to the first token, as a number of tokens, so that short answers do not count as slow ones.
const FIRST_TOKEN: u32 = 32;

/// Spaces requests evenly and bounds how many are under way, fewer after the provider complained. A request
/// that must wait makes all others of the same model wait too; sessions that wait do not count as under way. A call that is
/// dropped frees its place.
pub(crate) struct Limited<M> {
    inner: M,
    gate: Arc<Gate>,
    /// Why no other request can succeed, once that is known.
    closed: Mutex<Option<ModelError>>,
    spacing: Duration,
    next: Mutex<NextStart>,
    patience: Duration,
    clock: Arc<dyn Clock>,
}

/// When the next request may leave.
#[derive(Debug, Default)]
struct NextStart {
    /// By the rate of the study.
    slot: Duration,
    /// As the provider asked.
    held: Duration,
}

impl<M> Limited<M> {
    /// `patience` is the longest wait that is passed on to other requests; a request that must wait longer fails alone.
    pub(crate) fn new(inner: M, gate: Arc<Gate>, rate: Rate, patience: Duration, clock: Arc<dyn Clock>) -> Self {
        let spacing = rate.requests_per_minute.map_or(Duration::ZERO, |rate| Duration::from_secs(60) / rate.max(1));
        Self { inner, gate, closed: Mutex::default(), spacing, next: Mutex::default(), patience, clock }
    }

    fn next(&self) -> MutexGuard<'_, NextStart> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next slot and returns the time until it.
    fn take_slot(&self) -> Duration {
        let now = self.clock.now();
        let mut next = self.next();
        let slot = next.slot.max(next.held).max(now);
        next.slot = slot + self.spacing;
        slot - now
    }

    /// How long from now the provider wants no request.
    fn held(&self) -> Duration {
        self.next().held.saturating_sub(self.clock.now())
    }

    fn hold_off(&self, time: Duration) {
        if time > self.patience {
            return;
        }
        let until = self.clock.now() + time;
        let mut next = self.next();
        next.held = next.held.max(until);
    }

    /// Waits for a place and for the turn.
    async fn turn(&self, context: &CallContext<'_>) -> Result<Place<'_>, ModelError> {
        let free = self.gate.try_enter();
        let crowded = free.is_none();
        if crowded {
            context.wire.pause();
        }
        let place = match free {
            Some(place) => place,
            None => self.gate.enter().await?,
        };
        let mut pause = self.take_slot();
        if crowded && pause.is_zero() {
            context.wire.resume().await;
            pause = self.held();
        }
        // Others may have been told to wait meanwhile.
        while !pause.is_zero() {
            context.wire.pause();
            self.clock.sleep(pause).await;
            context.wire.resume().await;
            pause = self.held();
        }
        Ok(place)
    }

    fn closed(&self) -> MutexGuard<'_, Option<ModelError>> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns from what became of a request that left in this round, and how long that took.
    fn learn(&self, round: u64, time: Duration, outcome: &Result<Completion, ModelError>) {
        let error = match outcome {
            Ok(completion) => {
                let tokens = u32::try_from(completion.usage.output).unwrap_or(u32::MAX).saturating_add(FIRST_TOKEN);
                return self.gate.widen(round, time / tokens);
            }
            // A refusal or a cut answer is one, too.
            Err(error) if !error.kind.is_infrastructure() => {
                let tokens = error.usage.map_or(0, |usage| u32::try_from(usage.output).unwrap_or(u32::MAX));
                return self.gate.widen(round, time / tokens.saturating_add(FIRST_TOKEN));
            }
            Err(error) => error,
        };
        if error.lasting && matches!(error.kind, ModelErrorKind::Denied | ModelErrorKind::BadRequest) {
            self.closed().get_or_insert_with(|| error.clone());
        }
        if error.kind == ModelErrorKind::RateLimited {
            self.gate.narrow(round);
        }
        let busy = matches!(error.kind, ModelErrorKind::RateLimited | ModelErrorKind::Unavailable);
        if let Some(time) = error.retry_after_ms.filter(|_| busy) {
            self.hold_off(Duration::from_millis(time));
        }
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Limited<M> {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let _place = self.turn(context).await?;
        // Another request may have shown meanwhile that none can succeed: this one does not leave then.
        if let Some(error) = &*self.closed() {
            return Err(ModelError { latency_us: 0, usage: None, provider: Box::default(), ..error.clone() });
        }
        let (round, left) = (self.gate.round(), self.clock.now());
        let outcome = self.inner.complete(request, context).await;
        self.learn(round, self.clock.now().saturating_sub(left), &outcome);
        outcome
    }

    through_inner!();
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use async_trait::async_trait;
    use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Finish, ModelError, ModelErrorKind};

    use super::Limited;
    use crate::answer;
    use crate::config::{NoFiles, Rate};
    use crate::layers::TokioClock;
    use crate::layers::clock::testing::FakeClock;
    use crate::layers::gate::Gate;
    use crate::scripted::Script;
    use crate::testing::{NoWire, ask, context};

    const PATIENCE: Duration = Duration::from_secs(10);

    #[test]
    fn requests_are_spaced() {
        let clock = FakeClock::new();
        let rate = Rate { requests_per_minute: Some(120), concurrency: Some(1) };
        let gate = Arc::new(Gate::new(1));
        let model = Limited::new(Script::find("idle", &NoFiles).unwrap(), gate, rate, PATIENCE, clock.clone());
        for call in 0..4 {
            ask(&model, &ChatRequest::default(), &context(&NoWire, 0, call)).unwrap();
        }
        assert_eq!(clock.slept(), [Duration::from_millis(500); 3]);
    }

    #[test]
    fn one_who_is_told_to_wait_holds_all_back() {
        struct Busy;
        #[async_trait]
        impl ChatModel for Busy {
            async fn complete(&self, _: &ChatRequest, _: &CallContext<'_>) -> Result<Completion, ModelError> {
                let error = ModelError::new(ModelErrorKind::RateLimited, "slow down");
                Err(ModelError { retry_after_ms: Some(3000), ..error })
            }
        }
        let clock = FakeClock::new();
        let model = Limited::new(Busy, Arc::new(Gate::new(1)), Rate::default(), PATIENCE, clock.clone());
        for call in 0..2 {
            ask(&model, &ChatRequest::default(), &context(&NoWire, 0, call)).unwrap_err();
        }
        assert_eq!(clock.slept(), [Duration::from_secs(3)]);
    }

    #[tokio::test]
    async fn so_many_are_under_way_and_dropped_calls_give_their_place_back() {
        #[derive(Default)]
        struct Slow {
            under_way: Arc<AtomicUsize>,
            most: Arc<AtomicUsize>,
        }
        #[async_trait]
        impl ChatModel for Slow {
            async fn complete(&self, request: &ChatRequest, _: &CallContext<'_>) -> Result<Completion, ModelError> {
                let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
                self.most.fetch_max(now, Ordering::SeqCst);
                if request.stop.is_empty() {
                    tokio::task::yield_now().await;
                } else {
                    std::future::pending::<()>().await;
                }
                self.under_way.fetch_sub(1, Ordering::SeqCst);
                Ok(answer::plain(request, "x", Vec::new(), Finish::Stop))
            }
        }
        let slow = Slow::default();
        let most = Arc::clone(&slow.most);
        let gate = Arc::new(Gate::new(3));
        let clock = Arc::new(TokioClock::default());
        let model = Arc::new(Limited::new(slow, gate, Rate::default(), PATIENCE, clock));
        // Three calls that never end, dropped while they are under way.
        let endless = ChatRequest { stop: vec!["never".to_owned()], ..ChatRequest::default() };
        for _ in 0..3 {
            let context = context(&NoWire, 0, 0);
            let mut call = model.complete(&endless, &context);
            let polled = std::future::poll_fn(|cx| std::task::Poll::Ready(call.as_mut().poll(cx).is_pending())).await;
            assert!(polled);
        }
        let mut tasks = Vec::new();
        for _ in 0..20 {
            let model = Arc::clone(&model);
            tasks.push(tokio::spawn(async move {
                model.complete(&ChatRequest::default(), &context(&NoWire, 0, 0)).await.unwrap();
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        // The three dropped ones never counted themselves out.
        assert!(most.load(Ordering::SeqCst) <= 6);
    }

    #[test]
    fn what_lasts_is_asked_once() {
        struct Wrong(AtomicUsize);
        #[async_trait]
        impl ChatModel for Wrong {
            async fn complete(&self, _: &ChatRequest, _: &CallContext<'_>) -> Result<Completion, ModelError> {
                self.0.fetch_add(1, Ordering::SeqCst);
                Err(ModelError { lasting: true, ..ModelError::new(ModelErrorKind::BadRequest, "no such setting") })
            }
        }
        let gate = Arc::new(Gate::new(8));
        let model = Limited::new(Wrong(AtomicUsize::new(0)), gate, Rate::default(), PATIENCE, FakeClock::new());
        for call in 0..18 {
            let error = ask(&model, &ChatRequest::default(), &context(&NoWire, 0, call)).unwrap_err();
            assert_eq!((error.message.as_str(), error.lasting), ("no such setting", true));
        }
        assert_eq!(model.inner.0.load(Ordering::SeqCst), 1);
    }

    /// Answers in a time that grows with the number of requests that are allowed at once, as a server does that works on
    /// one after the other.
    #[test]
    fn the_number_settles_where_answers_do_not_grow_slow() {
        use crate::layers::Clock as _;
        struct Queue(Arc<FakeClock>, Arc<Gate>);
        #[async_trait]
        impl ChatModel for Queue {
            async fn complete(&self, request: &ChatRequest, _: &CallContext<'_>) -> Result<Completion, ModelError> {
                let allowed = u32::try_from(self.1.standing().allowed).unwrap();
                self.0.sleep(Duration::from_millis(100) * allowed.max(4)).await;
                Ok(answer::plain(request, "x", Vec::new(), Finish::Stop))
            }
        }
        let (clock, gate) = (FakeClock::new(), Arc::new(Gate::new(32)));
        let queue = Queue(Arc::clone(&clock), Arc::clone(&gate));
        let model = Limited::new(queue, Arc::clone(&gate), Rate::default(), PATIENCE, clock);
        for call in 0..400 {
            ask(&model, &ChatRequest::default(), &context(&NoWire, 0, call)).unwrap();
        }
        let standing = gate.standing();
        assert!(standing.slowdowns > 0 && standing.allowed < 32 && standing.allowed > 1, "{standing:?}");
        assert_eq!(standing.complaints, 0);
    }
}
