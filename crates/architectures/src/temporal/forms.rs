//! Forms of the layers' answers under constrained decoding: shorter than what is read, so that a small model ends. Every member of a contract that
//! changes what is done can be written in its form.

use gimbal_messages::{Form, Member};
use serde_json::{Value, json};

/// Longest free text of an answer, in characters.
const TEXT: usize = 120;
/// Longest free text without contracts, in characters.
const REMARK: usize = 400;
/// Longest condition, in characters.
const CONDITION: usize = 80;
/// Names of the numbers that conditions and limits are about; `Episode::numbers` and the scores of a proposal have them.
pub(super) const NUMBERS: [&str; 8] =
    ["reward", "return", "step", "steps_left", "refusals", "harmed", "confidence", "urgency"];

/// `action` is the form of an action as a text.
pub(super) fn reflex(action: Form) -> Form {
    Form::object(&[
        ("action", action),
        ("urgency", Form::share()),
        ("confidence", Form::share()),
        ("emergency", Form::flag()),
        ("summary", Form::text(0, TEXT)),
    ])
}

/// `action` is the form of an action as a text, of which a sequence has at most `most`; `subgoals` are the names of those that are ready.
pub(super) fn tactical(action: &Form, most: usize, subgoals: &[String]) -> Form {
    let reached = if subgoals.is_empty() {
        Form::closed(r"\[\]", json!({ "type": "array", "maxItems": 0 }), 2)
    } else {
        Form::array(&Form::word(subgoals), 0, subgoals.len())
    };
    Form::object(&[
        ("action_sequence", Form::array(action, 0, most)),
        ("working_memory_update", Form::text(0, TEXT)),
        ("reached", reached),
        ("urgency", Form::share()),
        ("confidence", Form::share()),
        ("summary", Form::text(0, TEXT)),
    ])
}

pub(super) fn plan(steps: u32) -> Form {
    let subgoal = Form::object(&[
        ("id", Form::name(16)),
        ("description", Form::text(1, TEXT)),
        ("success_criteria", Form::text(1, TEXT)),
        ("dependencies", Form::array(&Form::name(16), 0, 2)),
    ]);
    let rollback = Form::object(&[
        ("condition", Form::text(1, CONDITION)),
        ("action", Form::word(&["retry", "escalate", "abort"])),
    ]);
    let members = [
        needed("goal_id", Form::name(16)),
        needed("subgoals", Form::array(&subgoal, 1, 3)),
        needed("constraints", Form::array(&Form::text(1, 60), 0, 2)),
        needed("priority", Form::share()),
        needed("deadline", step_or_none(steps)),
        may("rollback", rollback),
    ];
    Form::members(&members)
}

pub(super) fn policy(steps: u32) -> Form {
    let priority = Form::closed("(100|[1-9]?[0-9])", json!({ "type": "integer", "minimum": 0, "maximum": 100 }), 3);
    let rule = Form::members(&[
        needed("id", Form::name(12)),
        needed("condition", Form::text(1, CONDITION)),
        needed("action", Form::word(&["allow", "deny", "escalate", "log"])),
        may("priority", priority),
    ]);
    let limit = Form::closed(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,2})?", json!({ "type": "number" }), 8);
    let limits = Form::members(&NUMBERS.map(|name| may(name, limit.clone())));
    Form::members(&[
        needed("rules", Form::array(&rule, 0, 3)),
        needed("thresholds", limits),
        needed("forbidden", Form::array(&Form::text(1, 40), 0, 2)),
        may("valid_until", step_or_none(steps)),
    ])
}

pub(super) fn remark() -> Form {
    Form::line(REMARK)
}

/// A number of steps up to that of an episode's, or none.
fn step_or_none(steps: u32) -> Form {
    let schema: Value = json!({ "type": ["integer", "null"], "minimum": 1 });
    Form::closed(format!("(null|[1-9][0-9]{{0,{}}})", steps.max(1).ilog10()), schema, 10)
}

fn needed(key: &str, form: Form) -> Member {
    Member { key: key.to_owned(), form, optional: false }
}

fn may(key: &str, form: Form) -> Member {
    Member { key: key.to_owned(), form, optional: true }
}

#[cfg(test)]
mod tests {
    use gimbal_temporal::contracts::{Plan, Policy, RollbackAction};
    use regex::Regex;
    use serde_json::{Value, json};

    use super::{Form, plan, policy};

    fn fits(form: &Form, value: &Value) -> bool {
        let text = gimbal_messages::spaced(value);
        let regex = Regex::new(&format!("^{}$", form.regex)).unwrap();
        let schema = jsonschema::validator_for(&form.schema).unwrap();
        assert_eq!(regex.is_match(&text), schema.is_valid(value), "{text}");
        assert!(!regex.is_match(&text) || text.len() <= form.longest, "{text}");
        regex.is_match(&text)
    }

    // covers: CTHA-048, CTHA-049, CTHA-063
    #[test]
    fn a_mask_lets_every_member_through_that_changes_what_is_done() {
        let whole = json!({
            "goal_id": "goal", "subgoals": [{ "id": "a", "description": "one", "success_criteria": "it is", "dependencies": [] }],
            "constraints": ["forbid Light *"], "priority": 0.5, "deadline": 4,
            "rollback": { "condition": "harmed >= 3", "action": "escalate" }
        });
        assert!(fits(&plan(30), &whole));
        assert_eq!(Plan::read(&whole).rollback.map(|one| one.action), Some(RollbackAction::Escalate));
        let mut without = whole.clone();
        without.as_object_mut().unwrap().remove("rollback");
        assert!(fits(&plan(30), &without));
        without["deadline"] = json!("soon");
        assert!(!fits(&plan(30), &without));
        let whole = json!({
            "rules": [{ "id": "a", "condition": "reward <= -1", "action": "deny", "priority": 90 }],
            "thresholds": { "steps_left": 5, "harmed": 3 }, "forbidden": ["* lamp_1"], "valid_until": 12
        });
        assert!(fits(&policy(30), &whole));
        let read = Policy::read(&whole);
        assert_eq!(
            (read.rules[0].priority, read.thresholds.len(), read.valid_until.map(|until| until.0)),
            (90, 2, Some(12_000))
        );
        for (thresholds, fit) in [(json!({}), true), (json!({ "reward": -1.5 }), true), (json!({ "lamps": 1 }), false)]
        {
            let policy_of = json!({ "rules": [], "thresholds": thresholds, "forbidden": [] });
            assert_eq!(fits(&policy(30), &policy_of), fit, "{policy_of}");
        }
    }
}
