//! How good chances of outcomes are.

use super::judged::Judged;
use crate::data::Conflict;

/// Figures of the chances that candidates turn out well. Candidates count alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcomes {
    /// Candidates whose outcome is known.
    pub candidates: usize,
    /// Share of them that turned out well.
    pub base_rate: f64,
    /// Brier score: mean squared difference of chance and outcome.
    pub brier: f64,
    /// That of the base rate for all: what a head that has learned nothing else gets.
    pub base_brier: f64,
    /// Area under the curve: how often one that turned out well has the higher chance than one that did not. `None` if all are alike.
    pub auc: Option<f64>,
}

impl Outcomes {
    pub(super) fn of(members: &[(&Conflict, &Judged)]) -> Option<Self> {
        let mut pairs: Vec<(i64, bool)> = Vec::new();
        for (conflict, judged) in members {
            let known = conflict.candidates.iter().zip(&judged.chances);
            pairs.extend(known.filter_map(|(candidate, chance)| Some(((*chance)?, candidate.outcome?))));
        }
        if pairs.is_empty() {
            return None;
        }
        let count = pairs.len() as f64;
        let well = pairs.iter().filter(|(_, well)| *well).count() as f64;
        let miss = |(chance, well): &(i64, bool)| (*chance as f64 / 1000.0 - f64::from(u8::from(*well))).powi(2);
        let brier = pairs.iter().map(miss).sum::<f64>() / count;
        let base_rate = well / count;
        let base_brier = base_rate * (1.0 - base_rate);
        Some(Self { candidates: pairs.len(), base_rate, brier, base_brier, auc: auc(pairs) })
    }
}

/// The share of pairs of one that turned out well and one that did not in which the first has the higher chance; equal ones count half.
fn auc(mut pairs: Vec<(i64, bool)>) -> Option<f64> {
    let well = pairs.iter().filter(|(_, well)| *well).count();
    let badly = pairs.len() - well;
    if well == 0 || badly == 0 {
        return None;
    }
    pairs.sort_unstable();
    let (mut halves, mut below) = (0_u64, 0_u64);
    for alike in pairs.chunk_by(|one, next| one.0 == next.0) {
        let bad = alike.iter().filter(|(_, well)| !well).count() as u64;
        let good = alike.len() as u64 - bad;
        halves += good * (2 * below + bad);
        below += bad;
    }
    Some(halves as f64 / 2.0 / (well as f64 * badly as f64))
}
