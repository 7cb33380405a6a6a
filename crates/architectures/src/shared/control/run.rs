//! What a controller carries from segment to segment (CYC-007), and the work of one segment.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use gimbal_agent::prompt::Question;
use gimbal_agent::{Agent, Peers, Segment};
use gimbal_core::{Block, EpisodeStopped, LaneId, Stage, Stop, ToolCall, View};
use gimbal_messages::records::control::{SegmentEnded, SegmentStop};
use gimbal_messages::records::memory::Memory;
use gimbal_messages::{StageExt, bounded, spaced};
use serde_json::{Value, json};

use super::options::Summary;
use crate::shared::gate::{Gate, GateState, Gated};
use crate::shared::graph::machine::Facts;
use crate::shared::graph::{Index, Node, TaskGraph};
use crate::shared::seen_blocks;

/// The state S_m = (k, i, H, M) of a controller (CYC-007).
pub(crate) struct Run {
    pub graph: Arc<TaskGraph>,
    /// Its ways by the subtask that they leave (CYC-069).
    pub ways: Arc<Index>,
    /// Tool calls so far: k (CYC-005).
    pub calls: u32,
    /// Segments without a tool call: there may be as many of them as tool calls, so that a controller always ends.
    pub empty: u32,
    /// The latest segments without one, in a row.
    pub empty_in_a_row: u32,
    /// Place of the present subtask: i.
    pub node: usize,
    /// Number of the present segment: m.
    pub index: u32,
    /// What the last segment came to: H (CYC-008).
    pub summary: Value,
    /// What could be seen when it ended (CYC-093).
    pub facts: Facts,
    /// Segments of each subtask.
    visits: Vec<u32>,
    /// Place of the subtask before the present one.
    pub before: Option<usize>,
    /// Where control went last from each subtask.
    pub followed: BTreeMap<usize, usize>,
    /// Subtasks that were decided ahead, the next one first (CYC-097).
    pub ahead: VecDeque<usize>,
    /// Segments since the router was asked last, and their subtasks.
    pub unseen: Vec<Value>,
    /// M (CYC-009).
    pub memory: Memory,
    /// Most tool calls of the episode: C_g (CYC-050).
    pub most: u32,
    /// What was seen before the first call, as every executor and router is shown it.
    pub first: Option<Block>,
    /// What the gate before final answers remembers.
    pub gate_state: GateState,
}

/// Who works, and how.
pub(crate) struct Workers {
    pub executor: Agent,
    /// Context blocks of the executor.
    pub context: Vec<String>,
    /// Whether an executor has the tools of its subtask only (CYC-027).
    pub specialist: bool,
    /// Most tool calls of a segment, C_l (CYC-006); the environment's own bound where none is named (CYC-051).
    pub local: Option<u32>,
    /// How much of a segment its analyzer is shown (CYC-008).
    pub summary: Summary,
    /// What comes before a final answer (CYC-095).
    pub gate: Option<Gate>,
}

/// C_l where neither the study nor the environment says.
pub(super) const LOCAL: u32 = 5;

impl Run {
    pub(crate) fn of(graph: Arc<TaskGraph>, most: u32, view: &View) -> Self {
        let ways = Arc::new(Index::of(&graph));
        let visits = vec![0; graph.nodes.len()];
        let facts = Facts { ended: SegmentStop::Done, tool: None, refused: false, visit: 0, after: None };
        let node = graph.place(&graph.entry).unwrap_or(0);
        let memory = Memory { objective: objective(&view.brief.goal), ..Memory::default() };
        Self {
            graph,
            ways,
            calls: 0,
            empty: 0,
            empty_in_a_row: 0,
            node,
            index: 0,
            summary: Value::Null,
            facts,
            visits,
            before: None,
            followed: BTreeMap::new(),
            ahead: VecDeque::new(),
            unseen: Vec::new(),
            memory,
            most,
            first: seen_blocks::observation(view),
            gate_state: GateState::default(),
        }
    }

    /// The present subtask. The place is always one of the graph's.
    pub(crate) fn node(&self) -> &Node {
        &self.graph.nodes[self.node]
    }

    /// Keeps the last segment for the next router: control goes on without one. What its executor said is kept in the
    /// memory, so that the next one learns of it.
    pub(crate) fn pass_over(&mut self, most: usize) {
        self.unseen.push(json!({ "subtask": self.node().name, "segment": self.summary }));
        self.unseen.drain(..self.unseen.len().saturating_sub(most));
        let said = self.summary["ended"].as_str().unwrap_or_default();
        self.memory = self.memory.attempted(&format!("{}: {said}", self.node().name));
    }

    /// What a segment came to, in what can be told of it without reading.
    fn seen(&mut self, segment: &Segment) {
        let visit = self.visits.get_mut(self.node).map_or(1, |count| {
            *count += 1;
            *count
        });
        let last = segment.taken.iter().rev().find(|taken| taken.tool.is_some());
        self.facts = Facts {
            ended: segment.stop,
            tool: last.and_then(|taken| taken.tool.clone()),
            refused: last.is_some_and(|taken| !taken.accepted),
            visit,
            after: self.before.and_then(|place| self.ways.names.get(place).cloned()),
        };
    }

    /// Whether no executor has made a call in the latest segments, so many that every subtask could have been worked on twice.
    fn is_idle(&self) -> bool {
        self.empty_in_a_row as usize >= IDLE * self.graph.nodes.len().max(1)
    }

