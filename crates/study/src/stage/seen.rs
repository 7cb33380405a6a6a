//! What of an episode in play may be shown while it goes on. It decides nothing and is stored nowhere.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use gimbal_core::Milli;

/// How far an episode has come; written by its stage, read by displays of progress.
#[derive(Debug, Default)]
pub struct EpisodeProgress {
    step: AtomicU32,
    horizon: AtomicU32,
    reward: AtomicI64,
    total: AtomicI64,
}

impl EpisodeProgress {
    /// Notes a step that was taken.
    pub(crate) fn stepped(&self, step: u32, horizon: u32, reward: Milli, total: Milli) {
        self.reward.store(reward.0, Ordering::Relaxed);
        self.total.store(total.0, Ordering::Relaxed);
        self.horizon.store(horizon, Ordering::Relaxed);
        self.step.store(step, Ordering::Relaxed);
    }

    /// Steps taken, and steps that the environment allows; 0 where it has no horizon, or before the first step.
    #[must_use]
    pub fn steps(&self) -> (u32, u32) {
        (self.step.load(Ordering::Relaxed), self.horizon.load(Ordering::Relaxed))
    }

    /// Reward of the last step and of all steps, in thousandths.
    #[must_use]
    pub fn rewards(&self) -> (i64, i64) {
        (self.reward.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// The share of the episode that is played, as far as its horizon is known: 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        let (step, horizon) = self.steps();
        if horizon == 0 { 0.0 } else { (f64::from(step) / f64::from(horizon)).min(1.0) }
    }
}
