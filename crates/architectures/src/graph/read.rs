//! Graphs as files.

use gimbal_core::yaml::{self, YamlError};
use gimbal_core::{FileError, Files, nearest};
use thiserror::Error;

use super::{GraphError, TaskGraph};

/// A file of a graph that is no good.
#[derive(Debug, Error)]
pub enum GraphFileError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is not what a graph's file should be.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// What it says is no graph.
    #[error("{place}:{line}: {error}")]
    Graph {
        /// The file.
        place: String,
        /// The line nearest to the fault, from 1.
        line: u64,
        /// What is wrong.
        error: GraphError,
    },
    /// There is no such graph.
    #[error("there is no graph `{name}`{hint} (known: {known}); graphs are files graphs/NAME.yaml")]
    Unknown {
        /// As it was written.
        name: String,
        /// What may have been meant.
        hint: String,
        /// Those that there are.
        known: String,
    },
}

/// Reads and checks a graph; `place` names its file.
///
/// # Errors
/// The file, line and what is wrong.
pub fn read(text: &str, place: &str) -> Result<TaskGraph, GraphFileError> {
    let graph: TaskGraph = yaml::read(text, place)?;
    graph.check(None).map_err(|error| {
        let needle = match &error {
            GraphError::Nowhere(name, what) if what == "`entry`" => format!("entry: {name}"),
            GraphError::Name(name) | GraphError::Goal(name) | GraphError::DeadEnd(name) => format!("name: {name}"),
            GraphError::Twice(name) => format!("name: {name}"),
            GraphError::Nowhere(name, _) => format!(": {name}"),
            GraphError::Tool { tool, .. } => tool.clone(),
            GraphError::Criterion(from, to) | GraphError::EdgeTwice(from, to) | GraphError::NotNext(from, to) => {
                format!("from: {from}, to: {to}")
            }
            GraphError::Missing { from, .. } => format!("from: {from}"),
            GraphError::Size { .. } => "nodes".to_owned(),
            GraphError::Rule { .. } | GraphError::NoWay { .. } => "rules:".to_owned(),
            GraphError::NotMachine(key) => (*key).to_owned(),
        };
        GraphFileError::Graph { place: place.to_owned(), line: line_of(text, &needle, &error), error }
    })?;
    Ok(graph)
}

/// The line, from 1, of what is wrong, whether or not names stand in quotes and ways on one line.
fn line_of(text: &str, needle: &str, error: &GraphError) -> u64 {
    let plain: String = text.chars().filter(|letter| !matches!(letter, '"' | '\'')).collect();
    let line = yaml::line_of(&plain, needle);
    let number = match error {
        GraphError::Rule { number, .. } => Some(*number),
        GraphError::NoWay { what, .. } | GraphError::Nowhere(_, what) => {
            what.strip_prefix("rule ").and_then(|number| number.parse().ok())
        }
        GraphError::Twice(_) => {
            // The second one is the one too many.
            let places = plain.lines().enumerate().filter(|(_, line)| {
                line.split(['{', ',']).any(|part| part.trim_start_matches([' ', '-']).trim_end() == needle)
            });
            return places.map(|(at, _)| at as u64 + 1).nth(1).unwrap_or(line);
        }
        _ => None,
    };
    if let Some(number) = number {
        let lines = plain.lines().enumerate().skip_while(|(_, line)| line.trim() != "rules:");
        let mut rules = lines.filter(|(_, line)| line.contains("from:"));
        return rules.nth(number.saturating_sub(1)).map_or(line, |(at, _)| at as u64 + 1);
    }
    match (line, needle.split_once(',')) {
        // Not on one line, or not at all.
        (1, Some((first, _))) => yaml::line_of(&plain, first),
        _ => line,
    }
}

/// The graph `graphs/NAME.yaml` of the data folder.
///
/// # Errors
/// When there is none of that name, or the file is no good.
pub fn named(name: &str, files: &dyn Files) -> Result<TaskGraph, GraphFileError> {
    match files.read(&format!("graphs/{name}.yaml"))? {
        Some((text, place)) => read(&text, &place),
        None => {
            let known: Vec<String> = files
                .list("graphs")
                .iter()
                .filter_map(|path| path.rsplit('/').next()?.strip_suffix(".yaml").map(str::to_owned))
                .collect();
            let hint = nearest::hint(name, known.iter().map(String::as_str));
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Err(GraphFileError::Unknown { name: name.to_owned(), hint, known })
        }
    }
}

/// The graph as the text of a file: what [`read()`] takes back.
#[must_use]
pub fn write(graph: &TaskGraph) -> String {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let mut out = String::new();
    if !graph.made.is_empty() {
        out.push_str("made:\n");
        for (key, value) in &graph.made {
            out.push_str(&format!("  {}: {}\n", text(key), text(value)));
        }
    }
    out.push_str(&format!("ways: {}\nentry: {}\nnodes:\n", graph.ways.name(), text(&graph.entry)));
    for node in &graph.nodes {
        out.push_str(&format!("  - name: {}\n    goal: {}\n", text(&node.name), text(&node.goal)));
        if !node.tools.is_empty() {
            let tools: Vec<String> = node.tools.iter().map(|tool| text(tool)).collect();
            out.push_str(&format!("    tools: [{}]\n", tools.join(", ")));
        }
    }
    if !graph.edges.is_empty() {
        out.push_str("edges:\n");
    }
    for edge in &graph.edges {
        let weight = if edge.weight == 1000 { String::new() } else { format!(", weight: {}", edge.weight) };
        out.push_str(&format!(
            "  - {{ from: {}, to: {}, criterion: {}{weight} }}\n",
            text(&edge.from),
            text(&edge.to),
            text(&edge.criterion)
        ));
    }
    if !graph.rules.is_empty() {
        out.push_str("rules:\n");
    }
    for rule in &graph.rules {
        let counted =
            if rule.seen == 0 { String::new() } else { format!(", seen: {}, right: {}", rule.seen, rule.right) };
        let when = conditions(&rule.when);
        let (from, to) = (text(&rule.from), text(&rule.to));
        out.push_str(&format!("  - {{ from: {from}, to: {to}, when: {{{when}}}{counted} }}\n"));
    }
    if !graph.usual.is_empty() {
        out.push_str("usual:\n");
    }
    for (from, to) in &graph.usual {
        out.push_str(&format!("  {}: {}\n", text(from), text(to)));
    }
    out
}

/// Conditions as the members of a map.
fn conditions(when: &super::machine::When) -> String {
    let value = serde_json::to_value(when).unwrap_or_default();
    // In the order of the schema, which is that in which people read them.
    let members = ["ended", "tool", "refused", "visits", "after"].map(|key| match &value[key] {
        serde_json::Value::Null => None,
        serde_json::Value::Array(range) => {
            Some(format!("{key}: [{}]", range.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")))
        }
        member => Some(format!("{key}: {member}")),
    });
    let members = members.into_iter().flatten().collect::<Vec<_>>().join(", ");
    if members.is_empty() { members } else { format!(" {members} ") }
}
