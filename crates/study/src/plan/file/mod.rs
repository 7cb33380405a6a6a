//! Study files as written: parsed low, with the place of everything.

mod artefacts;
mod episodes;
mod limits;
mod roles;

use std::collections::BTreeMap;

use gimbal_core::yaml::{Kind, Location, Node};
use gimbal_core::{Limits, RoleSettings};
use serde_json::Value;

use super::error::Problem;
use super::faults::{self, FaultSet};
use super::members::{Members, items, shown, string, tree, written};
use crate::run::StudyLimits;
use artefacts::artefacts;
use episodes::{episodes, tasks};
use limits::limits;
use roles::{decoding, role_set};

pub use artefacts::{NamedArtefact, NamedArtefacts};
pub use episodes::{TrialChange, Trials};
pub(super) use roles::sampling_of;

/// A study as written.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyFile {
    /// The file as messages name it.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Name of the study and of its run folder.
    pub name: String,
    /// A sentence on what the study asks.
    pub description: Option<String>,
    /// Environments.
    pub environments: Vec<Named>,
    /// Architectures.
    pub architectures: Vec<Variant>,
    /// Who plays which role, one entry a variant.
    pub roles: Vec<RoleSet>,
    /// Injected faults, one entry a variant; empty for none at all.
    pub faults: Vec<FaultSet>,
    /// Files of things built before episodes, for every architecture that asks for them.
    pub artefacts: NamedArtefacts,
    /// Which episodes.
    pub episodes: Episodes,
    /// Limits of an episode.
    pub episode_limits: Limits,
    /// Limits of every cell.
    pub cell_limits: StudyLimits,
    /// Limits of the study.
    pub study_limits: StudyLimits,
    /// Label of the cell that paired differences are taken against, and its place.
    pub baseline: Option<(String, Location)>,
    /// Base addresses, rates and retries of models.
    pub models: Option<Node>,
}

/// An environment and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Registry name.
    pub name: String,
    /// Options as written.
    pub options: Value,
    /// Its own tasks, in the place of those that the study names for all.
    pub tasks: Option<Tasks>,
    /// The whole entry.
    pub node: Node,
}

/// Which tasks: those of a split, or by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// Split of the tasks; none for the first that the environment has.
    pub split: Option<String>,
    /// Tasks by name, instead of a split's.
    pub names: Vec<String>,
    /// At most this many tasks.
    pub limit: Option<u64>,
    /// Where they are named.
    pub at: Location,
}

/// An architecture and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Registry name.
    pub base: String,
    /// Label, where the study gives one.
    pub name: Option<String>,
    /// Axis or group that tables and figures show.
    pub axis: Option<String>,
    /// Its own artefacts, in the place of the study's or beside them.
    pub artefacts: NamedArtefacts,
    /// Settings as written.
    pub settings: Value,
    /// The whole entry.
    pub node: Node,
}

/// Roles and their models.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleSet {
    /// Settings and place by role.
    pub roles: BTreeMap<String, (RoleSettings, Location)>,
    /// Its place in the file.
    pub at: Location,
}

/// Which episodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Episodes {
    /// Tasks of every environment that names none of its own.
    pub tasks: Tasks,
    /// Runs of every task: in all, or of each instance where there are instances.
    pub runs: u32,
    /// Instances: clusters of runs that analysis keeps together.
    pub instances: Option<u32>,
    /// Other numbers for some cells; later entries go before earlier ones.
    pub extended: Vec<Extended>,
    /// Trials of a session.
    pub trials: Trials,
    /// Seed of the study.
    pub seed: u64,
    /// Where runs or trials are numbered.
    pub counted_at: Location,
}

/// Another number of episodes for the cells that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extended {
    /// Label of an architecture, and its place.
    pub configuration: Option<(String, Location)>,
    /// A model that plays in the cell, and its place.
    pub model: Option<(String, Location)>,
    /// Instances, where the entry names them.
    pub instances: Option<u32>,
    /// Runs of each instance where the entry names instances, in all where it does not.
    pub runs: Option<u32>,
    /// Its place in the file.
    pub at: Location,
}

/// How often every task of a cell is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Runs of every task.
    pub runs: u32,
    /// Runs of an instance; `None` where the study has no instances.
    pub block: Option<u32>,
}

/// Most letters of a study's name: file systems take folder names of 255 bytes, tables and pages less.
pub(super) const LONGEST_NAME: usize = 80;

