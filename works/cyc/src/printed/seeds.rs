//! Success rates over seeds as counts of wins: which mean and SD are possible at all (CYC-052).

/// Which standard deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Divided by the number of seeds.
    Population,
    /// Divided by one less.
    Sample,
}

/// The mean rate in percent nearest to `printed` that three seeds of `tasks` tasks each can have.
#[must_use]
pub fn nearest_rate(tasks: u32, printed: f64) -> f64 {
    let wins = (printed / 100.0 * 3.0 * f64::from(tasks)).round().clamp(0.0, 3.0 * f64::from(tasks));
    100.0 * wins / (3.0 * f64::from(tasks))
}

/// The SD of the rate in percent nearest to `sd` over all wins of three seeds whose mean rate is printed as `mean` (one
/// digit); `None` where no wins have that mean.
#[must_use]
pub fn nearest_spread(tasks: u32, mean: f64, sd: f64, spread: Spread) -> Option<f64> {
    let percent = |wins: u32| 100.0 * f64::from(wins) / f64::from(tasks);
    let divisor = if spread == Spread::Population { 3.0 } else { 2.0 };
    let mut best: Option<f64> = None;
    for wins in (0..=3 * tasks).filter(|wins| (percent(*wins) / 3.0 - mean).abs() <= super::HALF + 1e-9) {
        let average = percent(wins) / 3.0;
        for first in wins.saturating_sub(2 * tasks)..=wins / 3 {
            let rest = wins - first;
            for second in rest.saturating_sub(tasks).max(first)..=rest / 2 {
                let rates = [first, second, rest - second].map(percent);
                let squares: f64 = rates.iter().map(|rate| (rate - average).powi(2)).sum();
                let found = (squares / divisor).sqrt();
                if best.is_none_or(|best| (found - sd).abs() < (best - sd).abs()) {
                    best = Some(found);
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::{Spread, nearest_rate, nearest_spread};

    /// 4, 5 and 6 wins of 11: mean 45.45, population SD 7.42, sample SD 9.09.
    #[test]
    fn wins_of_three_seeds_give_mean_and_spread() {
        assert!((nearest_rate(11, 45.6) - 45.4545).abs() < 1e-3);
        assert_eq!(nearest_spread(11, 45.6, 7.4, Spread::Population), None, "45.6 is no mean of three counts of 11");
        assert!((nearest_spread(11, 45.5, 7.4, Spread::Population).unwrap() - 7.4227).abs() < 1e-3);
        assert!((nearest_spread(11, 45.5, 9.1, Spread::Sample).unwrap() - 9.0909).abs() < 1e-3);
        assert!(nearest_spread(35, 14.3, 0.0, Spread::Population).unwrap().abs() < 1e-9);
    }
}
