//! How sure a verdict is, in the two ways that the work leaves open (ARES-049), and the gate's band (ARES-048).

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use super::{Positions, Verdict};

/// What the confidence of a judge means. The work does not define it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The winner's confidence; the mean of both, rounded down to a thousandth, where the verdict is inconclusive.
    #[default]
    Winner,
    /// The distance between the two confidences.
    Margin,
}

impl Certainty {
    /// How sure a judge is of the verdict that it gives over these positions, from 0 to 1: what is concluded. Confidences that are near
    /// one another speak for an inconclusive verdict and against a decision, so that `margin` counts from the other end there.
    #[must_use]
    pub fn of_given(self, verdict: Verdict, positions: &Positions) -> Milli {
        let number = self.of(verdict, positions);
        match (self, verdict) {
            (Self::Margin, Verdict::Inconclusive) => Milli(1000 - number.0),
            _ => number,
        }
    }

    /// The number of the definition, from 0 to 1: what the gate compares with its band.
    #[must_use]
    pub fn of(self, verdict: Verdict, positions: &Positions) -> Milli {
        let (architect, skeptic) = (positions.architect.0, positions.skeptic.0);
        match (self, verdict) {
            (Self::Margin, _) => Milli((architect - skeptic).abs()),
            (Self::Winner, Verdict::ThreatConfirmed) => positions.architect,
            (Self::Winner, Verdict::ThreatDismissed) => positions.skeptic,
            (Self::Winner, Verdict::Inconclusive) => Milli((architect + skeptic) / 2),
        }
    }
}

/// Confidences at which the gate escalates; both ends are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// Lowest.
    pub low: Milli,
    /// Highest.
    pub high: Milli,
}

impl Default for Band {
    /// 0.35 to 0.65 (ARES-048).
    fn default() -> Self {
        Self { low: Milli(350), high: Milli(650) }
    }
}

impl Band {
    /// Whether a confidence is in the band.
    #[must_use]
    pub fn holds(self, confidence: Milli) -> bool {
        (self.low..=self.high).contains(&confidence)
    }
}
