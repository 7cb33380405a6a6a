//! In how many episodes of a cell a planner gave a graph, and in how many it failed: a cell with failed plans is marked in every table.

use std::any::Any;
use std::collections::BTreeMap;

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Texts};
use gimbal_analysis::work_folds::{FoldSource, FoldStates, RunCell, WorkFold};
use gimbal_analysis::{CellMark, CellMarks};
use gimbal_messages::records::control::{PLANNER, Planned};
use gimbal_view::work::MarkSource;

/// The plans of cells whose graph is made by a planner: [`Plans`] by id.
const PLANS: FoldSource = FoldSource {
    name: "plans",
    applies: |cells| cells.iter().any(has_planner),
    start: |cells| {
        Box::new(PlanFold::new(cells.iter().filter(|cell| has_planner(cell)).map(|cell| cell.info.id.clone())))
    },
};

/// The mark of cells with failed plans.
pub const MARKS: MarkSource = MarkSource { fold: &PLANS, of: marked };

/// Episodes in which a planner was asked for a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

    /// The mark of a cell with these plans; `None` where no plan failed.
    #[must_use]
    pub fn mark(self) -> Option<CellMark> {
        (self.failed > 0).then(|| CellMark {
            name: "not planned".to_owned(),
            episodes: self.failed,
            of: self.valid + self.failed,
            note: "episodes in which the planner gave no valid graph; they played the one that the environment suggests and do not measure the planner."
                .to_owned(),
        })
    }
}

/// Whether control is a graph that a planner makes.
fn has_planner(cell: &RunCell<'_>) -> bool {
    // A name, or an object whose key is the name.
    let source = &cell.identity["architecture"]["settings"]["source"];
    let source = source.as_str().or_else(|| source.as_object()?.keys().next().map(String::as_str));
    cell.has_graph && source.is_none_or(|source| source == PLANNER)
}

fn marked(states: &FoldStates) -> CellMarks {
    let plans = states.get::<BTreeMap<String, Plans>>(&PLANS).into_iter().flatten();
    plans.filter_map(|(cell, plans)| Some((cell.clone(), vec![plans.mark()?]))).collect()
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
    pub fn plans(self) -> BTreeMap<String, Plans> {
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

impl WorkFold for PlanFold {
    fn finish(self: Box<Self>) -> Box<dyn Any> {
        Box::new(self.plans())
    }
}
