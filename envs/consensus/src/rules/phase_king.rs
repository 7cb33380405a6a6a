//! The phase-king algorithm, for values of any number.
//!
//! With `n` agents and at most `f` adversaries there are `f + 1` phases of two rounds. In the first round of a phase every agent states its value and
//! finds the most frequent one that it was told, and how often. In the second the king of the phase states its own most frequent value; an
//! agent that heard its most frequent value more than `n/2 + f` times keeps it, and every other one takes the king's. One of the kings is
//! honest, and after its phase all honest agents hold one value, which they keep where `4f < n`. A last round states it and stops.

use crate::game::{Ballot, Seen, Value, Vote};

/// Rounds that it needs with so many adversaries.
#[must_use]
pub const fn rounds(faults: usize) -> usize {
    2 * (faults + 1) + 1
}

/// The ballot of the next round.
pub(super) fn ballot(seen: &Seen, faults: usize) -> Ballot {
    let mut value = seen.start;
    for (phase, pair) in seen.rounds.chunks(2).take(faults + 1).enumerate() {
        let (most, often) = most_frequent(&pair[0], value);
        let [_, second] = pair else {
            // The second round of this phase is next: only the king's word counts, and every other agent says its own.
            return Ballot::of(most, Vote::Continue);
        };
        let king = phase % seen.agents;
        let is_sure = 2 * often > seen.agents + 2 * faults;
        value = if is_sure { most } else { second[king].unwrap_or(most) };
    }
    let done = seen.rounds.len() >= 2 * (faults + 1);
    Ballot::of(value, if done { Vote::Stop } else { Vote::Continue })
}

/// The most frequent value that was told, the smallest of several, and how often it was; the agent's own where nothing was told.
fn most_frequent(told: &[Option<Value>], own: Value) -> (Value, usize) {
    let mut counts = [0_usize; 256];
    for value in told.iter().flatten() {
        counts[usize::from(*value)] += 1;
    }
    let mut best = (own, 0);
    for (value, count) in counts.into_iter().enumerate() {
        if count > best.1 {
            best = (value as Value, count);
        }
    }
    best
}
