//! What a study may set.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimbal_core::{Digest, EnvError, nearest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::action::Toolset;
use crate::table::Table;
use crate::tree::Tree;

/// The longest episode that a study may ask for.
const LONGEST: u32 = 10_000;

/// What decides the distractors and the order of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draws {
    /// The task: every episode of a task shows the same, as in the original.
    #[default]
    Task,
    /// The episode's seed too.
    Episode,
}

/// The options of a study, with their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// A file of other recipes; none for the built-in ones.
    pub recipes: Option<PathBuf>,
    /// Hash of that file's recipes; none for the built-in ones.
    pub table: Option<String>,
    /// Whether the aliasing quirk of the original is on.
    pub aliasing: bool,
    /// Which tools an agent is given.
    pub tools: Toolset,
    /// What decides the distractors.
    pub draws: Draws,
    /// Calls of an episode; none for those of the depth (CYC-050).
    pub max_calls: Option<u32>,
}

const KEYS: [&str; 6] = ["recipes", "table", "aliasing", "tools", "draws", "max_calls"];

fn usage(message: impl std::fmt::Display) -> EnvError {
    EnvError::Usage(format!("options of `textcraft`: {message}"))
}

impl Settings {
    /// Reads options; what is missing takes its default. A file of recipes is read and hashed.
    ///
    /// # Errors
    /// When an option does not exist or has a wrong value, or the recipes cannot be played or are not those that the given
    /// hash names.
    pub fn read(options: &Value) -> Result<Self, EnvError> {
        Self::with_tree(options).map(|(settings, _)| settings)
    }

    /// The same, with the tree.
    pub(super) fn with_tree(options: &Value) -> Result<(Self, Arc<Tree>), EnvError> {
        let mut settings = Self::default();
        let empty = serde_json::Map::new();
        let map = match options {
            Value::Null => &empty,
            Value::Object(map) => map,
            _ => return Err(usage(format!("expected a map of {}", KEYS.join(", ")))),
        };
        let mut wanted = None;
        for (key, value) in map {
            match key.as_str() {
                "recipes" => settings.recipes = path(value)?,
                "table" => wanted = hash(value)?,
                "aliasing" => {
                    settings.aliasing =
                        value.as_bool().ok_or_else(|| usage(format!("`aliasing` is {value}; give true or false")))?;
                }
                "tools" => settings.tools = one_of(key, value)?,
                "draws" => settings.draws = one_of(key, value)?,
                "max_calls" => settings.max_calls = calls(value)?,
                _ => {
                    let hint = nearest::hint(key, KEYS);
                    return Err(usage(format!("unknown key `{key}`{hint} (known: {})", KEYS.join(", "))));
                }
            }
        }
        let tree = match &settings.recipes {
            None => shipped()?,
            Some(path) => {
                let (tree, digest) = open(path)?;
                settings.table = Some(digest);
                tree
            }
        };
        if let Some(wanted) = wanted.filter(|wanted| settings.table.as_ref() != Some(wanted)) {
            let file = settings.recipes.as_deref().map_or_else(|| "(none)".into(), Path::to_string_lossy);
            return Err(usage(format!(
                "`recipes` is {file}, and its recipes are not those of `table` {wanted}; give the file that the run began \
                 with, or leave `table` out"
            )));
        }
        Ok((settings, tree))
    }
}

/// The tree of the built-in recipes.
pub(super) fn shipped() -> Result<Arc<Tree>, EnvError> {
    Tree::shipped().map_err(|error| EnvError::Data(error.to_string()))
}

fn open(path: &Path) -> Result<(Arc<Tree>, String), EnvError> {
    let table = Table::open(path).map_err(|error| EnvError::Data(error.to_string()))?;
    let digest = Digest::of(table.write().as_bytes()).short();
    let tree = Tree::of(&table).map_err(|error| EnvError::Data(error.to_string()))?;
    Ok((Arc::new(tree), digest))
}

fn path(value: &Value) -> Result<Option<PathBuf>, EnvError> {
    match value {
        Value::Null => Ok(None),
        Value::String(path) if !path.is_empty() => Ok(Some(PathBuf::from(path))),
        _ => Err(usage(format!("`recipes` is {value}; give the path of a file, or null for the built-in recipes"))),
    }
}

fn hash(value: &Value) -> Result<Option<String>, EnvError> {
    match value {
        Value::Null => Ok(None),
        Value::String(hash) => Ok(Some(hash.clone())),
        _ => Err(usage(format!("`table` is {value}; it is the hash that a run notes of its recipes: leave it out"))),
    }
}

/// A value that must be one of the schema's names for its key.
fn one_of<T: serde::de::DeserializeOwned>(key: &str, value: &Value) -> Result<T, EnvError> {
    // Serde would also take `{name: null}` for a name.
    let read = value.is_string().then(|| T::deserialize(value).ok()).flatten();
    read.ok_or_else(|| {
        let schema = schema();
        let known = schema["properties"][key]["enum"].as_array().into_iter().flatten();
        let known: Vec<&str> = known.filter_map(Value::as_str).collect();
        let hint = value.as_str().map(|value| nearest::hint(value, known.iter().copied())).unwrap_or_default();
        usage(format!("`{key}` is {value}{hint} (known: {})", known.join(", ")))
    })
}

fn calls(value: &Value) -> Result<Option<u32>, EnvError> {
    if value.is_null() {
        return Ok(None);
    }
    let calls = value.as_u64().and_then(|calls| u32::try_from(calls).ok());
    calls.filter(|calls| (1..=LONGEST).contains(calls)).map(Some).ok_or_else(|| {
        usage(format!("`max_calls` is {value}; give 1 to {LONGEST}, or null for the number of the goal's depth"))
    })
}

/// JSON Schema of the options.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "recipes": {
                "type": ["string", "null"], "default": null,
                "description": "A file of other recipes, one a line; null for the built-in ones. Its tasks are those of the split `seeds`."
            },
            "table": {
                "type": ["string", "null"], "default": null,
                "description": "Hash of that file's recipes: filled in by itself, and checked where it is given."
            },
            "aliasing": {
                "type": "boolean", "default": false,
                "description": "Whether the goal's name also stands for what lies below it, as in the original."
            },
            "tools": {
                "enum": ["all", "separate", "unified"], "default": "all",
                "description": "All four tools, one for each kind of command, or the one that takes any command."
            },
            "draws": {
                "enum": ["task", "episode"], "default": "task",
                "description": "Whether every episode of a task shows the same commands, or other ones by its seed."
            },
            "max_calls": {
                "type": ["integer", "null"], "minimum": 1, "maximum": LONGEST, "default": null,
                "description": "Calls of an episode; null for 30, 50 or 100 by the depth of the goal."
            }
        }
    })
}
