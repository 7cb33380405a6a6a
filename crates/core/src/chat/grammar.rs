//! Shapes that a completion can be held to.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The shape that a completion must have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grammar {
    /// JSON that a schema accepts.
    JsonSchema(Value),
    /// One of these texts.
    Choice(Vec<String>),
    /// A text that a regular expression matches as a whole.
    Regex(String),
}

impl Grammar {
    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> GrammarKind {
        match self {
            Self::JsonSchema(_) => GrammarKind::Schema,
            Self::Choice(_) => GrammarKind::Choice,
            Self::Regex(_) => GrammarKind::Regex,
        }
    }
}

/// The kinds of grammars. Servers differ in which of them they can enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrammarKind {
    /// JSON Schema.
    Schema,
    /// One of several texts.
    Choice,
    /// A regular expression.
    Regex,
}

impl GrammarKind {
    /// The name that files use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Choice => "choice",
            Self::Regex => "regex",
        }
    }

    /// The words that messages use.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Schema => "JSON Schemas",
            Self::Choice => "lists of choices",
            Self::Regex => "regular expressions",
        }
    }
}
