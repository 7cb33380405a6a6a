//! Counts out of counts.

use serde::{Deserialize, Serialize};

/// So many of so many, without an interval: calls within an episode depend on one another, so that a binomial one would be too narrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// How many.
    pub count: u64,
    /// Out of how many.
    pub of: u64,
}

impl Rate {
    /// The share; `None` where the whole is 0.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.of > 0).then(|| self.count as f64 / self.of as f64)
    }
}
