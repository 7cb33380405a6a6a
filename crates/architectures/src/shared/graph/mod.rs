//! Task graphs: subtasks, and a criterion for every way from one to another (CYC-001, CYC-002).
//!
//! A graph is a file that a person can read, draw, edit and use again. `complete` graphs name all n² ways, self-loops
//! among them; `sparse` ones name those that are left of them; a `machine` has rules beside them, by which control goes on
//! without a router; a `list` is the order in which its subtasks stand.

pub(crate) mod check;
mod checked;
mod diff;
pub mod distil;
mod draw;
mod index;
pub mod machine;
pub mod measured;
mod planned;
mod read;
mod widen;

use std::collections::BTreeMap;

use gimbal_core::{Brief, Digest, ToolSpec, canonical};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use checked::{CheckedGraphs, GraphFigures};
pub use diff::{Change, diff};
pub use draw::{dot, mermaid};
pub(crate) use index::Index;
pub use machine::Rule;
pub use planned::PlannedGraph;
pub use read::{GraphFileError, named, read, write};
pub use widen::widened;

/// Most subtasks that a file may hold.
pub const MOST_NODES: usize = 200;

/// What ways a graph has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ways {
    /// From every subtask to every subtask, itself included (CYC-001).
    #[default]
    Complete,
    /// Those that are named (CYC-092).
    Sparse,
    /// Those that are named, and rules by which control goes on without a router (CYC-093).
    Machine,
    /// From each subtask to the next one only (CYC-025).
    List,
}

impl Ways {
    /// The name that files and tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Sparse => "sparse",
            Self::Machine => "machine",
            Self::List => "list",
        }
    }
}

/// A subtask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Name, unique in the graph.
    pub name: String,
    /// What is to be done in it.
    pub goal: String,
    /// Tools of the environment that belong to it; all where none is named (CYC-027).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

impl Node {
    /// Whether a tool belongs to the subtask.
    #[must_use]
    pub fn has(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|known| known == tool)
    }
}

/// A way from one subtask to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// From where.
    pub from: String,
    /// Where to.
    pub to: String,
    /// When it is taken, in words (CYC-001).
    pub criterion: String,
    /// How far it is to be preferred, in thousandths; a thousand where nothing is known (CYC-092).
    #[serde(default = "neutral", skip_serializing_if = "is_neutral")]
    pub weight: u32,
}

impl Edge {
    /// The weight of an edge of which nothing is known, in thousandths.
    pub const NEUTRAL: u32 = 1000;
}

const fn neutral() -> u32 {
    Edge::NEUTRAL
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the serialiser hands out references")]
const fn is_neutral(weight: &u32) -> bool {
    *weight == Edge::NEUTRAL
}

/// A task graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Gimbal: task graph")]
pub struct TaskGraph {
    /// What ways it has.
    #[serde(default)]
    pub ways: Ways,
    /// The subtask that comes first (CYC-014).
    pub entry: String,
    /// The subtasks; of a list, in order.
    pub nodes: Vec<Node>,
    /// The ways. A list needs none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// Of a machine: the rules, of each subtask in the order in which they are tried (CYC-093).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    /// Of a machine: where control went most often from a subtask, for where no rule fits and no router is to be asked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usual: BTreeMap<String, String>,
    /// How the graph was made: for people. It decides nothing and is not part of the graph's hash.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub made: BTreeMap<String, String>,
}

/// What is wrong with a graph.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum GraphError {
    /// Too few or too many subtasks.
    #[error("the graph has {found} subtasks; from {least} to {most} are possible")]
    Size {
        /// How many there are.
        found: usize,
        /// At least.
        least: usize,
        /// At most.
        most: usize,
    },
    /// A name that cannot be one.
    #[error("the subtask name `{0}` must have 1 to 48 letters, digits, blanks, `_` or `-`")]
    Name(String),
    /// Two subtasks of one name.
    #[error("two subtasks are called `{0}`; names must differ")]
    Twice(String),
    /// No goal.
    #[error("the subtask `{0}` says nothing of what is to be done; give it a `goal`")]
    Goal(String),
    /// A tool that the environment does not have.
    #[error("the subtask `{node}` names the tool `{tool}`, which there is not (there are: {known})")]
    Tool {
        /// The subtask.
        node: String,
        /// The tool.
        tool: String,
        /// Those that there are.
        known: String,
    },
    /// A way to or from nowhere.
    #[error("there is no subtask `{0}`, which {1} names")]
    Nowhere(String, String),
    /// A way without words for it.
    #[error("the way from `{0}` to `{1}` has no criterion; say when it is taken")]
    Criterion(String, String),
    /// A way that is given more than once.
    #[error("the way from `{0}` to `{1}` is given twice; give each way once")]
    EdgeTwice(String, String),
    /// A complete graph lacks a way.
    #[error(
        "the way from `{from}` to `{to}` is missing: a complete graph of {nodes} subtasks has {all} ways, this one {found}"
    )]
    Missing {
        /// From where.
        from: String,
        /// Where to.
        to: String,
        /// Subtasks.
        nodes: usize,
        /// Ways of a complete graph.
        all: usize,
        /// Ways of this one.
        found: usize,
    },
    /// A way that a list cannot have.
    #[error("a list goes from each subtask to the next; it cannot have a way from `{0}` to `{1}`")]
    NotNext(String, String),
    /// A list that does not begin with its entry.
    #[error("a list begins with its first subtask, `{first}`; its entry cannot be `{entry}`")]
    EntryNotFirst {
        /// The entry.
        entry: String,
        /// The first subtask.
        first: String,
    },
    /// A subtask with no way out.
    #[error("no way leads out of `{0}`; in a sparse graph each subtask needs one, if only to itself")]
    DeadEnd(String),
    /// A rule or a usual way for which the graph has no way.
    #[error("{what} goes from `{from}` to `{to}`, and no way does; name the way under `edges`, with its criterion")]
    NoWay {
        /// Which rule, or `usual`.
        what: String,
        /// From where.
        from: String,
        /// Where to.
        to: String,
    },
    /// A condition that never holds, or a rule that is never reached.
    #[error("rule {number} (from `{from}`): {why}")]
    Rule {
        /// Its number, from 1.
        number: usize,
        /// The subtask that it leaves.
        from: String,
        /// What is wrong with it, and what would be right.
        why: String,
    },
    /// Rules in a graph that is not a machine.
    #[error("`{0}` belongs to a machine; write `ways: machine`, or take it out")]
    NotMachine(&'static str),
}

