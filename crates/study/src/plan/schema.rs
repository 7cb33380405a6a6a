//! JSON Schema of study files, for editors: made from the registry, so that it names what there is.

use gimbal_core::Limits;
use gimbal_model::ModelsSection;
use serde_json::{Map, Value, json};

use super::faults;
use super::file::LONGEST_NAME;
use super::kinds::{described, filled, is_set, listed, object, or_empty, shown, text, with_empty};
use crate::registry::Registry;

/// Tasks of all environments, or of one.
fn tasks() -> Value {
    let limit =
        json!({ "type": "integer", "minimum": 1, "maximum": u64::MAX, "description": "At most so many tasks." });
    json!({ "anyOf": [object(json!({ "split": text(), "limit": limit })), listed(&text())] })
}

/// Files of artefacts by name.
fn artefacts(description: &str) -> Value {
    let file = described(text(), "Path of the file, in the data folder or in the present one.");
    json!({
        "type": "object", "description": description, "propertyNames": { "minLength": 1 },
        "additionalProperties": { "anyOf": [file, { "type": "null" }] },
    })
}

/// The section `models`: what its settings are, and what the reader of studies takes beside that.
fn models(shared: &mut Map<String, Value>) -> Value {
    let mut schema = ModelsSection::schema();
    for folder in ["cache", "record"] {
        if let Some(own) = schema.pointer_mut(&format!("/properties/{folder}")) {
            *own = described(text(), own.get("description").and_then(Value::as_str).unwrap_or_default());
        }
    }
    with_empty(&mut schema);
    if let Some(sections) = schema.get_mut("$defs").and_then(Value::as_object_mut) {
        sections.values_mut().for_each(with_empty);
    }
    hoist(schema, "models", shared)
}

/// JSON Schema of study files.
#[must_use]
pub fn schema(registry: &Registry) -> Value {
    let mut shared = Map::new();
    let mut environments = Vec::new();
    for family in &registry.environments {
        let mut settings = hoist(family.schema(), family.name(), &mut shared);
        if let Some(properties) = settings.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert("tasks".to_owned(), or_empty(tasks()));
        }
        environments.push(entry(settings, "name", family.name(), &[]));
    }
    let mut architectures = Vec::new();
    for kind in &registry.architectures {
        let beside = [("name", "What tables call it."), ("axis", "Axis or group in tables and figures.")];
        let settings = hoist(kind.schema(), kind.name(), &mut shared);
        let mut schema = entry(settings, "base", kind.name(), &beside);
        if let Some(properties) = schema.pointer_mut("/anyOf/1/properties").and_then(Value::as_object_mut) {
            let text = "Its own artefacts, in the place of the study's or beside them; `null` for none.";
            properties.insert("artefacts".to_owned(), or_empty(artefacts(text)));
        }
        architectures.push(schema);
    }
    let models = models(&mut shared);
    let number = |least: u64, most: u64, text: &str| json!({ "type": "integer", "minimum": least, "maximum": most, "description": text });
    let whole = |least: u64, text: &str| number(least, u64::MAX, text);
    let small = |text: &str| number(1, u64::from(u32::MAX), text);
    let decoding = json!({ "enum": ["free", "constrained", "constrained_or_free"], "description": "Whether a grammar masks the model's choices; `constrained_or_free` plays free where the model's server cannot enforce the grammars." });
    let environment = json!({ "anyOf": environments });
    let architecture = json!({ "anyOf": architectures });
    let mut settings = json!({
        "type": "object", "required": ["model"], "additionalProperties": false,
        "properties": {
            "model": text(), "decoding": decoding,
            "temperature": { "type": "number", "minimum": 0, "maximum": 2 },
            "top_p": { "type": "number", "minimum": 0, "maximum": 1 },
            "max_output_tokens": small("Upper bound of the output; 10,000 for remote models and 1,024 for others if left out."),
            "seed": whole(0, "Seed, where the provider takes one."),
            "stop": { "type": "boolean", "description": "Whether stop texts are sent; to models that take them, if left out." },
            "reasoning_effort": { "type": ["string", "integer", "boolean"], "pattern": "^[A-Za-z0-9_-]+$", "description": "How much a reasoning model should think, in the provider's words." },
            "extra_body": { "type": "object", "description": "Members of the request's body beside those that the program writes." },
            "extra_headers": { "type": "object", "additionalProperties": shown(), "description": "Headers of the request; never keys." },
        },
    });
    with_empty(&mut settings);
    let role = json!({ "anyOf": [described(text(), "A model, e.g. local/smollm2-135m."), settings] });
    let tasks = tasks();
    let name = json!({
        "type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9_.-]*$", "maxLength": LONGEST_NAME,
        "description": "Name of the study and its run folder.",
    });
    let roles = json!({ "type": "object", "additionalProperties": role });
    let faults = faults::schema(&described(shown(), "What tables call it."));
    let mut extended = object(json!({
        "configuration": described(text(), "Label of the architecture whose cells are meant."),
        "model": described(text(), "A model that plays in the cells meant."),
        "runs": small("Runs of every task: of each instance where `instances` is given, else in all."),
        "instances": small("Instances."),
    }));
    extended["allOf"] = json!([
        { "anyOf": [is_set("configuration"), is_set("model")] },
        { "anyOf": [is_set("runs"), is_set("instances")] },
    ]);
    let over = json!({ "enum": ["same", "seeds", "tasks"], "description": "What changes from one trial of a session to the next: nothing, the seed, or the task." });
    let mut session = object(json!({
        "number": small("Trials of a session; all tasks of a cell if left out, with `over: tasks` only."), "over": over,
    }));
    session["anyOf"] =
        json!([is_set("number"), { "required": ["over"], "properties": { "over": { "const": "tasks" } } }]);
    let trials = json!({ "anyOf": [small("Trials of a session, with the same task and seed each."), session] });
    let dollars = |text: &str| json!({ "type": "number", "minimum": 0, "maximum": 1_000_000_000, "description": text });
    let billed = object(json!({
        "cost": dollars("Dollars, as billed."), "tokens": whole(1, "Input and output tokens as billed."),
    }));
    let episode = object(json!({
        "model_calls": whole(1, "Calls to models."), "tool_calls": whole(1, "Calls to the environment."),
        "tokens": whole(1, "Input and output tokens."), "seconds": whole(1, "Wall time."),
        "branch_calls": whole(1, &format!("Calls in branches of the environment, apart from `tool_calls`: {} by default.", Limits::BRANCH_CALLS)),
        "cost": dollars("Dollars, for tokens as called."),
    }));
    let episodes = object(json!({
        "tasks": tasks, "runs": small("Runs of every task: of each instance, where there are instances."),
        "instances": small("Instances: clusters of runs that analysis keeps together."),
        "extended": listed(&extended), "trials": trials,
        "seed": whole(0, "Seed of the study."),
    }));
    let mut study = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Gimbal study",
        "type": "object",
        "required": ["study", "environment", "architectures"],
        "additionalProperties": false,
        "properties": {
            "study": name,
            "description": text(),
            "environment": filled(&environment),
            "architectures": filled(&architecture),
            "decoding": decoding,
            "roles": listed(&roles),
            "episodes": episodes,
            "limits": object(json!({ "episode": episode, "cell": billed, "study": billed })),
            "baseline": described(text(), "The cell that paired differences are taken against."),
            "models": models,
            "artefacts": artefacts("Files of things built before episodes, for every architecture that asks for them."),
            "prepare": { "type": "array", "maxItems": 0 },
            "faults": listed(&faults),
        },
        "$defs": shared,
    });
    with_empty(&mut study);
    study
}

