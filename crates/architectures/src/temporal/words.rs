//! Messages between layers as a person reads them.

use gimbal_temporal::contracts::{Kind, Message, Plan, Policy, Summary};
use serde_json::Value;

/// A message between layers in words; `None` for other kinds of message, and for one that a fault has altered so that it does not follow its
/// contract: it is shown as it is stored.
pub(super) fn message(contract: &str, message: &str) -> Option<String> {
    let value: Value = serde_json::from_str(message).ok()?;
    if contract == "remark" {
        return value.as_str().map(str::to_owned);
    }
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == contract)?;
    Some(match Message::read(kind, &value).ok()? {
        Message::Summary(told) => summary(told),
        Message::Plan(told) => plan(told),
        Message::Policy(told) => policy(&told),
    })
}

fn joined(parts: impl IntoIterator<Item = String>, none: &str) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    if parts.is_empty() { none.to_owned() } else { parts.join("; ") }
}

fn summary(told: Summary) -> String {
    let anomalies = told.anomalies.into_iter().map(|one| format!("{}: {}", one.kind.name(), one.description));
    joined(told.observations.into_iter().chain(anomalies), "nothing new")
}

fn plan(told: Plan) -> String {
    let subgoals = told.subgoals.into_iter().map(|one| {
        let after = one.dependencies.join(" and ");
        let after = if after.is_empty() { String::new() } else { format!(" after {after}") };
        format!("{}{after}: {} (met when: {})", one.id, one.description, one.success_criteria)
    });
    let deadline = told.deadline.map(|steps| format!("over after {steps} steps"));
    let rollback =
        told.rollback.map(|rollback| format!("where it fails ({}): {}", rollback.condition, rollback.action.name()));
    let parts = subgoals.chain(told.constraints).chain(deadline).chain(rollback);
    format!("{}: {}", told.goal_id, joined(parts, "no subgoals"))
}

fn policy(told: &Policy) -> String {
    let rules = told.rules.iter().map(|rule| format!("{}: {} where {}", rule.id, rule.action.name(), rule.condition));
    let forbidden = told.forbidden.iter().map(|pattern| format!("nobody may: {}", pattern.as_str()));
    let limits = told.thresholds.iter().map(|(name, limit)| format!("{name} at most {}", limit.to_f64()));
    let until = told.valid_until.map(|step| format!("to step {}", step.to_f64()));
    joined(rules.chain(forbidden).chain(limits).chain(until), "no rules")
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn messages_between_layers_are_told_in_words() {
        let plan = r#"{"constraints":["forbid Wait"],"deadline":5,"goal_id":"light","priority":0.5,"rollback":{"action":"retry","condition":"harmed >= 3"},
            "subgoals":[{"dependencies":[],"description":"the first","id":"a","success_criteria":"it burns"},
            {"dependencies":["a"],"description":"the next","id":"b","success_criteria":"it burns"}]}"#;
        let words = "light: a: the first (met when: it burns); b after a: the next (met when: it burns); forbid Wait; over after 5 steps; \
                     where it fails (harmed >= 3): retry";
        assert_eq!(message("plan", plan).as_deref(), Some(words));
        let policy = r#"{"forbidden":["light *"],"rules":[{"action":"deny","condition":"always","id":"r"}],"thresholds":{"step":2},"valid_until":3}"#;
        let words = "r: deny where always; nobody may: light *; step at most 2; to step 3";
        assert_eq!(message("policy", policy).as_deref(), Some(words));
        assert_eq!(message("policy", r#"{"rules":[]}"#).as_deref(), Some("no rules"));
        let summary = r#"{"anomalies":[{"description":"refused: no","type":"error"}],"layer_id":1,"observations":["lit"],"state_digest":"d","timestamp":1}"#;
        assert_eq!(message("summary", summary).as_deref(), Some("lit; error: refused: no"));
        assert_eq!(message("remark", r#""Do: Wait""#).as_deref(), Some("Do: Wait"));
        assert_eq!(message("advice", "{}"), None);
        assert_eq!(message("plan", "no JSON"), None);
        assert_eq!(message("policy", r#"{"rules":[{"id":"r"}]}"#), None, "an altered message is shown as it is stored");
    }
}
