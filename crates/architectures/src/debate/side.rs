//! The two sides of a debate, and what answers for one.

use gimbal_evidence::rules::SkepticKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A side (ARES-020).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Argues that there is a threat.
    Architect,
    /// Argues that there is none.
    Skeptic,
}

impl Role {
    pub(super) const BOTH: [Self; 2] = [Self::Architect, Self::Skeptic];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Architect => "architect",
            Self::Skeptic => "skeptic",
        }
    }

    pub(super) const fn other(self) -> Self {
        match self {
            Self::Architect => Self::Skeptic,
            Self::Skeptic => Self::Architect,
        }
    }

    pub(super) const fn index(self) -> usize {
        self as usize
    }

    /// The id of its claim at an index of its round.
    pub(super) fn claim(self, index: usize) -> String {
        let letter = match self {
            Self::Architect => 'A',
            Self::Skeptic => 'S',
        };
        format!("{letter}{}", index + 1)
    }
}

/// What answers for a side (ARES-022, ARES-131).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// A model.
    #[default]
    Model,
    /// Rules over facts.
    Rules,
    /// Queries over what the packet states, for the Skeptic.
    Deterministic,
}

impl Strategy {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rules => "rules",
            Self::Deterministic => "deterministic",
        }
    }

    /// The kind of Skeptic by rule; for a model, the one of queries.
    pub(super) const fn skeptic(self) -> SkepticKind {
        match self {
            Self::Rules => SkepticKind::Rules,
            Self::Model | Self::Deterministic => SkepticKind::Deterministic,
        }
    }
}
