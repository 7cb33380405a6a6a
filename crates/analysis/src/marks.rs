//! Marks that works put on cells in every table, beside those that every run can have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A mark on a cell: what keeps some of its episodes from measuring what the others measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellMark {
    /// What tables call it, such as `not planned`.
    pub name: String,
    /// Episodes that it is about.
    pub episodes: u64,
    /// Episodes that it could be about.
    pub of: u64,
    /// What it means for the numbers of the cell, for notes.
    pub note: String,
}

impl CellMark {
    /// As tables show it, such as `not planned 2 of 8`.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("{} {} of {}", self.name, self.episodes, self.of)
    }

    /// The note of tables in which it is.
    #[must_use]
    pub fn explained(&self) -> String {
        format!("{}: {}", self.name, self.note)
    }
}

/// The marks of cells, by id.
pub type CellMarks = BTreeMap<String, Vec<CellMark>>;
