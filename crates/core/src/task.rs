//! Tasks of an environment, and the parts that they are divided into.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which game, goal, question or scenario of an environment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(pub String);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A part of the tasks of a family (CYC-040, CYC-041).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The split that lists its tasks.
    pub split: &'static str,
    /// The set of data that it is a part of, such as `depth 2` or `unseen`.
    pub set: &'static str,
    /// What it is called within that set, such as `train` or `test 1`.
    pub name: &'static str,
    /// Whether its tasks are for training: only these may be learned from.
    pub train: bool,
}
