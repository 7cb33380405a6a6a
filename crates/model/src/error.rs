//! Why a model cannot be used.

use thiserror::Error;

/// Why a model cannot be used. Found before a run; every message names what is wrong and how to fix it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SetupError {
    /// No model has such a name.
    #[error("{0}")]
    Name(String),
    /// The key is missing or cannot be sent.
    #[error("{0}")]
    Key(String),
    /// The base address is missing or wrong.
    #[error("{0}")]
    Address(String),
    /// The weights are missing, damaged or unknown.
    #[error("{0}")]
    Weights(String),
    /// The weights are there, and their header is not that of a model.
    #[error("{0}")]
    Header(String),
    /// The script cannot be found or read.
    #[error("{0}")]
    Script(String),
    /// There is no such reader.
    #[error("{0}")]
    Reader(String),
    /// The recording cannot be found, read or written.
    #[error("{0}")]
    Recording(String),
    /// A setting (rates, retries, cache) that cannot be met.
    #[error("{0}")]
    Settings(String),
    /// The HTTP client cannot be built.
    #[error("{0}")]
    Client(String),
    /// The price table cannot be read.
    #[error("{0}")]
    Prices(String),
}

/// An error of a library with its causes: the outermost one often says only what failed.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut inner = error.source();
    while let Some(cause) = inner {
        let said = cause.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        inner = cause.source();
    }
    text
}
