//! What a scorer makes of conflicts.

use gimbal_core::Scorer;

use crate::data::{Conflict, Dataset, chosen};

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
        let candidate = chosen(&scorer.score(&rows), &conflict.candidates).unwrap_or(0);
        let of_parties = scorer.outcome(&rows);
        let chance = |kept: &[usize]| {
            let sum: i64 = kept.iter().filter_map(|party| of_parties.get(*party)).sum();
            let count = i64::try_from(kept.len()).unwrap_or(i64::MAX);
            (count > 0 && !of_parties.is_empty()).then(|| (sum + count / 2).div_euclid(count))
        };
        Judged { candidate, chances: conflict.candidates.iter().map(|candidate| chance(&candidate.kept)).collect() }
    };
    data.conflicts.iter().map(of).collect()
}
