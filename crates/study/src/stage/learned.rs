//! Learned parts that an episode has at hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::{Embedder, Scorer};

/// Scorers by the names of their artefacts, and embedders by name.
#[derive(Clone, Default)]
pub struct LearnedParts {
    /// Scorers.
    pub scorers: BTreeMap<String, Arc<dyn Scorer>>,
    /// Embedders.
    pub embedders: BTreeMap<String, Arc<dyn Embedder>>,
}
