//! Whether what plays acted at all. Where the fallback acted in its place, returns measure the scaffolding and no model.

use crate::cells::Rate;

/// Share of environment steps taken by the fallback from which on a cell is no measurement of its model.
pub const FALLBACK_LIMIT: f64 = 0.5;

/// Share of invalid attempts at an action from which on a cell is no measurement of its model.
pub const INVALID_LIMIT: f64 = 0.8;

/// Whether the model hardly acted: at least [`FALLBACK_LIMIT`] of the steps were the fallback's, or at least
/// [`INVALID_LIMIT`] of the attempts brought no action.
#[must_use]
pub fn hardly_acted(fallback: Rate, invalid: Rate) -> bool {
    let reaches = |rate: Rate, limit: f64| rate.share().is_some_and(|share| share >= limit);
    reaches(fallback, FALLBACK_LIMIT) || reaches(invalid, INVALID_LIMIT)
}

/// The rule in words, for tables and pages.
#[must_use]
pub fn rule() -> String {
    format!(
        "the fallback took at least {:.0}% of the steps, or at least {:.0}% of the attempts at an action were invalid",
        100.0 * FALLBACK_LIMIT,
        100.0 * INVALID_LIMIT
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shares_have_a_limit_and_nothing_played_reaches_none() {
        let rate = |count, of| Rate { count, of };
        assert!(hardly_acted(rate(5, 10), rate(0, 10)));
        assert!(!hardly_acted(rate(4, 10), rate(7, 10)));
        assert!(hardly_acted(rate(0, 10), rate(8, 10)));
        assert!(!hardly_acted(rate(0, 0), rate(0, 0)));
    }
}
