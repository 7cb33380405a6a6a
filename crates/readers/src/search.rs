//! Who is asked by a tree search, and whoever looks back on an attempt that failed.
//!
//! The proposer names the action that the player of the environment takes from the same page; after simulated actions, from the page with them behind
//! it. The valuer goes by rewards and by whether anything happened. The reflector names the actions that brought nothing.

use std::sync::Arc;

use gimbal_core::{Message, Speaker};
use gimbal_model::Reply;
use serde_json::{Map, Value, json};

use crate::kit::{Form, Sheet, plain};
use crate::layers;

/// Longest reflection: what every grammar lets through.
const REFLECTION: usize = 400;
/// Actions that a reflection names, and letters of each.
const NAMED: (usize, usize) = (3, 60);
/// Words of a result that tell that nothing came of an action.
const NOTHING: [&str; 6] = ["nothing happen", "could not", "refused", "error", "not possible", "no usable action"];

/// The answer of a proposer, a valuer or a reflector; `None` if the page asks none of them.
pub(crate) fn reply(sheet: &Sheet<'_>, player: fn(&Sheet<'_>) -> Reply) -> Option<Reply> {
    if !sheet.adviser {
        return None;
    }
    if let Some(request) = sheet.request(&["wanted", "step"]).filter(|_| sheet.asks_for(&["actions"])) {
        return Some(propose(sheet, &request, player));
    }
    if let Some(request) = sheet.request(&["candidates"]).filter(|_| sheet.asks_for(&["values"])) {
        let values: Vec<f64> = list(&request, "candidates").iter().map(value).collect();
        return Some(sheet.message("as the results say", &json!({ "values": values })));
    }
    let record = sheet.request(&["steps", "ended"]).filter(|_| sheet.asks_for(&["reflection"]))?;
    Some(sheet.message("what brought nothing", &json!({ "reflection": look_back(&record) })))
}

fn list<'a>(request: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    request.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(step: &'a Value, key: &str) -> &'a str {
    step.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn propose(sheet: &Sheet<'_>, request: &Map<String, Value>, player: fn(&Sheet<'_>) -> Reply) -> Reply {
    let mut messages: Vec<Arc<Message>> = sheet.page.messages.to_vec();
    for step in list(request, "simulated") {
        let own = format!("Thought: as simulated\nAnswer: {}", text(step, "action"));
        let seen = format!("Observation: {}", text(step, "result"));
        messages.push(Arc::new(Message::new(Speaker::Assistant, own)));
        messages.push(Arc::new(Message::new(Speaker::User, seen)));
    }
    // Beside native calls the page offers no tools to a proposer, and describes actions in words.
    let form = (sheet.form == Form::Native).then_some(Form::Lines);
    let action = layers::action(sheet, (&messages, form), player).unwrap_or_default();
    sheet.message("what the player would do", &json!({ "actions": [action] }))
}

/// What a candidate is worth: what it earned, else whether anything came of it.
fn value(candidate: &Value) -> f64 {
    match text(candidate, "reward").parse::<f64>() {
        Ok(reward) if reward > 0.0 => 0.9,
        Ok(_) => 0.3,
        Err(_) if came_to_nothing(candidate) => 0.2,
        Err(_) => 0.6,
    }
}

fn came_to_nothing(step: &Value) -> bool {
    let result = text(step, "result").to_lowercase();
    NOTHING.iter().any(|words| result.contains(words))
}

fn look_back(record: &Map<String, Value>) -> String {
    let mut vain: Vec<String> = Vec::new();
    for step in list(record, "steps").iter().filter(|step| came_to_nothing(step)) {
        let action = plain(text(step, "action"), NAMED.1);
        if !vain.contains(&action) && vain.len() < NAMED.0 {
            vain.push(action);
        }
    }
    let said = match vain.as_slice() {
        [] => {
            "No action was in vain, and the steps did not suffice: leave out what does not serve the goal.".to_owned()
        }
        vain => format!("These actions came to nothing, leave them out: {}.", vain.join("; ")),
    };
    plain(&said, REFLECTION)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{look_back, value};

    #[test]
    fn rewards_go_before_words_and_words_before_nothing() {
        assert_eq!(value(&json!({ "action": "a", "result": "Nothing happens.", "reward": "1.0" })), 0.9);
        assert_eq!(value(&json!({ "action": "a", "reward": "-0.1" })), 0.3);
        assert_eq!(value(&json!({ "action": "a", "result": "Nothing happens." })), 0.2);
        assert_eq!(value(&json!({ "action": "a", "result": "You see a lamp." })), 0.6);
    }

    #[test]
    fn a_reflection_names_what_was_in_vain() {
        let step = |action: &str, result: &str| json!({ "step": 1, "action": action, "result": result });
        let record = json!({ "ended": "", "steps": [step("go", "ok"), step("pull", "Nothing happens."), step("pull", "(refused: no)")] });
        assert_eq!(look_back(record.as_object().unwrap()), "These actions came to nothing, leave them out: pull.");
        let record = json!({ "steps": [step("go", "ok")] });
        assert!(look_back(record.as_object().unwrap()).contains("did not suffice"));
    }
}
