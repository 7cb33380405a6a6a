//! What a controller carries from segment to segment (CYC-007), and the work of one segment.

use gimbal_agent::contract::{bounded, spaced};
use gimbal_agent::prompt::Question;
use gimbal_agent::{Agent, Company, Ended, Segment};
use gimbal_core::{Halt, LaneId, Stage, Stop, ToolCall};
use serde_json::{Value, json};

use super::Memory;
use crate::gate::{Gate, Gated, Watch};
use crate::graph::{Node, TaskGraph};

/// How many of a segment's calls its summary shows, the latest ones (CYC-008).
const SHOWN: usize = 12;
/// Longest observation in a summary, in characters.
const SEEN: usize = 600;

/// The state S_m = (k, i, H, M) of a controller (CYC-007).
pub(crate) struct Run {
    pub graph: TaskGraph,
    /// Tool calls so far: k (CYC-005).
    pub calls: u32,
    /// Segments without a tool call: they count against the budget, so that a controller always ends.
    pub empty: u32,
    /// Place of the present subtask: i.
    pub node: usize,
    /// Number of the present segment: m.
    pub index: u32,
    /// What the last segment came to: H (CYC-008).
    pub summary: Value,
    /// M (CYC-009).
    pub memory: Memory,
    /// Most tool calls of the episode: C_g (CYC-050).
    pub most: u32,
    /// What the gate before final answers remembers.
    pub watch: Watch,
}

/// Who works, and how.
pub(crate) struct Workers {
    pub executor: Agent,
    /// Context blocks of the executor.
    pub context: Vec<String>,
    /// Whether an executor has the tools of its subtask only (CYC-027).
    pub specialist: bool,
    /// Most tool calls of a segment: C_l (CYC-006).
    pub local: u32,
    /// What stands before a final answer (CYC-095).
    pub gate: Option<Gate>,
}

impl Run {
    pub(crate) fn of(graph: TaskGraph, most: u32, goal: &str) -> Self {
        let node = graph.place(&graph.entry).unwrap_or(0);
        let memory = Memory { objective: bounded(goal, 300), ..Memory::default() };
        Self { graph, calls: 0, empty: 0, node, index: 0, summary: Value::Null, memory, most, watch: Watch::default() }
    }

    /// The present subtask. The place is always one of the graph's.
    pub(crate) fn node(&self) -> &Node {
        &self.graph.nodes[self.node]
    }

    /// Tool calls that are left.
    pub(crate) const fn left(&self) -> u32 {
        self.most.saturating_sub(self.calls + self.empty)
    }
}

/// Watches over an executor; a competent one does what belongs to its subtask and nothing else.
struct Floor<'a>(&'a Node);

impl Company for Floor<'_> {
    fn hands_back(&self, expert: &ToolCall) -> bool {
        !self.0.has(&expert.tool)
    }
}

impl Workers {
    /// One segment: the executor of the present subtask works within both budgets. Ends the episode where that is over.
    pub(crate) async fn segment(&self, stage: &dyn Stage, run: &mut Run) -> Result<Segment, Halt> {
        let lane = LaneId::TRUNK;
        if run.left() == 0 {
            return Err(spent());
        }
        let blocks = stage.context(lane, &self.context).await?;
        let node = run.node();
        let message = json!({
            "subtask": node.name, "what": node.goal, "memory": run.memory.message(),
            "calls_left": run.left().min(self.local),
        });
        let message = spaced(&message);
        let seat = self.executor.seat(stage).await?;
        let seat = if self.specialist && !node.tools.is_empty() { seat.only(&node.tools) } else { seat };
        let question = Question { target: &node.name, message: &message };
        let limit = run.left().min(self.local);
        let floor = Floor(node);
        let company = Gated { company: &floor, gate: self.gate.as_ref().map(|gate| (gate, &run.watch)) };
        let segment = seat.segment(stage, lane, &blocks, Some(question), (&company, limit)).await?;
        let ended = match &segment.ended {
            Ended::Finished(_) => "done",
            Ended::Calls => "local_budget",
            Ended::Over(_) => "over",
        };
        let data = json!({ "index": run.index, "node": node.name, "calls": segment.calls(), "ended": ended });
        stage.note(lane, "segment", data).await;
        run.calls += segment.calls();
        run.empty += u32::from(segment.taken.is_empty());
        run.summary = summary(&segment);
        match &segment.ended {
            Ended::Over(halt) => Err(halt.clone()),
            _ if run.left() == 0 => Err(spent()),
            _ => Ok(segment),
        }
    }
}

/// The controller's own budget is part of how it works: an episode that uses it up is lost, and not cut short (CYC-012).
pub(crate) fn spent() -> Halt {
    Halt { stop: Stop::Horizon, detail: Some("the controller's budget of tool calls is used up".to_owned()) }
}

/// What a segment came to, for the analyzer: its latest calls and how it ended (CYC-008).
fn summary(segment: &Segment) -> Value {
    let skipped = segment.taken.len().saturating_sub(SHOWN);
    let calls: Vec<Value> = segment.taken[skipped..]
        .iter()
        .map(|taken| json!({ "call": bounded(&taken.call, SEEN), "result": bounded(&taken.observation, SEEN) }))
        .collect();
    let ended = match &segment.ended {
        Ended::Finished(said) => format!("given back: {}", bounded(said, SEEN)),
        Ended::Calls | Ended::Over(_) => "its calls were used up".to_owned(),
    };
    json!({ "earlier_calls": skipped, "calls": calls, "ended": ended })
}
