//! `gimbal matrix` and `gimbal schema`.

use std::collections::BTreeSet;

use gimbal_study::plan;
use gimbal_study::plan::matrix::PairFit;
use serde_json::json;

use super::print_json;
use crate::args::SchemaKind;
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::registry;

/// JSON Schema of protocols; a test holds it against their reader.
const PROTOCOL: &str = include_str!("../../../../papers/protocol.schema.json");

/// Which architectures fit which environments.
pub fn matrix(home: &Home, as_json: bool) -> Result<(), Failure> {
    let pairs = pairs(home);
    if as_json {
        return print_json(&pairs);
    }
    println!("{:<16} {:<16} fits", "environment", "architecture");
    for pair in pairs {
        let verdict = match (pair.unmet.is_empty(), pair.policies.is_empty()) {
            (true, true) => "yes".to_owned(),
            (true, false) => format!("yes, with the policy {}", pair.policies.join(", ")),
            (false, _) => format!("no: {}", pair.unmet.join("; ")),
        };
        println!("{:<16} {:<16} {verdict}", pair.environment, pair.architecture);
    }
    Ok(())
}

/// All pairs. The one architecture that wants a setting, a policy, is tried with every policy of any environment: it fits
/// where one of them is at home.
fn pairs(home: &Home) -> Vec<PairFit> {
    let registry = registry();
    let policies: BTreeSet<String> = registry.environments.iter().flat_map(|family| family.offers().policies).collect();
    let settings: Vec<_> = policies.iter().map(|policy| ("baseline".to_owned(), json!({ "policy": policy }))).collect();
    plan::matrix::pairs(&registry, &settings, &*home.files)
}

/// The JSON Schema of a kind of file.
pub fn schema(kind: SchemaKind) -> Result<(), Failure> {
    let persona = |name: &str| {
        gimbal_agent::persona::schemas::all().into_iter().find(|file| file.name == name).map(|file| file.schema)
    };
    let schema = match kind {
        SchemaKind::Study => Some(plan::schema::schema(&registry())),
        SchemaKind::PersonaCore => persona("persona-core"),
        SchemaKind::PersonaPrompt => persona("persona-prompt"),
        SchemaKind::PersonaKnowledge => persona("persona-knowledge"),
        SchemaKind::PersonaExamples => persona("persona-examples"),
        SchemaKind::Engine => persona("engine"),
        SchemaKind::Configurations => persona("configurations"),
        SchemaKind::Attacks => Some(gimbal_study::attacks::schema()),
        SchemaKind::Graph => Some(gimbal_architectures::graph::schema()),
        SchemaKind::Prices => Some(gimbal_model::PriceTable::schema()),
        SchemaKind::Script => Some(gimbal_model::scripted::Script::schema()),
        SchemaKind::Protocol => Some(serde_json::from_str(PROTOCOL).map_err(Failure::external)?),
    };
    let text = serde_json::to_string_pretty(&schema).map_err(Failure::external)?;
    println!("{text}");
    Ok(())
}
