//! Baselines without a model. Each is a function of what its agent has seen: no agent reads another one's mind, and none knows who is an
//! adversary. Only the number of adversaries is told to those whose proof needs a bound.
//!
//! | name | what it does | promise |
//! |---|---|---|
//! | `median` | takes the lower median of the values of the last round | none with adversaries |
//! | `min` | takes the least value that it ever saw | none with adversaries |
//! | `phase_king` | phases of two rounds, each with a king (Berman, Garay, Perry 1989) | agreement and an end below a quarter of adversaries |
//! | `eig` | passes on what it was told (Pease, Shostak, Lamport 1980), then takes the median of what all honest agents know alike | agreement and an end below a third |
//! | `random` | a value and a vote by chance | none |
//! | `stubborn` | its start, until all it sees state it | none |
//!
//! No rule can promise a value that was an honest start: an adversary that acts like an honest agent with another start cannot be told from
//! one, and its value may be the one that is agreed on. What is promised is agreement, an end, and the common start where all honest starts are
//! alike.

mod eig;
mod phase_king;

use gimbal_core::Rng;

use crate::game::{Ballot, Game, LARGEST, Seen, Value, Vote};

pub use phase_king::rounds as phase_king_rounds;

/// A baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The lower median of the last round.
    Median,
    /// The least value seen.
    Min,
    /// The phase-king algorithm.
    PhaseKing,
    /// Exponential information gathering.
    Eig,
    /// Chance.
    Random,
    /// Its start.
    Stubborn,
    /// What an expert does, who sees the whole game: all honest agents take the lower median of their starts in the second round.
    Expert,
}

impl Rule {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 7] =
        [Self::Median, Self::Min, Self::PhaseKing, Self::Eig, Self::Random, Self::Stubborn, Self::Expert];

    /// Its name as a policy.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Median => "median",
            Self::Min => "min",
            Self::PhaseKing => "phase_king",
            Self::Eig => "eig",
            Self::Random => "random",
            Self::Stubborn => "stubborn",
            Self::Expert => "expert",
        }
    }

    /// Whether the algorithm promises agreement and an end with so many adversaries; `None` if it promises nothing at all.
    #[must_use]
    pub const fn promises(self, agents: usize, adversaries: usize) -> Option<bool> {
        match self {
            Self::PhaseKing => Some(4 * adversaries < agents),
            Self::Eig => Some(3 * adversaries < agents),
            Self::Median | Self::Min | Self::Random | Self::Stubborn | Self::Expert => None,
        }
    }

    /// The ballots of the next round, for every honest agent.
    pub fn ballots(self, game: &Game, draws: &mut Rng) -> Vec<Option<Ballot>> {
        let setup = game.setup();
        let faults = setup.adversaries();
        let honest = (0..setup.agents()).map(|agent| {
            if setup.is_adversary(agent) {
                return None;
            }
            let seen = game.seen(agent);
            Some(match self {
                Self::Median => median(&seen),
                Self::Min => min(&seen),
                Self::PhaseKing => phase_king::ballot(&seen, faults),
                Self::Eig => eig::ballot(&seen, setup, faults),
                Self::Random => random(draws),
                Self::Stubborn => stubborn(&seen),
                Self::Expert => expert(game, &seen),
            })
        });
        honest.collect()
    }
}

/// Votes to stop where so many agents stated a value that votes like this one end the game.
fn vote(seen: &Seen, last: &[Option<Value>], value: Value) -> Vote {
    let same = last.iter().flatten().filter(|other| **other == value).count();
    if 3 * same >= 2 * seen.agents { Vote::Stop } else { Vote::Continue }
}

fn median(seen: &Seen) -> Ballot {
    let Some(last) = seen.rounds.last() else { return Ballot::of(seen.start, Vote::Continue) };
    let value = lower_median(last.iter().flatten().copied()).unwrap_or(seen.start);
    Ballot::of(value, vote(seen, last, value))
}

fn min(seen: &Seen) -> Ballot {
    let Some(last) = seen.rounds.last() else { return Ballot::of(seen.start, Vote::Continue) };
    let all = seen.rounds.iter().flatten().flatten().copied();
    let value = all.min().unwrap_or(seen.start).min(seen.start);
    Ballot::of(value, vote(seen, last, value))
}

fn random(draws: &mut Rng) -> Ballot {
    let value = draws.below(u64::from(LARGEST) + 1) as Value;
    Ballot::of(value, if draws.below(2) == 0 { Vote::Stop } else { Vote::Continue })
}

fn stubborn(seen: &Seen) -> Ballot {
    let vote = seen.rounds.last().map_or(Vote::Continue, |last| vote(seen, last, seen.start));
    Ballot::of(seen.start, vote)
}

fn expert(game: &Game, seen: &Seen) -> Ballot {
    if seen.rounds.is_empty() {
        return Ballot::of(seen.start, Vote::Continue);
    }
    let setup = game.setup();
    let starts = (0..seen.agents).filter(|agent| !setup.is_adversary(*agent)).map(|agent| setup.start(agent));
    Ballot::of(lower_median(starts).unwrap_or(seen.start), Vote::Stop)
}

/// The lower median of values: one of them.
fn lower_median(values: impl Iterator<Item = Value>) -> Option<Value> {
    let mut sorted: Vec<Value> = values.collect();
    sorted.sort_unstable();
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}
