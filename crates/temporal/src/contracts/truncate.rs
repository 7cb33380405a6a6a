//! Truncate, the second step of projection: cuts a message to its budget of tokens, what is worth least first.

use gimbal_messages::spaced;
use serde_json::{Map, Value};

use super::Kind;
use super::note::{Cause, Note};

/// How tokens of a text are counted.
pub(super) type Measure<'a> = &'a dyn Fn(&str) -> u64;

/// The tokens of a message as agents see it.
pub(super) fn tokens(value: &Value, measure: Measure<'_>) -> u64 {
    measure(&spaced(value))
}

/// Cuts until the message has at most `most` tokens, or nothing is left to cut.
pub(super) fn truncate(kind: Kind, value: &mut Value, most: u64, measure: Measure<'_>, notes: &mut Vec<Note>) {
    while tokens(value, measure) > most {
        let Value::Object(members) = value else { return };
        let cut = match kind {
            Kind::Summary => summary(members),
            Kind::Plan => plan(members),
            Kind::Policy => policy(members),
        };
        let Some(place) = cut else { return };
        notes.push(Note { cause: Cause::Truncated, place });
    }
}

/// Of a summary: resources, then observations from the last on, then anomalies, then the digest.
fn summary(members: &mut Map<String, Value>) -> Option<String> {
    leave(members, "resources")
        .or_else(|| pop(members, "observations", 0))
        .or_else(|| pop(members, "anomalies", 0))
        .or_else(|| halve(members, "state_digest"))
}

/// Of a plan: subgoals from the last on that no other depends on, then constraints, rollback and deadline, then the first subgoal.
fn plan(members: &mut Map<String, Value>) -> Option<String> {
    later_subgoal(members)
        .or_else(|| pop(members, "constraints", 0))
        .or_else(|| leave(members, "rollback"))
        .or_else(|| leave(members, "deadline"))
        .or_else(|| pop(members, "subgoals", 0))
        .or_else(|| halve(members, "goal_id"))
}

/// Of a policy: rules that log, then those that allow, those that escalate, the limits, rules that deny, and what is forbidden at the very last. Of
/// rules alike the one of the lowest priority goes first, and of those the last.
fn policy(members: &mut Map<String, Value>) -> Option<String> {
    ["log", "allow", "escalate"]
        .into_iter()
        .find_map(|action| rule(members, Some(action)))
        .or_else(|| limit(members))
        .or_else(|| rule(members, None))
        .or_else(|| leave(members, "valid_until"))
        .or_else(|| pop(members, "forbidden", 0))
}

fn leave(members: &mut Map<String, Value>, key: &str) -> Option<String> {
    members.shift_remove(key).map(|_| format!("/{key}"))
}

/// Takes the last item of a list of more than `least` items, and the member with its last item; a member that is not a list goes as a whole.
fn pop(members: &mut Map<String, Value>, key: &str, least: usize) -> Option<String> {
    match members.get_mut(key)? {
        Value::Array(items) if items.len() > least => {
            items.pop();
            Some(format!("/{key}/{}", items.len()))
        }
        Value::Array(_) => None,
        _ => leave(members, key),
    }
}

/// Takes the last subgoal on which no other depends, as long as there are two.
fn later_subgoal(members: &mut Map<String, Value>) -> Option<String> {
    let subgoals = members.get_mut("subgoals")?.as_array_mut().filter(|subgoals| subgoals.len() > 1)?;
    let needed = |id: &Value| {
        let lists = subgoals.iter().filter_map(|subgoal| subgoal.get("dependencies")?.as_array());
        lists.flatten().any(|dependency| dependency == id)
    };
    let last = subgoals.iter().rposition(|subgoal| !subgoal.get("id").is_some_and(needed))?;
    subgoals.remove(last);
    Some(format!("/subgoals/{last}"))
}

fn rule(members: &mut Map<String, Value>, action: Option<&str>) -> Option<String> {
    let Value::Array(rules) = members.get_mut("rules")? else { return None };
    let priority = |rule: &Value| rule.get("priority").and_then(Value::as_i64).unwrap_or(super::policy::PRIORITY);
    let is = |rule: &Value| {
        action.is_none_or(|action| {
            rule.get("action").and_then(Value::as_str).is_some_and(|own| own.eq_ignore_ascii_case(action))
        })
    };
    let alike = rules.iter().enumerate().filter(|(_, rule)| is(rule));
    let (place, _) = alike.min_by_key(|(place, rule)| (priority(rule), std::cmp::Reverse(*place)))?;
    rules.remove(place);
    Some(format!("/rules/{place}"))
}

fn limit(members: &mut Map<String, Value>) -> Option<String> {
    let Value::Object(limits) = members.get_mut("thresholds")? else { return leave(members, "thresholds") };
    let Some(name) = limits.keys().next_back().cloned() else { return leave(members, "thresholds") };
    limits.shift_remove(&name);
    Some(format!("/thresholds/{name}"))
}

/// Cuts a text to half.
fn halve(members: &mut Map<String, Value>, key: &str) -> Option<String> {
    let Value::String(text) = members.get_mut(key)? else { return None };
    let length = text.chars().count();
    if length == 0 {
        return None;
    }
    *text = gimbal_messages::bounded(text, length / 2);
    Some(format!("/{key}"))
}