/// Reads a study; `file` is named in complaints.
///
/// # Errors
/// The first thing that is wrong with its form: place, key, and the nearest known key.
pub fn parse(text: &str, file: &str) -> Result<StudyFile, Problem> {
    let empty = || {
        Problem::at(
            file,
            Location::default(),
            "the file is empty: a study needs `study`, `environment` and `architectures`",
        )
    };
    if text.trim().is_empty() {
        return Err(empty());
    }
    let root = tree(text, file)?;
    if root.kind == Kind::Scalar(Value::Null) {
        return Err(empty());
    }
    let mut study = Members::of(&root, file, "the study")?;
    let name_node = study.need("study")?;
    let name = written(name_node, file, "`study`")?;
    if name.chars().count() > LONGEST_NAME {
        let what = format!("`study` names a folder: at most {LONGEST_NAME} letters");
        return Err(Problem::at(file, name_node.at, what));
    }
    if !name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter)) || name.starts_with('.') {
        let what = "`study` names a folder: use letters, digits, `-`, `_` and `.` only";
        return Err(Problem::at(file, name_node.at, what));
    }
    let description = study.get("description").map(|node| string(node, file, "`description`")).transpose()?;
    let environments = study.need("environment")?;
    let environments: Vec<Named> =
        items(environments).into_iter().map(|node| environment(node, file)).collect::<Result<_, _>>()?;
    let architectures: Vec<Variant> =
        items(study.need("architectures")?).into_iter().map(|node| variant(node, file)).collect::<Result<_, _>>()?;
    let decoding = study.get("decoding").map(|node| decoding(node, file)).transpose()?.unwrap_or_default();
    let roles = match study.get("roles") {
        Some(node) => items(node).into_iter().map(|node| role_set(node, file, decoding)).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let episodes = study.get("episodes").map(|node| episodes(node, file)).transpose()?.unwrap_or_default();
    let limits = study.get("limits").map(|node| limits(node, file)).transpose()?.unwrap_or_default();
    if let Some(node) = study.get("prepare").filter(|node| !items(node).is_empty()) {
        let what = "`prepare`: this version builds nothing before episodes; make the file beforehand and name it under \
                    `artefacts`, e.g. `artefacts: { arbiter: FILE }`, and leave the list empty";
        return Err(Problem::at(file, node.at, what));
    }
    let artefacts = study.get("artefacts").map(|node| artefacts(node, file)).transpose()?.unwrap_or_default();
    let faults = study.get("faults").map(|node| faults::parse(node, file)).transpose()?.unwrap_or_default();
    let baseline = study.get("baseline").map(|node| Ok((string(node, file, "`baseline`")?, node.at))).transpose()?;
    let models = study.get("models").cloned();
    study.finish()?;
    let empty = [("environment", environments.is_empty()), ("architectures", architectures.is_empty())];
    if let Some((key, _)) = empty.iter().find(|(_, empty)| *empty) {
        return Err(Problem::at(file, root.place(key), format!("`{key}` is empty: name at least one")));
    }
    Ok(StudyFile {
        file: file.to_owned(),
        text: text.to_owned(),
        name,
        description,
        environments,
        architectures,
        roles,
        faults,
        artefacts,
        episodes,
        episode_limits: limits.episode,
        cell_limits: limits.cell,
        study_limits: limits.study,
        baseline,
        models,
    })
}

fn without(node: &Node, keys: &[&str]) -> Value {
    match &node.kind {
        Kind::Map(members) => Value::Object(
            members
                .iter()
                .filter(|member| !keys.contains(&member.key.as_str()))
                .map(|member| (member.key.clone(), member.value.json()))
                .collect(),
        ),
        _ => Value::Object(serde_json::Map::new()),
    }
}

fn environment(node: &Node, file: &str) -> Result<Named, Problem> {
    if let Kind::Scalar(_) = node.kind {
        let name = string(node, file, "`environment`")?;
        return Ok(Named { name, options: without(node, &[]), tasks: None, node: node.clone() });
    }
    let mut members = Members::of(node, file, "`environment`")?;
    let name = string(members.need("name")?, file, "`name`")?;
    let own = members.get("tasks").map(|node| tasks(node, file)).transpose()?;
    Ok(Named { name, options: without(node, &["name", "tasks"]), tasks: own, node: node.clone() })
}

fn variant(node: &Node, file: &str) -> Result<Variant, Problem> {
    if let Kind::Scalar(_) = node.kind {
        let base = string(node, file, "`architectures`")?;
        let (settings, node) = (without(node, &[]), node.clone());
        return Ok(Variant { base, name: None, axis: None, artefacts: NamedArtefacts::new(), settings, node });
    }
    let mut members = Members::of(node, file, "an architecture")?;
    Ok(Variant {
        base: string(members.need("base")?, file, "`base`")?,
        name: members.get("name").map(|node| shown(node, file, "`name`")).transpose()?,
        axis: members.get("axis").map(|node| shown(node, file, "`axis`")).transpose()?,
        artefacts: members.get("artefacts").map(|node| artefacts(node, file)).transpose()?.unwrap_or_default(),
        settings: without(node, &["base", "name", "axis", "artefacts"]),
        node: node.clone(),
    })
}
