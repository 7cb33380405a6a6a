//! The section `models` of a study: base addresses, rates, retries.

use gimbal_model::ModelsConfig;
use serde::de::DeserializeOwned;

use super::error::Problem;
use super::file::StudyFile;
use super::yaml::{Kind, Members, Node, whole};

/// The settings of models, with those of the study in place of `base`'s.
///
/// # Errors
/// What is wrong with the section, with its place.
pub fn models_config(study: &StudyFile, base: ModelsConfig) -> Result<ModelsConfig, Problem> {
    let mut config = base;
    let Some(node) = &study.models else { return Ok(config) };
    let file = &study.file;
    let mut members = Members::of(node, file, "`models`")?;
    if let Some(node) = members.get("rates") {
        config.rates.extend(read::<std::collections::BTreeMap<_, _>>(node, file, "rates")?);
    }
    if let Some(node) = members.get("endpoints") {
        config.endpoints.extend(read::<std::collections::BTreeMap<_, _>>(node, file, "endpoints")?);
    }
    if let Some(node) = members.get("retry") {
        config.retry = read(node, file, "retry")?;
    }
    if let Some(node) = members.get("timeouts") {
        config.timeouts = read(node, file, "timeouts")?;
    }
    if let Some(node) = members.get("threads") {
        config.threads = Some(whole(node, file, "`threads`", 1)?.try_into().unwrap_or(u32::MAX));
    }
    if let Some(node) = members.get("reproducible") {
        let Kind::Scalar(serde_json::Value::Bool(reproducible)) = &node.kind else {
            return Err(Problem::at(file, node.at, "`reproducible` is `true` or `false`"));
        };
        config.reproducible = *reproducible;
    }
    members.finish()?;
    Ok(config)
}

fn read<T: DeserializeOwned>(node: &Node, file: &str, key: &str) -> Result<T, Problem> {
    serde_json::from_value(node.json()).map_err(|error| {
        // The message quotes the key at fault, which gives the line.
        let message = error.to_string();
        let quoted = message.split('`').nth(1).unwrap_or_default();
        let known = message.split('`').skip(3).step_by(2);
        let hint = gimbal_core::nearest::hint(quoted, known);
        Problem::at(file, deep(node, quoted).unwrap_or(node.at), format!("`models.{key}`: {message}{hint}"))
    })
}

/// The place of a key at any depth.
fn deep(node: &Node, key: &str) -> Option<super::yaml::At> {
    match &node.kind {
        Kind::Map(members) => {
            members.iter().find_map(|(name, at, below)| if name == key { Some(*at) } else { deep(below, key) })
        }
        Kind::List(items) => items.iter().find_map(|item| deep(item, key)),
        Kind::Scalar(_) => None,
    }
}
