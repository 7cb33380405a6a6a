//! How layers wait: a seam, so that tests of pauses take no time.

use std::time::{Duration, Instant};

use async_trait::async_trait;

/// A clock that only runs forward, and sleep by it.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Time since the clock was made.
    fn now(&self) -> Duration;

    /// Waits.
    async fn sleep(&self, time: Duration);
}

/// The real clock.
#[derive(Clone, Copy, Debug)]
pub struct TokioClock(Instant);

impl Default for TokioClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

#[async_trait]
impl Clock for TokioClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use async_trait::async_trait;

    use super::Clock;

    /// A clock that a sleep moves on at once, and the sleeps that there were.
    #[derive(Default)]
    pub(crate) struct FakeClock(Mutex<(Duration, Vec<Duration>)>);

    impl FakeClock {
        pub(crate) fn new() -> Arc<Self> {
            Arc::default()
        }

        pub(crate) fn slept(&self) -> Vec<Duration> {
            self.0.lock().unwrap().1.clone()
        }
    }

    #[async_trait]
    impl Clock for FakeClock {
        fn now(&self) -> Duration {
            self.0.lock().unwrap().0
        }

        async fn sleep(&self, time: Duration) {
            let mut state = self.0.lock().unwrap();
            state.0 += time;
            state.1.push(time);
        }
    }
}
