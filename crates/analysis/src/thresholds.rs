//! What an environment's brief says of returns.

use gimbal_core::{Brief, Milli};
use serde::{Deserialize, Serialize};

/// Thresholds that an environment's brief states, all in thousandths of a return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// An episode is catastrophic when its return lies strictly below (BOG-164).
    #[serde(default)]
    pub catastrophic_below: Option<i64>,
    /// An episode is a success when its return lies strictly above.
    #[serde(default)]
    pub success_above: Option<i64>,
    /// Added to the mean return to make it a non-negative score (BOG-166).
    #[serde(default)]
    pub shift: Option<i64>,
    /// The least that an episode can return, where the brief says enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_return: Option<i64>,
    /// The most that an episode can return, where the brief says enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_return: Option<i64>,
}

impl Thresholds {
    /// Those of a brief.
    #[must_use]
    pub fn of(brief: &Brief) -> Self {
        let thousandths = |value: Option<Milli>| value.map(|value| value.0);
        // An episode may end before its first step. Rewards from 0 to 1 are one verdict: their mean over episodes is a rate.
        let bounds = brief.reward_range.map(|(least, most)| {
            let steps = |reward: Milli| reward.0.saturating_mul(i64::from(brief.horizon));
            let is_rate = least >= Milli::ZERO && most <= Milli(1000);
            (steps(least).min(0), if is_rate { most.0 } else { steps(most).max(0) })
        });
        Self {
            catastrophic_below: thousandths(brief.thresholds.catastrophic),
            success_above: thousandths(brief.thresholds.success),
            shift: thousandths(brief.efficiency_shift),
            least_return: bounds.map(|(least, _)| least),
            most_return: bounds.map(|(_, most)| most),
        }
    }

    /// The same in units of return.
    pub(crate) fn bounds(&self) -> (Option<f64>, Option<f64>) {
        let units = |value: Option<i64>| value.map(|value| value as f64 / 1000.0);
        (units(self.least_return), units(self.most_return))
    }
}
