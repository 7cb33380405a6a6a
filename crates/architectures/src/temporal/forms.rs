//! Forms of the layers' answers under constrained decoding. Every member of a contract that changes what is done can be written in its form. What a
//! contract bounds has its bound here, so that a prompt states one number for a field, masked or not.

use gimbal_messages::{Contract, Form, Member};
use serde_json::{Value, json};

/// Longest free text without contracts, in characters.
const REMARK: usize = 400;
/// Longest text for which the contract has no bound, in characters.
const FREE: usize = 80;
/// Most entries of a list for which the contract has no bound.
const FEW: usize = 3;
/// Longest name for which the contract has no bound, in characters.
const NAME: usize = 16;
/// Names of the numbers that conditions and limits are about; `Episode::numbers` and the scores of a proposal have them.
pub(super) const NUMBERS: [&str; 8] =
    ["reward", "return", "step", "steps_left", "refusals", "harmed", "confidence", "urgency"];

/// A text as its contract bounds it.
fn text(contract: &Contract, place: &str, least: usize) -> Form {
    Form::text(least, contract.characters(place).unwrap_or(FREE))
}

/// A list of texts as its contract bounds it.
fn texts(contract: &Contract, place: &str) -> Form {
    list(contract, place, &text(contract, place, 1), 0)
}

/// A list as its contract bounds it.
fn list(contract: &Contract, place: &str, of: &Form, least: usize) -> Form {
    Form::array(of, least, contract.entries(place).unwrap_or(FEW))
}

/// `action` is the form of an action as a text, `idle` the text of the idle call: the only one that an emergency is about (CTHA-076). `None` if prompts do
/// not offer it as an action: then nothing is an emergency.
pub(super) fn reflex(contract: &Contract, action: Form, idle: Option<&str>) -> Form {
    let of = |action: Form, emergency: bool| {
        let word = emergency.to_string();
        let schema = json!({ "type": "boolean", "enum": [emergency] });
        Form::object(&[
            ("action", action),
            ("urgency", Form::share()),
            ("confidence", Form::share()),
            ("emergency", Form::closed(word.as_str(), schema, word.len())),
            ("summary", text(contract, "summary", 0)),
        ])
    };
    let ordinary = of(action, false);
    let Some(idle) = idle else { return ordinary };
    let emergency = of(Form::word(&[idle]), true);
    Form {
        regex: format!("({}|{})", ordinary.regex, emergency.regex),
        schema: json!({ "anyOf": [ordinary.schema, emergency.schema] }),
        longest: ordinary.longest.max(emergency.longest),
        // Both have the same bounds, which a prompt states once.
        bounds: ordinary.bounds,
    }
}

/// `action` is the form of an action as a text, of which a sequence has at most `most`; `subgoals` are the names of those that are ready.
pub(super) fn tactical(contract: &Contract, action: &Form, most: usize, subgoals: &[String]) -> Form {
    let reached = if subgoals.is_empty() {
        // Strict modes refuse a list without `items`, also one that must be empty.
        let none = json!({ "type": "array", "items": { "type": "string" }, "maxItems": 0 });
        Form::closed(r"\[\]", none, 2)
    } else {
        Form::array(&Form::word(subgoals), 0, subgoals.len())
    };
    Form::object(&[
        ("action_sequence", Form::array(action, 0, most)),
        ("working_memory_update", text(contract, "working_memory_update", 0)),
        ("reached", reached),
        ("urgency", Form::share()),
        ("confidence", Form::share()),
        ("summary", text(contract, "summary", 0)),
    ])
}

pub(super) fn plan(contract: &Contract, steps: u32) -> Form {
    let subgoal = Form::object(&[
        ("id", Form::name(NAME)),
        ("description", text(contract, "subgoals/description", 1)),
        ("success_criteria", text(contract, "subgoals/success_criteria", 1)),
        ("dependencies", Form::array(&Form::name(NAME), 0, FEW)),
    ]);
    let rollback = Form::object(&[
        ("condition", text(contract, "rollback/condition", 1)),
        ("action", Form::word(&["retry", "escalate", "abort"])),
    ]);
    let members = [
        needed("goal_id", Form::name(contract.characters("goal_id").unwrap_or(NAME))),
        needed("subgoals", list(contract, "subgoals", &subgoal, 1)),
        needed("constraints", texts(contract, "constraints")),
        needed("priority", Form::share()),
        needed("deadline", step_or_none(steps)),
        may("rollback", rollback),
    ];
    Form::members(&members)
}

