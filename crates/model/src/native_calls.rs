//! What a server enforces of native tool calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a server enforces of native tool calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NativeCalls {
    /// That one is made where one is demanded, and that its arguments keep to the schema of the tool.
    Strict,
    /// That one is made where one is demanded; the schemas of the tools are a hint.
    Forced,
    /// Nothing.
    #[default]
    None,
}
