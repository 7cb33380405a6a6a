//! The works' metrics as plain formulas. Each is `None` where it has no meaning, and never infinite or NaN.

use serde::{Deserialize, Serialize};

use crate::thresholds::Thresholds;

/// Reward per thousand tokens spent: (G - G_obs) / KTok, with G_obs the mean return of the baseline configuration on
/// the same model (BOG-163). `None` without tokens.
#[must_use]
pub fn rpts(mean_return: f64, baseline_return: f64, kilotokens: f64) -> Option<f64> {
    finite((mean_return - baseline_return) / kilotokens)
}

/// Shifted efficiency: (shift + G) / KTok; the work shifts by 225 (BOG-166). `None` without tokens.
#[must_use]
pub fn shifted_efficiency(shift: f64, mean_return: f64, kilotokens: f64) -> Option<f64> {
    finite((shift + mean_return) / kilotokens)
}

/// Degradation ratio: return of the second system over that of the first; above 1 is worse when returns are
/// penalties (BOG-170). `None` when the first is zero.
#[must_use]
pub fn degradation_ratio(first: f64, second: f64) -> Option<f64> {
    finite(second / first)
}

/// Marginal change in percent: 100 (new - old) / |old| (BOG-171). `None` when the old value is zero.
#[must_use]
pub fn marginal_percent(old: f64, new: f64) -> Option<f64> {
    finite(100.0 * (new - old) / old.abs())
}

/// Synergy of two parts: the return of both together minus the better of each alone (BOG-177).
#[must_use]
pub fn synergy(combined: f64, first: f64, second: f64) -> Option<f64> {
    finite(combined - first.max(second))
}

/// How many times the tokens of `base` another configuration takes (BOG-179). `None` without tokens of the base.
#[must_use]
pub fn token_multiplier(base_tokens: f64, tokens: f64) -> Option<f64> {
    finite(tokens / base_tokens)
}

/// Prompt tokens per completion token (BOG-178). `None` without completion tokens.
#[must_use]
pub fn prompt_completion_ratio(prompt_tokens: f64, completion_tokens: f64) -> Option<f64> {
    finite(prompt_tokens / completion_tokens)
}

/// `part` of `whole`; nothing of nothing.
#[must_use]
pub fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Something per environment step; `None` without steps.
#[must_use]
pub fn a_step(amount: f64, steps: u64) -> Option<f64> {
    (steps > 0).then(|| amount / steps as f64).and_then(finite)
}

/// Arithmetic mean; `None` without values.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64).and_then(finite)
}

/// Ranks from the smallest value (1) up; equal values share the mean of their ranks.
#[must_use]
pub fn ranks(values: &[f64]) -> Vec<f64> {
    values
        .iter()
        .map(|value| {
            let below = values.iter().filter(|other| other.total_cmp(value).is_lt()).count();
            let equal = values.iter().filter(|other| other.total_cmp(value).is_eq()).count();
            below as f64 + (equal as f64 + 1.0) / 2.0
        })
        .collect()
}

/// Places from the largest value (1) down, as in a race: equal values share the better place (BOG-174). A value that
/// does not exist has no place and takes none.
#[must_use]
pub fn places(values: &[Option<f64>]) -> Vec<Option<usize>> {
    values
        .iter()
        .map(|value| value.map(|value| 1 + values.iter().flatten().filter(|other| **other > value).count()))
        .collect()
}

/// Spearman's rank correlation of pairs (BOG-176), ties by mean ranks. `None` for fewer than two pairs or where one side
/// does not vary.
#[must_use]
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let side = |pick: fn(&(f64, f64)) -> f64| ranks(&pairs.iter().map(pick).collect::<Vec<_>>());
    let (first, second) = (side(|pair| pair.0), side(|pair| pair.1));
    let centre = (pairs.len() as f64 + 1.0) / 2.0;
    let (mut both, mut squares) = (0.0, (0.0, 0.0));
    for (a, b) in first.iter().zip(&second) {
        let (a, b) = (a - centre, b - centre);
        both += a * b;
        squares = (squares.0 + a * a, squares.1 + b * b);
    }
    finite(both / (squares.0 * squares.1).sqrt()).map(|rho| rho.clamp(-1.0, 1.0))
}

/// How episodes ended, by the brief's thresholds (BOG-175). A return exactly at the lower one is mediocre, since
/// catastrophic is strictly below; one exactly at the upper one too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeSplit {
    /// Above the success threshold.
    pub success: u64,
    /// Between the two.
    pub mediocre: u64,
    /// Below the catastrophic threshold.
    pub catastrophic: u64,
}

impl OutcomeSplit {
    /// Splits returns in thousandths; `None` where a threshold is missing, they contradict one another, or nothing was
    /// played.
    #[must_use]
    pub fn of(returns: impl IntoIterator<Item = i64>, thresholds: &Thresholds) -> Option<Self> {
        let (low, high) =
            thresholds.catastrophic_below.zip(thresholds.success_above).filter(|(low, high)| low <= high)?;
        let mut split = Self::default();
        for value in returns {
            if value < low {
                split.catastrophic += 1;
            } else if value > high {
                split.success += 1;
            } else {
                split.mediocre += 1;
            }
        }
        (split.total() > 0).then_some(split)
    }

    /// All episodes.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.success + self.mediocre + self.catastrophic
    }

    /// Shares of success, mediocre and catastrophic episodes, in this order.
    #[must_use]
    pub fn shares(&self) -> [f64; 3] {
        [self.success, self.mediocre, self.catastrophic].map(|count| count as f64 / self.total().max(1) as f64)
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
