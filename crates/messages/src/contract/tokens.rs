//! Bounds in tokens: the key `maxTokens` of a text, or of the whole message. No form can count tokens, so that rules keep these bounds after
//! a message was read (SH-03).

use gimbal_core::TokenCount;
use serde_json::{Map, Value};

use super::rules::{Change, ChangeKind, within};
use crate::spaced;

/// Counts the tokens of a text for the model that wrote it.
pub type CountTokens<'c> = dyn Fn(&str) -> TokenCount + Send + Sync + 'c;

/// What of a schema no contract can follow.
pub(super) struct Unfollowed {
    /// JSON pointer into the schema.
    pub place: String,
    /// What was found, and what was expected.
    pub what: String,
}

/// The key of a bound.
pub(super) const KEY: &str = "maxTokens";

/// The bound of a schema, in tokens.
pub(super) fn bound(schema: &Value) -> Option<u64> {
    schema.get(KEY).and_then(Value::as_u64)
}

/// Whether a schema bounds tokens anywhere.
///
/// # Errors
/// A bound that is not a whole number above 0, or that is neither of a text nor of the whole message.
pub(super) fn check(schema: &Value, place: &str) -> Result<bool, Unfollowed> {
    let own = match schema.get(KEY) {
        None => false,
        Some(bound) => {
            let wrong = |what: &str| Unfollowed { place: format!("{place}/{KEY}"), what: what.to_owned() };
            if bound.as_u64().is_none_or(|bound| bound == 0) {
                return Err(wrong("a bound in tokens is a whole number above 0"));
            }
            if !(place.is_empty() || is_free_text(schema)) {
                return Err(wrong(
                    "a bound in tokens is of a text without `enum` and `pattern`, or of the whole message",
                ));
            }
            true
        }
    };
    let mut any = own;
    for (key, of) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        any |= check(of, &format!("{place}/properties/{key}"))?;
    }
    if let Some(of) = schema.get("items") {
        any |= check(of, &format!("{place}/items"))?;
    }
    Ok(any)
}

fn is_free_text(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("string")
        && schema.get("enum").is_none()
        && schema.get("pattern").is_none()
}

/// Keeps the bounds of a schema. Texts are cut to theirs. A message that is too long as a whole loses members that may be missing, the last
/// first, then the last items of its longest list. Returns its tokens; above the bound where nothing more can be left out.
pub(super) fn apply(schema: &Value, value: &mut Value, count: &CountTokens<'_>) -> (TokenCount, Vec<Change>) {
    let mut changes = Vec::new();
    texts(schema, value, &mut String::new(), count, &mut changes);
    let mut tokens = count(&spaced(value));
    while bound(schema).is_some_and(|most| tokens.tokens > most) {
        let Some(change) = value.as_object_mut().and_then(|members| shorten(schema, members)) else { break };
        if !changes.contains(&change) {
            changes.push(change);
        }
        tokens = count(&spaced(value));
    }
    (tokens, changes)
}

/// Cuts the texts of a value.
fn texts(schema: &Value, value: &mut Value, place: &mut String, count: &CountTokens<'_>, changes: &mut Vec<Change>) {
    match value {
        Value::String(text) => {
            if let Some(end) = bound(schema).and_then(|most| cut(text, most, count)) {
                text.truncate(end);
                changes.push(Change { kind: ChangeKind::Clipped, place: place.clone() });
            }
        }
        Value::Array(items) => {
            let Some(of) = schema.get("items") else { return };
            for (index, item) in items.iter_mut().enumerate() {
                within(place, &index.to_string(), |place| texts(of, item, place, count, changes));
            }
        }
        Value::Object(members) => {
            for (key, of) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if let Some(member) = members.get_mut(key) {
                    within(place, key, |place| texts(of, member, place, count, changes));
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Where a text ends that has at most so many tokens, in bytes; `None` if the whole has no more.
fn cut(text: &str, most: u64, count: &CountTokens<'_>) -> Option<usize> {
    if count(text).tokens <= most {
        return None;
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fits = |end: usize| text.get(..end).is_some_and(|start| count(start).tokens <= most);
    // Tokens grow with the text, but not at every letter: a last letter may join two tokens into one.
    let mut kept = ends.partition_point(|end| fits(*end)).saturating_sub(1);
    while kept > 0 && ends.get(kept).is_some_and(|end| !fits(*end)) {
        kept -= 1;
    }
    Some(ends.get(kept).copied().unwrap_or(0))
}

/// Leaves one thing out of a message; `None` if all that is left must be there.
fn shorten(schema: &Value, members: &mut Map<String, Value>) -> Option<Change> {
    let properties = schema.get("properties")?.as_object()?;
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for (key, of) in properties.iter().rev().filter(|(key, _)| !required.contains(&key.as_str())) {
        let default = of.get("default");
        let change = Change { kind: ChangeKind::Dropped, place: format!("/{key}") };
        match (members.get_mut(key), default) {
            (Some(member), Some(default)) if member != default => {
                *member = default.clone();
                return Some(change);
            }
            (Some(_), None) => {
                members.shift_remove(key);
                return Some(change);
            }
            _ => {}
        }
    }
    let least = |key: &str| properties.get(key).and_then(|of| of.get("minItems")).and_then(Value::as_u64).unwrap_or(0);
    let lists = members.iter_mut().filter_map(|(key, value)| {
        let spare = value.as_array().is_some_and(|items| items.len() as u64 > least(key));
        spare.then(|| (spaced(value).len(), key.clone(), value))
    });
    let (_, key, longest) = lists.max_by_key(|(length, ..)| *length)?;
    longest.as_array_mut()?.pop();
    Some(Change { kind: ChangeKind::Clipped, place: format!("/{key}") })
}
