//! Why a report cannot be made.

use gimbal_analysis::AnalysisError;
use gimbal_study::run::RunError;
use gimbal_view::work::Undeclared;
use thiserror::Error;

use crate::files::FileFailure;

/// Why a report, table or figure cannot be made.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The run folder cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The rows cannot answer what is asked.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// The chosen baseline is not in the run.
    #[error("{0}")]
    Baseline(String),
    /// A standard table has no rows in this run.
    #[error("`{key}` has no rows in this run; it has {known}")]
    NoRows {
        /// Key of the table.
        key: String,
        /// Keys of the tables that have rows.
        known: String,
    },
    /// An item of a work is at fault.
    #[error("`{key}` of the work `{work}` {undeclared}")]
    Item {
        /// Name of the work.
        work: &'static str,
        /// Key of the item.
        key: &'static str,
        /// What it uses and does not declare.
        undeclared: Undeclared,
    },
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileFailure),
}

impl ReportError {
    /// Exit code of a program that stops with it: 2 for what the user can change in the command, 3 for everything else.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Run(error) => error.exit_code(),
            Self::Analysis(_) | Self::Baseline(_) | Self::NoRows { .. } => 2,
            Self::Item { .. } | Self::File(_) => 3,
        }
    }
}
