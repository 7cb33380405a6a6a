//! Environments and architectures by their names, each with its settings checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_core::yaml::{Location, Node};
use gimbal_core::{Architecture, EnvError, Files, Needs, TaskId, nearest};
use serde_json::Value;

use crate::plan::artefacts::{Artefacts, Loader};
use crate::plan::cells::EnvironmentPart;
use crate::plan::error::Problem;
use crate::plan::file::{Named, StudyFile, Tasks, Variant};
use crate::plan::hashed::Hashed;
use crate::plan::labels;
use crate::plan::members::unknown;
use crate::registry::Registry;

/// An architecture of a study, built from its settings.
pub(super) struct Built {
    pub(super) variant: Variant,
    pub(super) label: String,
    pub(super) architecture: Arc<dyn Architecture>,
    /// What it resolved: cells share it.
    pub(super) settings: Arc<Hashed>,
    pub(super) needs: Needs,
    /// Who sends and gets messages beside the roles.
    pub(super) parties: &'static [&'static str],
    pub(super) artefacts: Artefacts,
}

pub(super) fn environment(
    study: &StudyFile,
    named: &Named,
    registry: &Registry,
) -> Result<Option<EnvironmentPart>, Problem> {
    let file = &study.file;
    let Some(family) = registry.environment(&named.name) else {
        let known: Vec<&str> = registry.environments.iter().map(|family| family.name()).collect();
        let hint = nearest::hint_among(&named.name, &known);
        let what = format!("there is no environment `{}`{hint}", named.name);
        return Err(Problem::at(file, named.node.place("name"), what));
    };
    let schema = family.schema();
    check_keys(
        file,
        &named.node,
        &named.options,
        &schema,
        &["name", "tasks"],
        &format!("the options of `{}`", named.name),
    )?;
    let options = family.resolve(&named.options).map_err(|error| {
        let at = match &error {
            EnvError::Option { key, .. } => named.node.place_of(key),
            _ => named.node.at,
        };
        Problem::at(file, at, error.to_string())
    })?;
    let wanted = named.tasks.as_ref().unwrap_or(&study.episodes.tasks);
    let splits = family.splits();
    let split = wanted.split.clone().or_else(|| splits.first().map(|split| (*split).to_owned())).unwrap_or_default();
    let tasks = family.tasks(&split, &options).map_err(|error| {
        // The environment lists its splits itself.
        Problem::at(file, wanted.at, error.to_string())
    })?;
    let tasks = if wanted.names.is_empty() { tasks } else { named_tasks(file, &**family, &options, wanted)? };
    let most = wanted.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let tasks: Vec<TaskId> = tasks.into_iter().take(most).collect();
    if tasks.is_empty() {
        return Err(Problem::at(file, wanted.at, format!("`{}` has no tasks in the split `{split}`", named.name)));
    }
    Ok(Some(EnvironmentPart::new(Arc::clone(family), options, labels::environment(named), tasks)))
}

/// Entries that play one environment with the same options on different splits are separate parts: each has its
/// split in its name and in the keys of its cells.
pub(super) fn tell_apart(study: &StudyFile, environments: &mut [EnvironmentPart]) {
    // An environment that could not be resolved is not in the plan, and the study is refused.
    if environments.len() != study.environments.len() {
        return;
    }
    let split = |named: &Named| named.tasks.as_ref().unwrap_or(&study.episodes.tasks).split.clone();
    let splits: Vec<Option<String>> = study.environments.iter().map(split).collect();
    let identities: Vec<Value> = environments.iter().map(EnvironmentPart::identity).collect();
    for (place, part) in environments.iter_mut().enumerate() {
        let alike = |other: usize| other != place && identities[other] == identities[place];
        if (0..splits.len()).any(|other| alike(other) && splits[other] != splits[place]) {
            let split = splits[place].clone().unwrap_or_else(|| "all tasks".to_owned());
            part.label = format!("{} {split}", part.label);
            part.split = Some(split);
        }
    }
}

