//! The works' metrics as plain formulas. Each is `None` where it has no meaning, and never infinite or NaN.

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

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