/// Moves the definitions of a schema to those that all share, where its references find them. Where another owner has
/// another definition of one of those names, all of this owner's are renamed.
fn hoist(mut schema: Value, owner: &str, shared: &mut Map<String, Value>) -> Value {
    let Some(members) = schema.as_object_mut() else { return schema };
    // One document has one `$schema`, at its root.
    members.remove("$schema");
    let Some(Value::Object(own)) = members.remove("$defs") else { return schema };
    let clash = own.iter().any(|(name, body)| shared.get(name).is_some_and(|known| known != body));
    let mut own = Value::Object(own);
    if clash {
        let prefix = format!("#/$defs/{owner}.");
        point(&mut schema, &prefix);
        point(&mut own, &prefix);
    }
    for (name, body) in own.as_object().into_iter().flatten() {
        let name = if clash { format!("{owner}.{name}") } else { name.clone() };
        shared.insert(name, body.clone());
    }
    schema
}

/// Points every reference into `#/$defs/` to `prefix` instead.
fn point(schema: &mut Value, prefix: &str) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(target) if key == "$ref" => {
                        if let Some(name) = target.strip_prefix("#/$defs/") {
                            *target = format!("{prefix}{name}");
                        }
                    }
                    other => point(other, prefix),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| point(item, prefix)),
        _ => {}
    }
}

/// The schema of a map that names its kind beside its settings.
fn entry(settings: Value, key: &str, name: &str, beside: &[(&str, &str)]) -> Value {
    let mut schema = settings.as_object().cloned().unwrap_or_default();
    let mut properties = Map::new();
    properties.insert(key.to_owned(), json!({ "const": name }));
    for (name, text) in beside {
        properties.insert((*name).to_owned(), or_empty(described(shown(), text)));
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

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::hoist;

    #[test]
    fn definitions_of_one_name_stay_apart() {
        let settings = |kind: &str| {
            json!({
                "$schema": "x", "properties": { "a": { "$ref": "#/$defs/A" } },
                "$defs": { "A": { "items": { "$ref": "#/$defs/B" } }, "B": { "type": kind } },
            })
        };
        let mut shared = Map::new();
        let first = hoist(settings("string"), "one", &mut shared);
        assert_eq!(hoist(settings("string"), "two", &mut shared), first);
        let third = hoist(settings("integer"), "three", &mut shared);
        assert_eq!(third, json!({ "properties": { "a": { "$ref": "#/$defs/three.A" } } }));
        assert_eq!(shared["three.A"], json!({ "items": { "$ref": "#/$defs/three.B" } }));
        assert_eq!((&shared["B"], &shared["three.B"]), (&json!({ "type": "string" }), &json!({ "type": "integer" })));
        assert_eq!(shared.len(), 4);
    }
}
