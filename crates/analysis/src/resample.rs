//! Seeded bootstrap: percentile and bias-corrected accelerated (BCa) intervals of any statistic of paired units.

use crate::describe::{Interval, quantile_sorted};
use crate::rng::Generator;
use crate::special::{normal_cdf, normal_quantile};

/// How to resample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// Resamples; 10,000 settle the second digit of an end.
    pub resamples: u32,
    /// Seed of the frozen generator.
    pub seed: u64,
    /// Confidence, such as 0.95.
    pub confidence: f64,
}

/// What a bootstrap found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BootstrapResult {
    /// The statistic on the sample itself.
    pub estimate: f64,
    /// SD of the resampled statistic.
    pub standard_error: f64,
    /// Percentile interval.
    pub percentile: Interval,
    /// BCa interval (Efron 1987); the percentile one when the sample gives no correction.
    pub bca: Interval,
}

impl Bootstrap {
    /// Resamples `n` units with replacement and describes `statistic`, which gets the indices of the units drawn.
    ///
    /// `None` for fewer than two units, when the statistic has no value on the sample, or when it has none on more
    /// than one resample in a hundred (a ratio whose denominator vanishes): an interval from the rest would flatter.
    pub fn run(&self, n: usize, statistic: impl Fn(&[usize]) -> Option<f64>) -> Option<BootstrapResult> {
        if n < 2 || self.resamples == 0 || !(self.confidence > 0.0 && self.confidence < 1.0) {
            return None;
        }
        let whole: Vec<usize> = (0..n).collect();
        let estimate = statistic(&whole).filter(|value| value.is_finite())?;
        let mut generator = Generator::named(self.seed, "bootstrap");
        let mut drawn = vec![0_usize; n];
        let mut values = Vec::with_capacity(self.resamples as usize);
        for _ in 0..self.resamples {
            for slot in &mut drawn {
                *slot = generator.below(n as u64) as usize;
            }
            values.extend(statistic(&drawn).filter(|value| value.is_finite()));
        }
        if values.len() * 100 < self.resamples as usize * 99 {
            return None;
        }
        values.sort_by(f64::total_cmp);
        let tail = (1.0 - self.confidence) / 2.0;
        let percentile = Interval { low: quantile_sorted(&values, tail), high: quantile_sorted(&values, 1.0 - tail) };
        let bca = bca_levels(&values, estimate, &jackknife(n, &statistic)?, tail).map_or(percentile, |(low, high)| {
            Interval { low: quantile_sorted(&values, low), high: quantile_sorted(&values, high) }
        });
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let standard_error = (squares / (values.len().max(2) - 1) as f64).sqrt();
        Some(BootstrapResult { estimate, standard_error, percentile, bca })
    }

    /// Bootstrap of a mean.
    #[must_use]
    pub fn mean(&self, values: &[f64]) -> Option<BootstrapResult> {
        self.run(values.len(), |drawn| Some(drawn.iter().map(|&index| values[index]).sum::<f64>() / drawn.len() as f64))
    }

    /// Bootstrap of a ratio of means over paired units, such as return gained per thousand tokens.
    #[must_use]
    pub fn ratio(&self, pairs: &[(f64, f64)]) -> Option<BootstrapResult> {
        self.run(pairs.len(), |drawn| {
            let (above, below) = drawn
                .iter()
                .fold((0.0, 0.0), |(above, below), &index| (above + pairs[index].0, below + pairs[index].1));
            (below != 0.0).then_some(above / below)
        })
    }
}

/// The statistic with each unit left out once; `None` if it has no value on one of these.
fn jackknife(n: usize, statistic: impl Fn(&[usize]) -> Option<f64>) -> Option<Vec<f64>> {
    (0..n)
        .map(|left_out| {
            let rest: Vec<usize> = (0..n).filter(|&index| index != left_out).collect();
            statistic(&rest).filter(|value| value.is_finite())
        })
        .collect()
}

/// The two corrected quantile levels; `None` when bias or acceleration is not defined (no spread, all to one side).
fn bca_levels(sorted: &[f64], estimate: f64, left_out: &[f64], tail: f64) -> Option<(f64, f64)> {
    let below = sorted.partition_point(|value| *value < estimate);
    let equal = sorted.partition_point(|value| *value <= estimate) - below;
    // Ties count half, so that a lattice of sums is not taken for bias.
    let share = (below as f64 + equal as f64 / 2.0) / sorted.len() as f64;
    let bias = normal_quantile(share)?;
    let mean = left_out.iter().sum::<f64>() / left_out.len() as f64;
    let (squares, cubes) = left_out.iter().fold((0.0, 0.0), |(squares, cubes), value| {
        let gap = mean - value;
        (squares + gap * gap, cubes + gap * gap * gap)
    });
    if squares <= 0.0 {
        return None;
    }
    let acceleration = cubes / (6.0 * squares.powf(1.5));
    let level = |z: f64| {
        let shifted = bias + z;
        normal_cdf(bias + shifted / (1.0 - acceleration * shifted))
    };
    let z = normal_quantile(tail)?;
    Some((level(z), level(-z)))
}
