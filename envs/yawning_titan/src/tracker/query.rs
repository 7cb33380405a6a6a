//! The read-only queries about one node (BOG-063, BOG-064).

use std::sync::LazyLock;

use gimbal_core::{Rejection, ToolCall, ToolSpec, canonical};
use gimbal_env_kit::query::{self, Nouns, SUBJECT_BASELINE, SUBJECT_STATE};
use gimbal_env_kit::{Status, json};
use serde_json::Value;

use super::node::Node;
use super::words;

const NOUNS: Nouns = Nouns { one: "node", many: "nodes", argument: "the name of one node" };

static SPECS: LazyLock<[ToolSpec; 2]> = LazyLock::new(|| {
    query::of_subjects(
        "Name of one node.",
        "Tells what is currently known of the state of one node.",
        "Tells the baseline of one node, with what was done to it on purpose.",
    )
});

/// The queries there are.
pub(super) fn specs() -> &'static [ToolSpec] {
    &*SPECS
}

/// Answers a query with JSON text; `now` is the number of steps taken.
pub(super) fn answer(nodes: &[Node], now: u32, call: &ToolCall) -> Result<String, Rejection> {
    let find = || query::subject(call, NOUNS, nodes, |node| node.name.as_str());
    match call.tool.as_str() {
        SUBJECT_STATE => Ok(state(find()?, now)),
        SUBJECT_BASELINE => Ok(baseline(find()?)),
        _ => Err(query::unknown(call, specs())),
    }
}

/// In this order: what the latest observation shows, what was last seen, the baseline, with a remark where an attack
/// leaves the state open.
fn state(node: &Node, now: u32) -> String {
    let mut out = opened(node);
    json::member(&mut out, words::CURRENT_STATUS, &node.status.text());
    let shown = match &node.seen {
        Some((step, seen)) => {
            let current = node.appeared == Some(now);
            let (source, step) = if current { (words::FROM_OBSERVATION, now) } else { (words::FROM_RECORD, *step) };
            json::member(&mut out, words::SOURCE, source);
            json::key(&mut out, words::AT_STEP);
            out.push_str(&step.to_string());
            let mut whole = node.baseline.clone();
            whole.extend(seen.iter().map(|(key, value)| (key.clone(), value.clone())));
            whole
        }
        None => {
            json::member(&mut out, words::SOURCE, words::BASELINE);
            let notice = match node.status {
                Status::Unknown | Status::Changed => words::ATTACKED,
                Status::Baseline | Status::Analysed(_) => words::NO_EVIDENCE,
            };
            json::member(&mut out, words::NOTICE, notice);
            node.baseline.clone()
        }
    };
    json::key(&mut out, words::STATE);
    out.push_str(&canonical::text(&Value::Object(shown)));
    out.push('}');
    out
}

fn baseline(node: &Node) -> String {
    let mut out = opened(node);
    json::key(&mut out, words::BASELINE_STATE);
    out.push_str(&canonical::text(&Value::Object(node.baseline.clone())));
    out.push('}');
    out
}

fn opened(node: &Node) -> String {
    let mut out = "{".to_owned();
    json::member(&mut out, words::NODE_NAME, &node.name);
    out
}
