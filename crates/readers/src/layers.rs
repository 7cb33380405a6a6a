//! The layers of a temporal hierarchy: whoever is asked for a message of a layer answers it with what a player of the environment would do.
//!
//! Reflex and Tactical want the action that the player of the environment takes from the same page. Strategic plans the goal as one
//! subgoal and excludes nothing; Institutional sets no rule: a page that shows no trouble calls for neither.

use std::sync::Arc;

use gimbal_core::Message;
use gimbal_model::{Page, Reply};
use serde_json::json;

use crate::kit::{Form, Sheet, embedded, plain};

/// Longest description of a subgoal, in characters.
const GOAL: usize = 120;

/// Whether the page asks a layer.
#[must_use]
pub fn knows(sheet: &Sheet<'_>) -> bool {
    sheet.system.contains("You are the layer ")
}

/// The answer of a layer; `player` answers pages of the environment.
#[must_use]
pub fn reply(sheet: &Sheet<'_>, player: fn(&Sheet<'_>) -> Reply) -> Reply {
    // Beside native calls the page offers no tools to a layer, and describes actions in words.
    let form = (sheet.form == Form::Native).then_some(Form::Lines);
    answer(sheet, &LayerIntent { wanted: &|| action(sheet, (sheet.page.messages, form), player), orders: None })
}

/// The answer of a layer that does what it was told to: it wants this action, plans it, or allows it. `named` is the action as patterns name it.
#[must_use]
pub fn obey(sheet: &Sheet<'_>, action: &str, named: &str) -> Reply {
    answer(sheet, &LayerIntent { wanted: &|| Some(action.to_owned()), orders: Some(named) })
}

/// The answer of a planner that does not let the action through that waits for a plan: it plans the goal.
#[must_use]
pub fn refuse(sheet: &Sheet<'_>) -> Reply {
    let goal = goal(sheet);
    answer(sheet, &LayerIntent { wanted: &|| None, orders: Some(goal) })
}

/// The goal as the page states it.
fn goal<'s>(sheet: &'s Sheet<'_>) -> &'s str {
    sheet.system.split_once("The goal: ").map_or("", |(_, rest)| rest.lines().next().unwrap_or_default())
}

/// What a layer wants.
struct LayerIntent<'w> {
    wanted: &'w dyn Fn() -> Option<String>,
    /// The action that plans and policies name, where they are made for its sake.
    orders: Option<&'w str>,
}

fn answer(sheet: &Sheet<'_>, intent: &LayerIntent<'_>) -> Reply {
    if sheet.asks_for(&["rules"]) && !sheet.asks_for(&["subgoals"]) {
        let rule = |named: &str| json!({ "id": "allowed", "condition": plain(&format!("call {named}"), GOAL), "action": "allow", "priority": 100 });
        let rules: Vec<serde_json::Value> = intent.orders.into_iter().map(rule).collect();
        let why = if rules.is_empty() { "nothing must be forbidden" } else { "this must be allowed" };
        return sheet.message(why, &json!({ "rules": rules, "thresholds": {}, "forbidden": [] }));
    }
    if sheet.asks_for(&["goal_id", "subgoals"]) {
        // What needs a plan is let through: the player of the environment knows what it wants.
        let request = sheet.request(&["step"]).unwrap_or_default();
        let escalated = request.get("escalated").and_then(serde_json::Value::as_str);
        let described = intent.orders.or(escalated).unwrap_or_else(|| goal(sheet));
        let subgoal = json!({
            "id": "goal", "description": plain(described, GOAL), "success_criteria": "the goal is reached", "dependencies": []
        });
        let plan =
            json!({ "goal_id": "goal", "subgoals": [subgoal], "constraints": [], "priority": 0.5, "deadline": null });
        return sheet.message("the goal is one piece of work", &plan);
    }
    let wanted = (intent.wanted)();
    let sure = if wanted.is_some() { 0.8 } else { 0.1 };
    if sheet.asks_for(&["action_sequence"]) {
        let sequence = json!({
            "action_sequence": wanted.into_iter().collect::<Vec<_>>(), "working_memory_update": "", "reached": [], "urgency": 0.5,
            "confidence": sure, "summary": "this comes next"
        });
        return sheet.message("what comes next", &sequence);
    }
    if sheet.asks_for(&["action", "urgency", "confidence"]) {
        let action = json!({
            "action": wanted.unwrap_or_default(), "urgency": 0.5, "confidence": sure, "emergency": false, "summary": "this is done now"
        });
        return sheet.message("what to do now", &action);
    }
    // Free text to the other layers. Slower layers act where they were told to.
    let acts = intent.orders.is_some()
        || sheet.system.contains("Do: ACTION")
            && ["Reflex", "Tactical"].iter().any(|name| sheet.system.contains(&format!("You are the layer {name}")));
    let text = match wanted.filter(|_| acts) {
        Some(action) => format!("This comes next. Do: {action}"),
        None => "Go on as you do.".to_owned(),
    };
    match sheet.form {
        Form::Lines => sheet.say(&format!("Thought: as the page says\nAnswer: {text}")),
        Form::Json => sheet.say(&json!({ "thought": "as the page says", "answer": text }).to_string()),
        Form::Native => sheet.say(&json!({ "reasoning": "as the page says", "answer": text }).to_string()),
        Form::Plain => sheet.say(&text),
    }
}

/// The action that the player of the environment takes, read from its answer to the same page with these messages; in the form `form` where that is
/// not the page's own.
pub(crate) fn action(
    sheet: &Sheet<'_>,
    (messages, form): (&[Arc<Message>], Option<Form>),
    player: fn(&Sheet<'_>) -> Reply,
) -> Option<String> {
    let page = Page { grammar: None, messages, ..sheet.page };
    let mut own = Sheet::read(&page);
    own.adviser = false;
    own.form = form.unwrap_or(own.form);
    // A player that tells places by the keys of their answers must not take this page for that of an adviser.
    own.system = own.system.replace("\"action\"", "action").replace("\"confidence\"", "confidence");
    let Reply { text, missed, .. } = player(&own);
    for missed in missed {
        sheet.miss(missed.lack, missed.words);
    }
    let said = match own.form {
        Form::Lines => text.rsplit_once("Answer: ").map(|(_, action)| action.trim().to_owned()),
        Form::Json => embedded(&text).find_map(|value| Some(value.get("action")?.as_str()?.to_owned())),
        Form::Native | Form::Plain => Some(text.trim().to_owned()),
    };
    said.and_then(|said| said.lines().next().map(str::to_owned)).filter(|said| !said.is_empty())
}
