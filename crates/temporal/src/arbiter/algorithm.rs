//! Algorithm 1: which of the parties in conflict are masked (CTHA-073, CTHA-R01, CTHA-R02).

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use crate::Layer;

/// How parties are masked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// As printed: every pair in conflict masks one of the two, also where the one that wins is masked itself. All parties may end up masked.
    Literal,
    /// The best party is kept and masks those that exclude it; then the best of those left, and so on. Someone is always kept.
    #[default]
    Greedy,
}

/// Which of two tied parties is kept. Parties are in the order of their layers, the fastest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tie {
    /// The faster one, as the comment in Algorithm 1 says.
    #[default]
    KeepFaster,
    /// The slower one, as its line 13 says: it masks the smaller index.
    KeepSlower,
}

/// What comes before the score (CTHA-076).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// Nothing: the score counts.
    #[default]
    Ordinary,
    /// A policy, which no ordinary party overrides.
    Policy,
    /// A stop in an emergency, which nothing overrides.
    Emergency,
}

impl Rank {
    /// The rank of a party: `stops` says that it is a call that stops or waits, marked as an emergency.
    #[must_use]
    pub fn of(layer: Layer, is_directive: bool, stops: bool) -> Self {
        if stops && layer == Layer::Reflex {
            Self::Emergency
        } else if layer >= Layer::Institutional && is_directive {
            Self::Policy
        } else {
            Self::Ordinary
        }
    }
}

/// What parties are compared by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// What comes first.
    pub rank: Rank,
    /// The priority.
    pub priority: Milli,
}

/// The party that masks each party; `None` for those that are kept. `conflicts` are pairs of places in `scores`; pairs beyond it are passed over.
/// The result does not depend on the order of the pairs but for which of several parties is named as the one that masks.
#[must_use]
pub fn mask(
    scores: &[Score],
    conflicts: &[(usize, usize)],
    epsilon: Milli,
    mode: Mode,
    tie: Tie,
) -> Vec<Option<usize>> {
    let sound = |pair: &&(usize, usize)| pair.0 != pair.1 && pair.0 < scores.len() && pair.1 < scores.len();
    let pairs: Vec<(usize, usize)> =
        conflicts.iter().filter(sound).map(|pair| (pair.0.min(pair.1), pair.0.max(pair.1))).collect();
    match mode {
        Mode::Literal => literal(scores, &pairs, epsilon, tie),
        Mode::Greedy => greedy(scores, &pairs, epsilon, tie),
    }
}

fn literal(scores: &[Score], pairs: &[(usize, usize)], epsilon: Milli, tie: Tie) -> Vec<Option<usize>> {
    let mut masked = vec![None; scores.len()];
    for &(faster, slower) in pairs {
        let (one, other) = (scores[faster], scores[slower]);
        let faster_wins = if one.rank != other.rank {
            one.rank > other.rank
        } else if one.priority.0 > other.priority.0.saturating_add(epsilon.0) {
            true
        } else if other.priority.0 > one.priority.0.saturating_add(epsilon.0) {
            false
        } else {
            tie == Tie::KeepFaster
        };
        let (winner, loser) = if faster_wins { (faster, slower) } else { (slower, faster) };
        masked[loser].get_or_insert(winner);
    }
    masked
}

fn greedy(scores: &[Score], pairs: &[(usize, usize)], epsilon: Milli, tie: Tie) -> Vec<Option<usize>> {
    let mut masked: Vec<Option<usize>> = vec![None; scores.len()];
    let mut open: Vec<usize> = (0..scores.len()).collect();
    while let Some(best) = open.iter().map(|place| (scores[*place].rank, scores[*place].priority)).max() {
        let is_tied = |place: &&usize| {
            let score = scores[**place];
            score.rank == best.0 && score.priority.0.saturating_add(epsilon.0) >= best.1.0
        };
        let chosen = match tie {
            Tie::KeepFaster => open.iter().find(is_tied),
            Tie::KeepSlower => open.iter().rfind(is_tied),
        };
        let Some(&kept) = chosen else { break };
        for &(one, other) in pairs.iter().filter(|pair| pair.0 == kept || pair.1 == kept) {
            masked[if one == kept { other } else { one }].get_or_insert(kept);
        }
        open.retain(|place| *place != kept && masked[*place].is_none());
    }
    masked
}
