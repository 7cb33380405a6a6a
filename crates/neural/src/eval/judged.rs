//! What a scorer makes of conflicts.

use gimbal_core::Scorer;

use crate::data::{Conflict, Dataset, chosen};
use crate::net::Net;

/// Conflicts that go through a network at once.
const BATCH: usize = 64;

/// What a scorer makes of a conflict.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The place of the candidate that it chooses.
    pub candidate: usize,
    /// The chance that each candidate turns out well, in thousandths: the mean over the parties that it keeps. None for a candidate that keeps
    /// nobody, and where the scorer does not say.
    pub chances: Vec<Option<i64>>,
}

/// What a scorer makes of each conflict.
#[must_use]
pub fn judge(data: &Dataset, scorer: &dyn Scorer) -> Vec<Judged> {
    let of = |conflict: &Conflict| {
        let rows = conflict.rows();
        judged(conflict, &scorer.score(&rows), &scorer.outcome(&rows))
    };
    data.conflicts.iter().map(of).collect()
}

/// What a network makes of each conflict: as [`judge`], many conflicts at once (CTHA-082).
#[must_use]
pub fn judge_together(data: &Dataset, net: &Net) -> Vec<Judged> {
    let of = |conflicts: &[Conflict]| {
        let rows: Vec<Vec<Vec<f32>>> = conflicts.iter().map(Conflict::rows).collect();
        let said = net.together(&rows);
        conflicts.iter().zip(said).map(|(one, (scores, outcomes))| judged(one, &scores, &outcomes)).collect::<Vec<_>>()
    };
    data.conflicts.chunks(BATCH).flat_map(of).collect()
}

fn judged(conflict: &Conflict, scores: &[i64], of_parties: &[i64]) -> Judged {
    let candidate = chosen(scores, &conflict.candidates).unwrap_or(0);
    let chance = |kept: &[usize]| {
        let sum: i64 = kept.iter().filter_map(|party| of_parties.get(*party)).sum();
        let count = i64::try_from(kept.len()).unwrap_or(i64::MAX);
        (count > 0 && !of_parties.is_empty()).then(|| (sum + count / 2).div_euclid(count))
    };
    Judged { candidate, chances: conflict.candidates.iter().map(|candidate| chance(&candidate.kept)).collect() }
}
