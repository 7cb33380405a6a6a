//! Shares of episodes, with an interval that is honest for few of them.

use serde::{Deserialize, Serialize};

use crate::clusters::{Grouping, robust_error};
use crate::describe::{FEWEST, Interval};
use crate::special::{normal_quantile, t_quantile};

/// `count` out of `of`, with its Wilson score interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proportion {
    /// How many.
    pub count: u64,
    /// Out of how many, at least 1.
    pub of: u64,
    /// `count / of`.
    pub share: f64,
    /// Wilson score interval without continuity correction, robust against `clusters` where there are any.
    pub interval: Interval,
    /// Clusters that the interval is robust against; `None` where each of the `of` is a cluster of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<usize>,
}

impl Proportion {
    /// The interval as tables, pages and figures tell it: none of fewer than [`FEWEST`] episodes.
    #[must_use]
    pub fn told(&self) -> Option<Interval> {
        (self.of >= FEWEST as u64).then_some(self.interval)
    }

    /// A share at a confidence such as 0.95; `None` when `of` is 0 or `count` exceeds it.
    ///
    /// Wilson's interval stays inside [0, 1] and has width even at 0 of n and n of n, where the simple one has none.
    #[must_use]
    pub fn new(count: u64, of: u64, confidence: f64) -> Option<Self> {
        if of == 0 || count > of {
            return None;
        }
        let z = normal_quantile(0.5 + confidence / 2.0)?;
        Some(Self::wilson(count, of, of as f64, z))
    }

    /// The share of what holds over members, each with its cluster and its number in it: runs of one task tell less than runs of
    /// different tasks. `None` without members.
    #[must_use]
    pub fn clustered<K: Ord>(members: impl IntoIterator<Item = (K, u32, bool)>, confidence: f64) -> Option<Self> {
        let (places, holds): (Vec<(K, u32)>, Vec<bool>) =
            members.into_iter().map(|(cluster, member, holds)| ((cluster, member), holds)).unzip();
        if holds.is_empty() {
            return None;
        }
        Self::of(&holds, &Grouping::by(places.into_iter()), confidence)
    }

    /// The share of what holds, in clusters: Wilson's interval with the number of episodes that the clusters are worth and
    /// Student's t of one degree of freedom less than clusters (Korn and Graubard's way for complex samples). An episode
    /// is never worth more than one. Where none or all hold, nothing tells how alike those of a cluster are: then each
    /// cluster is worth one.
    #[must_use]
    pub fn of(holds: &[bool], grouping: &Grouping, confidence: f64) -> Option<Self> {
        let of = holds.len() as u64;
        let count = holds.iter().filter(|holds| **holds).count() as u64;
        if !grouping.matters {
            return Self::new(count, of, confidence);
        }
        let n = of as f64;
        let share = count as f64 / n;
        let groups = grouping.sums(holds.iter().map(|holds| (f64::from(u8::from(*holds)), 1.0)));
        let t = t_quantile(0.5 + confidence / 2.0, (grouping.count - 1) as f64)?;
        let alone = share * (1.0 - share);
        let worth = match robust_error(&groups)? {
            _ if count == 0 || count == of => grouping.count as f64,
            error => (alone / (error * error)).min(n),
        };
        let found = Self { clusters: Some(grouping.count), ..Self::wilson(count, of, worth, t) };
        Some(found)
    }

    /// Wilson's interval of a share of `of`, as if these were worth `n`.
    fn wilson(count: u64, of: u64, n: f64, z: f64) -> Self {
        let share = count as f64 / of as f64;
        let z2 = z * z;
        let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
        // At the ends the bound is the share itself; rounding must not move it.
        let low = if count == 0 { 0.0 } else { (centre - half).max(0.0) };
        let high = if count == of { 1.0 } else { (centre + half).min(1.0) };
        Self { count, of, share, interval: Interval { low, high }, clusters: None }
    }
}
