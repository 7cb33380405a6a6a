//! Two cells over the seeds that both played: tokens where both won (CYC-066), situations (CYC-067).

use std::collections::BTreeMap;

use super::fold::{CellCycles, Record};
use super::measures::Moments;

/// Mean tokens of one agent and of a cyclic graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenComparison {
    /// Episodes of the agent, and of the graph.
    pub episodes: (usize, usize),
    /// Mean tokens of the agent.
    pub agent: f64,
    /// Mean tokens of the graph.
    pub cyclic: f64,
}

impl TokenComparison {
    fn of(agent: &[f64], cyclic: &[f64]) -> Option<Self> {
        let (first, second) = (Moments::of(agent)?, Moments::of(cyclic)?);
        Some(Self { episodes: (agent.len(), cyclic.len()), agent: first.mean, cyclic: second.mean })
    }

    /// What the graph takes more.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.cyclic - self.agent
    }

    /// It in percent of the agent's; `None` where that is nothing.
    #[must_use]
    pub fn percent(&self) -> Option<f64> {
        (self.agent > 0.0).then(|| 100.0 * self.excess() / self.agent)
    }
}

type Place<'a> = (&'a str, &'a str, u32, u32);

fn by_place(cell: &CellCycles) -> BTreeMap<Place<'_>, &Record> {
    cell.records.iter().map(|record| (record.place(), record)).collect()
}

/// Tokens over the episodes that both won (the first), and over all that each won (the second).
#[must_use]
pub fn shared_wins(agent: &CellCycles, cyclic: &CellCycles) -> (Option<TokenComparison>, Option<TokenComparison>) {
    let tokens = |record: &Record| record.spent.tokens() as f64;
    let (first, second) = (by_place(agent), by_place(cyclic));
    let both = first.iter().filter_map(|(place, one)| {
        let other = second.get(place)?;
        (one.won && other.won).then(|| (tokens(one), tokens(other)))
    });
    let (shared_agent, shared_cyclic): (Vec<f64>, Vec<f64>) = both.unzip();
    let won = |cell: &CellCycles| -> Vec<f64> { cell.records.iter().filter(|record| record.won).map(tokens).collect() };
    (TokenComparison::of(&shared_agent, &shared_cyclic), TokenComparison::of(&won(agent), &won(cyclic)))
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
