//! The whole way of a decision: authority, conflicts, masking, composition.

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use super::algorithm::{Mode, Rank, Score, Tie, mask};
use super::compose::{Composed, Composition, Scene, Skip, Skipped, compose};
use super::priority::Weights;
use crate::authority::Authority;
use crate::commitments::Commitment;
use crate::conflict::{Conflict, Detector};
use crate::{Layer, Proposal};

/// How decisions are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arbiter {
    /// Weights of the score.
    pub weights: Weights,
    /// How parties are masked.
    pub mode: Mode,
    /// Which of two tied parties is kept.
    pub tie: Tie,
    /// What counts as a conflict.
    pub detector: Detector,
    /// Whether emergencies and policies come before the score (CTHA-076). Without them the score alone decides, as Algorithm 1 is printed.
    pub rules: bool,
    /// Whether masking is passed over where there is no conflict (CTHA-082). The result is the same.
    pub early_exit: bool,
    /// What layers may decide.
    pub authority: Authority,
}

/// A part of the way of a decision, for whoever measures what each takes (CTHA-096).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Scores, and who excludes whom.
    Conflicts,
    /// Who gives way.
    Masking,
    /// One call, and the directives that hold after it.
    Composing,
}

/// Who takes part in a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Party {
    /// The proposal at this place.
    Proposal(usize),
    /// The commitment of this number.
    Commitment(u64),
}

/// A party that lost a conflict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Masked {
    /// Place of the party.
    pub place: usize,
    /// Place of the one that masks it.
    pub by: usize,
}

/// A decision, and how it was made. Places are those of `parties`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Who took part, the fastest layer first.
    pub parties: Vec<Party>,
    /// Their scores.
    pub scores: Vec<Score>,
    /// Who excluded whom, and why.
    pub conflicts: Vec<Conflict>,
    /// Pairs that were compared.
    pub comparisons: u64,
    /// Who lost.
    pub masked: Vec<Masked>,
    /// Who was not masked and is not carried out.
    pub skipped: Vec<Skipped>,
    /// Who is in effect.
    pub kept: Vec<usize>,
    /// Commitments that lost to a proposal and end: those of layers below Institutional. A policy that a stop in an emergency overrides is
    /// passed over in this step and holds on.
    pub released: Vec<(u64, Layer)>,
    /// Whether there was no conflict.
    pub early: bool,
    /// The decision.
    pub composed: Composed,
}

impl Default for Arbiter {
    /// Greedy, keeping the faster of two tied parties, with both rules before the score and the scopes of Tab. 10.
    fn default() -> Self {
        Self {
            weights: Weights::default(),
            mode: Mode::default(),
            tie: Tie::default(),
            detector: Detector::default(),
            rules: true,
            early_exit: true,
            authority: Authority::published(),
        }
    }
}

impl Arbiter {
    /// Algorithm 1 as printed: Eq. 23, the score alone, the literal masking and the literal tie rule.
    #[must_use]
    pub fn published() -> Self {
        Self {
            mode: Mode::Literal,
            tie: Tie::KeepSlower,
            detector: Detector::published(),
            rules: false,
            ..Self::default()
        }
    }

    /// Decides. `learned` is what a learned part adds to the priority of each proposal, by place; missing ones are 0. Commitments are those
    /// that hold now; a layer is in no conflict with its own, because a new proposal takes the place of the old one.
    #[must_use]
    pub fn resolve(
        &self,
        proposals: &[Proposal],
        commitments: &[&Commitment],
        learned: &[Milli],
        scene: &Scene<'_>,
    ) -> Verdict {
        self.resolve_watched(proposals, commitments, learned, scene, &mut |_| {})
    }

    /// As [`Arbiter::resolve`]; `done` hears of each part when it is over, and changes nothing.
    #[must_use]
    pub fn resolve_watched(
        &self,
        proposals: &[Proposal],
        commitments: &[&Commitment],
        learned: &[Milli],
        scene: &Scene<'_>,
        done: &mut dyn FnMut(Part),
    ) -> Verdict {
        let mut named: Vec<(Party, &Proposal, Milli)> = Vec::with_capacity(proposals.len() + commitments.len());
        for (place, proposal) in proposals.iter().enumerate() {
            let learned = learned.get(place).copied().unwrap_or(Milli::ZERO);
            named.push((Party::Proposal(place), proposal, learned));
        }
        named.extend(commitments.iter().map(|one| (Party::Commitment(one.number), &one.proposal, Milli::ZERO)));
        named.sort_by_key(|(party, proposal, _)| (proposal.layer, *party));
        let parties: Vec<Party> = named.iter().map(|(party, ..)| *party).collect();
        let scores: Vec<Score> =
            named.iter().map(|(_, proposal, learned)| self.score(proposal, *learned, scene)).collect();
        // Who may not decide takes no part, so that it masks nobody.
        let (within, outside): (Vec<usize>, Vec<usize>) =
            (0..named.len()).partition(|place| self.authority.permits(named[*place].1.layer, named[*place].1.category));
        let mut skipped: Vec<Skipped> =
            outside.into_iter().map(|place| Skipped { place, why: Skip::Authority }).collect();
        let met: Vec<&Proposal> = within.iter().map(|place| named[*place].1).collect();
        let mut found = self.detector.find(&met);
        for conflict in &mut found.conflicts {
            (conflict.one, conflict.other) = (within[conflict.one], within[conflict.other]);
        }
        found.conflicts.retain(|conflict| {
            let (one, other) = (&named[conflict.one], &named[conflict.other]);
            let both_proposed = matches!((one.0, other.0), (Party::Proposal(_), Party::Proposal(_)));
            both_proposed || one.1.layer != other.1.layer
        });
        done(Part::Conflicts);
        let early = found.conflicts.is_empty();
        let masks = if early && self.early_exit {
            vec![None; named.len()]
        } else {
            let pairs: Vec<(usize, usize)> =
                found.conflicts.iter().map(|conflict| (conflict.one, conflict.other)).collect();
            mask(&scores, &pairs, self.weights.epsilon, self.mode, self.tie)
        };
        done(Part::Masking);
        let left: Vec<(usize, &Proposal)> =
            within.iter().filter(|place| masks[**place].is_none()).map(|place| (*place, named[*place].1)).collect();
        let Composition { composed, kept, skipped: more } = compose(&left, &self.authority, scene);
        skipped.extend(more);
        skipped.sort_by_key(|one| one.place);
        let masked = masks.iter().enumerate().filter_map(|(place, by)| Some(Masked { place, by: (*by)? }));
        let masked: Vec<Masked> = masked.collect();
        let released = masked.iter().filter_map(|one| match parties[one.place] {
            Party::Commitment(number) if named[one.place].1.layer < Layer::Institutional => {
                Some((number, named[one.by].1.layer))
            }
            _ => None,
        });
        let released = released.collect();
        done(Part::Composing);
        Verdict {
            released,
            scores,
            comparisons: found.comparisons,
            conflicts: found.conflicts,
            parties,
            masked,
            skipped,
            kept,
            early,
            composed,
        }
    }

    /// What a party is compared by.
    fn score(&self, proposal: &Proposal, learned: Milli, scene: &Scene<'_>) -> Score {
        let stops = || proposal.as_call().is_some_and(|call| call == scene.idle || (scene.stops)(call));
        let rank = if self.rules {
            Rank::of(proposal.layer, proposal.as_directive().is_some(), proposal.emergency && stops())
        } else {
            Rank::Ordinary
        };
        Score { rank, priority: self.weights.priority(proposal, learned) }
    }
}
