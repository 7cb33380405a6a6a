//! What differs between two graphs.

use std::fmt;

use super::{Edge, Node, TaskGraph};

/// A difference from one graph to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Something of the graph as a whole: what, before, after.
    Setting(&'static str, String, String),
    /// A subtask that came.
    NodeAdded(String),
    /// A subtask that went.
    NodeRemoved(String),
    /// A subtask with another goal or other tools: name, before, after.
    NodeChanged(String, String, String),
    /// A way that came.
    EdgeAdded(String, String),
    /// A way that went.
    EdgeRemoved(String, String),
    /// A way with another criterion or weight: from, to, before, after.
    EdgeChanged(String, String, String, String),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(what, before, after) => write!(f, "~ {what}: {before} -> {after}"),
            Self::NodeAdded(name) => write!(f, "+ subtask {name}"),
            Self::NodeRemoved(name) => write!(f, "- subtask {name}"),
            Self::NodeChanged(name, before, after) => write!(f, "~ subtask {name}: {before} -> {after}"),
            Self::EdgeAdded(from, to) => write!(f, "+ way {from} -> {to}"),
            Self::EdgeRemoved(from, to) => write!(f, "- way {from} -> {to}"),
            Self::EdgeChanged(from, to, before, after) => write!(f, "~ way {from} -> {to}: {before} -> {after}"),
        }
    }
}

/// The differences from `before` to `after`: settings, then subtasks, then ways, each in the order of the files.
#[must_use]
pub fn diff(before: &TaskGraph, after: &TaskGraph) -> Vec<Change> {
    let mut changes = Vec::new();
    let (ways, other) = (format!("{:?}", before.ways), format!("{:?}", after.ways));
    if ways != other {
        changes.push(Change::Setting("ways", ways.to_lowercase(), other.to_lowercase()));
    }
    if before.entry != after.entry {
        changes.push(Change::Setting("entry", before.entry.clone(), after.entry.clone()));
    }
    let said = |node: &Node| format!("{} [{}]", node.goal, node.tools.join(", "));
    for node in &before.nodes {
        match after.nodes.iter().find(|other| other.name == node.name) {
            None => changes.push(Change::NodeRemoved(node.name.clone())),
            Some(other) if other != node => {
                changes.push(Change::NodeChanged(node.name.clone(), said(node), said(other)));
            }
            Some(_) => {}
        }
    }
    let come = after.nodes.iter().filter(|node| !before.nodes.iter().any(|other| other.name == node.name));
    changes.extend(come.map(|node| Change::NodeAdded(node.name.clone())));
    let same = |edge: &Edge, other: &Edge| edge.from == other.from && edge.to == other.to;
    let said = |edge: &Edge| format!("{} ({})", edge.criterion, edge.weight);
    for edge in &before.edges {
        match after.edges.iter().find(|other| same(edge, other)) {
            None => changes.push(Change::EdgeRemoved(edge.from.clone(), edge.to.clone())),
            Some(other) if other != edge => {
                changes.push(Change::EdgeChanged(edge.from.clone(), edge.to.clone(), said(edge), said(other)));
            }
            Some(_) => {}
        }
    }
    let come = after.edges.iter().filter(|edge| !before.edges.iter().any(|other| same(edge, other)));
    changes.extend(come.map(|edge| Change::EdgeAdded(edge.from.clone(), edge.to.clone())));
    changes
}
