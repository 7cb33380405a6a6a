//! JSON Schema of study files, for editors: made from the registry, so that it names what there is.

use serde_json::{Map, Value, json};

use super::file::LONGEST_NAME;
use crate::registry::Registry;

/// What tables, terminals and spreadsheets show: one line that none of them takes as a command.
const SHOWN: &str = r"^([^=@+\-\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*|\+[\p{L} +_]*)$";

/// JSON Schema of study files.
#[must_use]
pub fn schema(registry: &Registry) -> Value {
    let mut definitions = Map::new();
    let environments: Vec<Value> = registry
        .environments
        .iter()
        .map(|family| {
            let settings = hoisted(family.schema(), family.name(), &mut definitions);
            entry(settings, "name", family.name(), &[])
        })
        .collect();
    let kinds = registry.architectures.iter().map(|kind| {
        let beside = [("name", "What tables call it."), ("axis", "Axis or group in tables and figures.")];
        entry(hoisted(kind.schema(), kind.name(), &mut definitions), "base", kind.name(), &beside)
    });
    let architectures: Vec<Value> = kinds.collect();
    let whole = |least: u64, text: &str| json!({ "type": "integer", "minimum": least, "description": text });
    let object =
        |properties: Value| json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let decoding =
        json!({ "enum": ["free", "constrained"], "description": "Whether a grammar masks the model's choices." });
    let environment = json!({ "anyOf": environments });
    let role = json!({ "anyOf": [
        { "type": "string", "minLength": 1, "description": "A model, e.g. local/smollm2-135m." },
        {
            "type": "object", "required": ["model"], "additionalProperties": false,
            "properties": {
                "model": { "type": "string", "minLength": 1 }, "decoding": decoding.clone(),
                "temperature": { "type": "number", "minimum": 0, "maximum": 2 },
                "top_p": { "type": "number", "minimum": 0, "maximum": 1 },
                "max_output_tokens": whole(1, "Upper bound of the output; 10,000 for remote models and 1,024 for others if left out."),
                "seed": whole(0, "Seed, where the provider takes one."),
            },
        },
    ] });
    let tasks = json!({ "anyOf": [
        object(json!({ "split": { "type": "string", "minLength": 1 }, "limit": whole(1, "At most so many tasks.") })),
        { "type": "array", "items": { "type": "string", "minLength": 1 } },
    ] });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Gimbal study",
        "type": "object",
        "required": ["study", "environment", "architectures"],
        "additionalProperties": false,
        "properties": {
            "study": { "type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9_.-]*$", "maxLength": LONGEST_NAME, "description": "Name of the study and its run folder." },
            "description": { "type": "string", "minLength": 1 },
            "environment": { "anyOf": [environment.clone(), { "type": "array", "minItems": 1, "items": environment }] },
            "architectures": { "type": "array", "minItems": 1, "items": { "anyOf": architectures } },
            "decoding": decoding,
            "roles": { "type": "array", "items": { "type": "object", "additionalProperties": role } },
            "episodes": object(json!({
                "tasks": tasks, "runs": whole(1, "Runs of every task."), "trials": whole(1, "Trials of a session."),
                "seed": whole(0, "Seed of the study."),
            })),
            "limits": object(json!({
                "episode": object(json!({
                    "model_calls": whole(1, "Calls to models."), "tool_calls": whole(1, "Calls to the world."),
                    "tokens": whole(1, "Input and output tokens."), "seconds": whole(1, "Wall time."),
                })),
                "study": object(json!({
                    "cost": { "type": "number", "minimum": 0, "maximum": 1e9, "description": "Dollars." },
                    "tokens": whole(1, "Input and output tokens as billed."),
                })),
            })),
            "baseline": { "type": "string", "minLength": 1, "description": "The cell that paired differences are taken against." },
            "models": { "type": "object", "description": "Base addresses, rates and retries of models." },
            "prepare": { "type": "array", "maxItems": 0 },
            "faults": { "type": "array", "maxItems": 0 },
        },
        "$defs": definitions,
    })
}

/// A schema of its own made part of this one: references begin at the root of the document, so its definitions move
/// there, each under the name of its kind.
fn hoisted(schema: Value, name: &str, definitions: &mut Map<String, Value>) -> Value {
    fn point(value: &mut Value, name: &str) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    match member {
                        Value::String(to) if key == "$ref" => {
                            if let Some(local) = to.strip_prefix("#/$defs/") {
                                *to = format!("#/$defs/{name}.{local}");
                            }
                        }
                        member => point(member, name),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| point(item, name)),
            _ => {}
        }
    }
    let mut schema = schema;
    point(&mut schema, name);
    let own = schema.as_object_mut().and_then(|members| members.remove("$defs"));
    if let Some(Value::Object(own)) = own {
        definitions.extend(own.into_iter().map(|(local, part)| (format!("{name}.{local}"), part)));
    }
    schema
}

/// The schema of a map that names its kind beside its settings.
fn entry(settings: Value, key: &str, name: &str, beside: &[(&str, &str)]) -> Value {
    let mut schema = settings.as_object().cloned().unwrap_or_default();
    let mut properties = Map::new();
    properties.insert(key.to_owned(), json!({ "const": name }));
    for (name, text) in beside {
        properties.insert((*name).to_owned(), json!({ "type": "string", "pattern": SHOWN, "description": text }));
    }
    if let Some(Value::Object(own)) = schema.get("properties") {
        properties.extend(own.clone());
    }
    let mut required = vec![Value::from(key)];
    required.extend(schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default());
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), Value::Array(required));
    // A bare name is enough where nothing else is required.
    json!({ "anyOf": [{ "const": name }, Value::Object(schema)] })
}
