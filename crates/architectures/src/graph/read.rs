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
        let line = line_of(text, &error);
        GraphFileError::Graph { place: place.to_owned(), line, error }
    })?;
    Ok(graph)
}

/// The line nearest to what is wrong, from 1, however the file writes its names: quoted or not, ways in a line or in a block.
fn line_of(text: &str, error: &GraphError) -> u64 {
    let lines: Vec<String> = text.lines().map(|line| line.replace(['"', '\''], "")).collect();
    let is = |line: &str, key: &str, name: &str| {
        line.split(['{', ',', '}', '#']).any(|part| {
            let member = part.trim().trim_start_matches("- ").trim();
            member.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')).is_some_and(|value| value.trim() == name)
        })
    };
    let with = |key: &str, name: &str| (0..lines.len()).filter(|at| is(&lines[*at], key, name)).collect::<Vec<_>>();
    // In a block the other end stands on one of the lines around.
    let way = |from: &str, to: &str| {
        let near = |at: &usize| {
            is(&lines[*at], "to", to)
                || !lines[*at].contains("to:")
                    && [at + 1, at.wrapping_sub(1)]
                        .iter()
                        .any(|beside| lines.get(*beside).is_some_and(|line| is(line, "to", to)))
        };
        with("from", from).into_iter().filter(near).collect::<Vec<_>>()
    };
    let numbered = |what: &str| what.strip_prefix("rule ").and_then(|number| number.parse::<usize>().ok());
    let rule = |number: usize| {
        let rules = lines.iter().position(|line| line.trim() == "rules:")?;
        (rules..lines.len()).filter(|at| lines[*at].contains("from:")).nth(number.saturating_sub(1))
    };
    let at = match error {
        GraphError::Name(name) | GraphError::Goal(name) | GraphError::DeadEnd(name) => {
            with("name", name).first().copied()
        }
        GraphError::Twice(name) => with("name", name).last().copied(),
        GraphError::Rule { number, .. } => rule(*number),
        GraphError::NoWay { what, .. } if what != "usual" => numbered(what).and_then(rule),
        GraphError::NoWay { what, .. } => lines.iter().position(|line| line.contains(what.as_str())),
        GraphError::NotMachine(key) => lines.iter().position(|line| line.trim_start().starts_with(key)),
        GraphError::Nowhere(_, what) if numbered(what).is_some() => numbered(what).and_then(rule),
        GraphError::Nowhere(name, what) if what == "`usual`" => {
            let usual = lines.iter().position(|line| line.starts_with("usual")).unwrap_or_default();
            (usual..lines.len()).find(|at| lines[*at].split(':').any(|part| part.trim() == name))
        }
        GraphError::Nowhere(name, _) => {
            ["entry", "from", "to"].into_iter().find_map(|key| with(key, name).first().copied())
        }
        GraphError::Tool { tool, .. } => lines.iter().position(|line| line.contains(tool.as_str())),
        GraphError::Criterion(from, to) | GraphError::NotNext(from, to) => way(from, to).first().copied(),
        GraphError::EdgeTwice(from, to) => way(from, to).last().copied(),
        // What is missing has no line; where its neighbours stand it belongs.
        GraphError::Missing { from, .. } => with("from", from).last().copied(),
        GraphError::EntryNotFirst { entry, .. } => with("entry", entry).first().copied(),
        GraphError::Size { .. } => lines.iter().position(|line| line.starts_with("nodes")),
    };
    let at = at.or_else(|| lines.iter().position(|line| line.starts_with("edges"))).unwrap_or_default();
    at as u64 + 1
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
