//! How a message was read.

use serde::{Deserialize, Serialize};

/// Which way a message was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// As it is written.
    Direct,
    /// After taking off prefixes, fences and wrappings.
    Normalised,
    /// After rules coerced types, cut what was too long, dropped members and filled in defaults (SH-03).
    ByRule,
    /// By asking the model once more, held to the grammar of the message by a mask (CTHA-045).
    Constrained,
    /// By asking the model once more (BOG-070).
    Repaired,
    /// Not at all: as the text that it is.
    Raw,
    /// Not at all: the default replaces it.
    Default,
}

impl Tier {
    /// The name that events and tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Normalised => "normalised",
            Self::ByRule => "by_rule",
            Self::Constrained => "constrained",
            Self::Repaired => "repaired",
            Self::Raw => "raw",
            Self::Default => "default",
        }
    }
}
