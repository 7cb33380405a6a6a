//! JSON Schemas of the files, for editors.

use serde_json::Value;

use super::data::{Configurations, Core, Examples, Knowledge, Prompt};
use super::wording::Wording;

/// Name of a schema file, the files that it describes (a glob below the data folder), and the schema.
#[must_use]
pub fn all() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("persona-core", "personas/*/core.yaml", schemars::schema_for!(Core).to_value()),
        ("persona-prompt", "personas/*/prompt.yaml", schemars::schema_for!(Prompt).to_value()),
        ("persona-knowledge", "personas/{common,*/knowledge,*/reflection_knowledge}.yaml", knowledge()),
        ("persona-examples", "personas/*/{examples,reflection_examples}.yaml", examples()),
        ("engine", "personas/engine.yaml", schemars::schema_for!(Wording).to_value()),
        ("configurations", "personas/configurations.yaml", schemars::schema_for!(Configurations).to_value()),
    ]
}

fn knowledge() -> Value {
    schemars::schema_for!(Knowledge).to_value()
}

fn examples() -> Value {
    schemars::schema_for!(Examples).to_value()
}
