//! Named failure modes of cyclic control, each a stated rule that gives the segments where it shows (CYC-094, CYC-099).
//!
//! A call is *fruitless* when it is refused or leaves the state of the environment as it was. A call is *wasted* when it is
//! fruitless or leads back into a state that the episode had seen before. A *restricted* node has fewer tools than some
//! other node of its graph.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::Stop;
use serde::{Deserialize, Serialize};

use super::trajectory::{Act, Effect, Segment, Trajectory};

/// Segments in a row at one node that count as a streak.
pub const STREAK: usize = 3;
/// Longest cycle of nodes that is looked for.
pub const LONGEST: usize = 4;
/// Fewest calls of a segment that can drift.
pub const DRIFT_CALLS: usize = 4;
/// Fewest revisits in a row without progress that are thrashing.
pub const THRASHING: usize = 2;

/// A named failure mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signal {
    /// One node again and again.
    SelfLoops,
    /// Two nodes by turns.
    Oscillation,
    /// Three or four nodes in a circle.
    Cycle,
    /// Going back without getting on.
    Thrashing,
    /// A node whose tools cannot get on.
    DeadEnd,
    /// An executor that undoes its own work, or repeats what changes nothing.
    Drift,
    /// The last act before its time.
    PrematureAct,
    /// A choice that names no node.
    Hallucination,
    /// A criterion that led astray.
    BrittleCriterion,
    /// Two different choices in one and the same state.
    Contradiction,
    /// The router itself mentions a loop.
    LoopNoted,
}

impl Signal {
    /// All, in the order of tables.
    pub const ALL: [Self; 11] = [
        Self::SelfLoops,
        Self::Oscillation,
        Self::Cycle,
        Self::Thrashing,
        Self::DeadEnd,
        Self::Drift,
        Self::PrematureAct,
        Self::Hallucination,
        Self::BrittleCriterion,
        Self::Contradiction,
        Self::LoopNoted,
    ];

    /// Machine name.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::SelfLoops => "self-loops",
            Self::Oscillation => "oscillation",
            Self::Cycle => "cycle",
            Self::Thrashing => "thrashing",
            Self::DeadEnd => "dead-end",
            Self::Drift => "drift",
            Self::PrematureAct => "premature-act",
            Self::Hallucination => "routing-hallucination",
            Self::BrittleCriterion => "brittle-criterion",
            Self::Contradiction => "contradiction",
            Self::LoopNoted => "loop-noted",
        }
    }

    /// The rule in words.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Self::SelfLoops => "three or more segments in a row at one node",
            Self::Oscillation => "two nodes by turns, twice or more each (A-B-A-B)",
            Self::Cycle => "three or four nodes in the same order, twice or more through",
            Self::Thrashing => {
                "two or more segments in a row, each at a node visited before, each ending without a state of the environment that was not seen before"
            }
            Self::DeadEnd => {
                "a segment with calls at a node with fewer tools than others, no call of which changed the environment; or two in a row there that repeat a call that changed nothing"
            }
            Self::Drift => {
                "a segment of four calls or more, most of which changed nothing or led back into a state seen before"
            }
            Self::PrematureAct => {
                "a call that ends the task when its time has come (it ended a won episode of the task, or holds all words of the goal), made without effect; or an answer given before what it needs was retrieved or against the gate"
            }
            Self::Hallucination => "the router named no node that there is, also after one repair",
            Self::BrittleCriterion => {
                "a move to another node, no call of which changed the environment, and back by the router's own choice"
            }
            Self::Contradiction => "at one node and in one state of the environment the router chose differently",
            Self::LoopNoted => "the router's memory mentions a loop",
        }
    }
}

/// Where a failure mode shows: segments by number, first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// What.
    pub signal: Signal,
    /// First segment.
    pub first: u32,
    /// Last segment.
    pub last: u32,
}

/// Calls that end a task when their time has come, by environment and task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastActs(BTreeMap<(String, String), BTreeSet<String>>);

