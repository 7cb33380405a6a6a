//! A layer that is due, and what it gave.

use gimbal_core::Digest;
use gimbal_temporal::Layer;
use gimbal_temporal::contracts::{Kind, Projected};

use super::messages::{ReflexAction, TacticalAction};

/// A layer that is asked in a step, and why.
#[derive(Clone, Copy)]
pub(super) struct Due {
    pub layer: Layer,
    pub why: &'static str,
}

/// What was made of an answer, and of which state.
pub(super) struct Given {
    pub answer: LayerAnswer,
    /// Hash of what the layer saw.
    pub seen: Digest,
}

/// What a layer gave.
pub(super) enum LayerAnswer {
    /// A plan or a policy, projected onto its contract.
    Message(Kind, Projected),
    /// The action of Reflex.
    Reflex(ReflexAction),
    /// The next actions of Tactical.
    Tactical(TacticalAction),
    /// Free text.
    Remark(String),
    /// Nothing that could be used; why is in the record of how it was read.
    Nothing,
    /// The same as last time: it was not asked.
    Same,
}
