//! What a study may set.

use std::sync::LazyLock;

use gimbal_core::{EnvError, nearest};
use gimbal_env_kit::options::{Field, Options};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::dynamics::RedKind;
use crate::facts;
use crate::facts::modes::MODES;
use crate::facts::networks::NETWORKS;
use crate::generator::Numbers;
use crate::network::{EntryPreference, GENERATORS, Generator, HighValuePreference, Parameters};
use crate::sim::{Scenario, Source};

/// The longest episode that a study may ask for.
pub(super) const LONGEST_HORIZON: u32 = 10_000;

/// What nodes are called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Naming {
    /// By node order.
    #[default]
    Ordered,
    /// Numbers dealt out by the episode's seed.
    Shuffled,
}

/// Whether blue can lose before the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// As the mode and its changes say.
    #[default]
    Mode,
    /// Never: every episode goes on to its last step.
    Never,
}

/// The options of a study, with their defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The game mode.
    pub mode: String,
    /// Options of the mode that are set otherwise.
    pub changes: Map<String, Value>,
    /// A stored network by its name, or a generator with its arguments, seed and parameters.
    pub network: Value,
    /// Red's agent.
    pub red: RedKind,
    /// Steps of an episode; none keeps the mode's own number.
    pub horizon: Option<u32>,
    /// Whether blue can lose before.
    pub loss: Loss,
    /// What nodes are called.
    pub names: Naming,
    /// The environment's generator.
    pub draws: Numbers,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: MODES[0].name.to_owned(),
            changes: Map::new(),
            network: Value::from(NETWORKS[0].name),
            red: RedKind::default(),
            horizon: Some(30),
            loss: Loss::default(),
            names: Naming::default(),
            draws: Numbers::default(),
        }
    }
}

static OPTIONS: LazyLock<Options> = LazyLock::new(|| {
    Options::of::<Settings>(
        "yawning_titan",
        vec![
            Field::one_of("mode", MODES.iter().map(|mode| mode.name), "The game mode."),
            Field::shaped("changes", changes(), "a map of options of the mode", Value::is_object),
            Field::shaped(
                "network",
                networks(),
                "the name of a stored network, or a map of a generator and what it is given",
                |value| value.is_string() || value.is_object(),
            ),
            Field::one_of("red", ["standard", "sine"], "The attacker."),
            Field::whole(
                "horizon",
                1,
                LONGEST_HORIZON.into(),
                "Steps of an episode; null keeps the mode's own number.",
            )
            .or_null("the mode's own number"),
            Field::one_of(
                "loss",
                ["mode", "never"],
                "Whether an episode is lost as the mode says, or always goes on to its last step.",
            ),
            Field::one_of("names", ["ordered", "shuffled"], "Numbers of nodes: by node order, or dealt by the seed."),
            Field::one_of(
                "draws",
                ["fast", "mersenne"],
                "The environment's generator: a fast one, or Python's with numpy's.",
            ),
        ],
    )
});

/// An error of an option that the table alone cannot see.
fn usage(message: impl std::fmt::Display) -> EnvError {
    OPTIONS.wrong("", &message)
}

/// An error of the option `network` or of a member of it.
fn in_network(message: impl std::fmt::Display) -> EnvError {
    OPTIONS.wrong("network", &message)
}

impl Settings {
    /// Reads options; what is missing takes its default.
    ///
    /// # Errors
    /// When an option does not exist, has a wrong value, or the environment that it asks for cannot be played.
    pub fn read(options: &Value) -> Result<Self, EnvError> {
        let mut settings: Self = OPTIONS.read(options)?;
        settings.network = network(&settings.network)?;
        // An environment that cannot be had is refused before the study begins.
        settings.scenario()?;
        Ok(settings)
    }

    /// What is to be played.
    ///
    /// # Errors
    /// When the mode, an option or the network does not exist.
    pub fn scenario(&self) -> Result<Scenario, EnvError> {
        let mut config = Config::mode(&self.mode).map_err(|error| OPTIONS.wrong("mode", &error))?;
        for (name, value) in &self.changes {
            config.set_checked(name, value).map_err(|error| OPTIONS.wrong("changes", &error))?;
        }
        if let Some(horizon) = self.horizon {
            config.set("game_rules.max_steps", &json!(horizon)).map_err(usage)?;
        }
        if self.loss == Loss::Never {
            for option in facts::OPTIONS.iter().filter(|option| {
                option.name.starts_with("game_rules.blue_loss_condition")
                    && matches!(option.kind, crate::config::Kind::Flag)
            }) {
                config.set(option.name, &json!(false)).map_err(usage)?;
            }
        }
        let scenario = Scenario { config, network: source(&self.network)?, red: self.red };
        let rules = crate::rules::Rules::of(&scenario.config).map_err(usage)?;
        if rules.max_steps < 1 {
            return Err(OPTIONS.wrong("mode", &"the mode has no last step; give a `horizon`"));
        }
        if rules.red_actions.is_empty() {
            return Err(OPTIONS.wrong("changes", &"red has no action switched on; switch one on under `changes`"));
        }
        let network = scenario.network().map_err(in_network)?;
        network.check().map_err(in_network)?;
        Ok(scenario)
    }
}

/// The keys of a network that is made.
const MADE: [&str; 8] = [
    "generator",
    "arguments",
    "seed",
    "entry_nodes",
    "entry_preference",
    "high_value_nodes",
    "high_value_preference",
    "vulnerability",
];

