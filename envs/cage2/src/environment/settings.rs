//! What a study may set.

use std::sync::LazyLock;

use gimbal_core::EnvError;
use gimbal_env_kit::options::{self, Field};
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

static OPTIONS: LazyLock<options::Options> = LazyLock::new(|| {
    options::Options::of::<Settings>(
        "cage2",
        vec![
            Field::one_of("red", ["b_line", "meander", "sleep"], "The attacker."),
            Field::one_of("green", ["sleep", "scan"], "The users of the network."),
            Field::whole("horizon", 1, LONGEST_HORIZON.into(), "Steps of an episode."),
            Field::one_of(
                "names",
                ["original", "neutral"],
                "Names of hosts, subnets and services: the scenario's, or aliases dealt by the seed.",
            ),
            Field::one_of(
                "validation",
                ["full", "artifact"],
                "How actions are checked: in full, or as loosely as the published artifact does.",
            ),
            Field::one_of(
                "draws",
                ["fast", "mersenne"],
                "The environment's generator: a fast one, or CPython's, which repeats the original's episodes.",
            ),
        ],
    )
});

impl Settings {
    /// Red, green and horizon, as the simulator takes them.
    #[must_use]
    pub const fn options(self) -> Options {
        Options { red: self.red, green: self.green, horizon: self.horizon }
    }

    /// Reads options; what is missing takes its default.
    ///
    /// # Errors
    /// When an option does not exist or has a wrong value.
    pub fn read(options: &Value) -> Result<Self, EnvError> {
        OPTIONS.read(options)
    }
}

/// JSON Schema of the options.
pub(super) fn schema() -> Value {
    OPTIONS.schema()
}
