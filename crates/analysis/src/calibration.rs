//! How well stated confidences match what happened (SH-07).

use crate::proportion::Proportion;

/// A forecast between 0 and 1 and whether the event came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Stated probability.
    pub stated: f64,
    /// What happened.
    pub happened: bool,
}

/// One bin of a reliability table.
#[derive(Clone, Debug, PartialEq)]
pub struct Bin {
    /// Lower edge, inside the bin.
    pub from: f64,
    /// Upper edge, outside the bin except for the last.
    pub to: f64,
    /// Mean of the stated probabilities in the bin.
    pub stated: f64,
    /// How often it happened, with its interval.
    pub observed: Proportion,
}

/// Mean squared distance between forecast and event; 0 is perfect. `None` without forecasts or when one is not in [0, 1].
#[must_use]
pub fn brier(forecasts: &[Forecast]) -> Option<f64> {
    if !valid(forecasts) {
        return None;
    }
    let sum: f64 =
        forecasts.iter().map(|forecast| (forecast.stated - f64::from(u8::from(forecast.happened))).powi(2)).sum();
    Some(sum / forecasts.len() as f64)
}

/// Reliability table over `bins` bins of equal width; empty bins are left out.
#[must_use]
pub fn reliability(forecasts: &[Forecast], bins: usize, confidence: f64) -> Vec<Bin> {
    if !valid(forecasts) || bins == 0 {
        return Vec::new();
    }
    let bin_of = |stated: f64| ((stated * bins as f64) as usize).min(bins - 1);
    (0..bins)
        .filter_map(|index| {
            let inside: Vec<&Forecast> = forecasts.iter().filter(|forecast| bin_of(forecast.stated) == index).collect();
            let happened = inside.iter().filter(|forecast| forecast.happened).count() as u64;
            let observed = Proportion::new(happened, inside.len() as u64, confidence)?;
            let stated = inside.iter().map(|forecast| forecast.stated).sum::<f64>() / inside.len() as f64;
            Some(Bin { from: index as f64 / bins as f64, to: (index + 1) as f64 / bins as f64, stated, observed })
        })
        .collect()
}

/// Expected calibration error: mean distance between stated and observed over the bins, weighted by their size.
#[must_use]
pub fn expected_calibration_error(forecasts: &[Forecast], bins: usize) -> Option<f64> {
    let table = reliability(forecasts, bins, 0.95);
    let total: u64 = table.iter().map(|bin| bin.observed.of).sum();
    (total > 0).then(|| {
        table.iter().map(|bin| (bin.stated - bin.observed.share).abs() * bin.observed.of as f64).sum::<f64>()
            / total as f64
    })
}

fn valid(forecasts: &[Forecast]) -> bool {
    !forecasts.is_empty() && forecasts.iter().all(|forecast| (0.0..=1.0).contains(&forecast.stated))
}
