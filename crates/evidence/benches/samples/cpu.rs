//! Time that the thread was on a core: what else the machine does changes it little.

#![allow(missing_docs)]

use std::fs;
use std::time::Duration;

use criterion::measurement::{Measurement, ValueFormatter, WallTime};

/// Time on a core as Linux counts it, in steps of a few milliseconds; where it does not, time of the clock.
pub struct CpuTime(pub WallTime);

/// A beginning: on the core, or by the clock.
#[derive(Debug)]
pub enum Begun {
    Core(Duration),
    Clock(<WallTime as Measurement>::Intermediate),
}

fn on_core() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

impl Measurement for CpuTime {
    type Intermediate = Begun;
    type Value = Duration;

    fn start(&self) -> Begun {
        on_core().map_or_else(|| Begun::Clock(self.0.start()), Begun::Core)
    }

    fn end(&self, begun: Begun) -> Duration {
        match begun {
            // A step may fall between both: nothing took no time at all.
            Begun::Core(begun) => on_core().unwrap_or(begun).saturating_sub(begun).max(Duration::from_nanos(1)),
            Begun::Clock(begun) => self.0.end(begun),
        }
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        self.0.formatter()
    }
}
