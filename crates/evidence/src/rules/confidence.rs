//! How sure a side by rule is of what it asserts.

use gimbal_core::Milli;

/// Confidence over asserted kinds (ARES-024): the mean of their strengths, weighted by their facts, and 0.05 more for each kind beyond
/// the first, at most 0.2; at most 1.
pub(super) fn combined(kinds: &[(Milli, usize)]) -> Option<Milli> {
    let facts: i64 = kinds.iter().map(|(_, facts)| *facts as i64).sum();
    if facts == 0 {
        return None;
    }
    let mean = kinds.iter().map(|(strength, facts)| strength.0 * *facts as i64).sum::<i64>() / facts;
    let more = (50 * (kinds.len() as i64 - 1)).min(200);
    Some(Milli((mean + more).min(1000)))
}
