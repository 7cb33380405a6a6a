//! The time that an architecture's own work takes, by component. Volatile: it goes to the ledger, and to no event.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use gimbal_core::Stopwatch;
use serde::{Deserialize, Serialize};

/// Time of one component of an architecture's own work in an attempt at an episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentTime {
    /// Name of the component.
    pub component: String,
    /// Sum of its times.
    pub nanoseconds: u64,
    /// How often it was at work.
    pub times: u64,
}

/// Sums of the components of an episode.
#[derive(Clone, Debug, Default)]
pub(super) struct Times(Arc<Mutex<BTreeMap<&'static str, Sum>>>);

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    nanoseconds: u64,
    times: u64,
}

impl Times {
    /// A watch that begins now.
    pub(super) fn watch(&self) -> Box<dyn Stopwatch> {
        Box::new(LapTimer { since: Instant::now(), times: self.clone() })
    }

    /// The components in order of their names.
    pub(super) fn components(&self) -> Vec<ComponentTime> {
        let sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let component = |(name, sum): (&&str, &Sum)| ComponentTime {
            component: (*name).to_owned(),
            nanoseconds: sum.nanoseconds,
            times: sum.times,
        };
        sums.iter().map(component).collect()
    }
}

struct LapTimer {
    since: Instant,
    times: Times,
}

impl Stopwatch for LapTimer {
    fn lap(&mut self, component: &'static str) {
        let now = Instant::now();
        let taken = u64::try_from(now.duration_since(self.since).as_nanos()).unwrap_or(u64::MAX);
        self.since = now;
        let mut sums = self.times.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = sums.entry(component).or_default();
        sum.nanoseconds = sum.nanoseconds.saturating_add(taken);
        sum.times += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Times;

    #[test]
    fn laps_are_counted_by_component() {
        let times = Times::default();
        let mut watch = times.watch();
        watch.lap("b");
        watch.lap("a");
        times.watch().lap("b");
        let counted: Vec<(String, u64)> =
            times.components().into_iter().map(|one| (one.component, one.times)).collect();
        assert_eq!(counted, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
    }
}
