//! What is decided before the first round: who starts with what, and who does not follow the rules.

use gimbal_core::Rng;

use super::{LARGEST, Relay, Strategy, Value, Vote};

/// How starts are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starts {
    /// Uniform over all values, each agent for itself, as published.
    Uniform,
    /// One value for all agents.
    Alike,
    /// One of two values for each agent.
    Camps,
}

/// A game before its first round.
#[derive(Clone, Debug)]
pub struct Setup {
    starts: Vec<Value>,
    adversary: Vec<bool>,
    /// What adversaries do.
    pub strategy: Strategy,
    /// Whether agents are told that some may not follow the rules.
    pub mentioned: bool,
    /// Most rounds.
    pub most_rounds: usize,
    seed: u64,
}

impl Setup {
    /// The game of a seed. Starts and the order in which agents become adversaries depend on seed and number of agents alone, so that games with
    /// more adversaries, another strategy or other texts are the same in everything else.
    #[must_use]
    pub fn draw(
        seed: u64,
        starts: Starts,
        (agents, adversaries): (usize, usize),
        strategy: Strategy,
        (mentioned, most_rounds): (bool, usize),
    ) -> Self {
        let mut draws = Rng::stream(seed, "starts");
        let mut value = || draws.below(u64::from(LARGEST) + 1) as Value;
        let camps = [value(), value()];
        let starts = (0..agents).map(|_| value()).collect::<Vec<_>>().into_iter().map(|own| match starts {
            Starts::Uniform => own,
            Starts::Alike => camps[0],
            Starts::Camps => camps[usize::from(own % 2)],
        });
        let mut order: Vec<usize> = (0..agents).collect();
        let mut roles = Rng::stream(seed, "roles");
        for last in (1..agents).rev() {
            order.swap(last, roles.below(last as u64 + 1) as usize);
        }
        let mut adversary = vec![false; agents];
        for agent in order.into_iter().take(adversaries) {
            adversary[agent] = true;
        }
        let starts = starts.collect();
        Self { starts, adversary, strategy, mentioned, most_rounds: most_rounds.max(1), seed }
    }

    /// Number of agents.
    #[must_use]
    pub fn agents(&self) -> usize {
        self.starts.len()
    }

    /// Number of adversaries.
    #[must_use]
    pub fn adversaries(&self) -> usize {
        self.adversary.iter().filter(|is| **is).count()
    }

    /// Whether an agent does not follow the rules.
    #[must_use]
    pub fn is_adversary(&self, agent: usize) -> bool {
        self.adversary[agent]
    }

    /// The start of an agent.
    #[must_use]
    pub fn start(&self, agent: usize) -> Value {
        self.starts[agent]
    }

    /// Votes for stop that end the game: two thirds of all agents, rounded up. Nobody knows who is an adversary, so their votes count.
    #[must_use]
    pub fn needed(&self) -> usize {
        (2 * self.agents()).div_ceil(3)
    }

    /// What an adversary that nobody plays tells an agent in a round, counted from 1.
    pub(super) fn told_by(&self, agent: usize, to: usize, round: usize) -> Option<Value> {
        self.strategy.told(self.seed, self.start(agent), (agent, to, round))
    }

    /// How an adversary that nobody plays votes.
    pub(super) fn vote_of(&self, _agent: usize) -> Vote {
        self.strategy.vote()
    }

    /// What an adversary relays to an agent where an honest one would relay `honest` (exponential information gathering).
    #[must_use]
    pub fn relayed_by(&self, agent: usize, relay: Relay) -> Option<Value> {
        self.strategy.relayed(self.seed, agent, relay)
    }
}
