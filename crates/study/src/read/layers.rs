//! What the layers of a temporal hierarchy record, as a person reads it: proposals, conflicts, commitments, verdicts, messages (CTHA-070 to 119).
//!
//! A line says what the JSON of its record says, but for what the lines around it say already.

use std::collections::BTreeMap;

use gimbal_core::Milli;
use gimbal_messages::Record;
use gimbal_messages::records::temporal::{
    Clash, LayerAsked, LayerCommitted, LayerDecided, LayerMapped, LayerMasked, LayerProposed, LayerReleased, LayerSent,
    LayerTrimmed, LayerViolated, SubgoalReached,
};
use serde_json::Value;

/// What was told of the layers of an episode so far.
#[derive(Debug, Default)]
pub(super) struct LayersTold {
    /// Whose each commitment is, and what it is about, by number.
    held: BTreeMap<u64, String>,
}

impl LayersTold {
    /// A record in words; `None` for other kinds and for data that do not have the form of their kind. An empty text where the lines around
    /// it say the same.
    pub(super) fn tell(&mut self, kind: &str, data: &str) -> Option<String> {
        Some(match kind {
            LayerAsked::KIND => asked(&LayerAsked::read(data).ok()?),
            LayerSent::KIND => read(&LayerSent::read(data).ok()?),
            LayerProposed::KIND => proposed(&LayerProposed::read(data).ok()?),
            LayerDecided::KIND => decided(&LayerDecided::read(data).ok()?),
            LayerViolated::KIND => violated(&LayerViolated::read(data).ok()?),
            LayerCommitted::KIND => {
                let LayerCommitted { number, layer, subject, text, until, .. } = LayerCommitted::read(data).ok()?;
                let until = until.map_or_else(|| "until it is released".to_owned(), |step| format!("to step {step}"));
                self.held.insert(number, format!("{layer} ({subject})"));
                format!("commitment {number}: {layer} holds {subject}: {text} ({until})")
            }
            LayerReleased::KIND => {
                let LayerReleased { number, by, .. } = LayerReleased::read(data).ok()?;
                let whose = self.held.get(&number).map(|whose| format!(" of {whose}")).unwrap_or_default();
                format!("commitment {number}{whose} ends: {}", by.replace('_', " "))
            }
            LayerMasked::KIND => {
                let LayerMasked { layer, left_out, left, .. } = LayerMasked::read(data).ok()?;
                format!("{layer} is held to {left} actions; policies deny {left_out} more")
            }
            SubgoalReached::KIND => {
                let SubgoalReached { subgoal, by, .. } = SubgoalReached::read(data).ok()?;
                let by = if by == "query" { "the belief state answers so" } else { "Tactical says so" };
                format!("subgoal {subgoal} is met: {by}")
            }
            LayerMapped::KIND => mapped(&LayerMapped::read(data).ok()?),
            LayerTrimmed::KIND => trimmed(&LayerTrimmed::read(data).ok()?),
            _ => return None,
        })
    }
}

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

fn mapped(mapped: &LayerMapped) -> String {
    let LayerMapped { maps, shares, scores, deviation, .. } = mapped;
    let shares: Vec<String> = shares.iter().map(|share| Milli(i64::from(*share)).to_string()).collect();
    let scores: Vec<String> = scores.iter().map(ToString::to_string).collect();
    format!(
        "maps ({maps}), the fastest layer first: shares of the context {}; scores that ask a layer {}; deviation {deviation}",
        shares.join(", "),
        scores.join(", ")
    )
}

fn trimmed(trimmed: &LayerTrimmed) -> String {
    let LayerTrimmed { layer, room, before, after, left_out, .. } = trimmed;
    format!("{layer} has room for {room} tokens of context: {left_out} left out ({before} to {after} tokens)")
}

