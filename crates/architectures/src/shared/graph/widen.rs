//! Graphs of as many subtasks as one likes, to show what their number costs (CYC-069, CYC-R08). They are constructed, not
//! found by anyone: the same tools in ever smaller parts.

use super::{Node, TaskGraph};

/// A complete graph of `count` subtasks: those of `nodes`, each divided into as many parts as it takes, the first ones into
/// one more where that does not come out even; with fewer subtasks than that, the last ones are put together. A part's goal
/// names the subjects that fall to it, where there are some. Criteria have 7 to 33 words, as those of the work (CYC-024).
#[must_use]
pub fn widened(nodes: &[Node], subjects: &[String], count: usize) -> TaskGraph {
    let count = count.clamp(1, super::MOST_NODES);
    let mut kinds: Vec<Node> = nodes.iter().take(count).cloned().collect();
    if let Some(last) = kinds.last_mut() {
        for node in nodes.iter().skip(count) {
            last.tools.extend(node.tools.iter().filter(|tool| !last.tools.contains(tool)).cloned().collect::<Vec<_>>());
        }
    }
    let mut wide = Vec::with_capacity(count);
    let of = kinds.len().max(1);
    for (place, kind) in kinds.iter().enumerate() {
        let parts = count / of + usize::from(place < count % of);
        for part in 0..parts {
            let share = match (subjects.len() * part / parts, subjects.len() * (part + 1) / parts) {
                (first, end) if end > first + 1 => format!(", from {} to {}", subjects[first], subjects[end - 1]),
                (first, end) if end > first => format!(", for {}", subjects[first]),
                _ => String::new(),
            };
            let name: String = kind.name.chars().take(40).collect();
            wide.push(Node {
                name: format!("{} {}", name.trim_end(), part + 1),
                goal: format!("{} in part {} of {parts}{share}", kind.name, part + 1),
                tools: kind.tools.clone(),
            });
        }
    }
    let mut graph = TaskGraph::complete(wide);
    let goals: Vec<String> = graph.nodes.iter().map(|node| node.goal.clone()).collect();
    let count = graph.nodes.len();
    for (place, edge) in graph.edges.iter_mut().enumerate() {
        let (from, to) = (place / count, place % count);
        edge.criterion = if from == to {
            format!("The work on {} is not finished yet and goes on.", goals[to])
        } else {
            format!("What was seen last calls for work on {}.", goals[to])
        };
    }
    for node in &mut graph.nodes {
        node.goal = format!("Do what there is to do on {}.", node.goal);
    }
    graph.made.insert("widened".to_owned(), format!("{} subtasks divided into {count}", nodes.len()));
    graph
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::widened;
    use crate::shared::graph::Node;

    proptest! {
        // covers: CYC-002, CYC-024
        #[test]
        fn a_widened_graph_is_complete_and_its_criteria_are_as_long_as_those_of_the_work(
            classes in 1_usize..6, subjects in 0_usize..30, count in 1_usize..40,
        ) {
            let node = |index: usize| Node {
                name: format!("class {index}"),
                goal: "x".to_owned(),
                tools: vec![format!("tool_{index}")],
            };
            let nodes: Vec<Node> = (0..classes).map(node).collect();
            let subjects: Vec<String> = (1..=subjects).map(|index| format!("cabinet {index}")).collect();
            let graph = widened(&nodes, &subjects, count);
            prop_assert!(graph.check(None).is_ok());
            prop_assert_eq!((graph.nodes.len(), graph.edges.len()), (count, count * count));
            for edge in &graph.edges {
                let words = edge.criterion.split_whitespace().count();
                prop_assert!((7..=33).contains(&words), "{words}: {}", edge.criterion);
            }
            let tools = |index: usize| graph.nodes.iter().any(|node| node.tools.contains(&format!("tool_{index}")));
            prop_assert!((0..classes).all(tools), "no tool is lost");
            prop_assert_eq!(widened(&nodes, &subjects, count), graph);
        }
    }

    // covers: CYC-002, CYC-069
    #[test]
    fn two_hundred_subtasks_have_forty_thousand_criteria_and_as_many_as_a_file_may_hold_are_the_most() {
        let nodes = [Node { name: "only".to_owned(), goal: "x".to_owned(), tools: Vec::new() }];
        let graph = widened(&nodes, &[], 200);
        assert_eq!(graph.edges.len(), 40_000);
        assert!(graph.check(None).is_ok());
        assert_eq!(widened(&nodes, &[], 9_999).nodes.len(), crate::shared::graph::MOST_NODES);
    }
}
