//! What cells are called.

use std::collections::BTreeMap;

use gimbal_core::{Decoding, RoleSettings};
use serde_json::Value;

use super::file::{Named, Variant};

/// An environment: its name and the options that the study sets.
#[must_use]
pub fn environment(named: &Named) -> String {
    let options = named.options.as_object().into_iter().flatten().map(|(key, value)| match value {
        // A bare `split` would be taken for a split of the tasks.
        Value::String(text) if key == "tools" => format!("{text} tools"),
        Value::String(text) => text.clone(),
        Value::Number(number) if key == "horizon" => number.to_string(),
        other => format!("{key}={}", plain(other)),
    });
    std::iter::once(named.name.clone()).chain(options).collect::<Vec<_>>().join(" ")
}

/// An architecture: the study's own name for it, else its base and settings.
#[must_use]
pub fn architecture(variant: &Variant) -> String {
    if let Some(name) = &variant.name {
        return name.clone();
    }
    let settings = variant.settings.as_object().into_iter().flatten();
    // A named configuration is the best name that there is.
    if let Some(configuration) = variant.settings.get("configuration").and_then(Value::as_str) {
        let others =
            settings.filter(|(key, _)| *key != "configuration").map(|(key, value)| format!("{key}={}", plain(value)));
        return std::iter::once(configuration.to_owned()).chain(others).collect::<Vec<_>>().join(",");
    }
    let settings: Vec<String> = settings
        .map(|(key, value)| match value {
            Value::Array(_) | Value::String(_) => plain(value),
            other => format!("{key}={}", plain(other)),
        })
        .collect();
    if settings.is_empty() { variant.base.clone() } else { format!("{}:{}", variant.base, settings.join(",")) }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join("+"),
        other => other.to_string(),
    }
}

/// Roles: the model of the default role, else the one that most roles have; then the roles with another one, those of one
/// model together: `openai/gpt-4o-mini executor+router=openai/gpt-5-mini`.
#[must_use]
pub fn roles(roles: &BTreeMap<String, RoleSettings>) -> String {
    let mut by_model: Vec<(String, Vec<&str>)> = Vec::new();
    for (role, settings) in roles {
        let model = one(settings);
        match by_model.iter_mut().find(|(known, _)| *known == model) {
            Some((_, named)) => named.push(role),
            None => by_model.push((model, vec![role])),
        }
    }
    // Of equally many the first by name of its first role.
    let most = by_model.iter().map(|(_, named)| named.len()).max().unwrap_or(0);
    let base = by_model
        .iter()
        .position(|(_, named)| named.contains(&"default"))
        .or_else(|| by_model.iter().position(|(_, named)| named.len() == most));
    let mut words: Vec<String> = base.map(|base| by_model.remove(base).0).into_iter().collect();
    words.extend(by_model.into_iter().map(|(model, named)| format!("{}={model}", named.join("+"))));
    words.join(" ")
}

fn one(settings: &RoleSettings) -> String {
    let mut words = settings.model.clone();
    match settings.decoding {
        Decoding::Constrained => words.push_str(" (constrained)"),
        Decoding::Forced => words.push_str(" (forced)"),
        Decoding::Free | Decoding::ConstrainedOrFree => {}
    }
    words
}
