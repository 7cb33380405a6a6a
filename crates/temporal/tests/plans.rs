//! What plans, policies and conditions make the hierarchy do.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::{Milli, ToolCall};
use gimbal_temporal::contracts::{Condition, Plan, Policy, RollbackAction, RuleAction, Situation};
use proptest::prelude::*;
use serde_json::json;

use crate::support::call;

fn plan() -> Plan {
    let one = |id: &str, description: &str, needs: &[&str]| json!({ "id": id, "description": description, "success_criteria": "s", "dependencies": needs });
    Plan::read(&json!({
        "goal_id": "g", "priority": 0.4, "deadline": 5,
        "subgoals": [one("c", "restore user1 at last", &["b"]), one("a", "look", &[]), one("b", "remove what runs", &["a"]),
            one("d", "report", &["c"])],
        "constraints": ["forbid decoy *", "be quiet", "only * user1"],
        "rollback": { "condition": "refusals >= 2 or reward < -1", "action": "retry" }
    }))
    .unwrap()
}

fn measured(numbers: &[(&str, i64)]) -> BTreeMap<String, Milli> {
    numbers.iter().map(|(name, number)| ((*name).to_owned(), Milli(*number))).collect()
}

fn policy(rules: serde_json::Value, forbidden: &[&str]) -> Policy {
    Policy::read(
        &json!({ "rules": rules, "forbidden": forbidden, "thresholds": { "Tokens": 100 }, "valid_until": 8.5 }),
    )
    .unwrap()
}

fn of<'a>(call: &'a ToolCall, numbers: &'a BTreeMap<String, Milli>) -> Situation<'a> {
    Situation { numbers: Some(numbers), call: Some(call) }
}

