//! What is known of a model without asking it.

use gimbal_core::Digest;
use serde::{Deserialize, Serialize};

use crate::price::Price;

/// Calls at once of models that answer at once, so that nothing has to bound them.
pub const UNLIMITED: usize = 1 << 20;

/// Where a model's answers come from. Tables mark everything that is not a language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    /// A provider over the network.
    Remote,
    /// Weights in this very program.
    Embedded,
    /// Rules in YAML.
    Scripted,
    /// A correct answer, spoilt on purpose.
    Noisy,
    /// A fixed player by rule that sees its requests and nothing else.
    Reader,
    /// A recording.
    Replayed,
}

impl ModelKind {
    /// The name that tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Remote => "remote",
            Self::Embedded => "embedded",
            Self::Scripted => "scripted",
            Self::Noisy => "noisy",
            Self::Reader => "reader",
            Self::Replayed => "replayed",
        }
    }
}

/// What is known of a model by its name alone; no network is used.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFacts {
    /// The name as given.
    pub name: String,
    /// Where its answers come from.
    pub kind: ModelKind,
    /// A sentence for every table that holds the model, where its figures say nothing about language models.
    pub plumbing: Option<String>,
    /// Hash of the weights, for an embedded model whose weights are known.
    pub weights: Option<Digest>,
    /// The environment variable of its key, where it takes one.
    pub key_variable: Option<String>,
    /// Whether that variable is set.
    pub key_present: bool,
    /// Its price; `None` if unknown. Models of our own cost nothing.
    pub price: Option<Price>,
    /// Calls that may be under way at once; [`UNLIMITED`] where nothing bounds them.
    pub concurrency: usize,
    /// Whether requests should carry a hint.
    pub wants_hints: bool,
    /// Whether requests may offer tools for native calls: the chat template of an embedded model may have no place for
    /// them.
    pub tools: bool,
    /// What goes into the episode key.
    pub identity: serde_json::Value,
}
