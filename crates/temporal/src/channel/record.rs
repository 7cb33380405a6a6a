//! The channel as a journal keeps it.

use gimbal_core::Milli;
use gimbal_messages::Record;
use serde::{Deserialize, Serialize};

/// What the maps made of a step. Layers are in their order, the fastest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerMapped {
    /// The step.
    pub step: u32,
    /// `free` or `projected`.
    pub maps: String,
    /// Shares of the tokens for context, in thousandths.
    pub shares: Vec<u32>,
    /// Scores that ask a layer.
    pub scores: Vec<Milli>,
    /// How far the map is from a doubly stochastic one.
    pub deviation: Milli,
}

/// A request from which entries were left out because they did not fit into the layer's share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerTrimmed {
    /// The step.
    pub step: u32,
    /// The layer.
    pub layer: String,
    /// Tokens that its share comes to.
    pub room: u64,
    /// Tokens of what it was to be told.
    pub before: u64,
    /// Tokens of what it was told. More than there is room for where what binds it alone takes more.
    pub after: u64,
    /// Entries that were left out.
    pub left_out: u32,
}

impl Record for LayerMapped {
    const KIND: &'static str = "layer_mapped";
}

impl Record for LayerTrimmed {
    const KIND: &'static str = "layer_trimmed";
}
