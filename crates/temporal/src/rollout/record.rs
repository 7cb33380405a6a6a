//! A labelled conflict as a journal keeps it.

use gimbal_core::Milli;
use gimbal_messages::Record;
use serde::{Deserialize, Serialize};

use super::labelled::Labelled;
use super::named::Named;

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
    /// The conflict. It names nothing.
    pub labelled: Labelled,
    /// What names it in disguise, for networks that may read it; `None` in journals of programs that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<Named>,
    /// The label when another policy plays on; `None` where nobody asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<SecondLabel>,
}

/// The label of a conflict under a second policy, in the same futures: what a second annotator is to people (CTHA-080).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondLabel {
    /// The built-in policy that played on.
    pub policy: String,
    /// The way that is best in the mean.
    pub best: usize,
    /// Whether it cannot be told from the second best.
    pub tied: bool,
    /// Mean return of each way.
    pub means: Vec<Milli>,
}

impl SecondLabel {
    /// What is kept of a label.
    #[must_use]
    pub fn of(policy: &str, label: &Labelled) -> Self {
        let means = label.ways.iter().map(|way| way.mean).collect();
        Self { policy: policy.to_owned(), best: label.best, tied: label.tied, means }
    }
}

impl Record for LayerLabelled {
    const KIND: &'static str = "layer_labelled";
}
