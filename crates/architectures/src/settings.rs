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
use serde_path_to_error::Segment;

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
    serde_path_to_error::deserialize(settings).map_err(|error| describe::<T>(name, settings, &schema, &error))
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
    let target = schema
        .get("$ref")
        .or_else(|| schema.get("anyOf").and_then(Value::as_array)?.iter().find_map(|branch| branch.get("$ref")));
    target
        .and_then(Value::as_str)
        .and_then(|target| target.strip_prefix("#/$defs/"))
        .and_then(|name| root.get("$defs")?.get(name))
        .unwrap_or(schema)
}

/// Names the setting at fault by its path.
fn describe<T: DeserializeOwned>(
    name: &str,
    settings: &Value,
    schema: &Value,
    error: &serde_path_to_error::Error<serde_json::Error>,
) -> BuildError {
    let mut path = steps(error.path());
    while let Some(key) = wrong_member::<T>(settings, schema, &path) {
        path.push(Step::Key(key));
    }
    let path = shown(&path);
    let place = if path.is_empty() { name.to_owned() } else { format!("{name}: {path}") };
    BuildError::new(format!("{place}: {}", error.inner())).at(path)
}

/// One step of a path to a setting.
#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

fn steps(path: &serde_path_to_error::Path) -> Vec<Step> {
    let steps = path.iter().filter_map(|segment| match segment {
        Segment::Map { key } => Some(Step::Key(key.clone())),
        Segment::Seq { index } => Some(Step::Index(*index)),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    steps.collect()
}

/// A path as errors show it: `planner.flags`, `graph.nodes[2]`.
fn shown(path: &[Step]) -> String {
    path.iter().fold(String::new(), |shown, step| match step {
        Step::Key(key) if shown.is_empty() => key.clone(),
        Step::Key(key) => format!("{shown}.{key}"),
        Step::Index(index) => format!("{shown}[{index}]"),
    })
}

/// The member of the map at `path` that cannot be read.
///
/// Serde reads flattened members from a copy, so that the path of its error ends at the map that contains them. The member
/// at fault is the one with which the map cannot be read when all others that may be left out are left out.
fn wrong_member<T: DeserializeOwned>(settings: &Value, schema: &Value, path: &[Step]) -> Option<String> {
    let form = path.iter().try_fold(resolve(schema, schema), |form, step| match step {
        Step::Key(key) => Some(resolve(form.get("properties")?.get(key)?, schema)),
        Step::Index(_) => None,
    })?;
    form.get("properties")?;
    let members = at(settings, path)?.as_object()?;
    members
        .keys()
        .find(|key| {
            let mut alone = settings.clone();
            if let Some(Value::Object(members)) = at_mut(&mut alone, path) {
                members.retain(|other, _| other == *key || required(form).any(|needed| needed == other));
            }
            T::deserialize(&alone).is_err()
        })
        .cloned()
}

fn at<'a>(value: &'a Value, path: &[Step]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })
}

fn at_mut<'a>(value: &'a mut Value, path: &[Step]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(index),
    })
}

/// The members that a map of this schema must have.
fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
