//! What the catalogue entries of environments do in the same way.

use gimbal_core::fit::Offers;
use gimbal_core::{EnvError, TaskId, ToolSpec, nearest, yaml};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::BLOCKS;

/// The error for a name that is not among the known ones; `what` is the kind of name, such as `split`.
#[must_use]
pub fn unknown(environment: &str, what: &str, name: &str, known: &[&str]) -> EnvError {
    let hint = nearest::hint(name, known.iter().copied());
    EnvError::Usage(format!("`{environment}` has no {what} `{name}`{hint} (known: {})", known.join(", ")))
}

/// The tasks of a split, from a table of splits with the names of their tasks.
///
/// # Errors
/// When there is no such split.
pub fn tasks(environment: &str, split: &str, table: &[(&str, &[&str])]) -> Result<Vec<TaskId>, EnvError> {
    let found = table.iter().find(|(name, _)| *name == split);
    let splits = || table.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let (_, names) = found.ok_or_else(|| unknown(environment, "split", split, &splits()))?;
    Ok(names.iter().map(|name| TaskId((*name).to_owned())).collect())
}

/// The splits, and the tasks, of an environment that has one scenario. A task is a part of the seeds: training and test episodes
/// meet different draws.
pub const SEED_PARTS: [&str; 2] = ["train", "test"];

/// The one task of a split of [`SEED_PARTS`].
///
/// # Errors
/// When there is no such split.
pub fn seed_part(environment: &str, split: &str) -> Result<Vec<TaskId>, EnvError> {
    if SEED_PARTS.contains(&split) {
        return Ok(vec![TaskId(split.to_owned())]);
    }
    Err(unknown(environment, "split", split, &SEED_PARTS))
}

/// Refuses a task that is not one of [`SEED_PARTS`].
///
/// # Errors
/// When there is no such task.
pub fn check_seed_part(environment: &str, task: &TaskId) -> Result<(), EnvError> {
    if SEED_PARTS.contains(&task.0.as_str()) {
        return Ok(());
    }
    Err(unknown(environment, "task", &task.0, &SEED_PARTS))
}

/// Settings with every default written out, in the form that is keyed and stored.
///
/// # Errors
/// When the settings have no JSON form.
pub fn resolved(settings: &impl Serialize) -> Result<Value, EnvError> {
    serde_json::to_value(settings).map_err(|error| EnvError::Usage(error.to_string()))
}

/// Resolved options without those that decide nothing of an episode's draws: cells that differ in them meet the same
/// episodes.
#[must_use]
pub fn without(resolved: &Value, options: &[&str]) -> Value {
    let mut rest = resolved.clone();
    if let Some(map) = rest.as_object_mut() {
        for option in options {
            map.shift_remove(*option);
        }
    }
    rest
}

/// The offers of an environment with subjects, a simulator and a [`crate::BeliefTracker`] that answers `queries`.
#[must_use]
pub fn offers<'a>(policies: impl IntoIterator<Item = &'a str>, queries: &[ToolSpec]) -> Offers {
    Offers {
        subjects: true,
        simulator: true,
        policies: policies.into_iter().map(str::to_owned).collect(),
        blocks: BLOCKS.map(str::to_owned).to_vec(),
        queries: queries.iter().map(|spec| spec.name.clone()).collect(),
        ..Offers::default()
    }
}

/// A built-in YAML file as a `T`; `place` names the file in errors. To be kept in a [`std::sync::LazyLock`], because an
/// episode of one step is shorter than the reading of a YAML file.
///
/// # Errors
/// The message of the reader.
pub fn built_in<T: DeserializeOwned>(text: &str, place: &str) -> Result<T, String> {
    yaml::read(text, place).map_err(|error| error.to_string())
}

/// The value of a [`built_in`] file.
///
/// # Errors
/// When the file could not be read.
pub fn value<T>(read: &Result<T, String>) -> Result<&T, EnvError> {
    read.as_ref().map_err(|error| EnvError::Data(error.clone()))
}

/// The names of a constant table of values, as a constant table of their own: values that have a `const fn name`, such as policies.
#[macro_export]
macro_rules! names_of {
    ($table:expr) => {{
        const NAMES: [&str; $table.len()] = {
            let mut names = [""; $table.len()];
            let mut at = 0;
            while at < $table.len() {
                names[at] = $table[at].name();
                at += 1;
            }
            names
        };
        &NAMES
    }};
}
