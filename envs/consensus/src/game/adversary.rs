//! What agents do that do not follow the rules. The game plays them itself, so that every architecture, baseline and model meets the same ones;
//! `Played` leaves them to whoever plays.

use gimbal_core::seed::split_mix;
use serde::{Deserialize, Serialize};

use super::{LARGEST, Value, Vote};

/// What adversaries do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// They say nothing and vote to continue.
    #[default]
    Silent,
    /// They tell every agent another value in every round, and vote to continue.
    Equivocating,
    /// They state their start and move on by one in every round, so that they never settle, and vote to continue.
    Drifting,
    /// They state their start and vote to stop from the first round on.
    StopEarly,
    /// They are played like honest agents, are told what they are, and may abstain.
    Played,
}

/// A value that an agent passes on, in a protocol in which agents tell one another what they were told.
#[derive(Clone, Copy, Debug)]
pub struct Relay {
    /// Who is told, from 0.
    pub to: usize,
    /// A number of the path along which the value came.
    pub path: u64,
    /// How many agents the path has.
    pub length: usize,
    /// What an honest agent would pass on.
    pub honest: Option<Value>,
}

impl Strategy {
    /// All of them, in the order of settings.
    pub const ALL: [Self; 5] = [Self::Silent, Self::Equivocating, Self::Drifting, Self::StopEarly, Self::Played];
    /// Those that the game plays itself.
    pub const SCRIPTED: [Self; 4] = [Self::Silent, Self::Equivocating, Self::Drifting, Self::StopEarly];

    /// Its name in settings and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Equivocating => "equivocating",
            Self::Drifting => "drifting",
            Self::StopEarly => "stop_early",
            Self::Played => "played",
        }
    }

    pub(super) fn told(self, seed: u64, start: Value, (agent, to, round): (usize, usize, usize)) -> Option<Value> {
        match self {
            Self::Silent | Self::Played => None,
            Self::Equivocating => Some(drawn(&[seed, agent as u64, to as u64, round as u64])),
            Self::Drifting => Some(moved(start, round.saturating_sub(1))),
            Self::StopEarly => Some(start),
        }
    }

    pub(super) const fn vote(self) -> Vote {
        match self {
            Self::StopEarly => Vote::Stop,
            Self::Silent | Self::Equivocating | Self::Drifting | Self::Played => Vote::Continue,
        }
    }

    pub(super) fn relayed(self, seed: u64, agent: usize, relay: Relay) -> Option<Value> {
        match self {
            Self::Silent | Self::Played => None,
            Self::Equivocating => Some(drawn(&[!seed, agent as u64, relay.to as u64, relay.path])),
            Self::Drifting => relay.honest.map(|value| moved(value, relay.length)),
            Self::StopEarly => relay.honest,
        }
    }
}

fn moved(value: Value, by: usize) -> Value {
    let values = usize::from(LARGEST) + 1;
    ((usize::from(value) + by) % values) as Value
}

/// A value that looks drawn and depends on the parts alone. A named stream for each of millions of relayed values would cost more than the game.
fn drawn(parts: &[u64]) -> Value {
    let mixed = parts.iter().fold(0_u64, |state, part| split_mix(&mut (state ^ *part)));
    (mixed % (u64::from(LARGEST) + 1)) as Value
}
