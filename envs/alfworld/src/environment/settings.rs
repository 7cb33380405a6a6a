//! What a study may set.

use std::path::PathBuf;

use gimbal_core::{EnvError, nearest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::home::{Dials, TASK_KINDS, TaskKind};

/// The words of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Words {
    /// Those of its file.
    #[default]
    #[serde(rename = "file")]
    File,
    /// Those of the older downloads.
    #[serde(rename = "2.1.1")]
    Older,
}

/// Which of the four tools there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offered {
    /// All of them, as published.
    #[default]
    All,
    /// The one for all commands.
    Select,
    /// The three that share the commands among them.
    Split,
}

/// The options of a study, with their defaults.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Folder of the game files; none: `alfworld/games` in the folder that `GIMBAL_DATA` names.
    pub games: Option<String>,
    /// The words.
    pub wording: Words,
    /// Folder of the older words; none: `variant_2.1.1` beside the games.
    pub variant: Option<String>,
    /// Folder of saved households; none: `alfworld/households` in the folder that `GIMBAL_DATA` names.
    pub households: Option<String>,
    /// Which tools there are.
    pub tools: Offered,
    /// Calls of an episode (CYC-050).
    pub max_calls: u32,
    /// How generated households are.
    pub household: Dials,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            games: None,
            wording: Words::default(),
            variant: None,
            households: None,
            tools: Offered::default(),
            max_calls: 75,
            household: Dials::default(),
        }
    }
}

/// The longest episode that a study may ask for.
const MOST_CALLS: u32 = 10_000;

const KEYS: [&str; 7] = ["games", "wording", "variant", "households", "tools", "max_calls", "household"];
const DIALS: [&str; 7] = ["rooms", "receptacles", "closed", "together", "distractors", "lookalikes", "task"];

pub(super) fn usage(message: impl std::fmt::Display) -> EnvError {
    EnvError::Usage(format!("options of `alfworld`: {message}"))
}

/// Data of the user that are not at hand: the message of every environment about them is the same.
pub(super) fn missing(what: &str, option: &str) -> EnvError {
    EnvError::Data(format!(
        "the {what} of `alfworld` are not at hand: set GIMBAL_DATA to the folder that holds alfworld/{option}, give the option \
         `{option}`, or play the split `generated`, which needs no data"
    ))
}

/// The folder `alfworld` in that of the data, where the user has named one.
pub fn data_folder() -> Option<PathBuf> {
    std::env::var_os("GIMBAL_DATA")
        .filter(|value| !value.is_empty())
        .map(|folder| PathBuf::from(folder).join("alfworld"))
}

impl Settings {
    /// Reads options; what is missing takes its default.
    ///
    /// # Errors
    /// When an option does not exist or has a wrong value.
    pub fn read(options: &Value) -> Result<Self, EnvError> {
        let mut settings = Self::default();
        if options.is_null() {
            return Ok(settings);
        }
        let Some(map) = options.as_object() else {
            return Err(usage(format!("expected a map of {}", KEYS.join(", "))));
        };
        for (key, value) in map {
            match key.as_str() {
                "games" => settings.games = folder(key, value)?,
                "variant" => settings.variant = folder(key, value)?,
                "households" => settings.households = folder(key, value)?,
                "wording" => {
                    settings.wording = one_of(key, value, &[("file", Words::File), ("2.1.1", Words::Older)])?;
                }
                "tools" => {
                    let known = [("all", Offered::All), ("select", Offered::Select), ("split", Offered::Split)];
                    settings.tools = one_of(key, value, &known)?;
                }
                "max_calls" => {
                    let calls = value.as_u64().and_then(|calls| u32::try_from(calls).ok());
                    let calls = calls.filter(|calls| (1..=MOST_CALLS).contains(calls));
                    settings.max_calls = calls.ok_or_else(|| {
                        usage(format!("`max_calls` is {value}; give a whole number from 1 to {MOST_CALLS}"))
                    })?;
                }
                "household" => settings.household = dials(value)?,
                _ => {
                    let hint = nearest::hint(key, KEYS);
                    return Err(usage(format!("unknown key `{key}`{hint} (known: {})", KEYS.join(", "))));
                }
            }
        }
        Ok(settings)
    }

    /// The folder of the game files.
    #[must_use]
    pub fn games_folder(&self) -> Option<PathBuf> {
        self.games.as_ref().map(PathBuf::from).or_else(|| data_folder().map(|folder| folder.join("games")))
    }

