//! What a study may set.

use gimbal_core::{EnvError, nearest};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bench::Generator;
use crate::names::Names;
use crate::options::{Green, Options, Red};

/// The longest episode that a study may ask for.
pub const LONGEST_HORIZON: u32 = 10_000;

/// What things are called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Naming {
    /// As in the scenario.
    #[default]
    Original,
    /// Aliases dealt out by the episode's seed.
    Neutral,
}

impl Naming {
    pub(super) fn of(self, seed: u64) -> Names {
        match self {
            Self::Original => Names::original(),
            Self::Neutral => Names::neutral(seed),
        }
    }
}

/// How actions are checked (BOG-035).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Validation {
    /// Names, hosts and parameters.
    #[default]
    Full,
    /// Unknown names and decoys without a host only; the rest reaches the environment as an illegal action at 0.1.
    Artifact,
}

/// The options of a study, with their defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Red's agent.
    pub red: Red,
    /// Green's agent.
    pub green: Green,
    /// Steps of an episode.
    pub horizon: u32,
    /// What things are called.
    pub names: Naming,
    /// How actions are checked.
    pub validation: Validation,
    /// The environment's generator; `mersenne` gives the very episodes that the original gives for a seed.
    pub draws: Generator,
}

impl Default for Settings {
    fn default() -> Self {
        let Options { red, green, horizon } = Options::default();
        Self {
            red,
            green,
            horizon,
            names: Naming::default(),
            validation: Validation::default(),
            draws: Generator::default(),
        }
    }
}

const KEYS: [&str; 6] = ["red", "green", "horizon", "names", "validation", "draws"];

impl Settings {
    pub(super) const fn options(self) -> Options {
        Options { red: self.red, green: self.green, horizon: self.horizon }
    }

    /// Reads options; what is missing takes its default.
    pub(super) fn read(options: &Value) -> Result<Self, EnvError> {
        let usage = |message: String| EnvError::Usage(format!("options of `cage2`: {message}"));
        if options.is_null() {
            return Ok(Self::default());
        }
        let Some(map) = options.as_object() else {
            return Err(usage(format!("expected a map of {}", KEYS.join(", "))));
        };
        let mut settings = Self::default();
        for (key, value) in map {
            let read = match key.as_str() {
                "red" => one_of(key, value).map(|red| settings.red = red),
                "green" => one_of(key, value).map(|green| settings.green = green),
                "horizon" => steps(value).map(|horizon| settings.horizon = horizon),
                "names" => one_of(key, value).map(|names| settings.names = names),
                "validation" => one_of(key, value).map(|validation| settings.validation = validation),
                "draws" => one_of(key, value).map(|draws| settings.draws = draws),
                _ => {
                    let hint = nearest::hint(key, KEYS);
                    Err(format!("unknown key `{key}`{hint} (known: {})", KEYS.join(", ")))
                }
            };
            read.map_err(usage)?;
        }
        Ok(settings)
    }
}

/// A value that must be one of the schema's names for its key.
fn one_of<T: DeserializeOwned>(key: &str, value: &Value) -> Result<T, String> {
    // Serde would also take `{name: null}` for a name.
    let read = value.is_string().then(|| T::deserialize(value).ok()).flatten();
    read.ok_or_else(|| {
        let schema = schema();
        let known = schema["properties"][key]["enum"].as_array().into_iter().flatten();
        let known: Vec<&str> = known.filter_map(Value::as_str).collect();
        let hint = value.as_str().map(|value| nearest::hint(value, known.iter().copied())).unwrap_or_default();
        format!("`{key}` is {value}{hint} (known: {})", known.join(", "))
    })
}

fn steps(value: &Value) -> Result<u32, String> {
    let steps = value.as_u64().and_then(|steps| u32::try_from(steps).ok());
    steps.filter(|steps| (1..=LONGEST_HORIZON).contains(steps)).ok_or_else(|| {
        format!(
            "`horizon` is {value}; give 1 to {LONGEST_HORIZON} steps as a whole number (the challenge plays 30, 50 and \
             100)"
        )
    })
}

/// JSON Schema of the options.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "red": { "enum": ["b_line", "meander", "sleep"], "default": "b_line", "description": "The attacker." },
            "green": { "enum": ["sleep", "scan"], "default": "sleep", "description": "The users of the network." },
            "horizon": {
                "type": "integer", "minimum": 1, "maximum": LONGEST_HORIZON, "default": 30,
                "description": "Steps of an episode."
            },
            "names": {
                "enum": ["original", "neutral"], "default": "original",
                "description": "Names of hosts, subnets and services: the scenario's, or aliases dealt by the seed."
            },
            "validation": {
                "enum": ["full", "artifact"], "default": "full",
                "description": "How actions are checked: in full, or as loosely as the published artifact does."
            },
            "draws": {
                "enum": ["fast", "mersenne"], "default": "fast",
                "description": "The world's generator: a fast one, or CPython's, which repeats the original's episodes."
            }
        }
    })
}
