//! Changes of a plan from the command line, without editing the study.

/// Changes of a plan from the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only cells with one of these ids (or labels of their architecture).
    pub only: Vec<String>,
    /// This model in every role.
    pub model: Option<String>,
    /// At most this many sessions of each cell.
    pub limit: Option<u64>,
    /// Further runs of every task, added to those of the study.
    pub add_runs: u32,
}
