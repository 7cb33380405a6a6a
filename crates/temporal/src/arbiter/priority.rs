//! Priority of a proposal (Eq. 24; CTHA-071, CTHA-072).

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use crate::{Layer, Proposal};

/// The weights of Eq. 24 and the margin of Algorithm 1, in thousandths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// Base priority of each layer, from the fastest on.
    pub base: [Milli; 5],
    /// Weight of urgency.
    pub urgency: Milli,
    /// Weight of confidence.
    pub confidence: Milli,
    /// The margin by which a priority must be higher; closer ones are tied.
    pub epsilon: Milli,
}

impl Default for Weights {
    /// The work prints no values. Base 0.1 for each layer upwards, so that slower layers count more; urgency 0.5, confidence 0.3, margin 0.05
    /// (CTHA-071).
    fn default() -> Self {
        Self {
            base: [Milli(100), Milli(200), Milli(300), Milli(400), Milli(500)],
            urgency: Milli(500),
            confidence: Milli(300),
            epsilon: Milli(50),
        }
    }
}

impl Weights {
    /// The priority of a proposal with what a learned part adds. Urgency and confidence count from 0 to 1; what lies beyond is cut. Products
    /// are rounded to the nearest thousandth.
    #[must_use]
    pub fn priority(&self, proposal: &Proposal, learned: Milli) -> Milli {
        self.of(proposal.layer, proposal.urgency, proposal.confidence, learned)
    }

    /// The priority of a party by its numbers, as [`Weights::priority`].
    #[must_use]
    pub fn of(&self, layer: Layer, urgency: Milli, confidence: Milli, learned: Milli) -> Milli {
        let part = |weight: Milli, share: Milli| {
            Milli((weight.0.saturating_mul(share.0.clamp(0, 1000)).saturating_add(500)).div_euclid(1000))
        };
        let parts = [self.base(layer), part(self.urgency, urgency), part(self.confidence, confidence), learned];
        Milli(parts.iter().fold(0_i64, |sum, part| sum.saturating_add(part.0)))
    }

    /// The base priority of a layer.
    #[must_use]
    pub const fn base(&self, layer: Layer) -> Milli {
        self.base[layer.index()]
    }
}
