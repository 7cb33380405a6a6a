//! From whom a message is, to whom, and what it may cost.

use gimbal_core::{Milli, TokenCount};

use crate::Layer;

/// From whom a message is, to whom, and what it may cost.
#[derive(Clone, Copy)]
pub struct Envelope<'a> {
    /// The layer that wrote it.
    pub sender: Layer,
    /// The layer that gets it; of a broadcast the slowest of them.
    pub receiver: Layer,
    /// Most tokens.
    pub most: u64,
    /// Time of the session for a default, on the clock of the summaries' `timestamp`.
    pub now: Milli,
    /// Counts the tokens of a text.
    pub measure: &'a dyn Fn(&str) -> u64,
}

fn estimated(text: &str) -> u64 {
    TokenCount::estimated(text).tokens
}

impl Envelope<'static> {
    /// A message from one layer to another within the sender's usual budget; tokens are estimated by length.
    #[must_use]
    pub fn new(sender: Layer, receiver: Layer, now: Milli) -> Self {
        Self { sender, receiver, most: u64::from(sender.spec().message_tokens), now, measure: &estimated }
    }
}