impl LastActs {
    /// Learns from an episode: of a won one its last accepted call.
    pub fn learn(&mut self, trajectory: &Trajectory) {
        if !trajectory.won {
            return;
        }
        let mut acts = trajectory.segments.iter().flat_map(|segment| &segment.acts);
        if let Some(last) = acts.rfind(|act| act.effect != Effect::Rejected) {
            let place = (trajectory.environment.clone(), trajectory.task.clone());
            self.0.entry(place).or_default().insert(last.key());
        }
    }

    /// Those of a task, if any episode of it was won.
    #[must_use]
    pub fn at(&self, environment: &str, task: &str) -> Option<&BTreeSet<String>> {
        self.0.get(&(environment.to_owned(), task.to_owned()))
    }
}

/// Every finding in an episode, in the order of [`Signal::ALL`] and of segments.
#[must_use]
pub fn findings(trajectory: &Trajectory, last_acts: &LastActs) -> Vec<Finding> {
    let mut found = Vec::new();
    cycles(&trajectory.segments, &mut found);
    thrashing(&trajectory.segments, &mut found);
    dead_ends(trajectory, &mut found);
    drift(&trajectory.segments, &mut found);
    premature(trajectory, last_acts.at(&trajectory.environment, &trajectory.task), &mut found);
    decisions(&trajectory.segments, &mut found);
    found.sort_unstable();
    found.dedup();
    found
}

fn push(found: &mut Vec<Finding>, signal: Signal, segments: &[Segment], first: usize, last: usize) {
    if let (Some(first), Some(last)) = (segments.get(first), segments.get(last)) {
        found.push(Finding { signal, first: first.index, last: last.index });
    }
}

/// Longest stretches that repeat a pattern of one to four nodes.
fn cycles(segments: &[Segment], found: &mut Vec<Finding>) {
    let node = |place: usize| segments[place].node.as_str();
    for period in 1..=LONGEST {
        let (signal, fewest) = match period {
            1 => (Signal::SelfLoops, STREAK),
            2 => (Signal::Oscillation, 4),
            more => (Signal::Cycle, 2 * more),
        };
        let mut start = 0;
        while start + fewest <= segments.len() {
            let mut end = start + period;
            while end < segments.len() && node(end) == node(end - period) {
                end += 1;
            }
            // A pattern of several nodes must be of different ones: A-A-A-A is not an oscillation.
            let pattern: BTreeSet<&str> = (start..start + period).map(node).collect();
            if end - start >= fewest && pattern.len() == period {
                push(found, signal, segments, start, end - 1);
                start = end - period + 1;
            } else {
                start += 1;
            }
        }
    }
}

fn progressed(segment: &Segment) -> bool {
    segment.acts.iter().any(|act| act.effect == Effect::New)
}

fn thrashing(segments: &[Segment], found: &mut Vec<Finding>) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut begun: Option<usize> = None;
    for (place, segment) in segments.iter().enumerate() {
        let idle = !seen.insert(&segment.node) && !progressed(segment);
        if idle {
            begun.get_or_insert(place);
        }
        let over = !idle || place + 1 == segments.len();
        if let (true, Some(first)) = (over, begun) {
            let last = if idle { place } else { place - 1 };
            if last + 1 - first >= THRASHING {
                push(found, Signal::Thrashing, segments, first, last);
            }
            begun = None;
        }
    }
}

fn dead_ends(trajectory: &Trajectory, found: &mut Vec<Finding>) {
    let Some(graph) = trajectory.graph() else { return };
    let segments = &trajectory.segments;
    let fruitless = |segment: &Segment| -> BTreeSet<String> {
        segment.acts.iter().filter(|act| act.effect.is_fruitless()).map(Act::key).collect()
    };
    for (place, segment) in segments.iter().enumerate().filter(|(_, segment)| graph.is_restricted(&segment.node)) {
        let stuck = !segment.acts.is_empty() && segment.acts.iter().all(|act| act.effect.is_fruitless());
        let before = place.checked_sub(1).map(|place| &segments[place]).filter(|before| before.node == segment.node);
        let again = before.is_some_and(|before| !fruitless(before).is_disjoint(&fruitless(segment)));
        if stuck || again {
            push(found, Signal::DeadEnd, segments, if again { place - 1 } else { place }, place);
        }
    }
    merge(found, Signal::DeadEnd);
}

