//! Who counts the tokens of a text, where a model's own tokenizer is at hand (BOG-108).

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use gimbal_core::TextRef;

/// Tokens of a text; `None` where it cannot be cut.
pub type CountTokens = dyn Fn(&str) -> Option<u64> + Send + Sync;

/// Counts the tokens of a text as a model cuts it.
#[derive(Clone)]
pub struct Tokenizer {
    /// Name of the model, for notes.
    pub name: String,
    /// Tokens of a text; `None` where it cannot be cut.
    pub count: Arc<CountTokens>,
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tokenizer").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Most texts whose counts are kept.
const KEPT: usize = 50_000;

/// A tokenizer that cuts no text twice in a row of episodes: blocks of context repeat.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    tokenizer: Tokenizer,
    known: HashMap<TextRef, Option<u64>>,
}

impl Counter {
    pub(super) fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, known: HashMap::new() }
    }

    pub(super) fn name(&self) -> &str {
        &self.tokenizer.name
    }

    /// Tokens of the text that a reference names; `read` gets it where it is not known.
    pub(super) fn count<E>(
        &mut self,
        reference: &TextRef,
        read: impl FnOnce() -> Result<String, E>,
    ) -> Result<Option<u64>, E> {
        if let Some(known) = self.known.get(reference) {
            return Ok(*known);
        }
        let count = (self.tokenizer.count)(&read()?);
        // Texts of long runs need not all be remembered.
        if self.known.len() >= KEPT {
            self.known.clear();
        }
        self.known.insert(reference.clone(), count);
        Ok(count)
    }
}
