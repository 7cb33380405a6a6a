//! Two cells over the seeds that both played: tokens where both won (CYC-066), situations (CYC-067).

use std::collections::BTreeMap;

use super::fold::{CellCycles, PlayedAt, Record};
use super::measures::Moments;

/// Mean tokens of one agent and of a cyclic graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenComparison {
    /// Episodes of the agent.
    pub agent_episodes: usize,
    /// Episodes of the graph.
    pub cyclic_episodes: usize,
    /// Mean tokens of the agent.
    pub agent: f64,
    /// Mean tokens of the graph.
    pub cyclic: f64,
}

impl TokenComparison {
    fn of(agent: &[f64], cyclic: &[f64]) -> Option<Self> {
        let (first, second) = (Moments::of(agent)?, Moments::of(cyclic)?);
        Some(Self {
            agent_episodes: agent.len(),
            cyclic_episodes: cyclic.len(),
            agent: first.mean,
            cyclic: second.mean,
        })
    }

    /// What the graph takes more.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.cyclic - self.agent
    }

    /// The excess in percent of the agent's tokens; `None` where the agent used none.
    #[must_use]
    pub fn percent(&self) -> Option<f64> {
        (self.agent > 0.0).then(|| 100.0 * self.excess() / self.agent)
    }
}

fn by_place(cell: &CellCycles) -> BTreeMap<PlayedAt<'_>, &Record> {
    cell.records.iter().map(|record| (record.place(), record)).collect()
}

/// Tokens of an agent and of a cyclic graph over won episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WonTokens {
    /// Over the seeds that both won; `None` without any.
    pub both: Option<TokenComparison>,
    /// Over all episodes that each won; `None` where one of the two won none.
    pub each: Option<TokenComparison>,
}

/// Compares the tokens of won episodes.
#[must_use]
pub fn shared_wins(agent: &CellCycles, cyclic: &CellCycles) -> WonTokens {
    let tokens = |record: &Record| record.spent.tokens() as f64;
    let (first, second) = (by_place(agent), by_place(cyclic));
    let both = first.iter().filter_map(|(place, one)| {
        let other = second.get(place)?;
        (one.won && other.won).then(|| (tokens(one), tokens(other)))
    });
    let (shared_agent, shared_cyclic): (Vec<f64>, Vec<f64>) = both.unzip();
    let won = |cell: &CellCycles| -> Vec<f64> { cell.records.iter().filter(|record| record.won).map(tokens).collect() };
    WonTokens {
        both: TokenComparison::of(&shared_agent, &shared_cyclic),
        each: TokenComparison::of(&won(agent), &won(cyclic)),
    }
}

/// Difference of distinct situations, cyclic minus agent, of one seed that both played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    /// Task.
    pub task: String,
    /// Run.
    pub run: u32,
    /// Situations of the agent.
    pub agent: u32,
    /// Situations of the graph.
    pub cyclic: u32,
}

impl Exploration {
    /// Cyclic minus agent.
    #[must_use]
    pub fn difference(&self) -> i64 {
        i64::from(self.cyclic) - i64::from(self.agent)
    }
}

/// Differences by task and run.
#[must_use]
pub fn exploration(agent: &CellCycles, cyclic: &CellCycles) -> Vec<Exploration> {
    let second = by_place(cyclic);
    let pairs = by_place(agent).into_iter().filter_map(|(place, one)| {
        let other = second.get(&place)?;
        Some(Exploration { task: one.task.clone(), run: one.run, agent: one.situations?, cyclic: other.situations? })
    });
    pairs.collect()
}
