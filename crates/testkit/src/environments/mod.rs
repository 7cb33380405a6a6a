//! Small environments. Four use every seam of core by themselves; `lamps` shows what is left to write with `gimbal-env-kit`.

pub mod corridor;
pub mod counter;
pub mod dossier;
pub mod lamps;
pub mod oracle;
pub mod repository;

use std::collections::BTreeMap;

use gimbal_core::{Brief, EnvError, GlossaryEntry, Rejection, RejectionKind, ToolCall, ToolSpec};
use serde_json::Value;

/// A brief with everything that all small environments share.
fn brief(environment: &str, goal: &str, horizon: u32, tools: &[ToolSpec], idle: ToolCall) -> Brief {
    Brief {
        environment: environment.to_owned(),
        goal: goal.to_owned(),
        role: "You act in a small world.".to_owned(),
        subject: "thing".to_owned(),
        subjects: Vec::new(),
        glossary: tools
            .iter()
            .map(|tool| GlossaryEntry {
                name: tool.name.clone(),
                kind: "action".to_owned(),
                description: tool.description.clone(),
                usage: tool.name.clone(),
                published: None,
            })
            .collect(),
        horizon,
        reward_range: None,
        thresholds: gimbal_core::Thresholds::default(),
        idle,
        segment_calls: None,
        seconds_per_step: None,
        manifest: gimbal_core::Manifest::default(),
        runs_on: false,
        materials: Vec::new(),
        tool_names: BTreeMap::new(),
        legend: BTreeMap::new(),
        forbidden_words: vec![environment.to_owned()],
        literals_change: false,
        free_arguments: false,
        free_numbers: false,
        answer: None,
        objective: None,
        efficiency_shift: None,
    }
}

/// Reads `tool key=value key=value`.
fn parse(text: &str, tools: &[ToolSpec]) -> Result<ToolCall, Rejection> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let Some(tool) = tools.iter().find(|tool| tool.name.eq_ignore_ascii_case(name)) else {
        let kind = if name.is_empty() { RejectionKind::Unreadable } else { RejectionKind::UnknownTool };
        return Err(Rejection::new(kind, format!("`{name}` is no tool here")));
    };
    let mut call = ToolCall::bare(&tool.name);
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            return Err(Rejection::new(RejectionKind::Unreadable, format!("`{word}` is not key=value")));
        };
        call.arguments.insert(key.to_owned(), Value::from(value));
    }
    validate(&call, tools)?;
    Ok(call)
}

/// Whether the tool exists and its arguments are those of its schema.
fn validate(call: &ToolCall, tools: &[ToolSpec]) -> Result<(), Rejection> {
    let Some(tool) = tools.iter().find(|tool| tool.name == call.tool) else {
        return Err(Rejection::new(RejectionKind::UnknownTool, format!("`{}` is no tool here", call.tool)));
    };
    if let Some(missing) = tool.required().find(|name| call.string(name).is_none()) {
        return Err(Rejection::new(RejectionKind::MissingArgument, format!("`{missing}` is missing")));
    }
    if let Some(extra) = call.arguments.keys().find(|key| !tool.required().any(|name| name == *key)) {
        return Err(Rejection::new(RejectionKind::UnknownArgument, format!("`{extra}` is no argument")));
    }
    Ok(())
}

/// The inverse of [`parse`].
fn render(call: &ToolCall) -> String {
    let mut text = call.tool.clone();
    for (key, value) in &call.arguments {
        text.push_str(&format!(" {key}={}", value.as_str().unwrap_or_default()));
    }
    text
}

/// Options with defaults written out; every option is a number.
fn numbers(options: &Value, defaults: &[(&str, u64)]) -> Result<Value, EnvError> {
    let given = options.as_object().cloned().unwrap_or_default();
    if let Some(unknown) = given.keys().find(|key| !defaults.iter().any(|(name, _)| name == key)) {
        let hint = gimbal_core::nearest::hint(unknown, defaults.iter().map(|(name, _)| *name));
        let message = format!("there is no option `{unknown}`{hint}");
        return Err(EnvError::Option { key: unknown.clone(), message });
    }
    let mut resolved = serde_json::Map::new();
    for (name, default) in defaults {
        let value = match given.get(*name) {
            None => *default,
            Some(value) => value.as_u64().ok_or_else(|| EnvError::Option {
                key: (*name).to_owned(),
                message: format!("option `{name}` must be a whole number, and is {value}"),
            })?,
        };
        resolved.insert((*name).to_owned(), Value::from(value));
    }
    Ok(Value::Object(resolved))
}

/// JSON Schema of options that are all numbers.
fn schema_of(defaults: &[(&str, u64)]) -> Value {
    let properties: serde_json::Map<String, Value> = defaults
        .iter()
        .map(|(name, default)| ((*name).to_owned(), serde_json::json!({ "type": "integer", "default": default })))
        .collect();
    serde_json::json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn number(options: &Value, name: &str) -> u64 {
    options.get(name).and_then(Value::as_u64).unwrap_or_default()
}
