//! A deterministic belief state of the network, built from the agent's own observations and calls only.
//!
//! It holds for every node a baseline (its entry in the first observation), a status and a record of what was done to it;
//! and a log of the episode. It renders three blocks for prompts and answers two read-only queries. It never says what to
//! do: its own words are those of [`words`] (BOG-080 to BOG-090, BOG-100 to BOG-106).
//!
//! | what happens | status of the node |
//! |---|---|
//! | `RestoreNode`, `MakeNodeSafe` | baseline: both always clear it |
//! | other actions on it | as it was; what they make of the node becomes part of its baseline |
//! | an observation shows it compromised, or as a source of a detected attack | changed |
//! | an attack on it is detected and it does not show as compromised | unknown, unless changed |
//! | `Scan` in step n, and it was unknown or analysed | analysed at step n |
//! | it was shown compromised, and an observation shows that it is not | baseline |
//!
//! In the environment the attacks of a step come first, then the action, and the observation shows the nodes as they are then. So an
//! attack from or on a node that was cleared in the same step says nothing of it any more, and a scan looks after the attacks. The status never holds what blue does not see: whether an attack held
//! that nobody noticed, or where the attacker is.

mod node;
mod query;
pub mod words;

pub use gimbal_env_kit::{JUSTIFICATION_LIMIT, Status};

use gimbal_core::{Observation, Rejection, Stepped, ToolCall, ToolSpec};
use gimbal_env_kit::{Belief, BeliefTracker, Logged, StepKind, json};
use serde_json::{Map, Value};

use self::node::Node;
use crate::action::{DO_NOTHING, EDGE, NODE, SCAN, tool};
use crate::rules::Kind;

/// The tracker of one episode.
pub type NodeTracker = BeliefTracker<NodeBelief>;

/// What is known of the nodes of one episode.
///
/// # Examples
/// ```
/// use gimbal_core::{Observation, Stepped, ToolCall, Tracker};
/// use gimbal_yawning_titan::tracker::NodeTracker;
/// use serde_json::json;
///
/// let mut tracker = NodeTracker::default();
/// let first = json!({ "nodes": { "node_0": { "compromised": false }, "node_1": { "compromised": false } } });
/// tracker.begin(&Observation { text: first.to_string(), data: first.into() });
/// let seen = json!({ "attacked_nodes": ["node_1"], "nodes": { "node_1": { "compromised": true } } });
/// let observation = Observation { text: seen.to_string(), data: seen.into() };
/// let call = ToolCall::bare("DoNothing");
/// tracker.update(Stepped { step: 1, call: &call, observation: &observation, justification: None });
/// assert!(tracker.block("status").is_some_and(|text| text.contains(r#""node_name":"node_1","current_status":"changed""#)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct NodeBelief {
    /// In the order of the first observation; later ones behind.
    nodes: Vec<Node>,
}

impl NodeBelief {
    /// Names of the nodes with their status.
    pub fn statuses(&self) -> impl Iterator<Item = (&str, Status)> {
        self.nodes.iter().map(|node| (node.name.as_str(), node.status))
    }

    fn node(&mut self, name: &str) -> &mut Node {
        let known = self.nodes.iter().position(|node| node.name == name);
        let at = known.unwrap_or_else(|| {
            self.nodes.push(Node::new(name, Map::new()));
            self.nodes.len() - 1
        });
        &mut self.nodes[at]
    }

