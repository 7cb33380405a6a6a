//! What a study may set.

use std::path::PathBuf;
use std::sync::LazyLock;

use gimbal_core::EnvError;
use gimbal_env_kit::options::{Field, Options};
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

static OPTIONS: LazyLock<Options> = LazyLock::new(|| {
    let folder = |key, about| Field::text(key, "the path of a folder", about).or_null("the folder of the data");
    let percent = |key, about| Field::whole(key, 0, 100, about);
    let household = vec![
        Field::whole("rooms", 1, 8, "Rooms."),
        Field::whole("receptacles", 4, 60, "Pieces of furniture."),
        percent("closed", "Of a hundred pieces of furniture so many can be opened."),
        percent("together", "Of a hundred pieces so many are reached together with another."),
        percent("distractors", "Things that the task is not about."),
        percent("lookalikes", "Of a hundred distractors so many are of the task's kind."),
        Field::one_of("task", TASK_KINDS.map(TaskKind::name), "The kind of task; null: any.").or_null("any"),
    ];
    Options::of::<Settings>(
        "alfworld",
        vec![
            folder("games", "Folder of the game files; null: alfworld/games in the folder that GIMBAL_DATA names."),
            Field::one_of(
                "wording",
                ["file", "2.1.1"],
                "The words of a game: those of its file, or those of the older downloads.",
            ),
            folder("variant", "Folder of the older words; null: variant_2.1.1 beside the games."),
            folder(
                "households",
                "Folder of saved households; null: alfworld/households in the folder that GIMBAL_DATA names.",
            ),
            Field::one_of(
                "tools",
                ["all", "select", "split"],
                "The four tools as published, the one for all commands, or the three that share them.",
            ),
            Field::whole("max_calls", 1, MOST_CALLS.into(), "Calls of an episode."),
            Field::map("household", household, "How generated households are."),
        ],
    )
});

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
        let settings: Self = OPTIONS.read(options)?;
        settings.household.check().map_err(|error| OPTIONS.wrong("household", &error))?;
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

/// JSON Schema of the options.
pub(super) fn schema() -> Value {
    OPTIONS.schema()
}
