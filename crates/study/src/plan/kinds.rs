//! Pieces of the JSON Schema of a study, one for each way in which [`members`](super::members) reads a value.

use serde_json::{Value, json};

/// What tables, terminals and spreadsheets show: one line that none of them takes as a command.
const SHOWN: &str = r"^([^=+@\-\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*|\+[\p{L} +_]*)$";

/// What [`string`](super::members::string) reads: a text, or a number or boolean that was left without quotation marks.
#[must_use]
pub fn text() -> Value {
    json!({ "type": ["string", "number", "boolean"], "minLength": 1 })
}

/// What [`shown`](super::members::shown) reads.
#[must_use]
pub fn shown() -> Value {
    // Of a number, the sign would begin a formula.
    json!({ "type": ["string", "number", "boolean"], "pattern": SHOWN, "minimum": 0 })
}

/// With a description.
#[must_use]
pub fn described(mut schema: Value, text: &str) -> Value {
    schema["description"] = text.into();
    schema
}

/// The same, or empty.
#[must_use]
pub fn or_empty(schema: Value) -> Value {
    let description = schema.get("description").cloned();
    let mut schema = json!({ "anyOf": [schema, { "type": "null" }] });
    if let Some(description) = description {
        schema["description"] = description;
    }
    schema
}

/// Lets each member that is not required be empty, as [`Members::get`](super::members::Members::get) does.
pub fn with_empty(schema: &mut Value) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (key, value) in properties {
        if !required.iter().any(|known| known == key) {
            *value = or_empty(value.take());
        }
    }
}

/// An object that has these members and no other, none of them required.
#[must_use]
pub fn object(properties: Value) -> Value {
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    with_empty(&mut schema);
    schema
}

/// That a member is there and not empty.
#[must_use]
pub fn is_set(key: &str) -> Value {
    json!({ "required": [key], "properties": { key: { "not": { "type": "null" } } } })
}

/// An item, or a list of such; the file may leave out the brackets of a list of one.
#[must_use]
pub fn listed(item: &Value) -> Value {
    json!({ "anyOf": [item, { "type": "array", "items": item }] })
}

/// The same, with one item at least.
#[must_use]
pub fn filled(item: &Value) -> Value {
    json!({ "anyOf": [item, { "type": "array", "minItems": 1, "items": item }] })
}
