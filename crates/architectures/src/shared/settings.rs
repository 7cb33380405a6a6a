//! Strict reading of settings: an unknown key is an error with the nearest known one.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gimbal_agent::persona::data::ImproveReply;
use gimbal_agent::{Overrides, Persona};
use gimbal_core::{BuildError, nearest};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use shape::Misfit;

mod shape;

/// JSON Schema of the settings `T`.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    if let Some(members) = schema.as_object_mut() {
        // Types with flattened members cannot have this derived.
        members.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    schema
}

/// [`schema`], made once for each type: a study may have thousands of cells.
fn known_schema<T: JsonSchema + 'static>() -> Arc<Value> {
    static KNOWN: Mutex<Option<HashMap<TypeId, Arc<Value>>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    Arc::clone(known.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(schema::<T>())))
}

/// Reads the settings of the architecture called `name`.
pub(crate) fn read<T: JsonSchema + DeserializeOwned + 'static>(name: &str, settings: &Value) -> Result<T, BuildError> {
    let empty = Value::Object(Map::new());
    let settings = if settings.is_null() { &empty } else { settings };
    let schema = known_schema::<T>();
    known_keys(name, "", settings, &schema, &schema)?;
    serde_path_to_error::deserialize(settings).map_err(|error| describe(name, settings, &schema, &error))
}

/// Context blocks in the order of the persona: those named, or the persona's own.
pub(crate) fn context(name: &str, persona: &Persona, named: Option<Vec<String>>) -> Result<Vec<String>, BuildError> {
    let context = named.unwrap_or_else(|| persona.prompt.context.clone());
    if let Some(twice) =
        context.iter().enumerate().find_map(|(at, block)| context[..at].contains(block).then_some(block))
    {
        let words = format!("{name}: context: the block `{twice}` is named twice");
        return Err(BuildError::new(words).at("context"));
    }
    Ok(persona.ordered(&context))
}

/// The name of a persona, or of the one beside it that keeps to the first work.
pub(crate) fn persona(name: &str, strict: bool) -> String {
    if strict && !name.ends_with(STRICT) { format!("{name}{STRICT}") } else { name.to_owned() }
}

const STRICT: &str = "-strict";

/// The switches of the published artefact, or none.
pub(crate) fn switches(artefact: bool) -> Overrides {
    let mut switches = Overrides::default();
    if artefact {
        switches.flags.add_tool_examples = Some(true);
        switches.improve_reply = Some(ImproveReply::ImprovedThought);
    }
    switches
}

/// The block that shows what the agent did, with what the belief state made of each step.
pub(crate) const HISTORY: &str = "history";
/// The block that shows what the agent did and why, and nothing else.
pub(crate) const OWN_HISTORY: &str = "own_history";
const STATUS: &str = "status";

/// Puts the history into `context` that the setting `history_verdicts` asks for: with the verdicts of the belief state, or the
/// agent's own past alone. Where the setting is left out, verdicts are shown to those who see the status as well (BOG-104); to
/// others they would tell what the status tells, and what a context is worth could not be measured (BOG-130).
pub(crate) fn past(
    name: &str,
    context: &mut [String],
    (verdicts, strict): (Option<bool>, bool),
) -> Result<(), BuildError> {
    let Some(at) = context.iter().position(|block| block == HISTORY) else {
        return match verdicts {
            Some(_) => {
                let words = format!(
                    "{name}: `history_verdicts` is set, and the context shows no `{HISTORY}`: add the block, or leave the \
                     setting out"
                );
                Err(BuildError::new(words).at("history_verdicts"))
            }
            None => Ok(()),
        };
    };
    if !verdicts.unwrap_or_else(|| strict || context.iter().any(|block| block == STATUS)) {
        OWN_HISTORY.clone_into(&mut context[at]);
    }
    Ok(())
}

/// Refuses keys, at every depth, that the schema does not name, and maps without a key that it requires.
fn known_keys(name: &str, path: &str, value: &Value, schema: &Value, root: &Value) -> Result<(), BuildError> {
    let schema = resolve(schema, root);
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    let Some(members) = value.as_object() else {
        let place = if path.is_empty() { name.to_owned() } else { format!("{name}: {path}") };
        return Err(BuildError::new(format!("{place}: expected a map of settings, got {value}")).at(path));
    };
    for (key, member) in members {
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let Some(property) = properties.get(key) else {
            let known: Vec<&str> = properties.keys().map(String::as_str).collect();
            let hint = nearest::hint(key, known.iter().copied());
            let words = format!("{name}: unknown setting `{inner}`{hint} (known: {})", known.join(", "));
            return Err(BuildError::new(words).at(inner));
        };
        if !member.is_null() {
            known_keys(name, &inner, member, property, root)?;
        }
    }
    let Some(missing) = required(schema).find(|key| !members.contains_key(*key)) else { return Ok(()) };
    let meaning =
        properties.get(missing).and_then(|property| property.get("description")?.as_str()).unwrap_or_default();
    let meaning = if meaning.is_empty() { String::new() } else { format!(" ({})", meaning.trim_end_matches('.')) };
    let inner = if path.is_empty() { missing.to_owned() } else { format!("{path}.{missing}") };
    Err(BuildError::new(format!("{name}: the setting `{inner}` is missing{meaning}")).missing(inner))
}

/// Follows a reference into `$defs`, also one that is combined with `null`.
fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let branches = schema.get("anyOf").and_then(Value::as_array);
    let named = branches.and_then(|branches| branches.iter().find(|branch| branch.get("$ref").is_some()));
    shape::referred(named.unwrap_or(schema), root)
}

/// Names the setting at fault and what would be right: in the words of the schema where it shows the fault, else in those of the type.
fn describe(
    name: &str,
    settings: &Value,
    schema: &Value,
    error: &serde_path_to_error::Error<serde_json::Error>,
) -> BuildError {
    if let Some(Misfit { path, words }) = shape::misfit("", settings, schema, schema) {
        return BuildError::new(format!("{name}: {words}")).at(path);
    }
    let path = error.path().to_string();
    let path = if path == "." { String::new() } else { path };
    let place = if path.is_empty() { name.to_owned() } else { format!("{name}: {path}") };
    BuildError::new(format!("{place}: {}", error.inner())).at(path)
}

/// The members that a map of this schema must have.
fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