/// Joins findings of one kind that overlap or touch.
fn merge(found: &mut Vec<Finding>, signal: Signal) {
    let mut own: Vec<Finding> = found.iter().copied().filter(|finding| finding.signal == signal).collect();
    found.retain(|finding| finding.signal != signal);
    own.sort_unstable();
    let mut joined: Vec<Finding> = Vec::new();
    for finding in own {
        match joined.last_mut().filter(|last| finding.first <= last.last) {
            Some(last) => last.last = last.last.max(finding.last),
            None => joined.push(finding),
        }
    }
    found.extend(joined);
}

fn drift(segments: &[Segment], found: &mut Vec<Finding>) {
    for (place, segment) in segments.iter().enumerate() {
        let wasted = segment.acts.iter().filter(|act| act.effect != Effect::New).count();
        if segment.acts.len() >= DRIFT_CALLS && 2 * wasted > segment.acts.len() {
            push(found, Signal::Drift, segments, place, place);
        }
    }
}

fn premature(trajectory: &Trajectory, known: Option<&BTreeSet<String>>, found: &mut Vec<Finding>) {
    // A search repeats the words of a question, and ends nothing.
    let goal = trajectory.goal.as_deref().filter(|_| !trajectory.is_question);
    let goal: Vec<String> = goal.map(words).unwrap_or_default();
    for (place, segment) in trajectory.segments.iter().enumerate() {
        let early = segment
            .acts
            .iter()
            .filter(|act| act.effect.is_fruitless())
            .any(|act| known.is_some_and(|known| known.contains(&act.key())) || names_goal(&goal, &act.arguments));
        if early {
            push(found, Signal::PrematureAct, &trajectory.segments, place, place);
        }
    }
    let unread = trajectory.evidence.as_ref().is_some_and(|evidence| {
        // Where nobody knows the document, nobody can say that it was not read.
        let missed = !evidence.bottleneck.retrieved && !evidence.unlocated;
        !evidence.judged.passed && missed && trajectory.stop == Stop::Answered
    });
    let ungated =
        trajectory.stop == Stop::Answered && trajectory.gates.last().is_some_and(super::trajectory::Gate::overruled);
    if let (true, Some(last)) = (unread || ungated, trajectory.segments.len().checked_sub(1)) {
        push(found, Signal::PrematureAct, &trajectory.segments, last, last);
    }
}

/// The words of a text, in small letters; `_` parts them as a blank does.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Whether a text holds all words of a goal (two at least) in their order, others between them: "craft polished granite"
/// in "craft 4 polished granite using 4 granite".
fn names_goal(goal: &[String], text: &str) -> bool {
    let text = words(text);
    let mut rest = text.iter();
    goal.len() >= 2 && goal.iter().all(|word| rest.any(|other| other == word))
}

fn decisions(segments: &[Segment], found: &mut Vec<Finding>) {
    // The state of the environment, as a number that is the same in the same state: new states are counted on, a way back is to
    // a state that is not known here, so that only stretches without any change are compared.
    let mut stand = 0_u32;
    let mut choices: BTreeMap<(u32, &str), &str> = BTreeMap::new();
    for (place, segment) in segments.iter().enumerate() {
        stand += segment.acts.iter().filter(|act| !act.effect.is_fruitless()).count() as u32;
        if segment.loops_noted > 0 {
            push(found, Signal::LoopNoted, segments, place, place);
        }
        let Some(routed) = &segment.routed else { continue };
        if !routed.valid {
            push(found, Signal::Hallucination, segments, place, place);
            continue;
        }
        let earlier = choices.insert((stand, segment.node.as_str()), routed.wanted.as_str());
        if earlier.is_some_and(|earlier| earlier != routed.wanted) {
            push(found, Signal::Contradiction, segments, place, place);
        }
        let Some(next) = segments.get(place + 1) else { continue };
        let idle = next.acts.iter().all(|act| act.effect.is_fruitless());
        let back = next.routed.as_ref().is_some_and(|next| !next.faulted && next.valid && next.to == segment.node);
        if !routed.faulted && next.node != segment.node && idle && back {
            push(found, Signal::BrittleCriterion, segments, place, place + 1);
        }
    }
}
