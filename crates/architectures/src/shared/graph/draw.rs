//! Graphs for the eye: text that common tools draw.

use std::fmt::Write;

use super::{TaskGraph, Ways};

/// The graph in Graphviz's language; the entry has a double frame, criteria are tool tips.
#[must_use]
pub fn dot(graph: &TaskGraph) -> String {
    let mut out = String::from("digraph subtasks {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n");
    for node in &graph.nodes {
        let frame = if node.name == graph.entry { ", peripheries=2" } else { "" };
        let _ = writeln!(out, "  {} [tooltip={}{frame}];", quoted(&node.name), quoted(&node.goal));
    }
    for (from, to, criterion, weight) in ways(graph) {
        let dash = if weight < 1000 { ", style=dashed" } else { "" };
        let label = ruled(graph, from, to, "\\n").map(|label| format!(", label=\"{label}\"")).unwrap_or_default();
        let _ = writeln!(out, "  {} -> {} [tooltip={}{dash}{label}];", quoted(from), quoted(to), quoted(criterion));
    }
    out.push_str("}\n");
    out
}

/// The graph in Mermaid's language.
#[must_use]
pub fn mermaid(graph: &TaskGraph) -> String {
    let mut out = String::from("flowchart LR\n");
    let id = |name: &str| graph.place(name).map(|place| format!("n{place}")).unwrap_or_default();
    for node in &graph.nodes {
        let label = node.name.replace('"', "'");
        let (open, close) = if node.name == graph.entry { ("([", "])") } else { ("[", "]") };
        let _ = writeln!(out, "  {}{open}\"{label}\"{close}", id(&node.name));
    }
    for (from, to, _, weight) in ways(graph) {
        let arrow = if weight < 1000 { "-.->" } else { "-->" };
        let label = ruled(graph, from, to, "<br>").map(|label| format!("|\"{label}\"|")).unwrap_or_default();
        let _ = writeln!(out, "  {} {arrow}{label} {}", id(from), id(to));
    }
    out
}

/// The ways; of a list those from each subtask to the next.
fn ways(graph: &TaskGraph) -> Vec<(&str, &str, &str, u32)> {
    if graph.ways == Ways::List && graph.edges.is_empty() {
        let pairs = graph.nodes.windows(2);
        return pairs.map(|pair| (pair[0].name.as_str(), pair[1].name.as_str(), "", 1000)).collect();
    }
    graph.edges.iter().map(|edge| (&*edge.from, &*edge.to, &*edge.criterion, edge.weight)).collect()
}

/// The rules of a machine that go this way, in the order in which they are tried, with their numbers.
fn ruled(graph: &TaskGraph, from: &str, to: &str, between: &str) -> Option<String> {
    let rules = graph.rules.iter().enumerate().filter(|(_, rule)| rule.from == from && rule.to == to);
    let labels: Vec<String> =
        rules.map(|(place, rule)| format!("{}: {}", place + 1, rule.when).replace('"', "'")).collect();
    (!labels.is_empty()).then(|| labels.join(between))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "))
}