pub(super) fn policy(contract: &Contract, steps: u32) -> Form {
    let priority = Form::closed("(100|[1-9]?[0-9])", json!({ "type": "integer", "minimum": 0, "maximum": 100 }), 3);
    let rule = Form::members(&[
        needed("id", Form::name(NAME)),
        needed("condition", text(contract, "rules/condition", 1)),
        needed("action", Form::word(&["allow", "deny", "escalate", "log"])),
        may("priority", priority),
    ]);
    let limit = Form::closed(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,2})?", json!({ "type": "number" }), 8);
    let limits = Form::members(&NUMBERS.map(|name| may(name, limit.clone())));
    Form::members(&[
        needed("rules", list(contract, "rules", &rule, 0)),
        needed("thresholds", limits),
        needed("forbidden", texts(contract, "forbidden")),
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
    use gimbal_messages::Contract;
    use gimbal_temporal::contracts::{Contracts, Kind, Plan, Policy, RollbackAction};
    use regex::Regex;
    use serde_json::{Value, json};

    use super::Form;

    fn plan(steps: u32) -> Form {
        super::plan(Contracts::published().unwrap().get(Kind::Plan), steps)
    }

    fn policy(steps: u32) -> Form {
        super::policy(Contracts::published().unwrap().get(Kind::Policy), steps)
    }

    fn fits(form: &Form, value: &Value) -> bool {
        let text = gimbal_messages::spaced(value);
        let regex = Regex::new(&format!("^{}$", form.regex)).unwrap();
        let schema = jsonschema::validator_for(&form.schema).unwrap();
        assert_eq!(regex.is_match(&text), schema.is_valid(value), "{text}");
        assert!(!regex.is_match(&text) || text.len() <= form.longest, "{text}");
        regex.is_match(&text)
    }

    // covers: CTHA-063, CTHA-076
    #[test]
    fn an_emergency_lets_nothing_through_but_the_idle_action() {
        let contract = Contract::parse("reflex_action", include_str!("contracts/reflex_action.json")).unwrap();
        let form = super::reflex(&contract, Form::word(&["Light lamp=lamp_1", "Wait"]), Some("Wait"));
        let answer = |action: &str, emergency: bool| json!({ "action": action, "urgency": 0.5, "confidence": 1, "emergency": emergency, "summary": "now" });
        for (action, emergency, fit) in [
            ("Light lamp=lamp_1", false, true),
            ("Wait", false, true),
            ("Wait", true, true),
            ("Light lamp=lamp_1", true, false),
            ("Rest", true, false),
        ] {
            assert_eq!(fits(&form, &answer(action, emergency)), fit, "{action} {emergency}");
        }
        // A policy may deny waiting: an emergency goes before it.
        let denied = super::reflex(&contract, Form::word(&["Light lamp=lamp_1"]), Some("Wait"));
        assert!(fits(&denied, &answer("Wait", true)));
        assert!(!fits(&denied, &answer("Wait", false)));
        let never = super::reflex(&contract, Form::word(&["Light lamp=lamp_1"]), None);
        assert!(fits(&never, &answer("Light lamp=lamp_1", false)) && !fits(&never, &answer("Wait", true)));
        assert_eq!(form.bounds.iter().filter(|bound| bound.key == "summary").count(), 1);
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
        assert_eq!(Plan::read(&whole).unwrap().rollback.map(|one| one.action), Some(RollbackAction::Escalate));
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
        let read = Policy::read(&whole).unwrap();
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

    /// A model is told the bounds of the contracts: a mask that is shorter contradicts them.
    // covers: CTHA-048, CTHA-049
    #[test]
    fn a_mask_has_the_bounds_of_its_contract() {
        let of = |form: &Form, key: &str| {
            let bound = form.bounds.iter().find(|bound| bound.key == key).unwrap();
            (bound.characters, bound.entries)
        };
        let (plan, policy) = (plan(30), policy(30));
        assert_eq!((of(&plan, "goal_id"), of(&plan, "subgoals")), ((32, 0), (0, 10)));
        assert_eq!((of(&plan, "description"), of(&plan, "success_criteria")), ((256, 0), (128, 0)));
        assert_eq!((of(&plan, "constraints"), of(&policy, "forbidden")), ((128, 5), (64, 10)));
        assert_eq!((of(&policy, "rules"), of(&policy, "condition")), ((0, 20), (256, 0)));
    }
}
