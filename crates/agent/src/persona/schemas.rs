//! JSON Schemas of the files, for editors.

use serde_json::Value;

use super::data::{Configurations, Core, Examples, Knowledge, Prompt};
use super::wording::Wording;

/// The schema of a kind of file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileSchema {
    /// Name of the schema.
    pub name: &'static str,
    /// The files that it describes, as a glob below the data folder.
    pub files: &'static str,
    /// The schema.
    pub schema: Value,
}

/// The schemas of all kinds of files.
#[must_use]
pub fn all() -> Vec<FileSchema> {
    let schemas = [
        ("persona-core", "personas/*/core.yaml", schemars::schema_for!(Core).to_value()),
        ("persona-prompt", "personas/*/prompt.yaml", schemars::schema_for!(Prompt).to_value()),
        ("persona-knowledge", "personas/{common,*/knowledge,*/reflection_knowledge}.yaml", knowledge()),
        ("persona-examples", "personas/*/{examples,reflection_examples}.yaml", examples()),
        ("engine", "personas/engine.yaml", schemars::schema_for!(Wording).to_value()),
        ("configurations", "personas/configurations.yaml", schemars::schema_for!(Configurations).to_value()),
    ];
    schemas.into_iter().map(|(name, files, schema)| FileSchema { name, files, schema }).collect()
}

fn knowledge() -> Value {
    schemars::schema_for!(Knowledge).to_value()
}

fn examples() -> Value {
    schemars::schema_for!(Examples).to_value()
}
