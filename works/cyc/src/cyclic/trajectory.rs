//! An episode as a walk over a task graph: segments at nodes, routing decisions between them (CYC-003, CYC-015..017).

use gimbal_analysis::Rate;
use gimbal_analysis::acted::EpisodeActs;
use gimbal_analysis::work_folds::TaskPart;
use gimbal_core::Stop;
use gimbal_messages::records::control::SegmentStop;
use serde::{Deserialize, Serialize};

use super::evidence::Evidence;

/// One finished episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    /// Id of the cell.
    pub cell: String,
    /// The environment part of the pairing key.
    pub environment: String,
    /// Task id.
    pub task: String,
    /// The part of the environment's data that the task belongs to, as the environment says it (CYC-041).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<TaskPart>,
    /// Run number: the seed of the work's tables.
    pub run: u32,
    /// Trial within a session, from 0.
    pub trial: u32,
    /// Instance that the run belongs to, from 0: runs of one instance play seeds that are alike.
    #[serde(default)]
    pub instance: u32,
    /// Sum of rewards in thousandths.
    pub return_thousandths: i64,
    /// Why it ended.
    pub stop: Stop,
    /// Whether the goal was reached.
    pub won: bool,
    /// Calls to the environment, rejected ones too (TC).
    pub tool_calls: u32,
    /// Steps of the environment.
    pub steps: u32,
    /// Those of them that the fallback took.
    pub fallback_steps: u32,
    /// Attempts at an action.
    pub attempts: u32,
    /// Those of them that were rejected.
    pub rejected: u32,
    /// Messages with a form that agents were asked for: of a planner, a router.
    #[serde(default)]
    pub messages: u32,
    /// Those of them of which nothing could be used.
    #[serde(default)]
    pub unusable_messages: u32,
    /// What the agent's roles asked of models, planner included.
    pub spent: Spend,
    /// What making the graph took.
    pub planner: Spend,
    /// Longest chain of calls that waited for one another, in microseconds; never compared, as it is volatile.
    pub wall_us: u64,
    /// Distinct situations that the agent met, the first included (CYC-067).
    pub situations: Option<u32>,
    /// What is to be reached, by the brief of the episode; `None` where all episodes have one goal, or the run is older than this.
    pub goal: Option<String>,
    /// Whether the goal is a question that the environment judges answers to, and not a task that a call could complete.
    pub is_question: bool,
    /// Graphs that were in force, in order; one, as a rule.
    pub graphs: Vec<Graph>,
    /// Attempts of a planner that wrote a graph of its own, and whether the last was valid.
    pub planned: Option<Planned>,
    /// Segments in order.
    pub segments: Vec<Segment>,
    /// What judges and the record of its reading say of a final answer.
    pub evidence: Option<Evidence>,
    /// What gates before a final answer said (CYC-095), in order.
    pub gates: Vec<Gate>,
}

/// Model calls and their tokens as called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spend {
    /// Calls.
    pub calls: u64,
    /// Prompt tokens.
    pub input: u64,
    /// Completion tokens.
    pub output: u64,
}

impl Spend {
    /// Prompt and completion.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Field by field sum.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// A task graph as journals hold it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graph {
    /// Beginning of its content hash.
    pub id: String,
    /// Where it came from: `planner`, `file`, `family`, `suggested`; `fallback` where the planner gave none.
    #[serde(default)]
    pub source: String,
    /// Of a graph that was not planned in the episode: the model that made it, or `hand`; empty where its file does not say.
    #[serde(default)]
    pub planner: String,
    /// Name of the summaries that its maker read; empty for none.
    #[serde(default)]
    pub shots: String,
    /// Node that comes first.
    #[serde(default)]
    pub entry: String,
    /// Nodes.
    #[serde(default)]
    pub nodes: Vec<GraphNode>,
    /// Transitions with their criteria.
    #[serde(default)]
    pub edges: Vec<GraphEdge>,
    /// Which edges it has: `complete`, `sparse`, `machine` or `list`.
    #[serde(default)]
    pub ways: String,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphNode {
    /// Name.
    pub name: String,
    /// What is to be done.
    #[serde(default)]
    pub goal: String,
    /// Tools that belong to it; all where none is named.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Tools that the graph suggests for it where every executor has all: they restrict nothing.
    #[serde(default)]
    pub suggested: Vec<String>,
}

/// A transition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// From where.
    pub from: String,
    /// Where to.
    pub to: String,
    /// When it is taken.
    #[serde(default)]
    pub criterion: String,
}

impl Graph {
    /// Whether its subtasks have a fixed order, so that nobody chooses a way.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.ways == "list"
    }

    /// Whether rules decide where control goes, as far as they fit.
    #[must_use]
    pub fn is_machine(&self) -> bool {
        self.ways == "machine"
    }

    /// Whether a node has fewer tools than some other node of the graph (CYC-027).
    #[must_use]
    pub fn is_restricted(&self, node: &str) -> bool {
        let Some(node) = self.nodes.iter().find(|known| known.name == node) else { return false };
        let lacks = |tool: &String| !node.tools.contains(tool);
        !node.tools.is_empty() && self.nodes.iter().any(|other| other.tools.is_empty() || other.tools.iter().any(lacks))
    }

    /// Whether any node is restricted: executors are specialists.
    #[must_use]
    pub fn has_specialists(&self) -> bool {
        self.nodes.iter().any(|node| self.is_restricted(&node.name))
    }

    /// Mean words of a criterion; `None` without one (CYC-024).
    #[must_use]
    pub fn criterion_words(&self) -> Option<f64> {
        let words: Vec<usize> = self
            .edges
            .iter()
            .map(|edge| edge.criterion.split_whitespace().count())
            .filter(|count| *count > 0)
            .collect();
        (!words.is_empty()).then(|| words.iter().sum::<usize>() as f64 / words.len() as f64)
    }
}

