//! The seam to a model, and what a call carries beside its request.

use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;

use crate::chat::{ChatRequest, Completion, Grammar, ModelError};
use crate::{Digest, Hint};

/// The ledger's side of a call. The layer nearest to a provider reports every attempt here, so that no
/// request can leave unmetered: `sent` is durable before the request leaves, `received` before its text is read.
pub trait Wire: Send + Sync {
    /// An attempt is about to leave; returns its number. `cached` marks an answer from our own cache.
    ///
    /// # Errors
    /// When the row cannot be written: the request must not leave then.
    fn sent(&self, request: &ChatRequest, cached: bool) -> Result<u64, ModelError>;

    /// The attempt with this number ended.
    ///
    /// # Errors
    /// When the row cannot be written.
    fn received(&self, attempt: u64, outcome: &Result<Completion, ModelError>) -> Result<(), ModelError>;

    /// The call must wait before anything leaves, for its turn or because the provider asked for time. It does not count as
    /// work under way until [`Wire::resume`].
    fn pause(&self) {}

    /// The wait is over; returns when the call may go on.
    fn resume(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// What a call carries in addition to the request.
#[derive(Clone, Copy)]
pub struct CallContext<'a> {
    /// Where attempts are reported.
    pub wire: &'a dyn Wire,
    /// Key of the episode: the cache's scope, so that repeats stay independent.
    pub episode: Digest,
    /// Number of this call within its role and lane, from 0: the replayed model's and noisy expert's place.
    pub call: u64,
    /// Seed of the episode's model stream for this call.
    pub seed: u64,
    /// What an expert would answer, where the model asked for it ([`ChatModel::wants_hints`]).
    pub hint: Option<&'a Hint>,
}

/// A model. Typed errors: an outage, a refusal, a truncation or a bad shape is never text.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Completes a conversation.
    ///
    /// # Errors
    /// See [`crate::ModelErrorKind`].
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError>;

    /// Whether calls should carry a [`Hint`]: that of the noisy expert alone.
    fn wants_hints(&self) -> bool {
        false
    }

    /// The tokens of a text, counted by the model's own tokenizer; `None` where none is at hand.
    fn tokens(&self, text: &str) -> Option<u64> {
        let _ = text;
        None
    }

    /// Whether hidden reasoning counts against the bound of the output, so that a bound that is meant for the answer alone
    /// would leave none of it.
    fn reasons_within_bound(&self) -> bool {
        false
    }

    /// The grammar by which an answer to this request may be judged: what a mask enforced. `None` where the model could not
    /// be given the grammar of the request, so that its answer is a free one.
    fn enforced(&self, request: &ChatRequest) -> Option<Arc<Grammar>> {
        request.grammar.clone()
    }
}
