//! The conversation so far, as the page shows it.

use std::sync::Arc;

use gimbal_core::{Message, Speaker};
use serde_json::{Map, Value};

use super::sections;

/// What an agent wrote.
#[derive(Clone, Debug, PartialEq)]
pub enum Own {
    /// An action in the text of its environment.
    Action(String),
    /// A call by name and arguments.
    Call(String, Map<String, Value>),
    /// The use of a tool with a text as input.
    Use(String, String),
    /// Anything else.
    Said(String),
}

/// A message of the agent's own, and what it was shown after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// What the agent wrote.
    pub own: Own,
    /// What it was shown then, without tagged parts and without the word `Observation:`; empty if nothing.
    pub seen: String,
    /// Whether what was shown says that the answer was refused, and so did not happen.
    pub refused: bool,
}

/// The turns of a conversation.
pub(super) fn of(messages: &[Arc<Message>]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for message in messages {
        match message.speaker {
            Speaker::System => {}
            Speaker::Assistant => turns.push(Turn { own: own(message), seen: String::new(), refused: false }),
            Speaker::User | Speaker::Tool => {
                if let Some(turn) = turns.last_mut() {
                    let text = sections::without(&message.text);
                    let (seen, refused) = observed(&text);
                    if !turn.seen.is_empty() && !seen.is_empty() {
                        turn.seen.push('\n');
                    }
                    turn.seen.push_str(seen);
                    turn.refused |= refused;
                }
            }
        }
    }
    turns
}

/// The observation in a message, and whether the message says that the answer was refused.
fn observed(text: &str) -> (&str, bool) {
    let bare = text.trim();
    if let Some(rest) = bare.strip_prefix("Observation:") {
        return (rest.trim(), false);
    }
    let refused = bare.contains("refused") || bare.contains("rejected") || bare.starts_with("Attempt ");
    (bare, refused)
}

fn own(message: &Message) -> Own {
    if let Some(call) = message.calls.first() {
        return Own::Call(call.tool.clone(), call.arguments.as_object().cloned().unwrap_or_default());
    }
    let text = message.text.trim();
    if let Some(value) = super::json::embedded(text).find(Value::is_object)
        && let Some(own) = written(&value)
    {
        return own;
    }
    if let Some(answer) = text.rsplit_once("Answer:").map(|(_, answer)| answer.trim()) {
        return Own::Action(answer.to_owned());
    }
    let line = text.lines().find_map(|line| line.trim().strip_prefix("Tool:"));
    if let Some((name, input)) = line.map(|line| line.split_once(':').unwrap_or((line, ""))) {
        return Own::Use(name.trim().to_owned(), input.trim().to_owned());
    }
    Own::Said(text.to_owned())
}

/// What a JSON object of an agent's own asks for.
fn written(value: &Value) -> Option<Own> {
    let tool = value.get("tool").and_then(Value::as_str);
    match (tool, value.get("arguments"), value.get("input"), value.get("action")) {
        (Some(tool), Some(arguments), ..) => {
            Some(Own::Call(tool.to_owned(), arguments.as_object().cloned().unwrap_or_default()))
        }
        (Some(tool), None, input, _) => {
            let input = input.map(|input| input.as_str().map_or_else(|| input.to_string(), str::to_owned));
            Some(Own::Use(tool.to_owned(), input.unwrap_or_default()))
        }
        (None, _, _, Some(Value::String(action))) => Some(Own::Action(action.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Message, RequestedCall, Speaker};
    use serde_json::{Map, json};
    use std::sync::Arc;

    use super::{Own, of};

    #[test]
    fn turns_are_read_in_every_form() {
        let user = |text: &str| Message::new(Speaker::User, text);
        let own = |text: &str| Message::new(Speaker::Assistant, text);
        let call = RequestedCall { id: "1".to_owned(), tool: "go".to_owned(), arguments: json!({ "to": "bed" }) };
        let messages: Vec<Arc<Message>> = [
            user("Begin."),
            own("Thought: so\nAnswer: go to bed"),
            user("Observation: You see a lamp.\n\n<possible_actions>\nlook\n</possible_actions>"),
            own("Thought: so\nTool: finish_subtask: done\nPAUSE"),
            user("It was refused: no"),
            own("{\"thought\": \"\", \"action\": \"look\"}"),
            Message::with_calls("", vec![call]),
            Message::answering("1", "You are there."),
        ]
        .map(Arc::new)
        .into();
        let turns = of(&messages);
        assert_eq!(turns[0].own, Own::Action("go to bed".to_owned()));
        assert_eq!((turns[0].seen.as_str(), turns[0].refused), ("You see a lamp.", false));
        assert_eq!(turns[1].own, Own::Use("finish_subtask".to_owned(), "done".to_owned()));
        assert!(turns[1].refused);
        assert_eq!(turns[2].own, Own::Action("look".to_owned()));
        let arguments: Map<_, _> = [("to".to_owned(), json!("bed"))].into_iter().collect();
        assert_eq!((&turns[3].own, turns[3].seen.as_str()), (&Own::Call("go".to_owned(), arguments), "You are there."));
    }
}
