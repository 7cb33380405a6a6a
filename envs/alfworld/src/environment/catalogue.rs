//! The family of environments by which a study finds this one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimbal_core::fit::Offers;
use gimbal_core::{Catalogue, EnvError, Environment, Part, TaskId};
use gimbal_env_kit::catalogue;
use gimbal_parity::Mersenne;
use serde_json::Value;

use super::loaded::{GAME_FILE, GENERATED, HOUSEHOLD, HOUSEHOLD_FILE};
use super::settings::{self, Settings, data_folder, missing};
use super::{AlfworldEnvironment, POLICIES};
use crate::library::Library;
use crate::tracker;

/// The family `alfworld`.
///
/// Where the user's data hold games, the published splits come first; without them `generated` does, which needs none.
#[derive(Debug, Default)]
pub struct Alfworld {
    data: Option<PathBuf>,
    library: Arc<Library>,
}

/// Splits with data: published ones with their halves by CYC-040, and ours.
const WITH_DATA: [&str; 11] = [
    "unseen",
    "unseen-train",
    "unseen-test",
    "seen",
    "seen-train",
    "seen-test",
    "train",
    "households",
    "generated",
    "generated-train",
    "generated-test",
];
/// The same where no data are at hand: what needs none comes first. The others are there all the same, since an option
/// may name a folder of games or households.
const WITHOUT: [&str; 11] = {
    let (mut turned, mut at) = (WITH_DATA, 0);
    while at < turned.len() {
        turned[at] = WITH_DATA[(at + NEED_DATA) % turned.len()];
        at += 1;
    }
    turned
};
/// How many of them, from the first, need data.
const NEED_DATA: usize = 8;

/// Both published sets, the training games and the generated households, divided (CYC-040); saved ones are not.
const PARTS: [Part; 7] = [
    part_of("unseen-train", "unseen", "train", true),
    part_of("unseen-test", "unseen", "test", false),
    part_of("seen-train", "seen", "train", true),
    part_of("seen-test", "seen", "test", false),
    part_of("train", "training games", "train", true),
    part_of("generated-train", "generated", "train", true),
    part_of("generated-test", "generated", "test", false),
];

const fn part_of(split: &'static str, set: &'static str, name: &'static str, train: bool) -> Part {
    Part { split, set, name, train }
}

/// The seed of the halves.
const SPLIT_SEED: u64 = 42;

/// Tasks of the split `generated`.
pub const GENERATED_TASKS: u64 = 100;

impl Alfworld {
    /// The family over the data that `GIMBAL_DATA` names, if it is set.
    #[must_use]
    pub fn new() -> Self {
        Self::over(data_folder())
    }

    /// The family over a folder that holds `games`.
    #[must_use]
    pub fn over(data: Option<PathBuf>) -> Self {
        Self { data: data.filter(|folder| folder.join("games").is_dir()), library: Arc::default() }
    }

    /// The options with the folders of the user's data where they name none.
    fn settings(&self, options: &Value) -> Result<Settings, EnvError> {
        let mut settings = Settings::read(options)?;
        if let Some(data) = &self.data {
            let below = |folder: &str| Some(data.join(folder).to_string_lossy().into_owned());
            settings.games = settings.games.or_else(|| below("games"));
            if data.join("households").is_dir() {
                settings.households = settings.households.or_else(|| below("households"));
            }
        }
        Ok(settings)
    }

    fn games(settings: &Settings, folder: &str) -> Result<Vec<TaskId>, EnvError> {
        let Some(games) = settings.games_folder() else { return Err(missing("games", "games")) };
        let mut found = Vec::new();
        below(&games.join(folder), &games, &mut found)?;
        found.sort_unstable();
        if found.is_empty() {
            let place = games.join(folder);
            return Err(EnvError::Data(format!("{}: holds no {GAME_FILE}; fetch the games", place.display())));
        }
        Ok(found.into_iter().map(TaskId).collect())
    }

