//! What a planner made.

use thiserror::Error;

use crate::shared::graph::TaskGraph;

/// Why there is no graph.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FamilyError {
    /// What the planner wrote was none, also after one repair.
    #[error(
        "the planner gave no graph: {}; take a stronger model, allow other sizes, or write the graph by hand",
        .problems.join("; once more: ")
    )]
    NoGraph {
        /// What was wrong, one entry an attempt.
        problems: Vec<String>,
    },
}

/// The result of planning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// The graph; `None` where the planner wrote none, also after one repair.
    pub graph: Option<TaskGraph>,
    /// What was wrong, one entry an attempt.
    pub problems: Vec<String>,
}

impl Made {
    /// The graph.
    ///
    /// # Errors
    /// Where there is none: no other graph takes its place.
    pub fn into_graph(self) -> Result<TaskGraph, FamilyError> {
        self.graph.ok_or(FamilyError::NoGraph { problems: self.problems })
    }
}