impl TaskGraph {
    /// The place of a subtask, as a model may have written its name: in any case, with blanks around it.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        let name = name.trim().trim_matches(['"', '\'', '`']);
        self.nodes
            .iter()
            .position(|node| node.name == name)
            .or_else(|| self.nodes.iter().position(|node| node.name.eq_ignore_ascii_case(name)))
    }

    /// The ways out of the subtask at `place`, in the order of the file; looks at every way of the graph.
    pub fn out_of(&self, place: usize) -> impl Iterator<Item = &Edge> {
        let name = self.nodes.get(place).map(|node| node.name.as_str());
        self.edges.iter().filter(move |edge| Some(edge.from.as_str()) == name)
    }

    /// Hash of what decides the graph's behaviour.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(members) = value.as_object_mut() {
            members.remove("made");
        }
        Digest::of(canonical::text(&value).as_bytes())
    }

    /// The first twelve hexadecimal digits of [`TaskGraph::digest`]: what tables call the graph.
    #[must_use]
    pub fn id(&self) -> String {
        self.digest().to_string().chars().take(12).collect()
    }

    /// The complete graph over `nodes` whose criteria are the goals of the subtasks.
    #[must_use]
    pub fn complete(nodes: Vec<Node>) -> Self {
        let criterion = |from: &Node, to: &Node| match from.name == to.name {
            true => format!("The subtask is not done yet: {}", to.goal),
            false => format!("This is needed next: {}", to.goal),
        };
        let edges = nodes
            .iter()
            .flat_map(|from| nodes.iter().map(move |to| (from, to)))
            .map(|(from, to)| Edge {
                from: from.name.clone(),
                to: to.name.clone(),
                criterion: criterion(from, to),
                weight: 1000,
            })
            .collect();
        let entry = nodes.first().map(|node| node.name.clone()).unwrap_or_default();
        Self { ways: Ways::Complete, entry, nodes, edges, ..Self::default() }
    }

    /// Names a task in every subtask's goal, and nowhere else.
    pub(crate) fn name_task(&mut self, task: &str) {
        for node in self.nodes.iter_mut().filter(|_| !task.is_empty()) {
            node.goal = format!("{} The task: {task}", node.goal);
        }
    }

    /// The list of `nodes`.
    #[must_use]
    pub fn list(nodes: Vec<Node>) -> Self {
        let entry = nodes.first().map(|node| node.name.clone()).unwrap_or_default();
        Self { ways: Ways::List, entry, nodes, ..Self::default() }
    }

    /// The subtasks that an environment suggests by itself: one for each class of action that its glossary names, in that order,
    /// or one for each tool where it names one class only.
    #[must_use]
    pub fn suggested(brief: &Brief, tools: &[ToolSpec]) -> Vec<Node> {
        let class = |tool: &ToolSpec| brief.entry_of(&tool.name).map(|entry| entry.kind.to_lowercase());
        let mut nodes: Vec<Node> = Vec::new();
        for tool in tools {
            let name = class(tool).unwrap_or_else(|| "other".to_owned());
            match nodes.iter_mut().find(|node| node.name == name) {
                Some(node) => node.tools.push(tool.name.clone()),
                None => nodes.push(Node { goal: String::new(), name, tools: vec![tool.name.clone()] }),
            }
        }
        if nodes.len() < 2 {
            let of =
                |tool: &ToolSpec| Node { name: tool.name.clone(), goal: String::new(), tools: vec![tool.name.clone()] };
            nodes = tools.iter().take(8).map(of).collect();
        }
        for node in &mut nodes {
            node.goal = format!("Do what the task needs with {}.", node.tools.join(", "));
            node.name = node.name.chars().map(|letter| if is_letter(letter) { letter } else { '_' }).take(48).collect();
        }
        nodes
    }
}

/// JSON Schema of a graph's file.
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(TaskGraph).to_value()
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, ' ' | '_' | '-')
}

fn is_name(name: &str) -> bool {
    (1..=48).contains(&name.chars().count()) && name.trim() == name && name.chars().all(is_letter)
}
