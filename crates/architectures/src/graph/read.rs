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
            GraphError::Name(name) | GraphError::Goal(name) | GraphError::DeadEnd(name) => format!("name: {name}"),
            GraphError::Twice(name) | GraphError::Nowhere(name, _) => name.clone(),
            GraphError::Tool { tool, .. } => tool.clone(),
            GraphError::Criterion(from, to) | GraphError::EdgeTwice(from, to) | GraphError::NotNext(from, to) => {
                format!("from: {from}, to: {to}")
            }
            GraphError::Missing { from, .. } => format!("from: {from}"),
            GraphError::Size { .. } => "nodes".to_owned(),
        };
        GraphFileError::Graph { place: place.to_owned(), line: yaml::line_of(text, &needle), error }
    })?;
    Ok(graph)
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
    let ways = serde_json::to_value(graph.ways).ok();
    let mut out = format!(
        "ways: {}\nentry: {}\nnodes:\n",
        ways.as_ref().and_then(|ways| ways.as_str()).unwrap_or_default(),
        text(&graph.entry)
    );
    for node in &graph.nodes {
        out.push_str(&format!("  - name: {}\n    goal: {}\n", text(&node.name), text(&node.goal)));
        if !node.tools.is_empty() {
            let tools: Vec<String> = node.tools.iter().map(|tool| text(tool)).collect();
            out.push_str(&format!("    tools: [{}]\n", tools.join(", ")));
        }
    }
    if graph.edges.is_empty() {
        return out;
    }
    out.push_str("edges:\n");
    for edge in &graph.edges {
        let weight = if edge.weight == 1000 { String::new() } else { format!(", weight: {}", edge.weight) };
        out.push_str(&format!(
            "  - {{ from: {}, to: {}, criterion: {}{weight} }}\n",
            text(&edge.from),
            text(&edge.to),
            text(&edge.criterion)
        ));
    }
    out
}
