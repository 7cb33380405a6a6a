//! Counters for progress. Totals of record are folds over the ledger; these only show the way.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::progress::Standing;
use crate::run::Spend;

/// Counters of a run under way.
#[derive(Debug)]
pub struct Counters {
    /// Episodes planned.
    pub planned: u64,
    /// Episodes finished before this call.
    pub already: AtomicU64,
    /// Episodes finished and durable in this call.
    pub finished: AtomicU64,
    /// Sessions under way.
    pub in_flight: AtomicU64,
    /// Attempts that failed.
    pub errors: AtomicU64,
    /// Episodes given up.
    pub given_up: AtomicU64,
    begun: Instant,
}

impl Counters {
    /// Counters that begin now.
    #[must_use]
    pub fn new(planned: u64) -> Self {
        Self {
            planned,
            already: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            in_flight: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            given_up: AtomicU64::new(0),
            begun: Instant::now(),
        }
    }

    /// How things stand.
    #[must_use]
    pub fn standing(&self, spend: &Spend) -> Standing {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (finished, spent) = (of(&self.finished), spend.spent());
        let done = of(&self.already) + finished;
        let seconds = self.begun.elapsed().as_secs_f64();
        let per_second = if seconds > 0.0 { finished as f64 / seconds } else { 0.0 };
        let left = self.planned.saturating_sub(done);
        Standing {
            done,
            planned: self.planned,
            in_flight: of(&self.in_flight),
            errors: of(&self.errors),
            per_second,
            cost_microdollars: spent.microdollars(),
            tokens: spent.tokens,
            unknown_requests: spent.unknown,
            seconds,
            seconds_left: (per_second > 0.0).then(|| left as f64 / per_second),
        }
    }
}
