//! Things built before episodes, and memory that trials of a session share.

use std::sync::Arc;

use serde_json::Value;

use crate::Digest;

/// Something built once before episodes: a graph, summaries, weights of an arbiter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artefact {
    /// Name by which an architecture asks for it.
    pub name: String,
    /// Hash of the content; part of the episode key.
    pub digest: Digest,
    /// The content.
    pub bytes: Arc<[u8]>,
}

/// What trials of one session share. Every change is journaled by the stage.
pub trait Memory: Send + Sync {
    /// The value under `key`.
    fn get(&self, key: &str) -> Option<Value>;

    /// Sets the value under `key`.
    fn set(&self, key: &str, value: Value);

    /// All keys, sorted.
    fn keys(&self) -> Vec<String>;
}
