//! One row for each triaged packet: what was expected, what was concluded, and how the sides got there. It is folded from the records of
//! debates and from the marking in the last observation; episodes of other environments leave nothing.

mod fold;

use std::collections::BTreeMap;

use gimbal_core::Milli;
use gimbal_evidence::Marking;
use gimbal_evidence::judge::{Positions, Verdict};

pub use fold::{CASES, Cases, Unlabelled};

/// A side of a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// It argues that there is a threat.
    Architect,
    /// It argues that there is none.
    Skeptic,
}

impl Side {
    /// Both, in the order of tables.
    pub const BOTH: [Self; 2] = [Self::Architect, Self::Skeptic];

    /// The role in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Architect => "architect",
            Self::Skeptic => "skeptic",
        }
    }

    fn read(text: &str) -> Option<Self> {
        Self::BOTH.into_iter().find(|side| side.name() == text)
    }
}

/// Where a side stood in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stance {
    /// The side.
    pub side: Side,
    /// The round, from 1.
    pub round: u32,
    /// Number of the vote; 0 outside of a vote.
    pub vote: u32,
    /// Its confidence.
    pub confidence: Milli,
    /// Its confidence in the round before.
    pub before: Option<Milli>,
    /// Facts that it cited for the first time.
    pub new_facts: u32,
    /// Whether rules answered in the place of a model.
    pub fallback: bool,
    /// Whether it answered what the other side had said.
    pub heard: bool,
}

/// A verdict on the way to the conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The round, from 1.
    pub round: u32,
    /// Number of the vote; 0 outside of a vote.
    pub vote: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// What a judge over positions was given.
    pub positions: Positions,
    /// What the judge over claims says of the claims; `None` of a majority, and where claims were not recorded.
    pub by_claims: Option<Verdict>,
    /// How sure it was.
    pub certainty: Milli,
    /// Whether a position that it is based on came from rules in the place of a model.
    pub fallback: bool,
    /// Whether it follows an audit or an attack, and not the positions of a round alone.
    pub after_rounds: bool,
    /// Whether it was concluded.
    pub last: bool,
}

/// What one side asserted over all rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssertionCounts {
    /// Assertions that stood.
    pub asserted: u64,
    /// Those that their facts entail.
    pub entailed: u64,
    /// Those that their facts contradict.
    pub contradicted: u64,
}

/// What a gate decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gated {
    /// The verdict of the single turn.
    pub single: Verdict,
    /// Whether the case went on.
    pub escalated: bool,
}

/// A triaged packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Task id: the scenario.
    pub task: String,
    /// Run number.
    pub run: u32,
    /// What was expected and what was given.
    pub marking: Marking,
    /// Where each side stood, in order.
    pub stands: Vec<Stance>,
    /// Verdicts in order; `None` if no debate was held.
    pub steps: Vec<Step>,
    /// What the Architect and the Skeptic asserted.
    pub said: [AssertionCounts; 2],
    /// Refused assertions and messages, by reason.
    pub refused: BTreeMap<String, u64>,
    /// What the gate decided, where there was one.
    pub gated: Option<Gated>,
}

impl Case {
    /// Whether the given verdict is the expected one.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.marking.is_right()
    }

    /// Rounds that were held; 0 without a debate.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        self.stands.iter().map(|stand| stand.round).max().unwrap_or(0)
    }

    /// Whether independent single turns voted.
    #[must_use]
    pub fn is_vote(&self) -> bool {
        self.stands.iter().any(|stand| stand.vote > 0)
    }

    /// The verdict after the first round: what a single turn of the same sides says. None in a vote and without a debate.
    #[must_use]
    pub fn first(&self) -> Option<Verdict> {
        if self.is_vote() {
            return None;
        }
        let first = self.steps.iter().find(|step| step.round == 1 && step.vote == 0);
        first.map(|step| step.verdict).or_else(|| self.gated.map(|gated| gated.single))
    }

    /// Whether a side had heard the other one when it spoke in the first round.
    #[must_use]
    pub fn heard_first(&self, side: Side) -> bool {
        self.stands.iter().any(|stand| stand.side == side && stand.round == 1 && stand.heard)
    }

    /// The verdict that was concluded, with its inputs.
    #[must_use]
    pub fn concluded(&self) -> Option<&Step> {
        self.steps.iter().rev().find(|step| step.last)
    }

    /// Whether rules answered for a model anywhere (ARES-R7).
    #[must_use]
    pub fn fell_back(&self) -> bool {
        self.stands.iter().any(|stand| stand.fallback)
    }
}