/// What a planner's output was worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// Attempts.
    pub attempts: u32,
    /// Whether the last gave a graph.
    pub valid: bool,
}

/// What a gate said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// Figures in the answer.
    #[serde(default)]
    pub figures: u32,
    /// Those that code found to be based on a stored span.
    #[serde(default)]
    pub supported: u32,
    /// Others that a verifier showed to follow from words of a stored text.
    #[serde(default)]
    pub verified: u32,
    /// Others that it vouched for, whether or not its words are there.
    #[serde(default)]
    pub claimed: u32,
    /// Whether every figure is backed.
    #[serde(default)]
    pub passed: bool,
    /// Whether the answer was held back.
    #[serde(default)]
    pub held: bool,
    /// Whether the evidence could not be read: the answer went through unchecked.
    #[serde(default)]
    pub unread: bool,
}

impl Gate {
    /// Figures that are based on something.
    #[must_use]
    pub const fn backed(&self) -> u32 {
        self.supported.saturating_add(self.verified)
    }

    /// Whether an answer went through although a figure of it is not backed.
    #[must_use]
    pub const fn overruled(&self) -> bool {
        !self.passed && !self.held && !self.unread
    }
}

/// One stay at a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Number, from 0.
    pub index: u32,
    /// Node.
    pub node: String,
    /// Tool calls, rejected ones too (the work's Δk).
    pub calls: u32,
    /// How it ended.
    pub ended: SegmentStop,
    /// The calls, in order.
    pub acts: Vec<Act>,
    /// What its executor asked of models.
    pub executor: Spend,
    /// What the decision after it asked of models.
    pub router: Spend,
    /// The decision; `None` if the episode ended in the segment.
    pub routed: Option<Routed>,
    /// Loops that the router's own memory mentions.
    pub loops_noted: u32,
    /// Pieces of evidence that were at hand when it ended and not when it began; `None` if the environment's evidence is not
    /// followed.
    #[serde(default)]
    pub evidence_gained: Option<u32>,
}

/// A routing decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routed {
    /// The router's choice.
    pub wanted: String,
    /// Where control went.
    pub to: String,
    /// Whether the router named a node that there is, after one repair at most (CYC-015).
    pub valid: bool,
    /// Whether the repair was needed.
    pub repaired: bool,
    /// Whether the decision was taken from an earlier one of the same kind (CYC-097).
    pub cached: bool,
    /// Whether an earlier call decided it, with others (CYC-097).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ahead: bool,
    /// Whether a state machine decided it, without a router (CYC-093).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ruled: bool,
    /// Whether a fault sent control elsewhere (CYC-084).
    pub faulted: bool,
    /// Candidates that the router saw.
    pub candidates: u32,
}

/// A call to the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    /// Tool.
    pub tool: String,
    /// Arguments as canonical JSON.
    pub arguments: String,
    /// Its effect.
    pub effect: Effect,
}

/// Effect of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It brought the environment into a state that the episode had not seen.
    #[default]
    New,
    /// It brought the environment back into a state that the episode had seen.
    Back,
    /// It was accepted, and the state is what it was.
    Nothing,
    /// It was refused.
    Rejected,
}

impl Effect {
    /// Whether the state is what it was.
    #[must_use]
    pub const fn is_fruitless(self) -> bool {
        matches!(self, Self::Nothing | Self::Rejected)
    }
}

impl Act {
    /// Tool and arguments in one text: what makes two calls the same call.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{} {}", self.tool, self.arguments)
    }

    /// A short form for people: tool, and the longest textual argument.
    #[must_use]
    pub fn shown(&self) -> String {
        let Ok(serde_json::Value::Object(arguments)) = serde_json::from_str(&self.arguments) else {
            return self.tool.clone();
        };
        let longest = arguments.values().filter_map(|value| value.as_str()).max_by_key(|text| text.len());
        longest.map_or_else(|| self.tool.clone(), |text| text.to_owned())
    }
}

impl Trajectory {
    /// What it says about whether its model acted, in the terms of every report.
    #[must_use]
    pub fn acts(&self) -> EpisodeActs {
        let rate = |count: u32, of: u32| Rate { count: count.into(), of: of.into() };
        EpisodeActs {
            fallback: rate(self.fallback_steps, self.steps),
            invalid: rate(self.rejected, self.attempts),
            unusable: rate(self.unusable_messages, self.messages),
            without_call: self.spent.calls > 0 && self.tool_calls == 0,
        }
    }

    /// How a person names it: cell, task and run, and the trial where there are several.
    #[must_use]
    pub fn name(&self) -> String {
        gimbal_analysis::episode::name(&self.cell, &self.task, self.run, self.trial)
    }

    /// The graph that is in force at the end.
    #[must_use]
    pub fn graph(&self) -> Option<&Graph> {
        self.graphs.last()
    }

    /// Segments that a decision followed: the visits (CYC-061).
    pub fn visits(&self) -> impl Iterator<Item = (&Segment, &Routed)> {
        self.segments.iter().filter_map(|segment| Some((segment, segment.routed.as_ref()?)))
    }

    /// Transitions taken, self-loops included (CYC-062).
    pub fn transitions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.visits().map(|(segment, routed)| (segment.node.as_str(), routed.to.as_str()))
    }
}
