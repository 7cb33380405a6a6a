//! The read-only queries about one node (BOG-063, BOG-064).

use std::sync::LazyLock;

use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, canonical, nearest};
use gimbal_env_kit::json;
use serde_json::Value;

use super::node::{Node, Status};
use super::words;

const STATE: &str = "subject_state";
const BASELINE: &str = "subject_baseline";
const SUBJECT: &str = "subject";

static SPECS: LazyLock<[ToolSpec; 2]> = LazyLock::new(|| {
    let parameters = [(SUBJECT, "Name of one node.")];
    [
        ToolSpec::of_strings(STATE, "Tells what is currently known of the state of one node.", &parameters),
        ToolSpec::of_strings(
            BASELINE,
            "Tells the baseline of one node, with what was done to it on purpose.",
            &parameters,
        ),
    ]
});

/// The queries there are.
pub(super) fn specs() -> &'static [ToolSpec] {
    &*SPECS
}

/// Answers a query with JSON text; `now` is the number of steps taken.
pub(super) fn answer(nodes: &[Node], now: u32, call: &ToolCall) -> Result<String, Rejection> {
    match call.tool.as_str() {
        STATE => Ok(state(find(nodes, call)?, now)),
        BASELINE => Ok(baseline(find(nodes, call)?)),
        other => {
            let hint = nearest::hint(other, [STATE, BASELINE]);
            let message = format!("there is no query `{other}`; there are `{STATE}` and `{BASELINE}`{hint}");
            Err(Rejection::new(RejectionKind::UnknownTool, message))
        }
    }
}

fn find<'a>(nodes: &'a [Node], call: &ToolCall) -> Result<&'a Node, Rejection> {
    let tool = &call.tool;
    if let Some(other) = call.arguments.keys().find(|name| *name != SUBJECT) {
        let message = format!("`{tool}` takes no argument `{other}`; its only argument is `{SUBJECT}`");
        return Err(Rejection::new(RejectionKind::UnknownArgument, message));
    }
    let Some(value) = call.arguments.get(SUBJECT) else {
        let message = format!("`{tool}` needs the argument `{SUBJECT}`: the name of one node");
        return Err(Rejection::new(RejectionKind::MissingArgument, message));
    };
    let Some(name) = value.as_str().map(str::trim) else {
        let message = format!("`{SUBJECT}` of `{tool}` must be a string, the name of one node, and is {value}");
        return Err(Rejection::new(RejectionKind::BadValue, message));
    };
    nodes.iter().find(|node| node.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let names = || nodes.iter().map(|node| node.name.as_str());
        let mend = nearest::nearest(name, names()).map_or_else(
            || format!("; nodes are: {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("; the nearest name is `{near}`"),
        );
        Rejection::new(RejectionKind::BadValue, format!("there is no node `{name}`{mend}"))
    })
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
