//! The two advisers: one compares a subject with its baseline, one ranks actions for a situation.

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Map, Value, json};

use super::glossary::Glossary;
use super::planner::tool_of;
use super::{deliberation, literal};
use crate::kit::{Input, Sheet, between, embedded};

/// How many differences a finding names.
const NAMED: usize = 3;

/// Compares the present state of the subject with its baseline.
pub fn analyst(sheet: &Sheet<'_>) -> Reply {
    let Some(subject) = subject(sheet) else {
        sheet.miss(InformationKind::Names, "the name of what is asked about");
        return sheet.message("", &json!([]));
    };
    let tools = between(&sheet.system, "tools").unwrap_or_default();
    // Whoever is asked for the same message again has no tools any more.
    let again = between(sheet.first(), "allowed").is_some();
    for part in ["current_state", "baseline_state"].into_iter().filter(|_| !again) {
        let tool = tools.lines().map(str::trim).find(|line| line.ends_with(part) && !line.contains(' '));
        match tool {
            Some(tool) if result(sheet, tool).is_none() => {
                return sheet.use_tool("I look at the state before I answer.", tool, &Input::Text(subject));
            }
            Some(_) => {}
            None => sheet.miss(InformationKind::Tools, format!("a tool whose name ends in `{part}`")),
        }
    }
    let seen = |part: &str| {
        let turn = sheet.talk.iter().find(|turn| tool_of(&turn.own).is_some_and(|tool| tool.ends_with(part)))?;
        turn.seen.find('{').and_then(|at| literal::first(&turn.seen[at..]))
    };
    let (now, baseline) = (seen("current_state"), seen("baseline_state"));
    // Who could look at nothing says so.
    let unseen = if tools.is_empty() { "unknown" } else { "" };
    let told = now.as_ref().and_then(|now| now.get("current_status")).and_then(Value::as_str).unwrap_or(unseen);
    let differences = differences(now.as_ref(), baseline.as_ref());
    let changed = told == "changed" || !differences.is_empty();
    let (status, severity, focus, why) = match () {
        () if changed => {
            ("changed", "high", "containment", "The present state shows what the expected state does not.")
        }
        () if told == "unknown" => ("unknown", "medium", "investigation", "The present state cannot be seen."),
        () => ("baseline", "low", "monitor", "Both states agree."),
    };
    if changed && let Some(tool) = deliberation(sheet, 1) {
        let question = format!("Does anything expected explain what {subject} shows?");
        return sheet.use_tool("A change is a grave finding.", tool, &Input::Text(question));
    }
    let key = noun(sheet, tools);
    let finding = json!([{
        key: subject, "status": status, "severity": severity, "anomalies": differences, "suspected_c2": [],
        "recommended_focus": focus, "rationale": why,
    }]);
    sheet.message("Both states are known.", &finding)
}

/// What is asked about: the name in the question that closes the message.
fn subject(sheet: &Sheet<'_>) -> Option<String> {
    let first = sheet.first();
    let named = |line: &str| {
        let words: Vec<&str> =
            line.split_whitespace().map(|word| word.trim_matches(['.', '?', ',', '`', '"'])).collect();
        let at = words.iter().position(|word| NOUNS.contains(word))?;
        // A number behind a name is part of it: `bed 1`.
        let number = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty();
        let name = words.get(at + 1)?;
        Some(words.get(at + 2).filter(number).map_or((*name).to_owned(), |number| format!("{name} {number}")))
    };
    let asked = || {
        let objects = embedded(first);
        objects.filter_map(|value| value.get("subject").and_then(Value::as_str).map(str::to_owned)).next()
    };
    first.lines().find_map(named).or_else(asked)
}

/// What a subject is called.
const NOUNS: [&str; 3] = ["host", "node", "receptacle"];

