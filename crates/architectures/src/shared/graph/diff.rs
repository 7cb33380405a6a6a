//! What differs between two graphs.

use std::fmt;

use super::{Edge, Node, Rule, TaskGraph};

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
    /// A rule that came: from, to, when.
    RuleAdded(String, String, String),
    /// A rule that went: from, to, when.
    RuleRemoved(String, String, String),
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
            Self::RuleAdded(from, to, when) => write!(f, "+ rule {from} -> {to}: {when}"),
            Self::RuleRemoved(from, to, when) => write!(f, "- rule {from} -> {to}: {when}"),
        }
    }
}

/// The differences from `before` to `after`: settings, then subtasks, ways and rules, each in the order of the files. How a
/// graph was made and what its rules were measured on is not a difference.
#[must_use]
pub fn diff(before: &TaskGraph, after: &TaskGraph) -> Vec<Change> {
    let mut changes = Vec::new();
    if before.ways != after.ways {
        changes.push(Change::Setting("ways", before.ways.name().to_owned(), after.ways.name().to_owned()));
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
    let said = |rule: &Rule| (rule.from.clone(), rule.to.clone(), rule.when.to_string());
    let gone = before.rules.iter().map(said).filter(|rule| !after.rules.iter().any(|other| said(other) == *rule));
    changes.extend(gone.map(|(from, to, when)| Change::RuleRemoved(from, to, when)));
    let come = after.rules.iter().map(said).filter(|rule| !before.rules.iter().any(|other| said(other) == *rule));
    changes.extend(come.map(|(from, to, when)| Change::RuleAdded(from, to, when)));
    // What is tried first decides.
    let order = |graph: &TaskGraph| graph.rules.iter().map(said).collect::<Vec<_>>();
    let (mut own, mut other) = (order(before), order(after));
    if own != other {
        own.sort();
        other.sort();
        if own == other {
            changes.push(Change::Setting("rules", "in one order".to_owned(), "in another".to_owned()));
        }
    }
    for (from, to) in &before.usual {
        if after.usual.get(from) != Some(to) {
            let now = after.usual.get(from).map_or("nowhere", String::as_str);
            changes.push(Change::Setting("usual", format!("{from} -> {to}"), format!("{from} -> {now}")));
        }
    }
    for (from, to) in after.usual.iter().filter(|(from, _)| !before.usual.contains_key(*from)) {
        changes.push(Change::Setting("usual", format!("{from} -> nowhere"), format!("{from} -> {to}")));
    }
    changes
}
