//! Ratios of sums with intervals that count episodes and not conflicts.

use std::collections::BTreeMap;

use crate::data::Conflict;

/// A ratio with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The ratio.
    pub value: f64,
    /// Lower and upper end of the interval; none for fewer than two episodes.
    pub interval: Option<(f64, f64)>,
}

impl Estimate {
    /// The same with the ends of its interval cut to what is possible: the linearised interval is symmetric and knows no bounds.
    #[must_use]
    pub fn within(self, least: f64, most: f64) -> Self {
        let interval = self.interval.map(|(low, high)| (low.clamp(least, most), high.clamp(least, most)));
        Self { interval, ..self }
    }
}

/// Sums by episode: of what is counted, and of what it is divided by.
#[derive(Clone, Debug, Default)]
pub struct Terms<'c>(BTreeMap<(&'c str, u64), (f64, f64)>);

impl<'c> Terms<'c> {
    /// Adds what a conflict counts to its episode.
    pub fn add(&mut self, conflict: &'c Conflict, counted: f64, over: f64) {
        let sums = self.0.entry((conflict.environment.as_str(), conflict.seed)).or_default();
        sums.0 += counted;
        sums.1 += over;
    }

    /// The ratio of the sums, with an interval by the linearised variance between episodes: conflicts of an episode are not independent. `None` if
    /// the divisor is 0.
    #[must_use]
    pub fn ratio(&self) -> Option<Estimate> {
        let (counted, over) = self.0.values().fold((0.0, 0.0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
        if over == 0.0 {
            return None;
        }
        let (value, episodes) = (counted / over, self.0.len() as f64);
        let squares: f64 = self.0.values().map(|(counted, over)| (counted - value * over).powi(2)).sum();
        let error = (squares * episodes / (episodes - 1.0)).sqrt() / over.abs();
        let interval = (self.0.len() > 1).then_some((value - 1.96 * error, value + 1.96 * error));
        Some(Estimate { value, interval })
    }
}
