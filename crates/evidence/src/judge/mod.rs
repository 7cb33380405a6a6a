//! Judges: verdicts computed from confidences and counts by arithmetic alone (ARES-060 to ARES-065). The same inputs give the same
//! verdict, and no model takes part (ARES-062).

mod claims;
mod confidence;
mod rules;
mod signs;
pub mod sweep;

use std::fmt;
use std::str::FromStr;

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use claims::{ClaimScore, Side, Weighing, judge_claims};
pub use confidence::{Band, Certainty};
pub use signs::{Basis, Sign};

/// What a judge says of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// The evidence shows a threat.
    ThreatConfirmed,
    /// The evidence shows none, or explains what looked like one.
    ThreatDismissed,
    /// The evidence does not decide.
    Inconclusive,
}

impl Verdict {
    /// All verdicts, in the order of tables.
    pub const ALL: [Self; 3] = [Self::ThreatConfirmed, Self::ThreatDismissed, Self::Inconclusive];

    /// The word of the works.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ThreatConfirmed => "THREAT_CONFIRMED",
            Self::ThreatDismissed => "THREAT_DISMISSED",
            Self::Inconclusive => "INCONCLUSIVE",
        }
    }

    /// The verdict when Architect and Skeptic change places.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        match self {
            Self::ThreatConfirmed => Self::ThreatDismissed,
            Self::ThreatDismissed => Self::ThreatConfirmed,
            Self::Inconclusive => Self::Inconclusive,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What judges over whole positions are given: the confidence of each side, from 0 to 1, and how many valid facts it cites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    /// Confidence of the Architect that there is a threat.
    pub architect: Milli,
    /// Confidence of the Skeptic that there is none.
    pub skeptic: Milli,
    /// Facts that the Architect cites; only V1 extended reads it.
    pub architect_facts: u32,
    /// Facts that the Skeptic cites; only V1 extended reads it.
    pub skeptic_facts: u32,
}

/// How numbers are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arithmetic {
    /// Thousandths, exactly.
    #[default]
    Exact,
    /// Binary floating point of 64 bits, as the published code computes (ARES-R10).
    FloatCompat,
}

impl Arithmetic {
    /// Both ways.
    pub const ALL: [Self; 2] = [Self::Exact, Self::FloatCompat];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::FloatCompat => "float_compat",
        }
    }
}

/// A judge over whole positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// The published judge V1 (ARES-060): a confidence of at least 0.7 wins against one below 0.5.
    V1,
    /// V1, and where it does not decide, a side at 0.7 or more with more than twice the facts of the other wins (ARES-063).
    V1Extended,
    /// The published judge V2 (ARES-061): above 0.85 wins outright, the Architect first; else a gap above 0.15 with the larger
    /// above 0.60.
    V2,
    /// V2 with thresholds that are reached and not passed, and an outright win only against at most 0.65 (ARES-064).
    V2Capped,
    /// V2 without its bias of order: where both are above 0.85 the gap decides (ARES-R6).
    V2Symmetric,
    /// The gap between how far each side is above its own mean confidence; above 0.15 it decides. The means are those of
    /// other tasks.
    Calibrated {
        /// Mean confidence of the Architect.
        architect: Milli,
        /// Mean confidence of the Skeptic.
        skeptic: Milli,
    },
}

/// A name that no judge has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no judge `{name}`{hint} (known: {known})",
    hint = gimbal_core::nearest::hint(name, Judge::NAMES),
    known = Judge::NAMES.join(", ")
)]
pub struct UnknownJudge {
    /// The name.
    pub name: String,
}

impl Judge {
    /// Names of the judges over whole positions.
    pub const NAMES: [&'static str; 6] = ["v1", "v1_extended", "v2", "v2_capped", "v2_symmetric", "calibrated"];

    /// Judges that need no numbers of their own.
    pub const PLAIN: [Self; 5] = [Self::V1, Self::V1Extended, Self::V2, Self::V2Capped, Self::V2Symmetric];

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1Extended => "v1_extended",
            Self::V2 => "v2",
            Self::V2Capped => "v2_capped",
            Self::V2Symmetric => "v2_symmetric",
            Self::Calibrated { .. } => "calibrated",
        }
    }

    /// The verdict over these positions.
    #[must_use]
    pub fn verdict(&self, positions: &Positions, arithmetic: Arithmetic) -> Verdict {
        rules::verdict(self, positions, arithmetic)
    }
}

impl FromStr for Judge {
    type Err = UnknownJudge;

    /// Reads a name; `calibrated` takes the mean confidences 0.5 and 0.5, which subtract nothing from the gap.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "calibrated" => Ok(Self::Calibrated { architect: Milli(500), skeptic: Milli(500) }),
            name => Self::PLAIN
                .into_iter()
                .find(|judge| judge.name() == name)
                .ok_or_else(|| UnknownJudge { name: name.to_owned() }),
        }
    }
}
