//! Mean, spread and the t interval of one sample.

use serde::{Deserialize, Serialize};

use crate::special::t_quantile;

/// Fewest values from which an interval, or the mark of a Pareto frontier, is shown. One value has no spread, and two say little of it.
/// Values that are all equal have no measured spread, however many they are: an interval of no width would look like certainty
/// (`told_half_width`). Tables, pages and figures show a dash in both cases.
pub const FEWEST: usize = 3;

/// A half width as it is shown; `None` where the values do not vary, but for rounding. `mean` gives the size of the values.
pub(crate) fn told_half_width(half: f64, mean: f64) -> Option<f64> {
    (half > 1e-9 * mean.abs().max(1e-3)).then_some(half)
}

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Whether zero lies outside, the ends counting as inside.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// Whether a value lies inside, ends included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Upper end minus lower end.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.high - self.low
    }
}

/// A sample in numbers. What one value cannot tell (spread, interval) is `None` and never NaN.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of values, at least 1.
    pub n: usize,
    /// Arithmetic mean (BOG-162).
    pub mean: f64,
    /// Sample standard deviation with n-1; `None` for one value (BOG-162).
    pub sd: Option<f64>,
    /// Half width of the Student t interval of the mean; `None` for fewer than [`FEWEST`] values, and for equal ones (BOG-167). With n-1 degrees of freedom, or
    /// robust against `clusters` with one degree of freedom less than these.
    pub half_width: Option<f64>,
    /// Clusters that the interval is robust against; `None` where every value is a cluster of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<usize>,
    /// The least that a value can be, where it is known: no interval goes below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// The most that a value can be, where it is known: no interval goes beyond it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
    /// Smallest value (BOG-165).
    pub min: f64,
    /// First quartile.
    pub lower_quartile: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub upper_quartile: f64,
    /// Largest value.
    pub max: f64,
}

impl Summary {
    /// Describes a sample at a confidence such as 0.95. `None` when it is empty or holds something that is not finite.
    ///
    /// The result does not depend on the order of the values.
    #[must_use]
    pub fn of(values: &[f64], confidence: f64) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let (min, max) = (sorted[0], sorted[n - 1]);
        // Rounding may push the mean of equal values past them by one unit in the last place.
        let mean = (sorted.iter().sum::<f64>() / n as f64).clamp(min, max);
        let sd = (n > 1).then(|| {
            let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
            (squares / (n - 1) as f64).sqrt()
        });
        let half_width = sd.and_then(|sd| t_half_width(sd, n, confidence)).and_then(|half| told_half_width(half, mean));
        Some(Self {
            n,
            mean,
            sd,
            half_width,
            clusters: None,
            least: None,
            most: None,
            min,
            lower_quartile: quantile_sorted(&sorted, 0.25),
            median: quantile_sorted(&sorted, 0.5),
            upper_quartile: quantile_sorted(&sorted, 0.75),
            max,
        })
    }

    /// The same with a mean that is known more exactly, such as one summed in whole thousandths.
    pub(crate) fn with_mean(self, mean: f64) -> Self {
        Self { mean: mean.clamp(self.min, self.max), ..self }
    }

    /// Whether there are enough values for an interval, and all are equal: they say nothing about how values vary.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.n >= FEWEST && self.min >= self.max
    }

    /// The same of values of which the least and the most are known. A bound that a value lies beyond is none.
    #[must_use]
    pub fn within(self, least: Option<f64>, most: Option<f64>) -> Self {
        Self { least: least.filter(|least| *least <= self.min), most: most.filter(|most| *most >= self.max), ..self }
    }

    /// Whether its interval would reach beyond what a value can be.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        let beyond = |half: f64| {
            self.least.is_some_and(|least| self.mean - half < least)
                || self.most.is_some_and(|most| self.mean + half > most)
        };
        self.half_width.is_some_and(beyond)
    }

    /// The interval of the mean, cut at the least and the most that a value can be; `None` for fewer than [`FEWEST`] values, and for
    /// equal ones.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        let half = self.half_width?;
        let low = (self.mean - half).max(self.least.unwrap_or(f64::NEG_INFINITY));
        let high = (self.mean + half).min(self.most.unwrap_or(f64::INFINITY));
        Some(Interval { low, high })
    }
}

/// Half width of the t interval of a mean from its sample SD (BOG-167): t(1 - (1-c)/2, n-1) * sd / sqrt(n). `None` for
/// fewer than [`FEWEST`] values.
#[must_use]
pub fn t_half_width(sd: f64, n: usize, confidence: f64) -> Option<f64> {
    if n < FEWEST {
        return None;
    }
    let t = t_quantile(0.5 + confidence / 2.0, (n - 1) as f64)?;
    Some(t * sd / (n as f64).sqrt())
}

/// The `p`-quantile with linear interpolation between order statistics (type 7 of Hyndman and Fan, the default of R
/// and NumPy). `None` for an empty sample or `p` outside [0, 1].
#[must_use]
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    if values.is_empty() || !(0.0..=1.0).contains(&p) || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(quantile_sorted(&sorted, p))
}

pub(crate) fn quantile_sorted(sorted: &[f64], p: f64) -> f64 {
    let position = p * (sorted.len() - 1) as f64;
    let below = position.floor();
    let low = sorted[below as usize];
    let high = sorted[(below as usize + 1).min(sorted.len() - 1)];
    let fraction = position - below;
    if fraction == 0.0 { low } else { low + (high - low) * fraction }
}