fn asked(asked: &LayerAsked) -> String {
    let LayerAsked { layer, why, cached, .. } = asked;
    let why = why.replace('_', " ");
    match (*cached, why.as_str()) {
        // That it is due at every so many steps is not news.
        (false, "period") => String::new(),
        (false, _) => format!("{layer} was asked: {why}"),
        (true, _) => format!("{layer} was due ({why}) and not asked: it would have seen the same as last time"),
    }
}

/// How a message was read; nothing where it arrived as it was written.
fn read(sent: &LayerSent) -> String {
    let LayerSent { from, kind, outcome, changes, refusal, .. } = sent;
    let causes: Vec<String> =
        changes.iter().map(|(cause, count)| format!("{} {count}", cause.replace('_', " "))).collect();
    let causes = if causes.is_empty() { String::new() } else { format!(" ({})", causes.join(", ")) };
    match outcome.as_str() {
        "by_rule" => format!("the {kind} of {from} was brought into shape{causes}"),
        "default" => {
            let why = refusal.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            format!("the {kind} of {from} could not be used, and the default replaces it{why}{causes}")
        }
        "lost" => format!("the {kind} of {from} was lost on its way"),
        _ => String::new(),
    }
}

fn proposed(proposed: &LayerProposed) -> String {
    let LayerProposed { layer, text, category, urgency, confidence, .. } = proposed;
    format!("{layer} wants: {text} ({}, urgency {urgency}, confidence {confidence})", category.replace('_', " "))
}

fn over(causes: &[String]) -> String {
    causes
        .iter()
        .map(|cause| if cause == "call" { "the one call of the step" } else { cause })
        .collect::<Vec<_>>()
        .join(", ")
}

fn clash(clash: &Clash) -> String {
    let Clash { faster, slower, causes, kept } = clash;
    let kept = match kept {
        Some(kept) => format!("{kept} is kept"),
        None => "nobody is kept against the other".to_owned(),
    };
    format!("conflict: {faster} against {slower} over {}; {kept}", over(causes))
}

fn decided(decided: &LayerDecided) -> String {
    let LayerDecided { arbiter, parties, conflicts, call, caller, carried_out, .. } = decided;
    let mut lines: Vec<String> = conflicts.iter().map(clash).collect();
    let among = match conflicts.len() {
        0 => format!("{parties} parties, no conflict"),
        1 => format!("{parties} parties, 1 conflict"),
        more => format!("{parties} parties, {more} conflicts"),
    };
    let by = if arbiter == "last" { "no arbiter: the last action written" } else { arbiter };
    lines.push(match caller {
        Some(caller) => format!("verdict ({by}; {among}): {call}, wanted by {caller}"),
        None => format!("verdict ({by}; {among}): {call}, because no layer's action is left"),
    });
    lines.extend(carried_out.iter().map(|clash| {
        let Clash { faster, slower, causes, .. } = clash;
        let other = if caller.as_ref() == Some(faster) { slower } else { faster };
        format!("carried out against {other}, over {}", over(causes))
    }));
    lines.join("\n")
}

