//! Quantiles and distribution functions that the rest needs.

use statrs::distribution::{Binomial, Continuous, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

/// P(T <= x) for Student's t with `df` > 0 degrees of freedom; `None` when `df` is not positive or `x` is not a number.
#[must_use]
pub fn t_cdf(x: f64, df: f64) -> Option<f64> {
    if x.is_nan() {
        return None;
    }
    Some(StudentsT::new(0.0, 1.0, df).ok()?.cdf(x))
}

/// The t with P(T <= t) = `p`, for 0 < `p` < 1 and `df` > 0; `None` outside.
///
/// The library's inverse is polished with Newton steps on its distribution function, so that nine digits hold for all
/// sample sizes that a study can have.
#[must_use]
pub fn t_quantile(p: f64, df: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    let distribution = StudentsT::new(0.0, 1.0, df).ok()?;
    // Symmetric, and the upper tail is the one in use: one half decides both.
    if p < 0.5 {
        return t_quantile(1.0 - p, df).map(|value| -value);
    }
    let mut value = distribution.inverse_cdf(p);
    for _ in 0..4 {
        let density = distribution.pdf(value);
        if density <= 0.0 || !value.is_finite() {
            break;
        }
        let step = (distribution.cdf(value) - p) / density;
        value -= step;
        if step.abs() <= 1e-14 * value.abs() {
            break;
        }
    }
    value.is_finite().then_some(value)
}

/// P(Z <= x) for a standard normal.
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    Normal::standard().cdf(x)
}

/// The z with P(Z <= z) = `p`, for 0 < `p` < 1; `None` outside.
#[must_use]
pub fn normal_quantile(p: f64) -> Option<f64> {
    (p > 0.0 && p < 1.0).then(|| Normal::standard().inverse_cdf(p))
}

/// Throws up to which the coin is counted exactly; above, 0.5^n leaves the range of normal floats.
const EXACT_THROWS: u64 = 1_000;

/// P(B <= k) for a fair coin thrown `n` times.
pub(crate) fn fair_coin_cdf(k: u64, n: u64) -> f64 {
    if n > EXACT_THROWS {
        return Binomial::new(0.5, n).map_or(1.0, |coin| coin.cdf(k));
    }
    let mut term = 0.5_f64.powi(n as i32);
    let mut sum = term;
    for heads in 1..=k.min(n) {
        term *= (n - heads + 1) as f64 / heads as f64;
        sum += term;
    }
    sum.min(1.0)
}