    /// Tool calls that are left; none if so many segments made no call that the controller ends.
    pub(crate) const fn left(&self) -> u32 {
        if self.empty >= self.most { 0 } else { self.most.saturating_sub(self.calls) }
    }
}

/// Segments in a row for each subtask after which a controller ends where no executor made a call in any of them.
const IDLE: usize = 2;

/// Longest objective, in characters.
const OBJECTIVE: usize = 300;

/// What the memory begins with: the task, or its last line where it is long (recipes stand before what is wanted).
fn objective(goal: &str) -> String {
    let whole = goal.trim();
    match whole.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(last) if whole.chars().count() > OBJECTIVE => bounded(last, OBJECTIVE),
        _ => whole.to_owned(),
    }
}

/// Watches over an executor; an expert does what belongs to its subtask and nothing else.
struct Floor<'a>(&'a Node);

impl Peers for Floor<'_> {
    fn hands_back(&self, expert: &ToolCall) -> bool {
        !self.0.has(&expert.tool)
    }
}

impl Workers {
    /// One segment: the executor of the present subtask works within both budgets. Ends the episode where that is over.
    pub(crate) async fn segment(&self, stage: &dyn Stage, run: &mut Run) -> Result<Segment, EpisodeStopped> {
        let lane = LaneId::MAIN;
        if run.left() == 0 {
            return Err(nothing_left(run));
        }
        let local = self.local.or(stage.brief().segment_calls).unwrap_or(LOCAL);
        let mut blocks: Vec<Block> = run.first.iter().cloned().collect();
        let context = seen_blocks::beside(&stage.view().await, run.first.as_ref(), &self.context);
        blocks.extend(stage.context(lane, &context).await?);
        let node = run.node();
        let only = (self.specialist && !node.tools.is_empty()).then_some(node.tools.as_slice());
        let limit = run.left().min(local);
        let message = spaced(&assigned(run, only, limit));
        let session = self.executor.session_with(stage, only).await?;
        let question = Question { target: &node.name, message: &message };
        let floor = Floor(node);
        let gate = self.gate.as_ref().map(|gate| (gate, &run.gate_state));
        let peers = Gated { peers: &floor, gate, spare: Some(run.left()) };
        let segment = session.segment(stage, lane, &blocks, Some(question), (&peers, limit)).await?;
        let (index, node, calls, ended) = (run.index, node.name.clone(), segment.calls(), segment.stop);
        stage.record(lane, &SegmentEnded { index, node, calls, ended }).await;
        run.calls += segment.calls();
        run.empty += u32::from(segment.taken.is_empty());
        run.empty_in_a_row = if segment.taken.is_empty() { run.empty_in_a_row + 1 } else { 0 };
        run.summary = summary(&segment, self.summary);
        run.seen(&segment);
        match &segment.over {
            Some(stopped) => Err(stopped.clone()),
            None if run.is_idle() => Err(idle(run.empty_in_a_row)),
            None if run.left() == 0 => Err(nothing_left(run)),
            None => Ok(segment),
        }
    }
}

/// What the executor of the present subtask is told, with the tools that it has where not all.
pub(super) fn assigned(run: &Run, only: Option<&[String]>, limit: u32) -> Value {
    let node = run.node();
    let mut subtask = json!({ "name": node.name, "goal": node.goal });
    if let Some(tools) = only {
        subtask["tools"] = tools.into();
    }
    json!({ "subtask": subtask, "memory": run.memory.known(), "calls_left": limit })
}

/// The controller's own budget is part of how it works: an episode that uses it up is lost, and not cut short (CYC-012).
pub(crate) fn spent() -> EpisodeStopped {
    EpisodeStopped::because(Stop::Horizon, "the controller's budget of tool calls is used up")
}

/// Nothing is left: of the budget of calls, or of the segments without one.
fn nothing_left(run: &Run) -> EpisodeStopped {
    match run.calls < run.most {
        true => EpisodeStopped::because(
            Stop::Horizon,
            "as many segments made no call as the controller's budget has tool calls",
        ),
        false => spent(),
    }
}

/// Nothing is done any more: every executor gave control back without a call.
fn idle(segments: u32) -> EpisodeStopped {
    EpisodeStopped::because(Stop::Finished, format!("no executor made a call in {segments} segments in a row"))
}

/// How a segment ended, where the agent gave control back.
pub const ENDED_IT: &str = "the agent ended it";
/// How a segment ended, where nothing was left to act with.
pub const CALLS_USED: &str = "all actions that the agent had were used";

/// What a segment came to, for the analyzer: its latest calls and how it ended (CYC-008).
pub(super) fn summary(segment: &Segment, Summary { calls, characters, .. }: Summary) -> Value {
    let skipped = segment.taken.len().saturating_sub(calls);
    let calls: Vec<Value> = segment.taken[skipped..]
        .iter()
        .map(|taken| json!({ "call": bounded(&taken.call, characters), "result": bounded(&taken.observation, characters) }))
        .collect();
    let ended = match &segment.result {
        Some(result) => format!("{ENDED_IT} and said: {}", bounded(result, characters)),
        None => CALLS_USED.to_owned(),
    };
    json!({ "earlier_calls": skipped, "calls": calls, "ended": ended })
}
