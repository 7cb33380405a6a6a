//! What is wrong with a task graph.

use std::collections::BTreeSet;

use gimbal_core::ToolSpec;

use super::{Edge, GraphError, MOST_NODES, Node, TaskGraph, Ways, is_name, machine};

/// Most problems of a kind that a planner is told at once.
const LISTED: usize = 8;

impl TaskGraph {
    /// Checks everything that a graph must be; `tools` are those of the environment, where they are known.
    ///
    /// # Errors
    /// The first problem.
    pub fn check(&self, tools: Option<&[ToolSpec]>) -> Result<(), GraphError> {
        self.problems(tools).into_iter().next().map_or(Ok(()), Err)
    }

    /// Everything that is wrong with a graph, in the order of the file. Ways are looked at where no name is missing or there
    /// twice, and rules where all else is right: what follows from a mistake is not a second mistake.
    #[must_use]
    pub fn problems(&self, tools: Option<&[ToolSpec]>) -> Vec<GraphError> {
        if self.nodes.is_empty() || self.nodes.len() > MOST_NODES {
            return vec![GraphError::Size { found: self.nodes.len(), least: 1, most: MOST_NODES }];
        }
        let mut names = BTreeSet::new();
        let mut problems: Vec<GraphError> =
            self.nodes.iter().flat_map(|node| node.problems(names.insert(node.name.as_str()), tools)).collect();
        if !names.contains(self.entry.as_str()) {
            problems.push(GraphError::Nowhere(self.entry.clone(), "`entry`".to_owned()));
        }
        let is_unclear = |problem: &GraphError| matches!(problem, GraphError::Twice(_) | GraphError::Nowhere(..));
        if !problems.iter().any(is_unclear) {
            problems.extend(self.edge_problems(&names));
        }
        if problems.is_empty() {
            problems.extend(machine::check(self, tools).err());
        }
        problems
    }

    fn edge_problems(&self, names: &BTreeSet<&str>) -> Vec<GraphError> {
        let (mut ways, mut problems) = (BTreeSet::new(), Vec::new());
        for Edge { from, to, criterion, .. } in &self.edges {
            let unknown = [from, to].into_iter().find(|end| !names.contains(end.as_str()));
            problems.extend(
                unknown.map(|end| GraphError::Nowhere(end.clone(), format!("the way from `{from}` to `{to}`"))),
            );
            if criterion.trim().is_empty() {
                problems.push(GraphError::Criterion(from.clone(), to.clone()));
            }
            if !ways.insert((from.as_str(), to.as_str())) {
                problems.push(GraphError::EdgeTwice(from.clone(), to.clone()));
            }
        }
        match self.ways {
            Ways::Complete => {
                let (nodes, found) = (self.nodes.len(), self.edges.len());
                let all = self.nodes.iter().flat_map(|from| self.nodes.iter().map(move |to| (&from.name, &to.name)));
                let missing = all.filter(|(from, to)| !ways.contains(&(from.as_str(), to.as_str())));
                problems.extend(missing.map(|(from, to)| GraphError::Missing {
                    from: from.clone(),
                    to: to.clone(),
                    nodes,
                    all: nodes * nodes,
                    found,
                }));
            }
            Ways::Sparse | Ways::Machine => {
                let left: BTreeSet<&str> = ways.iter().map(|(from, _)| *from).collect();
                let stuck = self.nodes.iter().filter(|node| !left.contains(node.name.as_str()));
                problems.extend(stuck.map(|node| GraphError::DeadEnd(node.name.clone())));
            }
            Ways::List => {
                let first = self.nodes.first().filter(|first| first.name != self.entry);
                problems.extend(
                    first.map(|first| GraphError::EntryNotFirst {
                        entry: self.entry.clone(),
                        first: first.name.clone(),
                    }),
                );
                let next = |edge: &Edge| {
                    let place = self.place(&edge.from);
                    place.is_some_and(|place| self.nodes.get(place + 1).is_some_and(|node| node.name == edge.to))
                };
                let wrong = self.edges.iter().filter(|edge| !next(edge));
                problems.extend(wrong.map(|edge| GraphError::NotNext(edge.from.clone(), edge.to.clone())));
            }
        }
        problems
    }
}

impl Node {
    /// What is wrong with the subtask. `is_first`: no subtask before it has its name.
    fn problems(&self, is_first: bool, tools: Option<&[ToolSpec]>) -> Vec<GraphError> {
        let mut problems = Vec::new();
        if !is_name(&self.name) {
            problems.push(GraphError::Name(self.name.clone()));
        }
        if !is_first {
            problems.push(GraphError::Twice(self.name.clone()));
        }
        if self.goal.trim().is_empty() {
            problems.push(GraphError::Goal(self.name.clone()));
        }
        if let Some(tools) = tools {
            let unknown = self.tools.iter().find(|tool| !tools.iter().any(|spec| spec.name == **tool));
            problems.extend(unknown.map(|tool| {
                let known = tools.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>().join(", ");
                GraphError::Tool { node: self.name.clone(), tool: tool.clone(), known }
            }));
        }
        problems
    }
}

/// What is wrong with a graph, for the planner that repairs it: one sentence for each problem, and one for all ways that are
/// missing; up to a bound.
pub(crate) fn listed(problems: &[GraphError]) -> String {
    let is_missing = |problem: &&GraphError| matches!(problem, GraphError::Missing { .. });
    let (missing, others): (Vec<&GraphError>, Vec<&GraphError>) = problems.iter().partition(is_missing);
    let mut sentences: Vec<String> = others.iter().map(|problem| problem.to_string()).collect();
    sentences.dedup();
    let more = sentences.len().saturating_sub(LISTED);
    sentences.truncate(LISTED);
    if more > 0 {
        sentences.push(format!("there are {more} more problems of this kind"));
    }
    let ends = |problem: &&GraphError| match problem {
        GraphError::Missing { from, to, .. } => Some(format!("from `{from}` to `{to}`")),
        _ => None,
    };
    match missing.as_slice() {
        [] => {}
        [one] => sentences.push(one.to_string()),
        [GraphError::Missing { nodes, all, found, .. }, ..] => {
            let shown = missing.iter().filter_map(ends).take(LISTED).collect::<Vec<_>>().join(", ");
            let more = missing.len().saturating_sub(LISTED);
            let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
            sentences.push(format!(
                "ways are missing ({shown}{rest}): a complete graph of {nodes} subtasks has {all} ways, this one {found}"
            ));
        }
        _ => {}
    }
    sentences.join(". ")
}