/// A network with every default written out.
fn network(value: &Value) -> Result<Value, EnvError> {
    if value.is_string() {
        return Ok(value.clone());
    }
    let Some(given) = value.as_object() else {
        return Err(in_network(format!(
            "`network` is {value}; give a stored network's name, or a map of {}",
            MADE.join(", ")
        )));
    };
    if let Some(other) = given.keys().find(|key| !MADE.contains(&key.as_str())) {
        let hint = nearest::hint(other, MADE);
        return Err(in_network(format!("`network`: unknown key `{other}`{hint} (known: {})", MADE.join(", "))));
    }
    let or = |key: &str, default: Value| given.get(key).cloned().unwrap_or(default);
    Ok(json!({
        "generator": given.get("generator").cloned().ok_or_else(|| in_network("`network` needs a `generator`"))?,
        "arguments": or("arguments", json!({})),
        "seed": or("seed", json!(0)),
        "entry_nodes": or("entry_nodes", json!(1)),
        "entry_preference": or("entry_preference", json!("NONE")),
        "high_value_nodes": or("high_value_nodes", json!(1)),
        "high_value_preference": or("high_value_preference", json!("NONE")),
        "vulnerability": or("vulnerability", json!([0.1, 1.0])),
    }))
}

fn source(network: &Value) -> Result<Source, EnvError> {
    let Some(given) = network.as_object() else {
        let name = network.as_str().unwrap_or_default();
        // The two that are made without arguments may be named like stored ones.
        if NETWORKS.iter().any(|known| known.name == name) || !GENERATORS.contains(&name) {
            return Ok(Source::Stored(name.to_owned()));
        }
        return source(&self::network(&json!({ "generator": name }))?);
    };
    let arguments = given.get("arguments").and_then(Value::as_object);
    let arguments = arguments.ok_or_else(|| in_network("`network`: `arguments` must be a map"))?;
    let name = given.get("generator").and_then(Value::as_str).unwrap_or_default();
    let generator = Generator::read(name, arguments).map_err(usage)?;
    let count = |key: &str| {
        let value = given.get(key).and_then(Value::as_u64).filter(|value| *value <= 10_000);
        value
            .map(|value| value as i64)
            .ok_or_else(|| in_network(format!("`network`: `{key}` must be a whole number, at least 0")))
    };
    let seed = given.get("seed").and_then(Value::as_u64);
    let seed = seed.ok_or_else(|| in_network("`network`: `seed` must be a whole number from 0 to 2^64-1"))?;
    let range = given.get("vulnerability").and_then(Value::as_array).map(Vec::as_slice);
    let [Some(lower), Some(upper)] = (match range {
        Some([lower, upper]) => [lower.as_f64(), upper.as_f64()],
        _ => [None, None],
    }) else {
        return Err(in_network("`network`: `vulnerability` must be a list of a lower and an upper bound"));
    };
    if !(lower > 0.0 && lower <= upper && upper <= 1.0) {
        return Err(in_network("`network`: the bounds of `vulnerability` must be above 0, in order, and at most 1"));
    }
    let (entries, high_values) = (count("entry_nodes")?, count("high_value_nodes")?);
    let known = |key: &str| given.get(key).cloned().unwrap_or_default();
    let entry_preference: EntryPreference = serde_json::from_value(known("entry_preference"))
        .map_err(|_| in_network("`network`: `entry_preference` must be NONE, CENTRAL or EDGE"))?;
    let high_value_preference: HighValuePreference = serde_json::from_value(known("high_value_preference"))
        .map_err(|_| in_network("`network`: `high_value_preference` must be NONE or FURTHEST_AWAY_FROM_ENTRY"))?;
    let parameters = Parameters {
        random_entry: entries > 0,
        entry_count: entries,
        entry_preference,
        random_high_value: high_values > 0,
        high_value_count: high_values,
        high_value_preference,
        random_vulnerabilities: true,
        lower,
        upper,
    };
    Ok(Source::Made { generator, seed, parameters })
}

/// JSON Schema of the option `changes`.
fn changes() -> Value {
    json!({
        "type": "object", "default": {},
        "propertyNames": { "enum": facts::OPTIONS.iter().map(|option| option.name).collect::<Vec<_>>() },
        "description": "Options of the mode that are set otherwise, by their full names."
    })
}

/// JSON Schema of the option `network`.
fn networks() -> Value {
    let networks: Vec<&str> =
        NETWORKS.iter().map(|network| network.name).chain(GENERATORS[5..].iter().copied()).collect();
    json!({
        "default": "default_18",
        "description": "A stored network, or a generator with its arguments, seed and special nodes.",
        "oneOf": [
            { "enum": networks },
            {
                "type": "object", "additionalProperties": false, "required": ["generator"],
                "properties": {
                    "generator": { "enum": GENERATORS },
                    "arguments": { "type": "object", "default": {} },
                    "seed": { "type": "integer", "minimum": 0, "default": 0 },
                    "entry_nodes": { "type": "integer", "minimum": 0, "default": 1 },
                    "entry_preference": { "enum": ["NONE", "CENTRAL", "EDGE"], "default": "NONE" },
                    "high_value_nodes": { "type": "integer", "minimum": 0, "default": 1 },
                    "high_value_preference": { "enum": ["NONE", "FURTHEST_AWAY_FROM_ENTRY"], "default": "NONE" },
                    "vulnerability": {
                        "type": "array", "minItems": 2, "maxItems": 2, "items": { "type": "number" },
                        "default": [0.1, 1.0]
                    }
                }
            }
        ]
    })
}

/// JSON Schema of the options.
pub(super) fn schema() -> Value {
    OPTIONS.schema()
}
