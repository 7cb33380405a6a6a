//! What a round told the agents, as data of an observation: the environment writes it, the tracker reads it.

use gimbal_core::Observation;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::game::{Game, LARGEST, Strategy, Value};
use crate::tools::name;

/// What is known before a round, and what the round before told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameView {
    /// Agents, by place.
    pub seats: Vec<AgentView>,
    /// Most rounds.
    pub most_rounds: usize,
    /// Votes for stop that end the game.
    pub needed: usize,
    /// The round that was played; none before the first.
    pub round: Option<Round>,
    /// Rounds that were played.
    pub played: usize,
    /// Whether the game is over.
    pub over: bool,
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentView {
    /// Whether whoever plays speaks for it.
    pub played: bool,
    /// Whether it is told that it is an adversary.
    pub adversary: bool,
    /// Its start, where whoever plays speaks for it.
    pub start: Option<Value>,
}

/// A round that was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// `told[to][from]`; empty where nobody speaks for `to`.
    pub told: Vec<Vec<Option<Value>>>,
    /// Whether each agent voted to stop.
    pub stop: Vec<bool>,
    /// The reason of each agent.
    pub reasons: Vec<String>,
}

impl GameView {
    /// What a game tells now.
    #[must_use]
    pub fn of(game: &Game) -> Self {
        let setup = game.setup();
        let seat = |agent: usize| {
            let played = game.is_played(agent);
            let adversary = played && setup.is_adversary(agent) && setup.strategy == Strategy::Played;
            AgentView { played, adversary, start: played.then(|| setup.start(agent)) }
        };
        let round = game.rounds().last().map(|round| Round {
            told: (0..setup.agents())
                .map(|to| if game.is_played(to) { round.told[to].clone() } else { Vec::new() })
                .collect(),
            stop: round.votes.iter().map(|vote| *vote == crate::game::Vote::Stop).collect(),
            reasons: round.reasons.clone(),
        });
        Self {
            seats: (0..setup.agents()).map(seat).collect(),
            most_rounds: setup.most_rounds,
            needed: setup.needed(),
            round,
            played: game.rounds().len(),
            over: game.ended().is_some(),
        }
    }

    /// As data of an observation.
    #[must_use]
    pub fn data(&self) -> Json {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// What an observation tells; `None` if its data are another environment's.
    #[must_use]
    pub fn read(observation: &Observation) -> Option<Self> {
        Self::deserialize(observation.data.tree()).ok()
    }

    /// For whoever speaks for all agents that are played: what they see together.
    #[must_use]
    pub fn text(&self) -> String {
        let played: Vec<String> = self
            .seats
            .iter()
            .enumerate()
            .filter_map(|(agent, seat)| Some(format!("{} (start {})", name(agent), seat.start?)))
            .collect();
        let count = self.seats.len();
        let mut text = match &self.round {
            None => format!("You speak for {} of {count} agents: {}.", played.len(), played.join(", ")),
            Some(round) => {
                let lines: Vec<String> = (0..count).map(|from| format!("{} {}", name(from), round.all(from))).collect();
                format!("Round {}: {}.", self.played, lines.join("; "))
            }
        };
        let last = if self.over { "The game is over.".to_owned() } else { self.next() };
        text.push('\n');
        text.push_str(&last);
        text
    }

    /// The line about the next round.
    pub(super) fn next(&self) -> String {
        format!(
            "Round {} of at most {} is next. Values are whole numbers from 0 to {LARGEST}. {} of {} votes for \"stop\" in one round end the game.",
            self.played + 1,
            self.most_rounds,
            self.needed,
            self.seats.len()
        )
    }
}

impl Round {
    /// What an agent stated to those that are played, each value once, and its vote.
    fn all(&self, from: usize) -> String {
        let mut values: Vec<String> = Vec::new();
        for value in self.told.iter().filter_map(|told| told.get(from)) {
            let value = value.map_or_else(|| "nothing".to_owned(), |value| value.to_string());
            if !values.contains(&value) {
                values.push(value);
            }
        }
        format!("{} {}", values.join(" or "), self.vote(from))
    }

    /// The word for a vote.
    pub(super) fn vote(&self, from: usize) -> &'static str {
        if self.stop.get(from) == Some(&true) { "stop" } else { "continue" }
    }
}
