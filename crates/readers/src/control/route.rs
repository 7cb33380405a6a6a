//! Router and analyzer: the result of a segment, and which subtask comes next.

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Map, Value, json};

use super::{NEEDED, Office, Subtask, hint_of};
use crate::kit::{Sheet, plain};

/// Answers a router's or an analyzer's request.
pub(super) fn route(sheet: &Sheet<'_>, office: &dyn Office, request: &Map<String, Value>) -> Reply {
    let mut step = office.step(sheet);
    // Whoever worked on the subtask has seen what is possible now.
    let ended =
        request.get("segment").and_then(|segment| segment.get("ended")).and_then(Value::as_str).unwrap_or_default();
    let told = office.kinds().iter().find(|(kind, _)| ended.trim_end().ends_with(&hint_of(kind)));
    if let Some((kind, _)) = told {
        step.kind = kind;
    }
    // It also knows what is missing, which the memory hands on.
    let missing = ended.split_once(NEEDED).and_then(|(_, rest)| rest.split_once(". ")).map(|(needs, _)| needs);
    let needs = missing.unwrap_or(&step.thought);
    let objects = |key: &str| request.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let ways: Vec<Subtask> = objects("ways").iter().filter_map(Value::as_object).map(Subtask::described).collect();
    let asked = request.contains_key("ways");
    let able = || ways.iter().filter(|way| way.can(office, step.kind));
    let fitting = able().find(|way| way.covers(office, step.kind)).or_else(|| able().next());
    let calls = request.get("segment").and_then(|segment| segment.get("calls")).and_then(Value::as_array);
    let last = calls.and_then(|calls| calls.last());
    let told = |key: &str| last.and_then(|call| call.get(key)).and_then(Value::as_str).unwrap_or("nothing");
    let hint = if asked { hint_of(step.kind) } else { plain(&step.thought, 100) };
    let memory = json!({
        "objective": earlier(request, "objective", 110),
        "facts": office.facts(sheet),
        "state": plain(&office.state(sheet), 110),
        "attempts": [plain(&format!("{}: {}", told("call"), told("result")), 76)],
        "loops": [],
        "needs": [plain(needs, 76)],
        "hint": hint,
    });
    let analysis = plain(&format!("The last call was {}. Next is: {}.", told("call"), step.kind), 190);
    let mut answer = json!({ "analysis": analysis, "memory": memory });
    if asked {
        let Some(way) = fitting.or(ways.first()) else {
            sheet.miss(InformationKind::Names, "the ways that lead on");
            return sheet.message("no way is shown", &answer);
        };
        let name = Value::from(way.name.as_str());
        answer["next"] = if request.contains_key("ahead") { json!([name]) } else { name };
        answer["reason"] = plain(&format!("The next step is of the kind {}: {}", step.kind, step.thought), 110).into();
    }
    sheet.message("by what the next step needs", &answer)
}

/// A text of the memory as it was.
fn earlier(request: &Map<String, Value>, key: &str, most: usize) -> String {
    let text = request.get("memory").and_then(|memory| memory.get(key)).and_then(Value::as_str);
    plain(text.unwrap_or_default(), most)
}
