//! What can be wrong with the rows or the question asked of them.

use thiserror::Error;

/// A question that the rows cannot answer as asked. Each message says where, what, and how to fix it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AnalysisError {
    /// An episode names a cell that the list of cells does not hold.
    #[error(
        "episode {episode} (task {task}, run {run}) names cell `{cell}`, which is not among the cells: add the cell or drop the episode"
    )]
    UnknownCell {
        /// Position of the episode in the rows, from 0.
        episode: usize,
        /// Task of the episode.
        task: String,
        /// Run of the episode.
        run: u32,
        /// The cell that it names.
        cell: String,
    },
    /// Two cells carry one id.
    #[error("cell id `{cell}` is given twice: cell ids must differ")]
    DuplicateCell {
        /// The repeated id.
        cell: String,
    },
    /// The chosen baseline matches no cell.
    #[error("baseline {what} `{wanted}` matches no cell: choose one of {known}")]
    UnknownBaseline {
        /// "configuration" or "cell".
        what: &'static str,
        /// What was asked for.
        wanted: String,
        /// What there is, in order, ready to print.
        known: String,
    },
    /// Confidence outside (0, 1).
    #[error("confidence {given} is not between 0 and 1: give a fraction such as 0.95")]
    Confidence {
        /// The value as given.
        given: String,
    },
    /// A number in a facts file does not fit its table.
    #[error("{place}: {what}")]
    Facts {
        /// Where in the file.
        place: String,
        /// What is wrong and what would be right.
        what: String,
    },
}

impl AnalysisError {
    /// The same error with the file before the place in it.
    #[must_use]
    pub fn within(self, file: &str) -> Self {
        match self {
            Self::Facts { place, what } => Self::Facts { place: format!("{file}: {place}"), what },
            other => other,
        }
    }
}
