//! The summariser: how the work of a won episode was divided, from its record alone.

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Map, Value, json};

use crate::kit::{Sheet, plain};

/// Longest summary: what every grammar lets through.
const SUMMARY: usize = 400;

/// The record of a won episode, where the page asks for a summary of one.
pub(super) fn record(sheet: &Sheet<'_>) -> Option<Map<String, Value>> {
    (sheet.adviser && sheet.asks_for(&["summary"])).then(|| sheet.request(&["work", "task"])).flatten()
}

/// Names the subtasks in the order in which they were first worked on, those that were taken up again, and how often a call
/// brought nothing to see. What belongs to the task alone is left out.
pub(super) fn summarise(sheet: &Sheet<'_>, record: &Map<String, Value>) -> Reply {
    let work = record.get("work").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let (mut order, mut again): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for name in work.iter().filter_map(|segment| segment["subtask"].as_str()) {
        if !order.contains(&name) {
            order.push(name);
        } else if !again.contains(&name) {
            again.push(name);
        }
    }
    if order.is_empty() {
        sheet.miss(InformationKind::History, "the segments `work` of the record");
    }
    let mut summary = format!("The work was divided into {}, in this order.", listed(&order));
    if !again.is_empty() {
        summary.push_str(&format!(" Later the work went back to {}.", listed(&again)));
    }
    let most = work.iter().max_by_key(|segment| calls(segment)).and_then(|segment| segment["subtask"].as_str());
    if let Some(most) = most {
        summary.push_str(&format!(" Most calls of a segment were made in {most}."));
    }
    sheet.message("the record shows the order of the work", &json!({ "summary": plain(&summary, SUMMARY) }))
}

/// Calls of a segment, those that are not shown too.
fn calls(segment: &Value) -> u64 {
    let shown = segment["calls"].as_array().map_or(0, Vec::len) as u64;
    shown + segment["earlier_calls"].as_u64().unwrap_or(0)
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "no subtasks".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
