//! What is asked of an engine and what it gives back.

use std::sync::Arc;
use std::time::Duration;

use gimbal_core::{Grammar, Message, Sampling, ToolSpec};

use super::error::TokenCounts;

/// The beginning that the model goes on from.
#[derive(Debug, Clone)]
pub enum Prompt {
    /// A conversation, written by the model's chat template.
    Chat {
        /// The messages so far.
        messages: Vec<Arc<Message>>,
        /// Tools that the template shows.
        tools: Arc<[ToolSpec]>,
    },
    /// A plain text; control tokens spelled out in it stay text.
    Text(String),
    /// Token ids of this model.
    Tokens(Vec<u32>),
}

/// One call of an [`Engine`](super::Engine).
#[derive(Debug, Clone)]
pub struct GenerateRequest {
    /// The beginning.
    pub prompt: Prompt,
    /// The shape that the answer must have.
    pub grammar: Option<Arc<Grammar>>,
    /// Temperature, nucleus and output bound.
    pub sampling: Sampling,
    /// Seed of the draws when `sampling` names none.
    pub seed: u64,
    /// Texts that end the answer; not part of it. Without effect under a grammar, which ends by itself.
    pub stop: Vec<String>,
    /// Continue to the output bound, also after an end token; for benches.
    pub to_the_bound: bool,
}

impl GenerateRequest {
    /// A greedy request without a grammar.
    #[must_use]
    pub fn new(prompt: Prompt, max_output_tokens: u32) -> Self {
        Self {
            prompt,
            grammar: None,
            sampling: Sampling { max_output_tokens, ..Sampling::default() },
            seed: 0,
            stop: Vec::new(),
            to_the_bound: false,
        }
    }
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// The text; bytes that are not UTF-8 (a grammar never lets them through) are replaced.
    pub text: String,
    /// Its tokens, without the one that ended the turn.
    pub tokens: Vec<u32>,
    /// Exact counts.
    pub counts: TokenCounts,
    /// Tokens among them that the grammar forced.
    pub forced: u32,
    /// Forward passes after the prompt.
    pub passes: u32,
    /// Wall time of the prompt.
    pub prefill: Duration,
    /// Wall time of the answer.
    pub decode: Duration,
}
