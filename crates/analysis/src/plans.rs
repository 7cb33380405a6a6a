//! In how many episodes of a cell a planner gave a graph, and in how many it failed.

use std::collections::BTreeMap;

use gimbal_messages::records::control::Planned;
use serde::{Deserialize, Serialize};

use crate::episode::{Episode, EpisodeFold, FoldError, Texts};

/// Episodes in which a planner was asked for a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plans {
    /// Those in which it gave one.
    pub valid: u64,
    /// Those in which it gave none: another graph was played in its place.
    pub failed: u64,
}

impl Plans {
    /// Takes in an episode, by whether its planner gave a graph.
    pub fn add(&mut self, valid: bool) {
        match valid {
            true => self.valid += 1,
            false => self.failed += 1,
        }
    }

    /// Such as `2 of 8`: failed plans of all; `None` where no plan failed.
    #[must_use]
    pub fn failures(self) -> Option<String> {
        (self.failed > 0).then(|| format!("{} of {}", self.failed, self.valid + self.failed))
    }
}

/// The fold from episodes to the plans of their cells.
#[derive(Clone, Debug)]
pub struct PlanFold {
    cells: BTreeMap<String, Plans>,
}

impl PlanFold {
    /// A fold over the cells with these ids: those in which a planner makes the graph.
    #[must_use]
    pub fn new(cells: impl IntoIterator<Item = String>) -> Self {
        Self { cells: cells.into_iter().map(|id| (id, Plans::default())).collect() }
    }

    /// The plans by id of the cell.
    #[must_use]
    pub fn finish(self) -> BTreeMap<String, Plans> {
        self.cells
    }
}

impl<E> EpisodeFold<E> for PlanFold {
    fn wants(&self, episode: &Episode<'_>) -> bool {
        self.cells.contains_key(episode.cell)
    }

    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let Some(plans) = self.cells.get_mut(episode.cell) else { return Ok(()) };
        if let Some(planned) = episode.records::<Planned, E>(texts)?.last() {
            plans.add(planned.valid);
        }
        Ok(())
    }
}
