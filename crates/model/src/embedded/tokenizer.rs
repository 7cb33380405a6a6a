//! The tokenizer of a model file without its weights.

use std::path::Path;
use std::sync::Arc;

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;

use super::engine::{backend, check_header};
use super::error::EmbeddedError;
use super::vocabulary::Vocabulary;

/// Counts tokens as a model cuts its prompts. Opening reads the vocabulary alone, in less than a second.
#[derive(Clone)]
pub struct Tokenizer(Vocabulary);

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Tokenizer").field("size", &self.0.size()).finish()
    }
}

impl Tokenizer {
    /// Opens the vocabulary of a model file.
    ///
    /// # Errors
    /// When the library cannot read the file as a model, or it has no vocabulary.
    pub fn open(path: &Path) -> Result<Self, EmbeddedError> {
        check_header(path)?;
        let params = LlamaModelParams::default().with_vocab_only(true);
        let opened = LlamaModel::load_from_file(backend()?, path, &params);
        let model = opened.map_err(|error| EmbeddedError::Open { path: path.to_owned(), why: error.to_string() })?;
        Vocabulary::read(Arc::new(model)).map(Self)
    }

    /// How many tokens a text has by itself; words that spell a control token count as words.
    ///
    /// # Errors
    /// [`EmbeddedError::Request`] when the text is too long to be cut at once.
    pub fn count(&self, text: &str) -> Result<u64, EmbeddedError> {
        self.0.tokenize(text, false).map(|tokens| tokens.len() as u64)
    }
}
