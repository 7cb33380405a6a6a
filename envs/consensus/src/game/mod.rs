//! The game as a plain library: no text, no seam, no randomness but the seed of its setup.

mod adversary;
mod setup;

use gimbal_messages::records::consensus::{Ended, Outcome};

pub use adversary::{Relay, Strategy};
pub use setup::{Setup, Starts};

/// A number that agents state.
pub type Value = u8;

/// The largest value; the smallest is 0.
pub const LARGEST: Value = 50;

/// How an agent votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// To end the game with the values of this round.
    Stop,
    /// To go on.
    Continue,
}

impl Vote {
    /// The word of ballots.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Continue => "continue",
        }
    }

    /// The vote of a word.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        [Self::Stop, Self::Continue].into_iter().find(|vote| vote.name() == word)
    }
}

/// What an agent gives in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// Its value; `None` if it abstains, which only an adversary may.
    pub value: Option<Value>,
    /// Why, for all others to read.
    pub reason: String,
    /// Its vote.
    pub vote: Vote,
}

impl Ballot {
    /// A value and a vote without a reason.
    #[must_use]
    pub const fn of(value: Value, vote: Vote) -> Self {
        Self { value: Some(value), reason: String::new(), vote }
    }
}

/// A round that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// What each agent was told by each agent: `told[to][from]`. What an agent tells itself is what it stated.
    pub told: Vec<Vec<Option<Value>>>,
    /// The vote of each agent. Votes are counted by the game, so that nobody can vote twice.
    pub votes: Vec<Vote>,
    /// The reason of each agent.
    pub reasons: Vec<String>,
}

/// A game under way.
#[derive(Clone, Debug)]
pub struct Game {
    setup: Setup,
    rounds: Vec<Round>,
    ended: Option<Ended>,
}

impl Game {
    /// A game before its first round.
    #[must_use]
    pub const fn new(setup: Setup) -> Self {
        Self { setup, rounds: Vec::new(), ended: None }
    }

    /// What was decided before the first round.
    #[must_use]
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The rounds that were played.
    #[must_use]
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// How it ended; none while it goes on.
    #[must_use]
    pub const fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// Whether a ballot for this agent is taken from whoever plays.
    #[must_use]
    pub fn is_played(&self, agent: usize) -> bool {
        !self.setup.is_adversary(agent) || self.setup.strategy == Strategy::Played
    }

    /// The value that an agent stated last, to itself; its start before the first round.
    #[must_use]
    pub fn stated(&self, agent: usize) -> Value {
        let last = self.rounds.iter().rev().find_map(|round| round.told[agent][agent]);
        last.unwrap_or_else(|| self.setup.start(agent))
    }

    /// What one agent has seen, and nothing else.
    #[must_use]
    pub fn seen(&self, agent: usize) -> Seen {
        Seen {
            agent,
            agents: self.setup.agents(),
            start: self.setup.start(agent),
            rounds: self.rounds.iter().map(|round| round.told[agent].clone()).collect(),
        }
    }

    /// Plays one round with the ballots of the agents that are played; the others follow their strategy. An honest agent without a ballot, or
    /// without a value, keeps its value and votes to continue; an adversary abstains. Nothing happens in a game that has ended.
    pub fn play(&mut self, ballots: &[Option<Ballot>]) {
        if self.ended.is_some() {
            return;
        }
        let agents = self.setup.agents();
        let number = self.rounds.len() + 1;
        let mut round =
            Round { told: vec![vec![None; agents]; agents], votes: Vec::new(), reasons: Vec::with_capacity(agents) };
        for agent in 0..agents {
            let given = ballots.get(agent).and_then(Option::as_ref).filter(|_| self.is_played(agent));
            let (vote, reason) = match given {
                Some(ballot) => (ballot.vote, ballot.reason.clone()),
                None if self.setup.is_adversary(agent) => (self.setup.vote_of(agent), String::new()),
                None => (Vote::Continue, String::new()),
            };
            for to in 0..agents {
                round.told[to][agent] = match given.and_then(|ballot| ballot.value) {
                    Some(value) => Some(value.min(LARGEST)),
                    None if self.setup.is_adversary(agent) => self.setup.told_by(agent, to, number),
                    None => Some(self.stated(agent)),
                };
            }
            round.votes.push(vote);
            round.reasons.push(reason);
        }
        let stop = round.votes.iter().filter(|vote| **vote == Vote::Stop).count();
        self.rounds.push(round);
        let stopped = stop >= self.setup.needed();
        if stopped || number >= self.setup.most_rounds {
            self.ended = Some(self.outcome(stopped));
        }
    }

    /// How the game ends now, by votes or because its rounds are used up.
    fn outcome(&self, stopped: bool) -> Ended {
        let setup = &self.setup;
        let honest = || (0..setup.agents()).filter(|agent| !setup.is_adversary(*agent));
        let first = honest().next().map(|agent| self.stated(agent));
        let agreed = honest().all(|agent| Some(self.stated(agent)) == first);
        let value = first.filter(|_| agreed);
        let from_start = value.is_some_and(|value| honest().any(|agent| setup.start(agent) == value));
        Ended {
            agents: count(setup.agents()),
            adversaries: count(setup.adversaries()),
            strategy: if setup.adversaries() == 0 { "none" } else { setup.strategy.name() }.to_owned(),
            mentioned: setup.mentioned,
            rounds: count(self.rounds.len()),
            most_rounds: count(setup.most_rounds),
            stopped,
            agreed,
            from_start,
            value: value.map(u32::from),
            outcome: Outcome::of(stopped, agreed, from_start),
        }
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// What one agent has seen: its start, and of each round what every agent told it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its place among the agents, from 0.
    pub agent: usize,
    /// Number of agents.
    pub agents: usize,
    /// Its start.
    pub start: Value,
    /// Of each round what each agent told it.
    pub rounds: Vec<Vec<Option<Value>>>,
}
