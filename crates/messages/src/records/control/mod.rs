//! What controllers over subtasks record (CYC-001..028).

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::memory::Memory;
use super::records;

mod words;

records! {
    /// Kinds that controllers write, beside those of the engine and of a gate.
    GraphChosen = "graph" => words::graph [short],
    Planned = "planned" => words::planned [short],
    SegmentEnded = "segment" => words::ended [short],
    Routed = "routed" => words::routed [short],
    MemoryKept = "memory" => words::kept [short],
}

/// The role whose calls make a graph.
pub const PLANNER: &str = "planner";

/// Roles whose calls decide where control goes, or look back on a segment to guide the next one.
pub const ROUTERS: [&str; 2] = ["router", "analyzer"];

/// The graph of the episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphChosen {
    /// Beginning of its content hash.
    pub id: String,
    /// `cyclic` or `dag`.
    pub kind: String,
    /// Where it came from: `planner`, `file`, `family`, `suggested`; `fallback` where the planner gave none.
    pub source: String,
    /// Which edges it has: `complete`, `sparse`, `machine` or `list`.
    pub ways: String,
    /// Subtask that comes first.
    pub entry: String,
    /// Subtasks.
    pub nodes: Vec<GraphNode>,
    /// Edges with their criteria.
    pub edges: Vec<GraphEdge>,
    /// Of a graph that was not planned in the episode: the model that made it, or `hand`. Absent where its file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner: Option<String>,
    /// Name of the summaries that its maker read. Absent where there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shots: Option<String>,
    /// Rules of a machine, as graph files write them. Absent for other graphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<Value>>,
}

/// A subtask of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphNode {
    /// Name.
    pub name: String,
    /// What must be done.
    pub goal: String,
    /// Tools of the environment that belong to it; all where none is named (CYC-027).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// An edge of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// From where.
    pub from: String,
    /// Where to.
    pub to: String,
    /// When it is taken.
    pub criterion: String,
    /// Preference in thousandths. Absent where nothing is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
}

/// A planner was asked for a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// Attempts.
    pub attempts: u32,
    /// Whether the last gave a graph.
    pub valid: bool,
    /// What was wrong with each attempt that gave none.
    pub problems: Vec<String>,
}

/// A segment ended (CYC-016).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentEnded {
    /// Number, from 0.
    pub index: u32,
    /// Its subtask.
    pub node: String,
    /// Tool calls, rejected ones too.
    pub calls: u32,
    /// Why it ended.
    pub ended: SegmentStop,
}

/// Why a segment ended (CYC-016).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentStop {
    /// The executor said that the subtask is done.
    #[default]
    Done,
    /// Its calls were used up.
    LocalBudget,
    /// The episode ended in it.
    Over,
}

impl SegmentStop {
    /// The name that files and journals use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::LocalBudget => "local_budget",
            Self::Over => "over",
        }
    }
}

/// A decision where control goes (CYC-015).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routed {
    /// Number of the segment that it follows.
    pub index: u32,
    /// Subtask of that segment.
    pub from: String,
    /// The subtask that was decided for.
    pub wanted: String,
    /// Where control went.
    pub to: String,
    /// Whether the router named a subtask that there is, after one repair at most.
    pub valid: bool,
    /// Whether the repair was needed.
    pub repaired: bool,
    /// Whether the decision was taken from an earlier one of the same kind (CYC-097).
    pub cached: bool,
    /// Whether an injected fault sent control elsewhere (CYC-084).
    pub faulted: bool,
    /// Candidates that the router saw.
    pub candidates: u32,
    /// Whether an earlier call decided it (CYC-097). Absent where each decision has a call of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<bool>,
    /// Decisions that are still left of an earlier call. Absent as above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// Who decided, in a machine (CYC-093). Absent for other graphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Decider>,
    /// Number of the rule of a machine, from 1; null where no rule decided. Absent for other graphs.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub rule: Option<Option<u64>>,
}

/// Who decides in a machine (CYC-093).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// A rule.
    Rule,
    /// The way that was taken most often.
    Usual,
    /// The router.
    Router,
}

/// A member that is there, null or not.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<u64>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// The rolling memory after a segment (CYC-009).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryKept {
    /// Number of the segment.
    pub index: u32,
    /// The memory.
    pub memory: Memory,
}
