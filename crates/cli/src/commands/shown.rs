//! `gimbal matrix` and `gimbal schema`.

use gimbal_study::plan;
use serde_json::json;

use super::print_json;
use crate::args::SchemaKind;
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::registry;

/// Which architectures fit which environments.
pub fn matrix(home: &Home, as_json: bool) -> Result<(), Failure> {
    let registry = registry();
    // Architectures that want a setting are shown with the first one that any environment offers.
    let policy = registry.environments.iter().flat_map(|family| family.offers().policies).next();
    let settings: Vec<_> =
        policy.map(|policy| ("baseline".to_owned(), json!({ "policy": policy }))).into_iter().collect();
    let fits = plan::matrix::matrix(&registry, &settings, &*home.files);
    if as_json {
        let rows: Vec<_> = fits
            .iter()
            .map(|fit| json!({ "architecture": fit.architecture, "environment": fit.environment, "unmet": fit.unmet }))
            .collect();
        return print_json(&rows);
    }
    println!("{:<16} {:<16} fits", "environment", "architecture");
    for fit in fits {
        let verdict = if fit.unmet.is_empty() { "yes".to_owned() } else { format!("no: {}", fit.unmet.join("; ")) };
        println!("{:<16} {:<16} {verdict}", fit.environment, fit.architecture);
    }
    Ok(())
}

/// The JSON Schema of a kind of file.
pub fn schema(kind: SchemaKind) -> Result<(), Failure> {
    let persona = |name: &str| {
        gimbal_agent::persona::schemas::all()
            .into_iter()
            .find(|(known, _, _)| *known == name)
            .map(|(_, _, schema)| schema)
    };
    let schema = match kind {
        SchemaKind::Study => Some(plan::schema::schema(&registry())),
        SchemaKind::PersonaCore => persona("persona-core"),
        SchemaKind::PersonaPrompt => persona("persona-prompt"),
        SchemaKind::PersonaKnowledge => persona("persona-knowledge"),
        SchemaKind::PersonaExamples => persona("persona-examples"),
        SchemaKind::Engine => persona("engine"),
        SchemaKind::Configurations => persona("configurations"),
        SchemaKind::Graph => Some(gimbal_architectures::graph::schema()),
        SchemaKind::Prices => Some(gimbal_model::PriceTable::schema()),
        SchemaKind::Script => Some(gimbal_model::scripted::Script::schema()),
    };
    let text = serde_json::to_string_pretty(&schema).map_err(Failure::world)?;
    println!("{text}");
    Ok(())
}