    /// Compares what an observation says about each node; gives the nodes with news.
    /// A node that was `cleared` in this step is no longer what the attacks of the step made of it: those come first.
    fn observe(&mut self, step: u32, observation: &Value, cleared: Option<&str>) -> Vec<(String, &'static str)> {
        let mut updates: Vec<(String, Status)> = Vec::new();
        let mut note = |name: &str, news: Option<Status>| {
            if let Some(status) = news {
                updates.retain(|(known, _)| known != name);
                updates.push((name.to_owned(), status));
            }
        };
        let entries = observation.get("nodes").and_then(Value::as_object).into_iter().flatten();
        for (name, entry) in entries.filter_map(|(name, entry)| Some((name, entry.as_object()?))) {
            if !self.nodes.iter().any(|node| node.name == *name) {
                // A decoy that was just placed: what it shows first is its baseline.
                self.nodes.push(Node::new(name, unharmed(entry)));
            }
            note(name, self.node(name).observe(step, entry));
        }
        let standing = |name: &&str| Some(*name) != cleared;
        for name in names(observation, "attacking_nodes").filter(standing) {
            note(name, self.node(name).change(step, None));
        }
        for name in names(observation, "attacked_nodes").filter(standing) {
            note(name, self.node(name).attacked());
        }
        updates
            .into_iter()
            .map(|(name, status)| {
                let word = match status {
                    Status::Baseline => words::BASELINE,
                    Status::Unknown => words::UNKNOWN,
                    Status::Changed | Status::Analysed(_) => words::CHANGED,
                };
                (name, word)
            })
            .collect()
    }
}

/// An entry without the mark of an intrusion, which no baseline holds.
fn unharmed(entry: &Map<String, Value>) -> Map<String, Value> {
    let mut baseline = entry.clone();
    if let Some(mark) = baseline.get_mut("compromised") {
        *mark = Value::Bool(false);
    }
    baseline
}

fn names<'a>(observation: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    observation.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The queries that it answers.
pub(crate) fn queries() -> &'static [ToolSpec] {
    query::specs()
}

impl Belief for NodeBelief {
    fn begin(&mut self, first: &Observation) {
        let observation = first.data.glance();
        let entries = observation.get("nodes").and_then(Value::as_object).into_iter().flatten();
        self.nodes = entries.filter_map(|(name, entry)| Some(Node::new(name, entry.as_object()?.clone()))).collect();
    }

    fn update<'a>(&mut self, step: Stepped<'a>) -> Logged<'a> {
        let Stepped { step, call, observation, .. } = step;
        let target = call.string(NODE);
        let clears = call.tool == tool(Kind::Restore) || call.tool == tool(Kind::MakeSafe);
        if let Some(node) = target.and_then(|name| self.nodes.iter_mut().find(|node| node.name == name)) {
            node.applied.add(&call.tool);
            if clears {
                node.cleared();
            }
        }
        let updates = self.observe(step, &observation.data.glance(), target.filter(|_| clears));
        if call.tool == SCAN {
            self.nodes.iter_mut().for_each(|node| node.scanned(step));
        }
        if matches!(call.tool.as_str(), DO_NOTHING | SCAN) {
            return Logged { action: call.tool.as_str().into(), kind: StepKind::Idle, updates };
        }
        // As the agent writes it: one form of a command, in the prompt's explanation and in the past.
        let node = target.map(|node| format!("{} {NODE}={node}", call.tool));
        let target = node.or_else(|| Some(format!("{} {EDGE}={}", call.tool, call.string(EDGE)?)));
        let action = target.map_or_else(|| call.tool.as_str().into(), Into::into);
        Logged { action, kind: StepKind::Act, updates }
    }

    fn status(&self, now: u32) -> String {
        let mut out = String::new();
        let nodes = self.nodes.iter().filter(|node| node.status != Status::Baseline);
        let any = json::objects(&mut out, words::STATUS, nodes, |out, node| {
            json::member(out, words::NODE_NAME, &node.name);
            json::member(out, words::CURRENT_STATUS, &node.status.text());
            node.applied.write(out, node.appeared == Some(now));
        });
        if any { out } else { words::ALL_BASELINE.to_owned() }
    }

    fn queries(&self) -> &[ToolSpec] {
        query::specs()
    }

    fn query(&self, now: u32, call: &ToolCall) -> Result<String, Rejection> {
        query::answer(&self.nodes, now, call)
    }
}