fn violated(violated: &LayerViolated) -> String {
    let LayerViolated { layer, kind, text, carried_out, over, instead, .. } = violated;
    let over = over.as_deref().unwrap_or("a slower layer");
    let what = match kind.as_str() {
        "authority" => format!("{layer} wants {text}, which is not for it to decide"),
        "policy" if *carried_out => format!("{layer} gets {text}, which {over} excludes"),
        "policy" => format!("{layer} wants {text}, which the policy of {over} denies"),
        "escalated" => format!("{layer} wants {text}, which a rule gives {over} to look at"),
        "untimely" => format!("{layer} wants {text}, which is on the time scale of {over}"),
        "binding" => format!("{layer} wants {text}, which binds the task, and no plan of {over} names it"),
        other => format!("{layer} wants {text} ({other})"),
    };
    let then = match (*carried_out, instead.as_str()) {
        (true, _) => "it is carried out",
        (false, "escalation") => "the call is held back",
        (false, "idle" | "") => "it is refused",
        (false, "dropped") => "the rest of its sequence is dropped",
        (false, other) => return format!("violation: {what}; instead: {other}"),
    };
    format!("violation: {what}; {then}")
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
    use gimbal_core::Milli;
    use gimbal_messages::Record;
    use gimbal_messages::records::temporal::{Clash, LayerCommitted, LayerDecided, LayerProposed, LayerReleased};

    use super::{LayersTold, message};

    fn told<R: Record>(layers: &mut LayersTold, record: &R) -> String {
        layers.tell(R::KIND, &record.data().to_string()).unwrap()
    }

    // covers: CTHA-070
    #[test]
    fn a_step_of_layers_is_told_in_lines() {
        let mut layers = LayersTold::default();
        let proposed = LayerProposed {
            step: 3,
            layer: "reflex".to_owned(),
            kind: "call".to_owned(),
            text: "Light lamp=lamp_1".to_owned(),
            category: "tool_invocation".to_owned(),
            urgency: Milli(900),
            confidence: Milli(800),
        };
        let line = "reflex wants: Light lamp=lamp_1 (tool invocation, urgency 0.9, confidence 0.8)";
        assert_eq!(told(&mut layers, &proposed), line);
        let committed = LayerCommitted {
            step: 3,
            number: 7,
            layer: "strategic".to_owned(),
            subject: "plan/a".to_owned(),
            text: "only Wait".to_owned(),
            until: Some(9),
        };
        assert_eq!(told(&mut layers, &committed), "commitment 7: strategic holds plan/a: only Wait (to step 9)");
        let over = Clash {
            faster: "reflex".to_owned(),
            slower: "strategic".to_owned(),
            causes: vec!["directive plan/a".to_owned(), "call".to_owned()],
            kept: Some("strategic".to_owned()),
        };
        let decided = LayerDecided {
            step: 3,
            arbiter: "greedy".to_owned(),
            parties: 2,
            conflicts: vec![over.clone()],
            comparisons: 1,
            early: false,
            call: "Wait".to_owned(),
            caller: None,
            carried_out: Vec::new(),
            active: vec!["reflex".to_owned()],
        };
        let lines = "conflict: reflex against strategic over directive plan/a, the one call of the step; strategic is kept\n\
                     verdict (greedy; 2 parties, 1 conflict): Wait, because no layer's action is left";
        assert_eq!(told(&mut layers, &decided), lines);
        let last = LayerDecided {
            arbiter: "last".to_owned(),
            conflicts: vec![Clash { kept: None, ..over.clone() }],
            caller: Some("reflex".to_owned()),
            carried_out: vec![over],
            ..decided
        };
        assert!(told(&mut layers, &last).ends_with(
            "Wait, wanted by reflex\ncarried out against strategic, over directive plan/a, the one call of the step"
        ));
        let released = LayerReleased { step: 4, number: 7, by: "rolled_back".to_owned() };
        assert_eq!(told(&mut layers, &released), "commitment 7 of strategic (plan/a) ends: rolled back");
        assert_eq!(layers.tell("layer_decided", "{}"), None, "what cannot be read is shown as it is stored");
        assert_eq!(layers.tell("counted", "{}"), None);
    }

    #[test]
    fn what_the_maps_did_is_told_in_lines() {
        let mut layers = LayersTold::default();
        let mapped = r#"{"deviation":12,"maps":"projected","scores":[523,-1000],"shares":[600,400],"step":3}"#;
        assert_eq!(
            layers.tell("layer_mapped", mapped).as_deref(),
            Some(
                "maps (projected), the fastest layer first: shares of the context 0.6, 0.4; scores that ask a layer 0.523, -1.0; deviation 0.012"
            )
        );
        let trimmed = r#"{"after":90,"before":140,"layer":"tactical","left_out":2,"room":100,"step":3}"#;
        assert_eq!(
            layers.tell("layer_trimmed", trimmed).as_deref(),
            Some("tactical has room for 100 tokens of context: 2 left out (140 to 90 tokens)")
        );
        assert_eq!(layers.tell("layer_mapped", "{}"), None, "what cannot be read is shown as it is stored");
    }

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
