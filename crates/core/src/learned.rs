//! The seams to small learned parts: a scorer that adds to priorities, and an embedder that makes vectors of texts (CTHA-077).
//!
//! Both are pure functions of their input: the same weights give the same numbers on every machine.

use std::sync::Arc;

use crate::Artefact;

/// Adds a learned part to the priority of each of several parties that are in conflict (Eq. 24, Eq. 25).
pub trait Scorer: Send + Sync {
    /// What decides its numbers: kind, version and digest of its weights, for the key of an episode.
    fn identity(&self) -> String;

    /// Number of features of a party.
    fn width(&self) -> usize;

    /// A score for each party, the higher the better, in thousandths; parties are rows of `width` features. As many scores as parties.
    fn score(&self, parties: &[Vec<f32>]) -> Vec<i64>;

    /// The vector of what the parties share, for the end of each row; empty where it reads none.
    fn context(&self, text: &str) -> Vec<f32> {
        let _ = text;
        Vec::new()
    }

    /// How likely it is, in thousandths, that a resolution in favour of each party turns out well; empty where it does not say.
    fn outcome(&self, parties: &[Vec<f32>]) -> Vec<i64> {
        let _ = parties;
        Vec::new()
    }
}

/// Makes scorers and embedders. The program registers one; studies reach the learned parts through it alone.
pub trait Learned: Send + Sync {
    /// The scorer whose weights are this artefact.
    ///
    /// # Errors
    /// What is wrong with the artefact (kind, version, shape, digest), what was expected, and how to fix it.
    fn scorer(&self, artefact: &Artefact) -> Result<Arc<dyn Scorer>, String>;

    /// The embedder of that name.
    ///
    /// # Errors
    /// When there is none, or its weights are not at hand; with the names that there are.
    fn embedder(&self, name: &str) -> Result<Arc<dyn Embedder>, String>;
}

/// Makes a vector of a text.
pub trait Embedder: Send + Sync {
    /// What decides its vectors: kind, version, digest of weights.
    fn identity(&self) -> String;

    /// Length of its vectors.
    fn dimensions(&self) -> usize;

    /// The vector of a text, of length 1, or of zeros for a text without words.
    fn embed(&self, text: &str) -> Vec<f32>;
}
