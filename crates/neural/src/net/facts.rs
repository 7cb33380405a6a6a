//! What `gimbal arbiter show --json` says of weights.

use gimbal_core::Scorer as _;
use serde::Serialize;

use super::{Card, Net};
use crate::spec::Spec;

/// What a network is, and how it was made.
#[derive(Clone, Debug, Serialize)]
pub struct NetFacts<'n> {
    /// Form, version and hash of the weights.
    pub identity: String,
    /// How many numbers were learned.
    pub parameters: usize,
    /// What the network is made of.
    pub spec: &'n Spec,
    /// How its weights were made.
    pub card: &'n Card,
}

impl<'n> NetFacts<'n> {
    /// The facts of a network.
    #[must_use]
    pub fn of(net: &'n Net) -> Self {
        let spec = net.spec();
        Self { identity: net.identity(), parameters: spec.parameters(), spec, card: net.card() }
    }
}
