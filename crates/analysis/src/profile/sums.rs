//! Means and intervals of values that are not kept.

use std::collections::BTreeMap;

use super::Profile;
use crate::clusters::half_width;
use crate::describe::{Interval, t_half_width, told_half_width};

/// Sum and sum of squares of so many values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    /// How many.
    pub n: u64,
    /// Mean so far.
    mean: f64,
    /// Sum of squared distances from the mean (Welford's rule).
    squares: f64,
}

impl Sum {
    /// Takes in a value.
    pub fn add(&mut self, value: f64) {
        self.n += 1;
        let distance = value - self.mean;
        self.mean += distance / self.n as f64;
        self.squares += distance * (value - self.mean);
    }

    /// The mean; `None` without values.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then_some(self.mean)
    }

    /// The Student t interval of the mean; `None` for fewer than [`crate::FEWEST`] values, and for equal ones.
    #[must_use]
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        let sd = (self.n > 1).then(|| (self.squares.max(0.0) / (self.n - 1) as f64).sqrt())?;
        let half = told_half_width(t_half_width(sd, usize::try_from(self.n).ok()?, confidence)?, self.mean)?;
        Some(Interval { low: self.mean - half, high: self.mean + half })
    }
}

/// A [`Sum`] that also keeps the sums of each task and instance, whose runs are not independent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clustered {
    /// All values.
    pub all: Sum,
    /// Sum and number by task and instance.
    groups: BTreeMap<(String, u32), (f64, f64)>,
}

impl Clustered {
    /// Takes in a value of an episode.
    pub fn add(&mut self, profile: &Profile, value: f64) {
        self.all.add(value);
        let group = self.groups.entry((profile.task.clone(), profile.instance)).or_default();
        *group = (group.0 + value, group.1 + 1.0);
    }

    /// The mean; `None` without values.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        self.all.mean()
    }

    /// The Student t interval of the mean, robust against clusters where there are several and one holds several values.
    #[must_use]
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        if self.groups.len() < 2 || self.groups.values().all(|group| group.1 < 2.0) {
            return self.all.interval(confidence);
        }
        let groups: Vec<(f64, f64)> = self.groups.values().copied().collect();
        let (mean, half) = (self.mean()?, half_width(&groups, confidence)?);
        Some(Interval { low: mean - half, high: mean + half })
    }
}
