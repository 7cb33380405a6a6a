//! The semantic store of Strategic: what was seen, found again by meaning (Tab. 9; CTHA-003).

use std::sync::Arc;

use gimbal_core::Embedder;
use serde_json::{Value, json};

/// Most notes of an episode; the oldest go first.
const MOST: usize = 256;
/// Notes that a plan is made from.
const FOUND: usize = 4;

/// What was seen in a step.
struct Note {
    step: u32,
    text: String,
    /// Of the text; empty without an embedder.
    vector: Vec<f32>,
}

/// What was seen, step by step. Without an embedder the latest notes are what is found.
#[derive(Default)]
pub(super) struct Notes {
    kept: Vec<Note>,
    embedder: Option<Arc<dyn Embedder>>,
}

impl std::fmt::Debug for Notes {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Notes").field("kept", &self.kept.len()).finish_non_exhaustive()
    }
}

impl Notes {
    pub(super) fn with(embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { kept: Vec::new(), embedder }
    }

    /// Keeps a text, unless it is there already.
    pub(super) fn add(&mut self, step: u32, text: &str) {
        if text.is_empty() || self.kept.iter().any(|kept| kept.text == text) {
            return;
        }
        if self.kept.len() == MOST {
            self.kept.remove(0);
        }
        let vector = self.embedder.as_ref().map(|embedder| embedder.embed(text)).unwrap_or_default();
        self.kept.push(Note { step, text: text.to_owned(), vector });
    }

    /// The notes nearest to a text, the nearest first; of those as near the latest.
    pub(super) fn find(&self, about: &str) -> Value {
        let wanted = self.embedder.as_ref().map(|embedder| embedder.embed(about)).unwrap_or_default();
        let near = |vector: &[f32]| -> f32 { vector.iter().zip(&wanted).map(|(one, other)| one * other).sum() };
        let mut found: Vec<(f32, &Note)> = self.kept.iter().map(|note| (near(&note.vector), note)).collect();
        found.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.step.cmp(&one.1.step)));
        found.into_iter().take(FOUND).map(|(_, note)| json!({ "step": note.step, "text": note.text })).collect()
    }
}
