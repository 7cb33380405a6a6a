//! A configuration: a value for each of the original's 93 options.

use std::borrow::Cow;

use serde_json::Value as Json;
use thiserror::Error;

use gimbal_core::nearest;

use crate::facts::modes::{MODES, ModeFact};
use crate::facts::options::OPTIONS;
use crate::facts::value::{FUNCTION, REWARD_FUNCTIONS};
pub use crate::facts::value::{Kind, OptionFact, Value};

/// Why a configuration cannot be had.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ConfigError {
    /// No such mode.
    #[error("there is no mode `{name}`{hint} (known: {known})")]
    Mode {
        /// The name given.
        name: String,
        /// A guess at what was meant.
        hint: String,
        /// All names.
        known: String,
    },
    /// No such option.
    #[error("there is no option `{name}`{hint} ({known}; docs/yawning_titan.md says what each takes)")]
    Option {
        /// The name given.
        name: String,
        /// A guess at what was meant.
        hint: String,
        /// Those that begin alike, or all.
        known: String,
    },
    /// A value of the wrong kind, or outside of the range.
    #[error("option `{name}` is {value}; give {expected}")]
    Value {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What it takes.
        expected: String,
    },
    /// A value that play needs is not set.
    #[error("option `{name}` is not set, but {reason}; give it a value")]
    Unset {
        /// The option.
        name: &'static str,
        /// Why it is needed.
        reason: &'static str,
    },
    /// The options leave the environment without something that it cannot be without.
    #[error("{0}")]
    Unplayable(String),
}

/// A value for every option.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    values: Vec<Value>,
}

impl Default for Config {
    /// The mode `default`.
    fn default() -> Self {
        Self::of(&MODES[0])
    }
}

impl Config {
    /// A fresh configuration, in which nothing is switched on.
    #[must_use]
    pub fn initial() -> Self {
        Self { values: OPTIONS.iter().map(|option| option.initial.clone()).collect() }
    }

    /// A mode's changes upon those of `default`, and these upon a fresh configuration.
    fn of(mode: &ModeFact) -> Self {
        let mut config = Self::initial();
        for (name, value) in MODES[0].changes.iter().chain(&mode.changes) {
            if let Some(at) = position(name) {
                config.values[at] = value.clone();
            }
        }
        config
    }

    /// The settings of a mode.
    ///
    /// # Errors
    /// When there is no such mode.
    pub fn mode(name: &str) -> Result<Self, ConfigError> {
        let names = || MODES.iter().map(|mode| mode.name);
        MODES.iter().find(|mode| mode.name == name).map(Self::of).ok_or_else(|| ConfigError::Mode {
            name: name.to_owned(),
            hint: nearest::hint(name, names()),
            known: names().collect::<Vec<_>>().join(", "),
        })
    }

    /// The value of an option; unset where there is no such option.
    #[must_use]
    pub fn get(&self, name: &str) -> &Value {
        position(name).map_or(&Value::Null, |at| &self.values[at])
    }

    /// Sets an option. As in the original any value of its kind is taken, and null.
    ///
    /// # Errors
    /// When there is no such option or the value is of another kind.
    pub fn set(&mut self, name: &str, value: &Json) -> Result<(), ConfigError> {
        let at = position(name).ok_or_else(|| ConfigError::Option {
            name: name.to_owned(),
            hint: nearest::hint(name, OPTIONS.iter().map(|option| option.name)),
            known: alike(name),
        })?;
        let fact = &OPTIONS[at];
        let read = match (fact.kind, value) {
            (_, Json::Null) => Some(Value::Null),
            (Kind::Flag, Json::Bool(value)) => Some(Value::Flag(*value)),
            (Kind::Whole, Json::Number(number)) => whole(number).map(Value::Whole),
            (Kind::Real, Json::Number(number)) => number.as_f64().filter(|value| value.is_finite()).map(Value::Real),
            (Kind::Text, Json::String(text)) if fact.name != FUNCTION || REWARD_FUNCTIONS.contains(&text.as_str()) => {
                Some(Value::Text(Cow::Owned(text.clone())))
            }
            _ => None,
        };
        self.values[at] = read.ok_or_else(|| ConfigError::Value {
            name: fact.name,
            value: value.to_string(),
            expected: match fact.kind {
                Kind::Flag => "true or false".to_owned(),
                Kind::Whole => "a whole number".to_owned(),
                Kind::Real => "a number".to_owned(),
                Kind::Text if fact.name == FUNCTION => format!("one of {}", REWARD_FUNCTIONS.join(", ")),
                Kind::Text => "the name of a node".to_owned(),
            },
        })?;
        Ok(())
    }

    /// Sets an option within the range that the original's validation accepts.
    ///
    /// # Errors
    /// As [`Config::set`], and when the value is outside of the range.
    pub fn set_checked(&mut self, name: &str, value: &Json) -> Result<(), ConfigError> {
        let mut changed = self.clone();
        changed.set(name, value)?;
        if let Some(at) = position(name)
            && !OPTIONS[at].accepts(&changed.values[at])
        {
            let (name, expected) = (OPTIONS[at].name, OPTIONS[at].range());
            return Err(ConfigError::Value { name, value: value.to_string(), expected });
        }
        *self = changed;
        Ok(())
    }

    /// All options with their values, in the order of the original.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        OPTIONS.iter().map(|option| option.name).zip(&self.values)
    }

    /// Whether a switch is on; an unset one is off.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Value::Flag(true))
    }

    /// A number, if it is set.
    #[must_use]
    pub fn real(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Value::Real(value) => Some(*value),
            Value::Whole(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// A whole number, if it is set.
    #[must_use]
    pub fn whole(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Value::Whole(value) => Some(*value),
            _ => None,
        }
    }

    /// A text, if it is set.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Value::Text(value) => Some(value),
            _ => None,
        }
    }
}

/// The options that share the most leading words with `name`; all where none does.
fn alike(name: &str) -> String {
    let named = |found: &[&str]| found.join(", ");
    let mut stem = name.trim_end_matches('.');
    while !stem.is_empty() {
        let below = |option: &str| option.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.'));
        let found: Vec<&str> = OPTIONS.iter().map(|option| option.name).filter(|option| below(option)).collect();
        if !found.is_empty() {
            return format!("known under `{stem}`: {}", named(&found));
        }
        stem = stem.rsplit_once('.').map_or("", |(stem, _)| stem);
    }
    let all: Vec<&str> = OPTIONS.iter().map(|option| option.name).collect();
    format!("known: {}", named(&all))
}

fn position(name: &str) -> Option<usize> {
    OPTIONS.iter().position(|option| option.name == name)
}

fn whole(number: &serde_json::Number) -> Option<i64> {
    let real = || number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < 9e15);
    number.as_i64().or_else(|| real().map(|value| value as i64))
}
