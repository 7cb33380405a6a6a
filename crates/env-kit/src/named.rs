//! Actions as text with named arguments: `tool name="text", number=3`. Environments whose arguments are free texts share the frame of that
//! form; which values stand without quotation marks, and what follows an answer, is each one's own.

use std::collections::BTreeMap;

use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec};
use serde_json::Value;

/// Writes a call: the tool's name, and each argument with its value as JSON.
#[must_use]
pub fn render(call: &ToolCall) -> String {
    let mut out = call.tool.clone();
    for (at, (name, value)) in call.arguments.iter().enumerate() {
        out.push_str(if at == 0 { " " } else { ", " });
        out.push_str(name);
        out.push('=');
        out.push_str(&value.to_string());
    }
    out
}

/// The word that an action begins with, empty where it begins with none, and what follows it. Backquotes around it are passed over.
///
/// # Errors
/// When the text has more than `longest` bytes.
pub fn head(text: &str, longest: usize) -> Result<(&str, &str), Rejection> {
    let text = text.trim().trim_matches('`').trim();
    if text.len() > longest {
        let message = format!("the action is longer than {longest} bytes");
        return Err(Rejection::new(RejectionKind::Unreadable, message));
    }
    Ok(text.split_at(word_end(text).unwrap_or(text.len())))
}

/// Where the word that a text begins with ends; `None` where the text is a word as a whole.
#[must_use]
pub fn word_end(text: &str) -> Option<usize> {
    text.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
}

/// What follows a tool's name, without the brackets around it. Letters of `ends` may stand behind the closing bracket.
#[must_use]
pub fn unbracketed<'t>(rest: &'t str, ends: &[char]) -> &'t str {
    let rest = rest.trim().trim_start_matches([':', ',']).trim();
    let inside = rest.strip_prefix('(').map(|inside| inside.trim_end().trim_end_matches(ends).trim_end());
    inside.map_or(rest, |inside| inside.strip_suffix(')').unwrap_or(inside)).trim()
}

/// The arguments, where they are written as one JSON object.
#[must_use]
pub fn object(rest: &str) -> Option<BTreeMap<String, Value>> {
    if !rest.starts_with('{') {
        return None;
    }
    match serde_json::from_str(rest.trim_end_matches('.')) {
        Ok(Value::Object(map)) => Some(map.into_iter().collect()),
        _ => None,
    }
}

/// Names of a tool's arguments, in the order of its schema.
#[must_use]
pub fn parameters(tool: &ToolSpec) -> Vec<&str> {
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// The beginning of a text, for a message about it.
#[must_use]
pub fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use gimbal_core::ToolCall;
    use serde_json::json;

    use super::{head, object, render, unbracketed};

    #[test]
    fn the_frame_of_an_action_is_read_in_many_ways_and_written_in_one() {
        let call = ToolCall {
            tool: "find".to_owned(),
            arguments: [("a".to_owned(), json!("x\"y")), ("b".to_owned(), json!(3))].into(),
        };
        assert_eq!(render(&call), r#"find a="x\"y", b=3"#);
        for text in ["find(a=1).", "`find a=1`", " find: a=1", "find (a=1)"] {
            let (name, rest) = head(text, 100).unwrap();
            assert_eq!((name, unbracketed(rest, &['.'])), ("find", "a=1"), "{text}");
        }
        assert_eq!(head("= 3", 100).unwrap().0, "");
        assert!(head("find", 3).unwrap_err().message.contains("longer than 3 bytes"));
        assert_eq!(object(r#"{"a": 1}."#), Some([("a".to_owned(), json!(1))].into()));
        assert_eq!((object("a=1"), object("{a")), (None, None));
    }
}