    fn households(&self, settings: &Settings) -> Result<Vec<TaskId>, EnvError> {
        if settings.households.is_none() && self.data.is_some() {
            return Ok(Vec::new());
        }
        let Some(folder) = settings.households_folder() else { return Err(missing("saved households", "households")) };
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            // Data without saved households are whole; a folder that an option names must be there.
            Err(_) if settings.households.is_none() => return Ok(Vec::new()),
            Err(error) => return Err(EnvError::Data(format!("{}: cannot be read ({error})", folder.display()))),
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names
            .filter_map(|name| name.strip_suffix(HOUSEHOLD_FILE).map(|stem| format!("{HOUSEHOLD}{stem}")))
            .collect();
        names.sort_unstable();
        Ok(names.into_iter().map(TaskId).collect())
    }
}

/// Ids of the games below a folder.
fn below(folder: &Path, games: &Path, found: &mut Vec<String>) -> Result<(), EnvError> {
    let failed = |error: std::io::Error| EnvError::Data(format!("{}: cannot be read ({error})", folder.display()));
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            below(&entry.path(), games, found)?;
        } else if entry.file_name() == GAME_FILE
            && let Ok(relative) = folder.strip_prefix(games)
        {
            let parts: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            found.push(parts.join("/"));
        }
    }
    Ok(())
}

/// The first 30 % of a shuffled list, or the rest of it, in the order of the shuffle (CYC-040).
fn part(tasks: Vec<TaskId>, train: bool) -> Vec<TaskId> {
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    Mersenne::new(SPLIT_SEED).shuffle_all(&mut order);
    let first = (tasks.len() * 3 + 5) / 10;
    let (one, other) = order.split_at(first);
    (if train { one } else { other }).iter().map(|at| tasks[*at].clone()).collect()
}

impl Catalogue for Alfworld {
    fn name(&self) -> &'static str {
        "alfworld"
    }

    fn behaviour(&self) -> u32 {
        crate::BEHAVIOUR
    }

    fn splits(&self) -> &[&'static str] {
        if self.data.is_some() { &WITH_DATA } else { &WITHOUT }
    }

    fn tasks(&self, split: &str, options: &Value) -> Result<Vec<TaskId>, EnvError> {
        let settings = self.settings(options)?;
        let (whole, train) = match split.rsplit_once('-') {
            Some((whole, "train")) => (whole, Some(true)),
            Some((whole, "test")) => (whole, Some(false)),
            _ => (split, None),
        };
        let tasks = match whole {
            "unseen" => Self::games(&settings, "valid_unseen")?,
            "seen" => Self::games(&settings, "valid_seen")?,
            "train" if train.is_none() => Self::games(&settings, "train")?,
            "households" if train.is_none() => self.households(&settings)?,
            "generated" => (0..GENERATED_TASKS).map(|number| TaskId(format!("{GENERATED}{number}"))).collect(),
            _ => {
                return Err(catalogue::unknown("alfworld", "split", split, &WITH_DATA));
            }
        };
        Ok(match train {
            None => tasks,
            Some(train) => part(tasks, train),
        })
    }

    fn parts(&self) -> &[Part] {
        &PARTS
    }

    fn schema(&self) -> Value {
        settings::schema()
    }

    fn resolve(&self, options: &Value) -> Result<Value, EnvError> {
        catalogue::resolved(&Settings::read(options)?)
    }

    fn environment(&self, resolved: &Value) -> Value {
        // Where files lie and which tools there are decide nothing of the environment.
        catalogue::without(resolved, &["games", "variant", "households", "tools"])
    }

    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        let settings = self.settings(options)?;
        Ok(Box::new(AlfworldEnvironment::new(settings, Arc::clone(&self.library))?))
    }

    fn offers(&self) -> Offers {
        catalogue::offers(POLICIES, tracker::queries())
    }
}
