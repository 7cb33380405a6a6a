//! What a planned comparison can see: power of the paired t test, and the smallest difference that it finds.

use statrs::function::gamma::ln_gamma;

use crate::special::{normal_cdf, t_quantile};

/// Intervals of Simpson's rule; the integrand is smooth, and this many leave an error far below what is printed.
const INTERVALS: usize = 2_000;
/// How far to integrate on either side, in standard deviations of the estimated SD.
const REACH: f64 = 10.0;

/// Probability that a two-sided paired t test of `n` pairs rejects at `alpha`, when differences are normal with mean
/// `difference` and SD `sd`: the non-central t distribution, integrated over the estimated SD.
///
/// `None` for fewer than two pairs, an SD that is not positive, or an `alpha` outside (0, 1).
#[must_use]
pub fn paired_t_power(n: usize, difference: f64, sd: f64, alpha: f64) -> Option<f64> {
    if n < 2 || !(sd > 0.0 && sd.is_finite()) || !difference.is_finite() {
        return None;
    }
    Some(rejection(difference.abs() * (n as f64).sqrt() / sd, n, critical(n, alpha)?))
}

/// Smallest difference that a two-sided paired t test of `n` pairs finds with probability `power` at `alpha`, in the
/// unit of `sd`. `None` as for [`paired_t_power`], and for a power outside (alpha, 1).
#[must_use]
pub fn detectable_difference(n: usize, sd: f64, power: f64, alpha: f64) -> Option<f64> {
    if n < 2 || !(sd >= 0.0 && sd.is_finite()) || !(power > alpha && power < 1.0) {
        return None;
    }
    let critical = critical(n, alpha)?;
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    while rejection(high, n, critical) < power {
        high *= 2.0;
        if high > 1e7 {
            return None;
        }
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if rejection(middle, n, critical) < power { low = middle } else { high = middle }
    }
    Some(high * sd / (n as f64).sqrt())
}

/// Largest number of pairs that is looked at.
const MOST_PAIRS: usize = 1_000_000;

/// Fewest pairs with which a two-sided paired t test finds `difference` with probability `power` at `alpha`; `None` as
/// for [`detectable_difference`], for no difference, and beyond a million pairs.
#[must_use]
pub fn pairs_needed(difference: f64, sd: f64, power: f64, alpha: f64) -> Option<usize> {
    if !(power > alpha && power < 1.0) || difference == 0.0 {
        return None;
    }
    let enough = |n: usize| paired_t_power(n, difference, sd, alpha).map(|reached| reached >= power);
    let mut high = 2_usize;
    while !enough(high)? {
        if high >= MOST_PAIRS {
            return None;
        }
        high = (high * 2).min(MOST_PAIRS);
    }
    let mut low = 1_usize;
    while high - low > 1 {
        let middle = low.midpoint(high);
        if enough(middle)? { high = middle } else { low = middle }
    }
    Some(high)
}

fn critical(n: usize, alpha: f64) -> Option<f64> {
    (alpha > 0.0 && alpha < 1.0).then(|| t_quantile(1.0 - alpha / 2.0, (n - 1) as f64)).flatten()
}

/// P(|T| > critical) for a non-central t with n - 1 degrees of freedom and the given non-centrality.
fn rejection(noncentrality: f64, n: usize, critical: f64) -> f64 {
    let df = (n - 1) as f64;
    // S = sqrt(chi2 / df) has mean near 1 and SD near 1 / sqrt(2 df).
    let spread = REACH / (2.0 * df).sqrt();
    let (from, to) = ((1.0 - spread).max(0.0), 1.0 + spread);
    let constant = std::f64::consts::LN_2 + df / 2.0 * (df / 2.0).ln() - ln_gamma(df / 2.0);
    let integrand = |s: f64| {
        let density = match s {
            0.0 if df > 1.0 => 0.0,
            _ => (constant + if df > 1.0 { (df - 1.0) * s.ln() } else { 0.0 } - df * s * s / 2.0).exp(),
        };
        density * (normal_cdf(noncentrality - critical * s) + normal_cdf(-noncentrality - critical * s))
    };
    let step = (to - from) / INTERVALS as f64;
    let inner: f64 = (1..INTERVALS)
        .map(|index| integrand(from + step * index as f64) * if index % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    (step / 3.0 * (integrand(from) + inner + integrand(to))).min(1.0)
}
