//! What a controller sends to its agents, as a person reads it (CYC-001 to 028). The whole values are in `gimbal trace --full`, `--json` and in the
//! prompts of calls.

use std::fmt::Write as _;

use serde_json::Value;

/// Characters of the end of a segment that a line shows.
const SHOWN: usize = 160;

/// A message between a controller and its agents in words; `None` for other kinds of message.
pub(super) fn message(contract: &str, message: &str) -> Option<String> {
    let value: Value = serde_json::from_str(message).ok()?;
    match contract {
        "segment" => segment(&value),
        "planning" => planning(&value),
        _ => None,
    }
}

fn some(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// What the router or the analyzer is sent. The calls of the segment are in the lines above, and the ways in the graph.
fn segment(value: &Value) -> Option<String> {
    let (summary, subtask) = (value.get("segment")?, value["subtask"]["name"].as_str()?);
    let calls = summary["calls"].as_array()?.len() as u64 + summary["earlier_calls"].as_u64().unwrap_or(0);
    let mut out = format!("segment of {subtask}, {}", some(calls, "call", "calls"));
    if let Some(ended) = summary["ended"].as_str() {
        let _ = write!(out, ", {}", shortened(ended));
    }
    if let Some(left) = value["calls_left"].as_u64() {
        let _ = write!(out, "; {} left in all", some(left, "call", "calls"));
    }
    if let Some(ways) = value["ways"].as_array() {
        let to: Vec<&str> = ways.iter().filter_map(|way| way["to"].as_str()).collect();
        let _ = write!(out, "; {} to choose from: {}", some(to.len() as u64, "way", "ways"), to.join(", "));
    }
    if let Some(before) = value["before"].as_array() {
        let _ = write!(out, "; with {} before it", some(before.len() as u64, "segment", "segments"));
    }
    if let Some(next) = value["next"]["name"].as_str() {
        let _ = write!(out, "; {next} comes next");
    }
    Some(out)
}

/// What the planner is sent.
fn planning(value: &Value) -> Option<String> {
    let tools = value["tools"].as_array()?.len() as u64;
    let mut out = format!("a plan is wanted, with {}", some(tools, "tool", "tools"));
    if let (Some(least), Some(most)) = (value["size"]["least"].as_u64(), value["size"]["most"].as_u64()) {
        let _ = write!(out, " and {least} to {most} subtasks");
    }
    if let Some(task) = value["task"].as_str() {
        // The goal is the end of the tasks that list commands first.
        let last = task.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        let _ = write!(out, ", for: {}", shortened(last));
    }
    Some(out)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} ...", text[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn what_router_and_planner_are_sent_is_told_in_words() {
        let sent = r#"{"calls_left":93,"memory":{},"segment":{"calls":[{"call":"get 4 quartz","result":"Got"}],"earlier_calls":2,
            "ended":"the agent ended it"},"subtask":{"goal":"Get.","name":"GET"},
            "ways":[{"criterion":"more","to":"GET"},{"criterion":"enough","to":"MAKE"}]}"#;
        let told =
            "segment of GET, 3 calls, the agent ended it; 93 calls left in all; 2 ways to choose from: GET, MAKE";
        assert_eq!(message("segment", sent).as_deref(), Some(told));
        let last = r#"{"calls_left":1,"segment":{"calls":[]},"subtask":{"name":"GET"},"next":{"name":"MAKE"}}"#;
        let told = "segment of GET, 0 calls; 1 call left in all; MAKE comes next";
        assert_eq!(message("segment", last).as_deref(), Some(told));
        let asked = r#"{"environment":"You craft.","size":{"least":2,"most":12},"task":"Commands:\n\nGoal: craft stairs.","tools":[{}]}"#;
        let told = "a plan is wanted, with 1 tool and 2 to 12 subtasks, for: Goal: craft stairs.";
        assert_eq!(message("planning", asked).as_deref(), Some(told));
        assert_eq!(message("segment", r#"{"segment":{}}"#), None);
        assert_eq!(message("segment", "no JSON"), None);
        assert_eq!(message("summary", "{}"), None);
    }
}
