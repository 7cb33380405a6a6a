//! Forms of the layers' answers under constrained decoding: shorter than what is read, so that a small model ends.

use gimbal_messages::Form;
use serde_json::json;

/// Longest free text of an answer, in characters.
const TEXT: usize = 120;
/// Longest action where arguments are free, in characters.
const FREE_ACTION: usize = 400;
/// Longest free text without contracts, in characters.
const REMARK: usize = 400;

/// One of the legal actions; any text where arguments are free.
fn action(actions: &[String], free: bool) -> Form {
    if free || actions.is_empty() { Form::text(1, FREE_ACTION) } else { Form::word(actions) }
}

pub(super) fn reflex(actions: &[String], free: bool) -> Form {
    Form::object(&[
        ("action", action(actions, free)),
        ("urgency", Form::share()),
        ("confidence", Form::share()),
        ("emergency", Form::flag()),
        ("summary", Form::text(0, TEXT)),
    ])
}

/// `subgoals` are the names of those that are ready.
pub(super) fn tactical(actions: &[String], free: bool, subgoals: &[String]) -> Form {
    let reached = if subgoals.is_empty() {
        Form::closed(r"\[\]", json!({ "type": "array", "maxItems": 0 }), 2)
    } else {
        Form::array(&Form::word(subgoals), 0, subgoals.len())
    };
    Form::object(&[
        ("action_sequence", Form::array(&action(actions, free), 0, 3)),
        ("working_memory_update", Form::text(0, TEXT)),
        ("reached", reached),
        ("urgency", Form::share()),
        ("confidence", Form::share()),
        ("summary", Form::text(0, TEXT)),
    ])
}

pub(super) fn plan(steps: u32) -> Form {
    let deadline = Form::closed(
        format!("(null|[1-9][0-9]{{0,{}}})", steps.max(1).ilog10()),
        json!({ "type": ["integer", "null"], "minimum": 1 }),
        10,
    );
    let subgoal = Form::object(&[
        ("id", Form::name(16)),
        ("description", Form::text(1, TEXT)),
        ("success_criteria", Form::text(1, 80)),
        ("dependencies", Form::array(&Form::name(16), 0, 2)),
    ]);
    Form::object(&[
        ("goal_id", Form::name(16)),
        ("subgoals", Form::array(&subgoal, 1, 3)),
        ("constraints", Form::array(&Form::text(1, 60), 0, 2)),
        ("priority", Form::share()),
        ("deadline", deadline),
    ])
}

pub(super) fn policy() -> Form {
    let rule = Form::object(&[
        ("id", Form::name(12)),
        ("condition", Form::text(1, 80)),
        ("action", Form::word(&["allow", "deny", "escalate", "log"])),
    ]);
    Form::object(&[
        ("rules", Form::array(&rule, 0, 3)),
        ("thresholds", Form::map(&Form::share(), 16, 2)),
        ("forbidden", Form::array(&Form::text(1, 40), 0, 2)),
    ])
}

pub(super) fn remark() -> Form {
    Form::line(REMARK)
}
