//! The model's own tokenizer, and the trie of its tokens that grammars work on.

use std::sync::Arc;

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use toktrie::{TokEnv, TokRxInfo, TokTrie, TokenId, TokenizerEnv};

use super::error::EmbeddedError;

/// Longest text that is handed to the tokenizer at once, in bytes.
const LONGEST_TEXT: usize = 64 << 20;

/// The vocabulary of an opened model.
#[derive(Clone)]
pub(crate) struct Vocabulary(Arc<Inner>);

struct Inner {
    model: Arc<LlamaModel>,
    trie: TokTrie,
    ends: Vec<bool>,
    controls: Vec<String>,
    adds_bos: bool,
    byte_level: bool,
}

impl Vocabulary {
    /// Reads every token of `model`: some tens of milliseconds, once.
    pub(crate) fn read(model: Arc<LlamaModel>) -> Result<Self, EmbeddedError> {
        let vocab = model.vocab();
        let size = vocab.n_tokens().max(0);
        let mut words = Vec::with_capacity(size as usize);
        let mut ends = Vec::with_capacity(size as usize);
        let mut controls = Vec::new();
        for token in (0..size).map(LlamaToken::new) {
            ends.push(vocab.is_eog(token));
            let text = vocab.token_to_piece(token, false, None);
            if !text.is_empty() {
                words.push(text);
                continue;
            }
            let special = vocab.token_to_piece(token, true, None);
            if special.is_empty() {
                words.push(Vec::new());
                continue;
            }
            if vocab.is_control(token)
                && let Ok(name) = std::str::from_utf8(&special)
            {
                controls.push(name.to_owned());
            }
            let mut marked = vec![TokTrie::SPECIAL_TOKEN_MARKER];
            marked.extend(special);
            words.push(marked);
        }
        let turn_end = [vocab.eot(), vocab.eos()].into_iter().find(|token| (0..size).contains(&token.0));
        let Some(turn_end) = turn_end else {
            return Err(EmbeddedError::Settings(
                "the model file names no token that ends a turn (`tokenizer.ggml.eos_token_id`); use an instruct model"
                    .to_owned(),
            ));
        };
        // A vocabulary without words would make the trie panic.
        if words.iter().all(Vec::is_empty) {
            return Err(EmbeddedError::Settings("the model file has an empty vocabulary".to_owned()));
        }
        let first = turn_end.0 as TokenId;
        let mut all_ends = vec![first];
        all_ends.extend((0..size as u32).filter(|id| ends[*id as usize] && *id != first));
        let trie = TokTrie::from(&TokRxInfo::new(size as u32, first), &words).with_eos_tokens(&all_ends);
        // Other kinds put a space before a text, so that a piece in the middle of one is not tokenised as it would be there.
        let byte_level = model.meta_val_str("tokenizer.ggml.model").is_ok_and(|kind| kind == "gpt2");
        let adds_bos = vocab.should_add_bos();
        controls.sort_by_key(|name| std::cmp::Reverse(name.len()));
        Ok(Self(Arc::new(Inner { trie, ends, controls, adds_bos, byte_level, model: Arc::clone(&model) })))
    }

    /// Number of tokens.
    pub(crate) fn size(&self) -> usize {
        self.0.ends.len()
    }

    /// Whether this token ends an answer.
    pub(crate) fn ends(&self, token: u32) -> bool {
        self.0.ends.get(token as usize).copied().unwrap_or(false)
    }

    /// The bytes that a token adds to the text; control tokens add none.
    pub(crate) fn bytes(&self, token: u32) -> &[u8] {
        if (token as usize) >= self.size() {
            return &[];
        }
        match self.0.trie.token(token) {
            [TokTrie::SPECIAL_TOKEN_MARKER, rest @ ..] if !rest.is_empty() => &[],
            text => text,
        }
    }

    /// Texts of the control tokens, longest first.
    pub(crate) fn controls(&self) -> &[String] {
        &self.0.controls
    }

    /// Tokens of `text`. With `control`, control tokens that are spelled out in it become these tokens.
    pub(crate) fn tokenize(&self, text: &str, control: bool) -> Result<Vec<u32>, EmbeddedError> {
        if text.len() > LONGEST_TEXT {
            return Err(EmbeddedError::Request(format!(
                "a text of {} bytes is longer than the {LONGEST_TEXT} that are tokenised at once",
                text.len()
            )));
        }
        Ok(self.raw(text, control))
    }

    /// Tokens that the model wants before a prompt.
    pub(crate) fn opening(&self) -> Option<u32> {
        let bos = self.0.model.vocab().bos();
        (self.0.adds_bos && bos.0 >= 0).then_some(bos.0 as u32)
    }

    fn raw(&self, text: &str, control: bool) -> Vec<u32> {
        if text.is_empty() {
            return Vec::new();
        }
        let tokens = self.0.model.vocab().tokenize(text.as_bytes(), false, control);
        tokens.into_iter().map(|token| token.0 as u32).collect()
    }

    /// The environment that the grammar engine asks.
    pub(crate) fn environment(&self) -> TokEnv {
        Arc::new(self.clone())
    }
}

impl TokenizerEnv for Vocabulary {
    fn tok_trie(&self) -> &TokTrie {
        &self.0.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<TokenId> {
        self.0.trie.tokenize_with_greedy_fallback(bytes, |text| self.raw(text, false))
    }

    fn tokenize_is_canonical(&self) -> bool {
        self.0.byte_level
    }
}
