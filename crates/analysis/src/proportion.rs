//! Shares of episodes, with an interval that is honest for few of them.

use serde::{Deserialize, Serialize};

use crate::describe::Interval;
use crate::special::normal_quantile;

/// `count` out of `of`, with its Wilson score interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proportion {
    /// How many.
    pub count: u64,
    /// Out of how many, at least 1.
    pub of: u64,
    /// `count / of`.
    pub share: f64,
    /// Wilson score interval without continuity correction.
    pub interval: Interval,
}

impl Proportion {
    /// A share at a confidence such as 0.95; `None` when `of` is 0 or `count` exceeds it.
    ///
    /// Wilson's interval stays inside [0, 1] and has width even at 0 of n and n of n, where the simple one has none.
    #[must_use]
    pub fn new(count: u64, of: u64, confidence: f64) -> Option<Self> {
        if of == 0 || count > of {
            return None;
        }
        let z = normal_quantile(0.5 + confidence / 2.0)?;
        let n = of as f64;
        let share = count as f64 / n;
        let z2 = z * z;
        let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
        // At the ends the bound is the share itself; rounding must not move it.
        let low = if count == 0 { 0.0 } else { (centre - half).max(0.0) };
        let high = if count == of { 1.0 } else { (centre + half).min(1.0) };
        Some(Self { count, of, share, interval: Interval { low, high } })
    }
}
