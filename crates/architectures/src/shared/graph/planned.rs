//! What `gimbal graph plan --json` says of the graph that a planner made.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

/// A planned graph and what it cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlannedGraph {
    /// The first digits of the graph's hash.
    pub id: String,
    /// Where it was written; `None` if nowhere.
    pub file: Option<PathBuf>,
    /// How many subtasks it has.
    pub subtasks: usize,
    /// How many ways from one subtask to another it has.
    pub ways: usize,
    /// Whether the planner's first graph was not valid, so that it was asked again.
    pub repaired: bool,
    /// Calls of the planner.
    pub calls: u64,
    /// Prompt tokens of these calls.
    pub input_tokens: u64,
    /// Output tokens of these calls.
    pub output_tokens: u64,
    /// What they cost in US dollars; `None` if the model has no price.
    pub dollars: Option<f64>,
    /// How the graph was made, as its file says it.
    pub made: BTreeMap<String, String>,
}
