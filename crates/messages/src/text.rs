//! Texts of messages: their bounds, and the one spacing in which agents see JSON.

use serde_json::Value;

/// A text without what is beyond its bound, cut between characters.
#[must_use]
pub fn bounded(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => text[..end].to_owned(),
        None => text.to_owned(),
    }
}

/// A message as JSON text with a blank after every comma and colon: the one spacing in which agents see messages and
/// in which grammars expect them.
#[must_use]
pub fn spaced(message: &Value) -> String {
    match message {
        Value::Array(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members =
                members.iter().map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), spaced(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
