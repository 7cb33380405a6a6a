//! The cells of a run with their measures, and which of them are compared.

use std::collections::BTreeSet;

use super::{Condition, Control, Cycles, Measures, measure};
use gimbal_analysis::CellInfo;

/// The cells of a run with their measures: what tables and figures are made from.
pub struct Board {
    /// The cells.
    pub cycles: Cycles,
    /// Their measures, in the same order.
    pub measures: Vec<Measures>,
}

/// One cell of a board: its place, what it is and what was measured.
#[derive(Clone, Copy)]
pub struct Entry<'b> {
    /// Place in the study.
    pub place: usize,
    /// Labels.
    pub info: &'b CellInfo,
    /// Measures, with the condition.
    pub measures: &'b Measures,
}

impl Board {
    /// Measures every cell.
    #[must_use]
    pub fn new(cycles: Cycles) -> Self {
        Self { measures: cycles.cells.iter().map(measure).collect(), cycles }
    }

    /// The cells in the study's order.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let cells = self.cycles.cells.iter().zip(&self.measures).enumerate();
        cells.map(|(place, (cell, measures))| Entry { place, info: &cell.info, measures })
    }

    /// Environments in the study's order.
    #[must_use]
    pub fn environments(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for cell in &self.cycles.cells {
            if !names.contains(&cell.info.environment.as_str()) {
                names.push(&cell.info.environment);
            }
        }
        names
    }

    /// The cell without faults that a cell with faults is compared with: of the same configuration where the study has it,
    /// else the first of the same condition.
    #[must_use]
    pub fn nominal(&self, faulted: Entry<'_>) -> Option<Entry<'_>> {
        let own = || {
            self.entries().filter(|entry| {
                let condition = &entry.measures.condition;
                condition.faults.is_empty() && condition.is_same_but_faults(&faulted.measures.condition)
            })
        };
        own().find(|entry| entry.info.configuration == faulted.info.configuration).or_else(|| own().next())
    }

    /// Whether two cells stand for the same: their configuration must tell them apart.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        let mut seen = BTreeSet::new();
        !self
            .measures
            .iter()
            .filter(|one| one.condition.control != Control::Other)
            .all(|one| seen.insert(&one.condition))
    }

    /// What a cell is called beside others of its control: its models, and its configuration where models do not tell.
    #[must_use]
    pub fn name(&self, entry: Entry<'_>) -> String {
        let models = entry.measures.condition.models();
        let same = self.measures.iter().filter(|one| one.condition == entry.measures.condition).count();
        if same > 1 { format!("{models}: {}", entry.info.configuration) } else { models }
    }

    /// What a cell is called in a note: its control, its models and, with faults, that it has them.
    #[must_use]
    pub fn called(&self, entry: Entry<'_>) -> String {
        let faults = if entry.measures.condition.faults.is_empty() { "" } else { " with faults" };
        format!("{} on {}{faults}", entry.measures.condition.label(), self.name(entry))
    }

    /// The ReAct cell without faults that a cyclic cell is compared with: of the same environment and of the executor's
    /// model (CYC-066); where that model plays no ReAct, the only one that there is.
    #[must_use]
    pub fn agent(&self, condition: &Condition) -> Option<Entry<'_>> {
        let own = || {
            self.entries().filter(|entry| {
                let other = &entry.measures.condition;
                other.control == Control::React
                    && other.faults.is_empty()
                    && !entry.measures.hardly_acted
                    && other.environment == condition.environment
                    && entry.measures.episodes > 0
            })
        };
        own().find(|entry| entry.measures.condition.executor == condition.executor).or_else(|| {
            let mut all = own();
            all.next().filter(|_| all.next().is_none())
        })
    }
}
