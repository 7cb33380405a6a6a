//! What all tables of cases share: the rows of cells that have cases, their labels and notes.

use std::collections::BTreeSet;

use gimbal_analysis::tables::{label_cells, labels, mark_notes, no_evidence};
use gimbal_analysis::{Analysis, Cell, CellSummary, Column, Table};
use gimbal_core::Digest;
use gimbal_view::work::{Context, Item, Undeclared};

use crate::cases::{CASES, Case, Cases};

/// The table that has debates over packets without a label too.
pub const UNLABELLED: &str = "ares-judges";

/// The cells of a run with their cases.
pub struct Frame<'a> {
    /// The analysis of the run.
    pub analysis: &'a Analysis,
    /// All cases.
    pub cases: &'a Cases,
    key: &'static str,
    title: &'static str,
}

impl<'a> Frame<'a> {
    /// The frame of an item that reads cases.
    ///
    /// # Errors
    /// When the item does not declare what it reads.
    pub fn of(context: &Context<'a>, item: &Item) -> Result<Self, Undeclared> {
        let (key, title) = (item.key, item.title);
        Ok(Self { analysis: context.analysis()?, cases: context.fold(&CASES)?, key, title })
    }

    /// Cells that have cases, in the study's order.
    pub fn cells(&self) -> impl Iterator<Item = (&'a CellSummary, &'a [Case])> + use<'a> {
        let cases = self.cases;
        let with = move |summary: &'a CellSummary| (summary, cases.of(&summary.info.id));
        self.analysis.cells.iter().map(with).filter(|(_, cases)| !cases.is_empty())
    }

    /// Confidence of intervals, such as 0.95.
    pub const fn confidence(&self) -> f64 {
        self.analysis.options.confidence
    }

    /// A table whose rows begin with the labels of their cell.
    pub fn table(&self, columns: Vec<Column>, rows: Vec<(&CellSummary, Vec<Cell>)>, mut notes: Vec<String>) -> Table {
        let columns = labels(self.analysis).into_iter().chain(columns).collect();
        let said = no_evidence(rows.iter().map(|(summary, _)| &summary.info)).trim();
        if !said.is_empty() {
            notes.push(said.to_owned());
        }
        if self.cases.unmarked() > 0 {
            notes.push(format!(
                "{} debates ended without a verdict that could be marked (a limit cut them); they are in no row.",
                self.cases.unmarked()
            ));
        }
        // The one table that needs no label has them in rows.
        if self.cases.all_unlabelled() > 0 && self.key != UNLABELLED {
            notes.push(format!(
                "{} debates were concluded over packets without a label: nothing can be right or wrong there, and only the table `{UNLABELLED}` \
                 has them.",
                self.cases.all_unlabelled()
            ));
        }
        notes.extend(mark_notes(self.analysis));
        let whole =
            |(summary, cells): (&CellSummary, Vec<Cell>)| label_cells(summary).into_iter().chain(cells).collect();
        let rows = rows.into_iter().map(whole).collect();
        Table { key: self.key, title: self.title.to_owned(), columns, rows, notes }
    }
}

/// How many cases hold.
pub fn how_many(cases: &[Case], holds: impl Fn(&Case) -> bool) -> u64 {
    cases.iter().filter(|case| holds(case)).count() as u64
}

/// Different scenarios of cases.
pub fn scenarios(cases: &[Case]) -> u64 {
    cases.iter().map(|case| case.task.as_str()).collect::<BTreeSet<_>>().len() as u64
}

/// Hash over the scenarios that were played, with their labels and raw sources: which corpus a number is about (ARES-R1, ARES-R3).
pub fn corpus(cases: &[Case]) -> Digest {
    let hashes: BTreeSet<String> = cases.iter().map(|case| case.marking.corpus.to_string()).collect();
    Digest::of_parts(&hashes.iter().map(String::as_bytes).collect::<Vec<_>>())
}
