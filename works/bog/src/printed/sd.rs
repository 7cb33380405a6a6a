//! SDs that a plan can take from the printed tables.

use gimbal_analysis::planned::SdSource;
use gimbal_analysis::{quantile, t_quantile};

use super::facts::BogFacts;

/// SD of the difference of two configurations as far as the printed tables give it; the median over
/// their models.
#[must_use]
pub fn paper_sd(facts: &BogFacts, first: &str, second: &str) -> Option<(f64, SdSource)> {
    let paired = facts
        .paired
        .iter()
        .find(|row| (row.first == first && row.second == second) || (row.first == second && row.second == first));
    if let Some(row) = paired {
        let sds = row.half_width.iter().filter_map(|(model, half)| {
            let pairs = facts.cell(first, model)?.episodes.min(facts.cell(second, model)?.episodes).min(MOST_PAIRS);
            let t = t_quantile(0.5 + facts.confidence / 2.0, f64::from(pairs) - 1.0)?;
            Some(half * f64::from(pairs).sqrt() / t)
        });
        return Some((median(sds.collect())?, SdSource::PaperPaired));
    }
    let sds = facts.models.iter().filter_map(|model| {
        let (first, second) = (facts.cell(first, model)?, facts.cell(second, model)?);
        Some(first.sd.hypot(second.sd))
    });
    Some((median(sds.collect())?, SdSource::PaperCells))
}

/// Ten instances of five runs; extended batches repeat them and are averaged.
const MOST_PAIRS: u32 = 50;

fn median(values: Vec<f64>) -> Option<f64> {
    quantile(&values, 0.5)
}