    /// The folder of the older words.
    #[must_use]
    pub fn variant_folder(&self) -> Option<PathBuf> {
        let beside = || Some(self.games_folder()?.parent()?.join("variant_2.1.1"));
        self.variant.as_ref().map(PathBuf::from).or_else(beside)
    }

    /// The folder of saved households.
    #[must_use]
    pub fn households_folder(&self) -> Option<PathBuf> {
        self.households.as_ref().map(PathBuf::from).or_else(|| data_folder().map(|folder| folder.join("households")))
    }
}

fn folder(key: &str, value: &Value) -> Result<Option<String>, EnvError> {
    match value {
        Value::Null => Ok(None),
        Value::String(folder) if !folder.trim().is_empty() => Ok(Some(folder.clone())),
        _ => Err(usage(format!("`{key}` is {value}; give the path of a folder, or null"))),
    }
}

fn one_of<T: Copy>(key: &str, value: &Value, known: &[(&str, T)]) -> Result<T, EnvError> {
    let found = known.iter().find(|(name, _)| value.as_str() == Some(name));
    found.map(|(_, found)| *found).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let hint = value.as_str().map(|value| nearest::hint(value, names.iter().copied())).unwrap_or_default();
        usage(format!("`{key}` is {value}{hint} (known: {})", names.join(", ")))
    })
}

fn dials(value: &Value) -> Result<Dials, EnvError> {
    let Some(map) = value.as_object() else {
        return Err(usage(format!("`household` is {value}; give a map of {}", DIALS.join(", "))));
    };
    let mut dials = Dials::default();
    for (key, value) in map {
        let number = |value: &Value| {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
            number.ok_or_else(|| usage(format!("`household.{key}` is {value}; give a whole number")))
        };
        match key.as_str() {
            "rooms" => dials.rooms = number(value)?,
            "receptacles" => dials.receptacles = number(value)?,
            "closed" => dials.closed = number(value)?,
            "together" => dials.together = number(value)?,
            "distractors" => dials.distractors = number(value)?,
            "lookalikes" => dials.lookalikes = number(value)?,
            "task" if value.is_null() => dials.task = None,
            "task" => {
                let known = TASK_KINDS.map(|kind| (kind.name(), kind));
                dials.task = Some(one_of::<TaskKind>("household.task", value, &known)?);
            }
            _ => {
                let hint = nearest::hint(key, DIALS);
                return Err(usage(format!("`household`: unknown key `{key}`{hint} (known: {})", DIALS.join(", "))));
            }
        }
    }
    dials.check().map_err(usage)?;
    Ok(dials)
}

/// JSON Schema of the options.
pub(super) fn schema() -> Value {
    let defaults = Dials::default();
    let percent = |default: u32, text: &str| json!({ "type": "integer", "minimum": 0, "maximum": 100, "default": default, "description": text });
    let kinds: Vec<Value> = TASK_KINDS.iter().map(|kind| kind.name().into()).chain([Value::Null]).collect();
    let folder = |text: &str| json!({ "type": ["string", "null"], "default": null, "description": text });
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "games": folder("Folder of the game files; null: alfworld/games in the folder that GIMBAL_DATA names."),
            "wording": {
                "enum": ["file", "2.1.1"], "default": "file",
                "description": "The words of a game: those of its file, or those of the older downloads."
            },
            "variant": folder("Folder of the older words; null: variant_2.1.1 beside the games."),
            "households": folder("Folder of saved households; null: alfworld/households in the folder that GIMBAL_DATA names."),
            "tools": {
                "enum": ["all", "select", "split"], "default": "all",
                "description": "The four tools as published, the one for all commands, or the three that share them."
            },
            "max_calls": {
                "type": "integer", "minimum": 1, "maximum": MOST_CALLS, "default": 75,
                "description": "Calls of an episode."
            },
            "household": {
                "type": "object", "additionalProperties": false, "description": "How generated households are.",
                "properties": {
                    "rooms": { "type": "integer", "minimum": 1, "maximum": 8, "default": defaults.rooms, "description": "Rooms." },
                    "receptacles": {
                        "type": "integer", "minimum": 4, "maximum": 60, "default": defaults.receptacles,
                        "description": "Pieces of furniture."
                    },
                    "closed": percent(defaults.closed, "Of a hundred pieces of furniture so many can be opened."),
                    "together": percent(defaults.together, "Of a hundred pieces so many are reached together with another."),
                    "distractors": percent(defaults.distractors, "Things that the task is not about."),
                    "lookalikes": percent(defaults.lookalikes, "Of a hundred distractors so many are of the task's kind."),
                    "task": { "enum": kinds, "default": null, "description": "The kind of task; null: any." }
                }
            }
        }
    })
}