// covers: CTHA-048, CTHA-053
#[test]
fn subgoals_come_after_what_they_depend_on() {
    let plan = plan();
    let names = |subgoals: Vec<&gimbal_temporal::contracts::Subgoal>| {
        subgoals.iter().map(|one| one.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(plan.order()), ["a", "b", "c", "d"]);
    let reached = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(names(plan.ready(&reached(&[]))), ["a"]);
    assert_eq!(names(plan.ready(&reached(&["a", "b"]))), ["c"]);
    let directives = plan.directives(&reached(&["a"]));
    assert_eq!(directives.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["g/constraints", "g/b"]);
    assert!(directives[0].allows(&call("restore", "user1")));
    assert!(!directives[0].allows(&call("restore", "user2")) && !directives[0].allows(&call("decoy", "user1")));
}

// covers: CTHA-048
#[test]
fn a_deadline_ends_a_plan_and_a_rollback_answers_its_failure() {
    let plan = plan();
    assert_eq!([4, 5, 6].map(|steps| plan.is_over(steps)), [false, true, true]);
    assert!(!Plan { deadline: None, ..plan.clone() }.is_over(1000));
    let idle = ToolCall::bare("wait");
    let rolls = |numbers: &[(&str, i64)], failed| plan.rollback(&of(&idle, &measured(numbers)), failed);
    assert_eq!(rolls(&[("refusals", 2000), ("reward", 0)], None), Some(RollbackAction::Retry));
    assert_eq!(rolls(&[("refusals", 1000), ("reward", 0)], Some(true)), None);
    // A number that nobody measured leaves the question to a reader.
    assert_eq!(rolls(&[("refusals", 1000)], None), None);
    assert_eq!(rolls(&[("refusals", 1000)], Some(true)), Some(RollbackAction::Retry));
}

// covers: CTHA-044
#[test]
fn a_policy_overrides_the_subgoals_that_it_forbids_and_what_waits_for_them() {
    let overridden = plan().under(&policy(json!([]), &["remove *"]));
    assert_eq!(overridden.plan.subgoals.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(overridden.removed.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["c", "b", "d"]);
    assert_eq!(overridden.removed[0].1.as_str(), "remove *");
    let none = plan().under(&policy(json!([{ "id": "r", "condition": "always", "action": "deny" }]), &[]));
    assert!(none.removed.is_empty());
}

// covers: CTHA-049
#[test]
fn rules_decide_by_priority_then_strictness_and_what_is_forbidden_comes_first() {
    let rule = |id: &str, condition: &str, action: &str, priority: i64| json!({ "id": id, "condition": condition, "action": action, "priority": priority });
    let policy = policy(
        json!([
            rule("low", "always", "deny", 10),
            rule("open", "call restore *", "allow", 60),
            rule("alike", "call restore user2", "escalate", 60),
            rule("note", "always", "log", 100),
            rule("words", "if it seems wise", "deny", 90)
        ]),
        &["remove *"],
    );
    let ruling = |tool: &str, subject: &str, tokens: i64| {
        let call = call(tool, subject);
        let numbers = measured(&[("tokens", tokens)]);
        let ruling = policy.ruling(&of(&call, &numbers));
        assert_eq!((ruling.logged, ruling.unjudged), (vec!["note".to_owned()], vec!["words".to_owned()]));
        (ruling.action, ruling.why)
    };
    assert_eq!(ruling("restore", "user1", 0), (RuleAction::Allow, "open".to_owned()));
    assert_eq!(ruling("restore", "user2", 0), (RuleAction::Escalate, "alike".to_owned()));
    assert_eq!(ruling("analyse", "user1", 0), (RuleAction::Deny, "low".to_owned()));
    assert_eq!(ruling("remove", "user1", 0), (RuleAction::Deny, "forbidden remove *".to_owned()));
    assert_eq!(ruling("restore", "user1", 100_001), (RuleAction::Escalate, "threshold tokens".to_owned()));
    assert_eq!(ruling("restore", "user1", 100_000).0, RuleAction::Allow);
    // What an allowing rule outranks is not a directive: the ruling decides.
    let ids: Vec<String> = policy.directives().into_iter().map(|one| one.id).collect();
    assert_eq!(ids, ["policy/forbidden"]);
}

// covers: CTHA-049
#[test]
fn a_policy_ends_with_its_time() {
    let policy = policy(json!([]), &[]);
    assert_eq!([8500, 8501].map(|now| policy.is_valid(Milli(now))), [true, false]);
    assert!(Policy::default().is_valid(Milli(i64::MAX)));
}

#[test]
fn conditions_are_judged_where_that_can_be_done() {
    let call = call("restore", "user1");
    let numbers = measured(&[("refusals", 2000), ("reward", -1500)]);
    let holds = |text: &str| Condition::of(text).holds(&of(&call, &numbers));
    assert_eq!(holds("refusals >= 2 and reward < -1"), Some(true));
    assert_eq!(holds("refusals > 2 or call restore *"), Some(true));
    assert_eq!(holds("refusals = 2.5 and steps_left < 3"), Some(false));
    assert_eq!(holds("refusals = 2 and steps_left < 3"), None);
    assert_eq!(holds("the host looks strange"), None);
    let error = "refusals > 2 and so on".parse::<Condition>().unwrap_err().to_string();
    assert!(error.contains("`so on`") && error.contains("refusals >= 2"), "{error}");
    // As many parts as a condition may have, and one more.
    let parts = |count: usize| vec!["x>=2"; count].join(" and ");
    assert_eq!(Condition::of(&Condition::of(&parts(64)).to_string()), Condition::of(&parts(64)));
    assert!(Condition::of(&parts(64)).is_judged() && parts(65).parse::<Condition>().is_err());
    for wrong in ["", "and", "x >", "> 3", "x > 1e3", "x > 1.2345", "x y > 3", "reward < --1", "call"] {
        assert!(wrong.parse::<Condition>().is_err(), "{wrong}");
    }
}

proptest! {
    // A condition that is written and read again is the same.
    #[test]
    fn conditions_are_read_as_they_are_written(
        parts in prop::collection::vec((0..3_u8, "[a-z_]{1,8}", -9999_i64..9999, 0..6_usize), 1..6), any in prop::collection::vec(any::<bool>(), 6),
    ) {
        let mut text = String::new();
        for (at, (kind, name, number, sign)) in parts.iter().enumerate() {
            if at > 0 {
                text.push_str(if any[at] { " or " } else { " and " });
            }
            text.push_str(&match kind {
                0 => "always".to_owned(),
                1 => format!("call {name} *"),
                _ => format!("{name} {} {}", ["<", "<=", "=", "!=", ">=", ">"][*sign], Milli(*number)),
            });
        }
        prop_assume!(parts.iter().all(|(_, name, ..)| !matches!(name.as_str(), "and" | "or")));
        if let Ok(read) = text.parse::<Condition>() {
            prop_assert_eq!(read.to_string(), text);
            prop_assert!(read.is_judged());
        } else {
            prop_assert!(false, "{}", text);
        }
    }

    #[test]
    fn no_text_breaks_the_reader_of_conditions(text in "\\PC{0,80}") {
        let condition = Condition::of(&text);
        let _ = condition.holds(&Situation::default());
        let _ = condition.to_string();
    }
}
