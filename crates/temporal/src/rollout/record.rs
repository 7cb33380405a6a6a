//! A labelled conflict as a journal keeps it.

use gimbal_messages::Record;
use serde::{Deserialize, Serialize};

use super::labelled::Labelled;

/// A conflict of an episode with the value of each way to resolve it. It was played out in copies of the environment: whoever uses it has a
/// simulator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerLabelled {
    /// The step.
    pub step: u32,
    /// The built-in policy that played on.
    pub policy: String,
    /// Futures of each way.
    pub futures: u64,
    /// What the conflict is about: `resource`, `effect`, `directive`, `call`, several joined by `+`.
    pub kind: String,
    /// The conflict.
    pub labelled: Labelled,
}

impl Record for LayerLabelled {
    const KIND: &'static str = "layer_labelled";
}
