//! A deterministic belief state of a packet: which facts the agent was shown, built from its own observations and calls only (BOG-080).
//!
//! It renders the blocks of every environment and `packet`, all facts as lines, for agents that debate and look nothing up. It answers
//! five read-only queries and never says what to conclude.

mod query;
pub mod words;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gimbal_core::tracker::EVIDENCE;
use gimbal_core::{Observation, Rejection, Stepped, ToolCall, ToolSpec, Tracker};
use gimbal_env_kit::{Belief, BeliefTracker, Logged, StepKind};
use gimbal_evidence::FactId;
use serde_json::Value;

use crate::action;
use crate::packet_index::PacketIndex;
use crate::tools::{FACT, id};

/// The block with the whole packet.
pub const PACKET: &str = "packet";
/// Names of the blocks.
pub const BLOCKS: [&str; 5] = ["observation", "history", "own_history", "status", PACKET];

/// Lines and characters of facts in the status at most.
const LINES: (usize, usize) = (200, 64_000);
/// Characters of a call that the log keeps.
const ACTION: usize = 300;

/// The tracker of one episode.
#[derive(Debug)]
pub struct PacketTracker {
    inner: BeliefTracker<PacketBelief>,
    index: Arc<PacketIndex>,
    /// Whether the whole packet was rendered: every fact was shown then.
    whole: AtomicBool,
}

impl PacketTracker {
    /// A tracker that knows of nothing yet.
    #[must_use]
    pub fn new(index: Arc<PacketIndex>, subjects: &[String]) -> Self {
        let belief = PacketBelief { index: Arc::clone(&index), subjects: subjects.to_vec(), ..PacketBelief::default() };
        Self { inner: BeliefTracker::new(belief), index, whole: AtomicBool::new(false) }
    }
}

impl Tracker for PacketTracker {
    fn begin(&mut self, first: &Observation) {
        self.whole.store(false, Ordering::Relaxed);
        self.inner.begin(first);
    }

    fn update(&mut self, step: Stepped<'_>) {
        self.inner.update(step);
    }

    fn blocks(&self) -> &[&'static str] {
        &BLOCKS
    }

    fn block(&self, name: &str) -> Option<String> {
        if name != PACKET {
            return self.inner.block(name);
        }
        self.whole.store(true, Ordering::Relaxed);
        let lines = self.index.lines();
        Some(if lines.is_empty() {
            words::EMPTY.to_owned()
        } else {
            format!("{}\n{}", words::PACKET, lines.join("\n"))
        })
    }

    fn queries(&self) -> &[ToolSpec] {
        self.inner.queries()
    }

    fn query(&self, call: &ToolCall) -> Result<String, Rejection> {
        if call.tool == EVIDENCE {
            return query::evidence(self.inner.belief(), self.whole.load(Ordering::Relaxed), call);
        }
        self.inner.query(call)
    }
}

/// What is known of the facts of one episode.
#[derive(Clone, Debug)]
pub struct PacketBelief {
    index: Arc<PacketIndex>,
    subjects: Vec<String>,
    /// Facts that were shown, the latest last.
    shown: Vec<FactId>,
    /// Facts that were looked at on their own.
    looked: BTreeSet<FactId>,
}

impl Default for PacketBelief {
    fn default() -> Self {
        let empty = gimbal_evidence::Draft::default().freeze();
        Self {
            index: Arc::new(PacketIndex::new(empty)),
            subjects: Vec::new(),
            shown: Vec::new(),
            looked: BTreeSet::new(),
        }
    }
}

impl PacketBelief {
    fn is_shown(&self, id: FactId) -> bool {
        self.shown.contains(&id)
    }

    /// Takes in the facts of an observation.
    fn observe(&mut self, observation: &Observation) -> Vec<FactId> {
        let data = observation.data.glance();
        let listed = data.get("facts").and_then(Value::as_array).into_iter().flatten();
        let facts: Vec<FactId> = listed.filter_map(|id| id.as_str()?.parse().ok()).collect();
        self.shown.retain(|id| !facts.contains(id));
        self.shown.extend(&facts);
        facts
    }
}

/// The queries that it answers.
pub(crate) fn queries() -> &'static [ToolSpec] {
    query::specs()
}

/// The ids with which lines begin: what a text showed.
pub(crate) fn ids_of_lines(text: &str) -> impl Iterator<Item = String> {
    let first = |line: &str| line.split([' ', ',']).next().map(str::to_owned);
    text.lines().filter_map(first).filter(|word| word.parse::<FactId>().is_ok())
}

impl Belief for PacketBelief {
    const OBSERVATION: &'static str = words::OBSERVATION;

    fn begin(&mut self, first: &Observation) {
        self.shown.clear();
        self.looked.clear();
        self.observe(first);
    }

    fn update<'a>(&mut self, step: Stepped<'a>) -> Logged<'a> {
        let Stepped { call, observation, .. } = step;
        let facts = self.observe(observation);
        if call.tool == FACT {
            self.looked.extend(facts);
        }
        let mut action = action::render(call);
        if let Some((end, _)) = action.char_indices().nth(ACTION) {
            action.truncate(end);
            action.push('…');
        }
        Logged { action: action.into(), kind: StepKind::Act, updates: Vec::new() }
    }

    fn status(&self, _now: u32) -> String {
        let mut out = String::from(words::STATUS);
        if self.shown.is_empty() {
            let _ = write!(out, " {}.", words::NO_FACTS);
            return out;
        }
        let all: BTreeSet<FactId> = self.shown.iter().copied().collect();
        let _ = write!(out, " {} ({}).", all.len(), ranges(&all));
        if !self.looked.is_empty() {
            let _ = write!(out, "\n{} {}.", words::LOOKED, ranges(&self.looked));
        }
        let mut characters = 0;
        let latest: BTreeSet<FactId> = self
            .shown
            .iter()
            .rev()
            .take(LINES.0)
            .take_while(|id| {
                characters += self.index.line(**id).map_or(0, str::len);
                characters <= LINES.1
            })
            .copied()
            .collect();
        let _ = write!(out, "\n{}", if latest.len() == all.len() { words::LINES } else { words::LATEST });
        for line in latest.iter().filter_map(|id| self.index.line(*id)) {
            let _ = write!(out, "\n{line}");
        }
        out
    }

    fn queries(&self) -> &[ToolSpec] {
        query::specs()
    }

    fn query(&self, _now: u32, call: &ToolCall) -> Result<String, Rejection> {
        query::answer(self, call)
    }

    fn shown_first(&self, first: &Observation) -> Option<String> {
        Some(first.text.clone())
    }
}

/// Ids in runs: `F001-F004, F009`.
fn ranges(ids: &BTreeSet<FactId>) -> String {
    let mut runs: Vec<(FactId, FactId)> = Vec::new();
    for id in ids {
        match runs.last_mut() {
            Some((_, last)) if last.index() + 1 == id.index() => *last = *id,
            _ => runs.push((*id, *id)),
        }
    }
    let shown = |(first, last): &(FactId, FactId)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    runs.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// The fact that a cited word is, where the packet has it.
fn cited(index: &PacketIndex, word: &str) -> Option<FactId> {
    id(word, index.packet())
}
