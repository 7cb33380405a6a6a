//! Tools, calls and their rejection.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::canonical;

/// A named call that an environment or a tracker offers; fixed for the episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name, as a model writes it.
    pub name: String,
    /// What the call does, in one or two sentences for a model.
    pub description: String,
    /// JSON Schema of the arguments: an object with `properties` and `required`.
    pub parameters: Value,
}

impl ToolSpec {
    /// A tool whose parameters are all required strings: pairs of name and description.
    #[must_use]
    pub fn of_strings(name: &str, description: &str, parameters: &[(&str, &str)]) -> Self {
        let properties: serde_json::Map<String, Value> = parameters
            .iter()
            .map(|(name, text)| ((*name).to_owned(), serde_json::json!({ "type": "string", "description": text })))
            .collect();
        let required: Vec<&str> = parameters.iter().map(|(name, _)| *name).collect();
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters: serde_json::json!({
                "type": "object", "properties": properties, "required": required, "additionalProperties": false
            }),
        }
    }

    /// Names of the parameters that a call must fill, in the order of the schema.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        self.parameters.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolCall {
    /// Name of the tool.
    pub tool: String,
    /// Arguments by name, sorted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, Value>,
}

impl ToolCall {
    /// A call without arguments.
    #[must_use]
    pub fn bare(tool: &str) -> Self {
        Self { tool: tool.to_owned(), arguments: BTreeMap::new() }
    }

    /// A call with string arguments.
    #[must_use]
    pub fn with(tool: &str, arguments: &[(&str, &str)]) -> Self {
        let arguments = arguments.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect();
        Self { tool: tool.to_owned(), arguments }
    }

    /// The string argument called `name`.
    #[must_use]
    pub fn string(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str)
    }

    /// The arguments as canonical JSON (RFC 8785), for events and comparison.
    #[must_use]
    pub fn canonical_arguments(&self) -> String {
        canonical::text(&Value::Object(
            self.arguments.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        ))
    }
}

/// Why a call was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RejectionKind {
    /// The text names no action at all, or cannot be read.
    Unreadable,
    /// The tool does not exist here.
    UnknownTool,
    /// A required argument is missing.
    MissingArgument,
    /// An argument that the tool does not have.
    UnknownArgument,
    /// The argument's value is not one of those allowed now, or has the wrong type.
    BadValue,
    /// Well formed, but not possible in the present state.
    NotNow,
    /// The authority of the caller does not reach that far.
    Forbidden,
    /// An answer that was held back: nothing that was found supports what it states (CYC-095).
    Unsupported,
}

impl RejectionKind {
    /// The name that events and tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::UnknownTool => "unknown_tool",
            Self::MissingArgument => "missing_argument",
            Self::UnknownArgument => "unknown_argument",
            Self::BadValue => "bad_value",
            Self::NotNow => "not_now",
            Self::Forbidden => "forbidden",
            Self::Unsupported => "unsupported",
        }
    }
}

/// A call or text that was refused; the environment has not changed.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct Rejection {
    /// Why, for counting.
    pub kind: RejectionKind,
    /// What was wrong and what would be right, for the agent to read.
    pub message: String,
}

impl Rejection {
    /// A rejection with its reason and message.
    #[must_use]
    pub fn new(kind: RejectionKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}
