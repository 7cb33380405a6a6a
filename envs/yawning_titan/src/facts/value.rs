//! What an option is, and what it takes.

use std::borrow::Cow;

use serde_json::Value as Json;

/// The names of the reward functions.
pub const REWARD_FUNCTIONS: [&str; 8] = [
    "standard_rewards",
    "experimental_rewards",
    "one_per_timestep",
    "zero_reward",
    "safe_nodes_give_rewards",
    "punish_bad_actions",
    "num_nodes_safe",
    "dcbo_cost_func",
];

/// The option that takes one of them.
pub(crate) const FUNCTION: &str = "rewards.function";

/// A value of an option.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Not set.
    Null,
    /// A switch.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(Cow<'static, str>),
}

impl Value {
    /// The value that JSON writes so; `None` for a list or an object.
    #[must_use]
    pub(super) fn of_json(value: Json) -> Option<Self> {
        Some(match value {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Flag(value),
            Json::String(value) => Self::Text(Cow::Owned(value)),
            Json::Number(value) => match value.as_i64() {
                Some(value) => Self::Whole(value),
                None => Self::Real(value.as_f64()?),
            },
            Json::Array(_) | Json::Object(_) => return None,
        })
    }

    /// The value as JSON.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Flag(value) => Json::Bool(*value),
            Self::Whole(value) => Json::from(*value),
            Self::Real(value) => Json::from(*value),
            Self::Text(value) => Json::from(value.as_ref()),
        }
    }
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole,
    /// A number.
    Real,
    /// A text.
    Text,
}

/// What is fixed of an option.
#[derive(Clone, Debug)]
pub struct OptionFact {
    /// The name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Whether the original's validation lets it be unset.
    pub null: bool,
    /// The value in a fresh configuration.
    pub initial: Value,
    /// The least value that the original's validation accepts.
    pub least: Option<f64>,
    /// Whether the least value itself is refused.
    pub open: bool,
    /// The greatest value that the original's validation accepts.
    pub most: Option<f64>,
}

impl OptionFact {
    /// Whether the original's validation accepts a value; the original plays with any (SPEC 11).
    #[must_use]
    pub fn accepts(&self, value: &Value) -> bool {
        let number = match value {
            Value::Null => return self.null,
            Value::Whole(value) => *value as f64,
            Value::Real(value) => *value,
            Value::Flag(_) | Value::Text(_) => return true,
        };
        self.least.is_none_or(|least| number > least || (!self.open && number >= least))
            && self.most.is_none_or(|most| number <= most)
    }

    /// What it takes, in words: `true or false`, `a whole number, at least 0`, ...
    #[must_use]
    pub fn takes(&self) -> String {
        let below = if self.open { "above" } else { "at least" };
        let bounds = match (self.least, self.most) {
            (Some(least), Some(most)) => format!(", {below} {least} and at most {most}"),
            (Some(least), None) => format!(", {below} {least}"),
            (None, Some(most)) => format!(", at most {most}"),
            (None, None) => String::new(),
        };
        let null = if self.null { "; or null" } else { "" };
        match self.kind {
            Kind::Flag => format!("true or false{null}"),
            Kind::Whole => format!("a whole number{bounds}{null}"),
            Kind::Real => format!("a number{bounds}{null}"),
            Kind::Text if self.name == FUNCTION => format!("one of {}{null}", REWARD_FUNCTIONS.join(", ")),
            Kind::Text => format!("the name of a node{null}"),
        }
    }

    pub(crate) fn range(&self) -> String {
        let below = if self.open { "above" } else { "at least" };
        match (self.least, self.most) {
            (Some(least), Some(most)) => format!("a number {below} {least} and at most {most}"),
            (Some(least), None) => format!("a number {below} {least}"),
            (None, Some(most)) => format!("a number of at most {most}"),
            (None, None) => "a number".to_owned(),
        }
    }
}
