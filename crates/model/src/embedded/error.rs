//! What can go wrong in the embedded model.

use std::path::PathBuf;

use gimbal_core::{ModelError, ModelErrorKind, Usage, UsageSource};
use thiserror::Error;

/// A failure of the embedded model. Never text that could pass as an answer (BOG-047).
#[derive(Debug, Error)]
pub enum EmbeddedError {
    /// The file cannot be opened as a model.
    #[error("{path}: cannot load this model: {why}")]
    Open {
        /// The file.
        path: PathBuf,
        /// What is wrong and how to fix it.
        why: String,
    },
    /// Settings that the model or the machine cannot meet.
    #[error("embedded model settings: {0}")]
    Settings(String),
    /// The chat template of the file cannot render the conversation.
    #[error("chat template of the model file: {0}")]
    Template(String),
    /// The chat template of the file takes more steps than any conversation needs.
    #[error("chat template of the model file: it takes more than {0} steps, so it may never end: use another file")]
    Endless(u64),
    /// The chat template of the file makes longer texts and lists than any conversation needs.
    #[error(
        "chat template of the model file: it makes texts and lists of more than {0} bytes, so it may need any amount of \
         memory: use another file"
    )]
    Unbounded(u64),
    /// The chat template of the file leaves out messages of a conversation.
    #[error(
        "chat template of the model file: it leaves out {0}, so that the model would answer what it has not read: use \
         another file"
    )]
    Blind(String),
    /// The request itself is wrong.
    #[error("request to the embedded model: {0}")]
    Request(String),
    /// The grammar cannot be compiled, or no token fits it.
    #[error("grammar of the request: {0}")]
    Grammar(String),
    /// The prompt leaves no room for an answer.
    #[error(
        "the prompt has {prompt} tokens, but the context of the embedded model holds {context}: shorten the context that \
         the persona shows, or open the model with a larger context"
    )]
    ContextOverflow {
        /// Tokens of the prompt.
        prompt: u32,
        /// Tokens that the context holds.
        context: u32,
    },
    /// The budget ended before the text was whole.
    #[error(
        "the output bound was reached after {} tokens, before the answer was whole: raise `max_output_tokens`, or bound \
         the strings of the schema (`maxLength`, `maxItems`)",
        counts.completion
    )]
    Truncated {
        /// The text so far; for the trace only.
        partial: String,
        /// Tokens used.
        counts: TokenCounts,
    },
    /// llama.cpp refused a batch.
    #[error("llama.cpp could not decode a batch: {0}; the conversation cache was cleared, so the call may be repeated")]
    Decode(String),
    /// The caller went away.
    #[error("the call to the embedded model was cancelled")]
    Cancelled,
    /// The worker thread is gone.
    #[error("the embedded model has stopped; open it again")]
    Closed,
}

/// Exact token counts of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Tokens of the prompt, cached ones included.
    pub prompt: u32,
    /// Prompt tokens that were not computed again.
    pub cached: u32,
    /// Tokens of the answer: sampled and forced ones, and the token that ended the turn.
    pub completion: u32,
}

impl TokenCounts {
    /// The same as the seam's usage.
    #[must_use]
    pub fn usage(self) -> Usage {
        Usage {
            input: self.prompt.into(),
            cached_input: self.cached.into(),
            output: self.completion.into(),
            reasoning: 0,
            source: UsageSource::Exact,
        }
    }
}

impl From<EmbeddedError> for ModelError {
    fn from(error: EmbeddedError) -> Self {
        let kind = match &error {
            EmbeddedError::Open { .. }
            | EmbeddedError::Settings(_)
            | EmbeddedError::Template(_)
            | EmbeddedError::Endless(_)
            | EmbeddedError::Unbounded(_)
            | EmbeddedError::Blind(_)
            | EmbeddedError::Request(_)
            | EmbeddedError::Grammar(_)
            | EmbeddedError::ContextOverflow { .. } => ModelErrorKind::BadRequest,
            EmbeddedError::Truncated { .. } => ModelErrorKind::Truncated,
            EmbeddedError::Decode(_) | EmbeddedError::Closed => ModelErrorKind::Unavailable,
            EmbeddedError::Cancelled => ModelErrorKind::Cancelled,
        };
        let mut model_error = Self::new(kind, error.to_string());
        model_error.lasting =
            matches!(error, EmbeddedError::Endless(_) | EmbeddedError::Unbounded(_) | EmbeddedError::Blind(_));
        if let EmbeddedError::Truncated { partial, counts } = error {
            model_error.partial = Some(partial.into());
            model_error.usage = Some(counts.usage());
        }
        model_error
    }
}
