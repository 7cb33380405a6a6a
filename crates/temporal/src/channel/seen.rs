//! What a layer's row of the state takes up in a step.

use gimbal_core::Milli;

use super::FEATURES;

/// What concerns a layer in a step. Each is a share from 0 to 1; what lies beyond is cut. All of it was seen by the agents; the true state is in
/// none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Steps with harm, among those that the layer looks back on.
    pub harm: Milli,
    /// Calls or proposals of its own that were refused, or that wait for it.
    pub refused: Milli,
    /// Steps since it was asked last, as a share of its period.
    pub waiting: Milli,
    /// What it holds others to.
    pub held: Milli,
}

impl Seen {
    /// So many of so many, as a share.
    #[must_use]
    pub fn share(count: u32, of: u32) -> Milli {
        Milli((i64::from(count) * 1000 / i64::from(of.max(1))).min(1000))
    }

    pub(super) fn row(&self) -> [f64; FEATURES] {
        [self.harm, self.refused, self.waiting, self.held].map(|share| share.to_f64().clamp(0.0, 1.0))
    }
}
