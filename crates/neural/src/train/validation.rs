//! The loss of a network on data, by the plain inference: what decides when training stops.

use super::batch::wanted;
use crate::data::{Conflict, Dataset};
use crate::net::{Net, Said, Scratch};

/// Conflicts that are taken at once.
const AT_ONCE: usize = 64;

/// Cross-entropy plus `outcome` times the binary one, a mean over conflicts by their weights, in millionths.
pub fn loss(net: &Net, data: &Dataset, outcome: f64) -> i64 {
    let mut scratch = Scratch::default();
    let (mut sum, mut weights) = (0.0, 0.0);
    for conflicts in data.conflicts.chunks(AT_ONCE) {
        let rows: Vec<Vec<f32>> = conflicts.iter().flat_map(Conflict::rows).collect();
        let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let counts: Vec<usize> = conflicts.iter().map(|conflict| conflict.parties.len()).collect();
        let said = net.forward(&rows, &counts, &mut scratch);
        let mut rest = said.as_slice();
        for conflict in conflicts {
            let (own, others) = rest.split_at(conflict.parties.len());
            rest = others;
            let weight = f64::from(conflict.weight);
            sum += weight * of_conflict(conflict, own, outcome);
            weights += weight;
        }
    }
    if weights > 0.0 { (sum / weights * 1e6).round() as i64 } else { 0 }
}

fn of_conflict(conflict: &Conflict, said: &[Said], outcome: f64) -> f64 {
    let logit = |kept: &[usize]| kept.iter().map(|party| f64::from(said[*party].score)).sum::<f64>();
    let logits: Vec<f64> = conflict.candidates.iter().map(|candidate| logit(&candidate.kept)).collect();
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = most + logits.iter().map(|logit| (logit - most).exp()).sum::<f64>().ln();
    let cross: f64 = wanted(conflict).iter().map(|(place, share)| f64::from(*share) * (total - logits[*place])).sum();
    let (mut binary, mut labelled) = (0.0, 0.0);
    for candidate in conflict.candidates.iter().filter(|candidate| !candidate.kept.is_empty()) {
        let Some(well) = candidate.outcome else { continue };
        let sum: f64 = candidate.kept.iter().map(|party| 1.0 / (1.0 + (-f64::from(said[*party].outcome)).exp())).sum();
        let chance = (sum / candidate.kept.len() as f64).clamp(1e-6, 1.0 - 1e-6);
        binary -= if well { chance.ln() } else { (1.0 - chance).ln() };
        labelled += 1.0;
    }
    cross + outcome * binary / f64::max(labelled, 1.0)
}
