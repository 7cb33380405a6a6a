//! Assertions over facts, from a closed list of predicates, and what code can say of them (ARES-028, ARES-030).

mod check;
mod predicate;
mod support;

use std::fmt;

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

pub use check::Entailment;
pub(crate) use check::{covers, in_window};
pub use predicate::{NotAPredicate, Predicate};
pub use support::Support;

use crate::FactId;
use crate::judge::{ClaimScore, Side};

/// What an assertion does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AssertionKind {
    /// States something of facts.
    #[serde(rename = "ASSERT")]
    Assert,
    /// Joins facts: by time, by what they are about.
    #[serde(rename = "LINK")]
    Link,
    /// Gives another explanation of facts.
    #[serde(rename = "ALT")]
    Alt,
}

impl AssertionKind {
    /// The word in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Assert => "ASSERT",
            Self::Link => "LINK",
            Self::Alt => "ALT",
        }
    }

    /// The side that an assertion of this kind speaks for.
    #[must_use]
    pub const fn side(self) -> Side {
        match self {
            Self::Assert | Self::Link => Side::Threat,
            Self::Alt => Side::Benign,
        }
    }
}

impl fmt::Display for AssertionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One statement of a debate: every one cites facts (ARES-008).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assertion {
    /// What it does.
    pub kind: AssertionKind,
    /// What it states.
    pub predicate: Predicate,
    /// The facts that it cites, each once.
    pub facts: Vec<FactId>,
    /// How sure its speaker is of it.
    pub confidence: Milli,
    /// What the speaker takes it for, in words; no judge reads it.
    pub interpretation: String,
}

impl Assertion {
    /// The assertion as the judge over claims sees it.
    #[must_use]
    pub fn score(&self, survives: bool) -> ClaimScore {
        let facts = u32::try_from(self.facts.len()).unwrap_or(u32::MAX);
        ClaimScore { side: self.kind.side(), confidence: self.confidence, facts, survives }
    }
}