/// The key of the subject in a finding: the noun that the answer's format names.
fn noun(sheet: &Sheet<'_>, tools: &str) -> &'static str {
    let named = NOUNS.into_iter().find(|noun| sheet.asks_for(&[noun]));
    named.or_else(|| NOUNS.into_iter().find(|noun| tools.contains(*noun))).unwrap_or_else(|| {
        sheet.miss(InformationKind::Form, "the key that names the subject of a finding");
        NOUNS[0]
    })
}

/// What a tool answered, if it was used.
fn result<'a>(sheet: &'a Sheet<'_>, tool: &str) -> Option<&'a str> {
    let turn = sheet.talk.iter().find(|turn| tool_of(&turn.own) == Some(tool))?;
    Some(turn.seen.as_str())
}

/// What the present state holds that the baseline does not, in words.
fn differences(now: Option<&Value>, baseline: Option<&Value>) -> Vec<String> {
    let (Some(now), Some(baseline)) = (
        now.and_then(|now| now.get("state")).and_then(Value::as_object),
        baseline.and_then(|baseline| baseline.get("baseline_state")).and_then(Value::as_object),
    ) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if now.get("compromised") == Some(&Value::Bool(true)) && baseline.get("compromised") != Some(&Value::Bool(true)) {
        found.push("it shows as compromised".to_owned());
    }
    let items =
        |state: &Map<String, Value>| state.get("Processes").and_then(Value::as_array).cloned().unwrap_or_default();
    let known = items(baseline);
    let number = |process: &Value| process.get("PID").cloned();
    for process in items(now) {
        let pid = number(&process);
        if pid.is_some() && known.iter().all(|known| number(known) != pid) {
            found.push(format!("a process {} that was not expected", pid.unwrap_or_default()));
        }
    }
    if now.get("Files").is_some_and(|files| files.as_array().is_some_and(|files| !files.is_empty()))
        && !baseline.contains_key("Files")
    {
        found.push("a file that was not expected".to_owned());
    }
    found.truncate(NAMED);
    found
}

/// Ranks three actions for the situation.
pub fn chooser(sheet: &Sheet<'_>) -> Reply {
    let glossary = Glossary::of(&sheet.system);
    let listed = between(&sheet.system, "available_actions_list").and_then(literal::first);
    let listed: Vec<String> = listed
        .as_ref()
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|action| action.as_str().map(str::to_owned))
        .collect();
    let again = between(sheet.first(), "allowed").unwrap_or_default();
    let listed = if listed.is_empty() { again.lines().map(str::to_owned).collect() } else { listed };
    if listed.is_empty() {
        sheet.miss(InformationKind::Tools, "a list between <available_actions_list> tags");
    }
    let situation = situation(sheet);
    let field = |start: &str| {
        let pairs = situation.iter().flat_map(Map::iter);
        pairs.filter(|(key, _)| key.starts_with(start)).find_map(|(_, value)| value.as_str())
    };
    let target = field("target_").filter(|target| *target != "any");
    let grave = matches!(field("severity"), Some("high" | "critical"));
    if situation.is_none() {
        sheet.miss(InformationKind::Goal, "a situation with the keys \"target_...\" and \"severity\"");
    }
    let entries = [glossary.fix(), glossary.watch(), glossary.inspect()];
    let [fix, watch, inspect] = entries.map(|entry| entry.map(|entry| entry.text(target)));
    let order = if grave && target.is_some() { [fix, inspect, watch] } else { [watch, inspect, fix] };
    let mut suggestions: Vec<Value> = Vec::new();
    for (action, confidence) in
        order.into_iter().flatten().filter(|action| listed.contains(action)).zip([0.9, 0.45, 0.2])
    {
        suggestions.push(json!({ "action": action, "confidence": confidence }));
    }
    // Whoever is asked for the same message again is told what to write where a text names no action.
    if suggestions.is_empty() && !again.is_empty() {
        let told = sheet.system.rsplit_once("answer [").map_or("", |(_, rest)| rest);
        suggestions.extend(embedded(told).filter(Value::is_object).take(1));
    }
    if grave && let Some(tool) = deliberation(sheet, 1) {
        let question = "Which action is certain to end the situation?".to_owned();
        return sheet.use_tool("The situation is grave.", tool, &Input::Text(question));
    }
    sheet.message("The surest action comes first.", &Value::Array(suggestions))
}

/// The message that describes the situation.
pub(crate) fn situation(sheet: &Sheet<'_>) -> Option<Map<String, Value>> {
    let objects = embedded(sheet.first()).filter_map(|value| value.as_object().cloned());
    let mut objects = objects.filter(|object| object.contains_key("severity"));
    objects.next()
}
