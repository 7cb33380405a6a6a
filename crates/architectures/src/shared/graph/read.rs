//! Graphs as files.

use std::sync::Arc;

use gimbal_core::yaml::{self, Kind, Location, Member, YamlError};
use gimbal_core::{Digest, FileError, Files, Kept, nearest};
use serde_json::Value;
use thiserror::Error;

use super::{GraphError, TaskGraph};

/// A file of a graph that is not usable.
#[derive(Debug, Error)]
pub enum GraphFileError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is not what a graph's file should be.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// What it says is not a graph.
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
    if let Err(error) = graph.check(None) {
        let line = Places(yaml::Node::parse(text, place)?).of(&error).line;
        return Err(GraphFileError::Graph { place: place.to_owned(), line, error });
    }
    Ok(graph)
}

/// The tree of a graph's file, in which errors have their places.
struct Places(yaml::Node);

impl Places {
    /// The place of what is wrong, or the nearest to what is missing.
    fn of(&self, error: &GraphError) -> Location {
        let place = match error {
            GraphError::Name(name) | GraphError::Goal(name) | GraphError::DeadEnd(name) => self.subtasks(name).next(),
            GraphError::Twice(name) => self.subtasks(name).last(),
            GraphError::Tool { node, tool, .. } => self.tool(node, tool),
            GraphError::Rule { number, .. } => self.rule(*number),
            GraphError::NoWay { what, from, .. } => rule_number(what)
                .map_or_else(|| self.0.get("usual").map(|usual| usual.place(from)), |number| self.rule(number)),
            GraphError::Nowhere(name, what) if what == "`usual`" => self.usual(name),
            GraphError::Nowhere(name, what) => match rule_number(what) {
                Some(number) => self.rule(number),
                None if is(&self.0, "entry", name) => Some(self.0.place("entry")),
                None => self.ways(|way| is(way, "from", name) || is(way, "to", name)).next(),
            },
            GraphError::NotMachine(key) => Some(self.0.place(key)),
            GraphError::Criterion(from, to) | GraphError::NotNext(from, to) => self.between(from, to).next(),
            GraphError::EdgeTwice(from, to) => self.between(from, to).last(),
            GraphError::Missing { from, .. } => self.ways(|way| is(way, "from", from)).last(),
            GraphError::EntryNotFirst { .. } => Some(self.0.place("entry")),
            GraphError::Size { .. } => Some(self.0.place("nodes")),
        };
        place.unwrap_or_else(|| self.0.place("edges"))
    }

    fn list(&self, key: &str) -> &[yaml::Node] {
        self.0.get(key).map_or(&[], yaml::Node::items)
    }

    /// The names of the subtasks called `name`.
    fn subtasks(&self, name: &str) -> impl Iterator<Item = Location> {
        self.list("nodes").iter().filter(move |node| is(node, "name", name)).map(|node| node.place("name"))
    }

    fn tool(&self, subtask: &str, tool: &str) -> Option<Location> {
        let node = self.list("nodes").iter().find(|node| is(node, "name", subtask))?;
        let own = node.get("tools")?.items().iter().find(|own| text(own).as_deref() == Some(tool));
        Some(own.map_or_else(|| node.place("tools"), |own| own.at))
    }

    fn rule(&self, number: usize) -> Option<Location> {
        Some(self.list("rules").get(number.checked_sub(1)?)?.place("from"))
    }

    /// The entry of `usual` from or to a subtask.
    fn usual(&self, name: &str) -> Option<Location> {
        let Kind::Map(members) = &self.0.get("usual")?.kind else { return None };
        let named = |member: &&Member| member.key == name || text(&member.value).as_deref() == Some(name);
        members.iter().find(named).map(|member| member.at)
    }

    fn ways(&self, fits: impl Fn(&yaml::Node) -> bool) -> impl Iterator<Item = Location> {
        self.list("edges").iter().filter(move |way| fits(way)).map(|way| way.place("from"))
    }

    fn between(&self, from: &str, to: &str) -> impl Iterator<Item = Location> {
        self.ways(move |way| is(way, "from", from) && is(way, "to", to))
    }
}

/// The number in `rule 3`.
fn rule_number(what: &str) -> Option<usize> {
    what.strip_prefix("rule ")?.parse().ok()
}

/// Whether a member of a map is this text.
fn is(map: &yaml::Node, key: &str, name: &str) -> bool {
    map.get(key).and_then(text).as_deref() == Some(name)
}

/// A scalar as a text; files may write a name as a number.
fn text(node: &yaml::Node) -> Option<String> {
    match &node.kind {
        Kind::Scalar(Value::String(text)) => Some(text.clone()),
        Kind::Scalar(value) => Some(value.to_string()),
        Kind::List(_) | Kind::Map(_) => None,
    }
}

/// Graphs that are kept: about as many as a study names.
const KEPT: usize = 32;

/// The graph `graphs/NAME.yaml` of the data folder, read once for all who ask for a file of the same text.
///
/// # Errors
/// When there is none of that name, or the file is not usable.
pub fn named(name: &str, files: &dyn Files) -> Result<Arc<TaskGraph>, GraphFileError> {
    static KNOWN: Kept<TaskGraph> = Kept::new(KEPT);
    match files.read(&format!("graphs/{name}.yaml"))? {
        Some((text, place)) => KNOWN.get(Digest::of(text.as_bytes()), || read(&text, &place)),
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
