//! Messages between layers as a person reads them.

use serde_json::Value;

/// A message between layers in words; `None` for other kinds of message.
pub(super) fn message(contract: &str, message: &str) -> Option<String> {
    let value: Value = serde_json::from_str(message).ok()?;
    // A fault may have taken the member by which the form is known.
    let has = |key: &str| value.get(key).is_some();
    match contract {
        "summary" if has("state_digest") => Some(summary(&value)),
        "plan" if has("goal_id") => Some(plan(&value)),
        "policy" if has("rules") => Some(policy(&value)),
        "remark" => value.as_str().map(str::to_owned),
        _ => None,
    }
}

fn texts<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    value[key].as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn joined(parts: impl IntoIterator<Item = String>, none: &str) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    if parts.is_empty() { none.to_owned() } else { parts.join("; ") }
}

fn summary(value: &Value) -> String {
    let seen = texts(value, "observations").map(str::to_owned);
    let anomalies = value["anomalies"].as_array().into_iter().flatten();
    let anomalies = anomalies.map(|one| {
        format!("{}: {}", one["type"].as_str().unwrap_or("anomaly"), one["description"].as_str().unwrap_or_default())
    });
    joined(seen.chain(anomalies), "nothing new")
}

fn plan(value: &Value) -> String {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let subgoals = value["subgoals"].as_array().into_iter().flatten().map(|one| {
        let after = texts(one, "dependencies").collect::<Vec<_>>().join(" and ");
        let after = if after.is_empty() { String::new() } else { format!(" after {after}") };
        format!(
            "{}{after}: {} (met when: {})",
            text(one, "id"),
            text(one, "description"),
            text(one, "success_criteria")
        )
    });
    let constraints = texts(value, "constraints").map(str::to_owned);
    let deadline = value["deadline"].as_i64().map(|steps| format!("over after {steps} steps"));
    let rollback = value["rollback"]["action"]
        .as_str()
        .map(|action| format!("where it fails ({}): {action}", text(&value["rollback"], "condition")));
    format!(
        "{}: {}",
        text(value, "goal_id"),
        joined(subgoals.chain(constraints).chain(deadline).chain(rollback), "no subgoals")
    )
}

fn policy(value: &Value) -> String {
    let rules = value["rules"].as_array().into_iter().flatten().map(|rule| {
        let text = |key: &str| rule[key].as_str().unwrap_or_default();
        format!("{}: {} where {}", text("id"), text("action"), text("condition"))
    });
    let forbidden = texts(value, "forbidden").map(|pattern| format!("nobody may: {pattern}"));
    let limits = value["thresholds"].as_object().into_iter().flatten();
    let limits = limits.map(|(name, limit)| format!("{name} at most {limit}"));
    let until = value["valid_until"].as_f64().map(|step| format!("to step {step}"));
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
    }
}
