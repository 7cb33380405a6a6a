//! Replies that are one JSON object: the protocol `json`, and native calls that a model writes as text.
//!
//! | object | read as |
//! |---|---|
//! | `{"thought", "action": "text"}` (or `answer`) | the answer |
//! | `{"thought", "action": {"tool", "arguments"}}` | a call |
//! | `{"thought", "tool", "input"}` or `{"reasoning", "tool", "arguments"}` | a call |
//!
//! Text around the object, such as code fences, does not count. Objects that say none of this are passed over; at
//! most [`CANDIDATES`] places are tried, so that reading stays linear.

use serde_json::{Map, Value};

use super::{Input, Reply, Saying, ToolUse, plain};

/// How many opening braces are tried.
pub const CANDIDATES: usize = 16;

/// Reads the text of a reply.
#[must_use]
pub fn read(text: &str) -> Reply {
    text.match_indices('{')
        .filter(|(at, _)| text[at + 1..].trim_start().starts_with(['"', '}']))
        .take(CANDIDATES)
        .find_map(|(at, _)| object(&text[at..]).and_then(reply))
        .unwrap_or_else(|| Reply { thought: String::new(), saying: Saying::Raw(text.trim().to_owned()) })
}

/// The object at the beginning of `text`, whatever follows it.
fn object(text: &str) -> Option<Map<String, Value>> {
    match serde_json::Deserializer::from_str(text).into_iter::<Value>().next() {
        Some(Ok(Value::Object(object))) => Some(object),
        _ => None,
    }
}

fn reply(mut object: Map<String, Value>) -> Option<Reply> {
    let thought = ["thought", "reasoning"]
        .iter()
        .find_map(|key| object.get(*key).map(plain))
        .unwrap_or_default()
        .trim()
        .to_owned();
    let saying = match object.shift_remove("action").or_else(|| object.shift_remove("answer")) {
        Some(Value::Object(call)) if call.contains_key("tool") || call.contains_key("name") => {
            Saying::Use(tool_use(call)?)
        }
        Some(answer @ Value::Object(_)) => Saying::Answer(answer.to_string()),
        Some(Value::Null) | None => Saying::Use(tool_use(object)?),
        // The message of an adviser.
        Some(answer @ Value::Array(_)) => Saying::Answer(answer.to_string()),
        Some(answer) => Saying::Answer(plain(&answer).trim().to_owned()),
    };
    Some(Reply { thought, saying })
}

fn tool_use(mut object: Map<String, Value>) -> Option<ToolUse> {
    let name = object.get("tool").or_else(|| object.get("name"))?.as_str()?.trim().to_owned();
    let input = match object.shift_remove("arguments").or_else(|| object.shift_remove("input")) {
        Some(Value::Object(arguments)) => Input::Arguments(arguments),
        Some(value) => Input::Text(plain(&value)),
        None => Input::Arguments(Map::new()),
    };
    Some(ToolUse { name, input })
}

#[cfg(test)]
mod tests {
    use super::{Input, Reply, Saying, ToolUse, read};

    fn answer(thought: &str, text: &str) -> Reply {
        Reply { thought: thought.to_owned(), saying: Saying::Answer(text.to_owned()) }
    }

    #[test]
    fn reads_answers_wherever_the_object_stands() {
        let whole = answer("t", "Oil machine=lathe");
        for text in [
            r#"{"thought": "t", "action": "Oil machine=lathe"}"#,
            "```json\n{\"thought\": \"t\", \"action\": \"Oil machine=lathe\"}\n```",
            r#"I {really} mean {"x": 1}: {"thought": "t", "answer": " Oil machine=lathe "} and no more {"#,
        ] {
            assert_eq!(read(text), whole, "{text}");
        }
    }

    #[test]
    fn reads_calls_of_every_form() {
        let arguments = serde_json::json!({ "machine": "lathe" });
        let arguments = arguments.as_object().unwrap().clone();
        let call = |input: Input| Saying::Use(ToolUse { name: "Oil".to_owned(), input });
        let cases = [
            (r#"{"thought":"t","tool":"Oil","input":"lathe"}"#, call(Input::Text("lathe".to_owned()))),
            (
                r#"{"thought":"t","tool":"Oil","arguments":{"machine":"lathe"}}"#,
                call(Input::Arguments(arguments.clone())),
            ),
            (
                r#"{"thought":"t","action":{"tool":"Oil","arguments":{"machine":"lathe"}}}"#,
                call(Input::Arguments(arguments)),
            ),
            (r#"{"reasoning":"t","tool":"Oil"}"#, call(Input::Arguments(serde_json::Map::new()))),
        ];
        for (text, saying) in cases {
            assert_eq!(read(text), Reply { thought: "t".to_owned(), saying }, "{text}");
        }
    }

    #[test]
    fn what_says_nothing_stays_raw() {
        for text in ["", "Wait", "{", r#"{"thought": "t"}"#, r#"{"tool": 3}"#, r#"{"thought": "t", "action": "#] {
            assert_eq!(read(text).saying, Saying::Raw(text.trim().to_owned()), "{text}");
        }
    }
}
