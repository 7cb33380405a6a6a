//! Where the ways of a graph stand: built once an episode, so that a decision looks at the ways out of one subtask alone
//! (CYC-069).

use std::collections::HashMap;

use super::{Edge, TaskGraph};

/// Ways by the place of the subtask that they leave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// Names of the subtasks, in their order.
    pub names: Vec<String>,
    /// Of each subtask: where each way leads, and its place among the edges.
    out: Vec<Vec<(usize, usize)>>,
}

impl Index {
    pub(crate) fn of(graph: &TaskGraph) -> Self {
        let places: HashMap<&str, usize> =
            graph.nodes.iter().enumerate().map(|(place, node)| (node.name.as_str(), place)).collect();
        let mut out = vec![Vec::new(); graph.nodes.len()];
        for (number, edge) in graph.edges.iter().enumerate() {
            if let (Some(from), Some(to)) = (places.get(edge.from.as_str()), places.get(edge.to.as_str())) {
                out[*from].push((*to, number));
            }
        }
        Self { names: graph.nodes.iter().map(|node| node.name.clone()).collect(), out }
    }

    /// The ways out of a subtask, in the order of the file: where each leads, and the way.
    pub(crate) fn out_of<'a>(&'a self, graph: &'a TaskGraph, place: usize) -> impl Iterator<Item = (usize, &'a Edge)> {
        let ways = self.out.get(place).map(Vec::as_slice).unwrap_or_default();
        ways.iter().map(|(to, number)| (*to, &graph.edges[*number]))
    }

    /// Whether a way leads from one subtask to another.
    pub(crate) fn leads(&self, from: usize, to: usize) -> bool {
        self.out.get(from).is_some_and(|ways| ways.iter().any(|(end, _)| *end == to))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Index;
    use crate::shared::graph::{Node, TaskGraph, Ways};

    proptest! {
        // covers: CYC-069
        #[test]
        fn the_index_knows_the_ways_that_the_file_names(n in 1_usize..9, gone in prop::collection::vec(0_usize..81, 0..40)) {
            let node = |index| Node { name: format!("N{index}"), goal: "do it".to_owned(), tools: Vec::new() };
            let mut graph = TaskGraph::complete((0..n).map(node).collect());
            for place in gone {
                if place < graph.edges.len() {
                    graph.edges.remove(place);
                }
            }
            graph.ways = Ways::Sparse;
            let index = Index::of(&graph);
            for from in 0..n {
                let slow: Vec<_> = graph.out_of(from).map(|edge| (graph.place(&edge.to).unwrap(), edge)).collect();
                prop_assert_eq!(index.out_of(&graph, from).collect::<Vec<_>>(), slow.clone());
                for to in 0..n {
                    prop_assert_eq!(index.leads(from, to), slow.iter().any(|(end, _)| *end == to));
                }
            }
        }
    }
}
