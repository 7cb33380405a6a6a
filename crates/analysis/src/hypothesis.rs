//! Tests of "no difference" on paired outcomes, and the correction for asking many times.

use crate::rng::Generator;
use crate::special::{fair_coin_cdf, t_cdf};

/// Two-sided p of the paired t test from the mean, the sample SD and the number of differences.
///
/// `None` for fewer than two differences or when they do not vary: then t is not defined.
#[must_use]
pub fn paired_t(mean: f64, sd: f64, n: usize) -> Option<f64> {
    if n < 2 || sd <= 0.0 {
        return None;
    }
    let t = mean / (sd / (n as f64).sqrt());
    t_cdf(-t.abs(), (n - 1) as f64).map(|tail| (2.0 * tail).min(1.0))
}

/// Two-sided exact sign test: p of at least so uneven a split of `wins` and `losses` by a fair coin. Ties are left
/// out by the caller; 1 when there is nothing to compare.
#[must_use]
pub fn sign_test(wins: u64, losses: u64) -> f64 {
    let (fewer, n) = (wins.min(losses), wins + losses);
    if n == 0 { 1.0 } else { (2.0 * fair_coin_cdf(fewer, n)).min(1.0) }
}

/// McNemar's exact test on two yes/no outcomes of the same episodes: `only_first` succeeded under the first system
/// alone, `only_second` under the second alone.
#[must_use]
pub fn mcnemar(only_first: u64, only_second: u64) -> f64 {
    sign_test(only_first, only_second)
}

/// Largest number of differences whose sign flips are all counted.
pub const EXACT_FLIPS: usize = 16;

/// Two-sided sign-flip permutation test of a zero mean difference.
///
/// Exact up to [`EXACT_FLIPS`] differences; above, `resamples` random flips with the seed and p = (hits + 1) /
/// (resamples + 1), which is never zero. `None` for an empty sample.
#[must_use]
pub fn sign_flip(differences: &[f64], resamples: u32, seed: u64) -> Option<f64> {
    if differences.is_empty() || differences.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = differences.to_vec();
    sorted.sort_by(f64::total_cmp);
    let observed = sorted.iter().sum::<f64>().abs();
    // Sums of flipped values differ from the observed one by rounding alone when they are equal.
    let slack = 1e-9 * sorted.iter().map(|value| value.abs()).sum::<f64>();
    let reaches = |sum: f64| sum.abs() >= observed - slack;
    if sorted.len() <= EXACT_FLIPS {
        let flips = 1_u32 << sorted.len();
        let hits = (0..flips)
            .filter(|flip| {
                let signed = sorted.iter().enumerate();
                reaches(signed.map(|(bit, value)| if flip >> bit & 1 == 1 { -value } else { *value }).sum())
            })
            .count();
        return Some(hits as f64 / f64::from(flips));
    }
    let mut generator = Generator::named(seed, "sign-flip");
    let hits = (0..resamples)
        .filter(|_| {
            reaches(sorted.iter().map(|value| if generator.next_u64() >> 63 == 1 { -value } else { *value }).sum())
        })
        .count();
    Some((hits as f64 + 1.0) / (f64::from(resamples) + 1.0))
}

/// Holm's step-down correction: adjusted p-values in the order given, each at most 1.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let m = p_values.len();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]).then(a.cmp(&b)));
    let mut adjusted = vec![0.0; m];
    let mut floor = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        floor = floor.max(((m - rank) as f64 * p_values[index]).min(1.0));
        adjusted[index] = floor;
    }
    adjusted
}

/// Benjamini and Hochberg's step-up correction: adjusted p-values in the order given, each at most 1. Keeping those at or
/// below q keeps the expected share of false ones among them at q, for tests that do not work against one another.
#[must_use]
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let m = p_values.len();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&a, &b| p_values[b].total_cmp(&p_values[a]).then(a.cmp(&b)));
    let mut adjusted = vec![0.0; m];
    let mut ceiling = 1.0_f64;
    for (above, &index) in order.iter().enumerate() {
        ceiling = ceiling.min(p_values[index] * m as f64 / (m - above) as f64);
        adjusted[index] = ceiling;
    }
    adjusted
}
