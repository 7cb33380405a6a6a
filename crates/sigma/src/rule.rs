//! What is known of a rule beside its conditions.

use std::fmt;
use std::str::FromStr;

use gimbal_core::Digest;

use crate::{Correlation, Record};

/// How much attention the author of a rule asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth a record.
    Informational,
    /// Worth a look at times.
    Low,
    /// Worth a look.
    Medium,
    /// Worth a look soon.
    High,
    /// Worth a look at once.
    Critical,
}

impl Level {
    /// All levels, the lowest first.
    pub const ALL: [Self; 5] = [Self::Informational, Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The word in rules.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Informational => "informational",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|level| level.name() == text).ok_or_else(|| {
            let known = Self::ALL.map(Self::name);
            let hint = gimbal_core::nearest::hint(text, known);
            format!("there is no level `{text}`{hint} (known: {})", known.join(", "))
        })
    }
}

/// Which records a rule is about, as it says itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogSource {
    /// Kind of event, such as `process_creation`.
    pub category: Option<String>,
    /// System that logs, such as `windows`.
    pub product: Option<String>,
    /// Log of the system, such as `security`.
    pub service: Option<String>,
}

impl fmt::Display for LogSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&self.product, &self.category, &self.service];
        let words: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        f.write_str(if words.is_empty() { "no log source" } else { "" })?;
        f.write_str(&words.join(" "))
    }
}

/// A rule without its conditions: what a hit must name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its id; empty where it has none.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its level, where it has one.
    pub level: Option<Level>,
    /// Its authors, as the rule names them; `not stated` where it does not.
    pub author: String,
    /// The licence that it is under; `not stated` where neither the rule nor its folder says.
    pub licence: String,
    /// Its file, relative to the folder of rules.
    pub path: String,
    /// SHA-256 of its file.
    pub sha256: Digest,
}

/// Asks rules about records.
pub trait Matcher {
    /// The rules that can match, in a fixed order. Those over several records are among them.
    fn rules(&self) -> &[Rule];

    /// The rules over several records.
    fn correlations(&self) -> &[Correlation] {
        &[]
    }

    /// The indexes of the rules over one record that match it, in rising order, each once.
    fn matches(&self, record: &Record) -> Vec<usize>;
}
