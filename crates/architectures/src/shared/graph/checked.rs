//! What `gimbal graph check --json` says of graphs.

use serde::Serialize;

use super::{TaskGraph, Ways};

/// All graphs that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckedGraphs {
    /// The graphs that are sound.
    pub graphs: Vec<GraphFigures>,
    /// What is wrong with the others.
    pub problems: Vec<String>,
}

/// Figures of a graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphFigures {
    /// Its name, as it was asked for.
    pub graph: String,
    /// The first digits of its hash.
    pub id: String,
    /// What ways it has.
    pub kind: Ways,
    /// How many subtasks it has.
    pub subtasks: usize,
    /// How many ways from one subtask to another it has.
    pub ways: usize,
    /// How many rules it has.
    pub rules: usize,
    /// Mean length of a criterion in words, to one digit; 0 without ways.
    pub words_a_criterion: f64,
}

impl GraphFigures {
    /// The figures of a graph that was asked for as `name`.
    #[must_use]
    pub fn of(name: &str, graph: &TaskGraph) -> Self {
        Self {
            graph: name.to_owned(),
            id: graph.id(),
            kind: graph.ways,
            subtasks: graph.nodes.len(),
            ways: graph.edges.len(),
            rules: graph.rules.len(),
            words_a_criterion: (graph.words_a_criterion() * 10.0).round() / 10.0,
        }
    }
}

impl TaskGraph {
    /// Mean length of a criterion in words; 0 without ways.
    #[must_use]
    pub fn words_a_criterion(&self) -> f64 {
        let words: usize = self.edges.iter().map(|edge| edge.criterion.split_whitespace().count()).sum();
        if self.edges.is_empty() { 0.0 } else { words as f64 / self.edges.len() as f64 }
    }
}