fn named_tasks(
    file: &str,
    family: &dyn gimbal_core::Catalogue,
    options: &Value,
    wanted: &Tasks,
) -> Result<Vec<TaskId>, Problem> {
    let mut known = Vec::new();
    let mut absent = String::new();
    for split in family.splits() {
        match family.tasks(split, options) {
            Ok(tasks) => known.extend(tasks),
            // A split whose data are missing must not keep others from being played.
            Err(EnvError::Data(why)) => absent = format!(" ({why})"),
            Err(error) => return Err(Problem::at(file, wanted.at, error.to_string())),
        }
    }
    for name in &wanted.names {
        if !known.iter().any(|task| task.0 == *name) {
            let hint = nearest::hint(name, known.iter().map(|task| task.0.as_str()));
            let what = format!("`{}` has no task `{name}`{hint}{absent}", family.name());
            return Err(Problem::at(file, wanted.at, what));
        }
    }
    Ok(wanted.names.iter().cloned().map(TaskId).collect())
}

/// Schemas of settings by the name of their architecture: a study has many entries of few.
pub(super) type Schemas = BTreeMap<String, Value>;

pub(super) fn architecture(
    study: &StudyFile,
    variant: &Variant,
    (registry, files): (&Registry, &dyn Files),
    (loader, schemas): (&mut Loader<'_>, &mut Schemas),
) -> Result<Built, Problem> {
    let file = &study.file;
    let Some(kind) = registry.architecture(&variant.base) else {
        let known: Vec<&str> = registry.architectures.iter().map(|kind| kind.name()).collect();
        let hint = nearest::hint_among(&variant.base, &known);
        let what = format!("there is no architecture `{}`{hint}", variant.base);
        return Err(Problem::at(file, variant.node.place("base"), what));
    };
    let what = format!("the settings of `{}`", variant.base);
    let schema = schemas.entry(variant.base.clone()).or_insert_with(|| kind.schema());
    check_keys(file, &variant.node, &variant.settings, schema, &["base", "name", "axis", "artefacts"], &what)?;
    let architecture = kind.build(&variant.settings, files).map_err(|error| {
        let lists_policies = error.is_missing && error.key == "policy";
        let offered = if lists_policies { policies(study, registry) } else { String::new() };
        let place = place_of_setting(&variant.node, &error.key);
        Problem::at(file, place, format!("{}{offered}", error.message)).of_setting(error.key)
    })?;
    let (label, needs) = (labels::architecture(variant), architecture.needs());
    let artefacts = loader.of(variant, &label, &needs)?;
    let settings = Arc::new(Hashed::new(architecture.resolved()));
    let parties = kind.parties();
    Ok(Built { variant: variant.clone(), label, architecture, settings, needs, parties, artefacts })
}

/// The place of a setting. Settings of all agents may be written in the place of those of one.
fn place_of_setting(node: &Node, path: &str) -> Location {
    let own = path.rsplit('.').next().unwrap_or(path);
    if node.place_of(path) == node.at { node.place(own) } else { node.place_of(path) }
}

/// What policies the environments of a study have, as the end of a sentence.
fn policies(study: &StudyFile, registry: &Registry) -> String {
    let families = study.environments.iter().filter_map(|named| registry.environment(&named.name));
    let names: BTreeSet<String> = families.flat_map(|family| family.offers().policies).collect();
    if names.is_empty() {
        return String::new();
    }
    format!("; there are: {}", names.into_iter().collect::<Vec<_>>().join(", "))
}

/// Refuses keys that the schema does not name, with their line.
fn check_keys(
    file: &str,
    node: &Node,
    given: &Value,
    schema: &Value,
    beside: &[&str],
    what: &str,
) -> Result<(), Problem> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return Ok(());
    }
    for key in given.as_object().into_iter().flatten().map(|(key, _)| key) {
        if !properties.contains_key(key) {
            let known: Vec<&str> = properties.keys().map(String::as_str).chain(beside.iter().copied()).collect();
            return Err(unknown(file, node.place(key), key, what, &known));
        }
    }
    Ok(())
}
