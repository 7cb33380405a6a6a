//! Headers of model files (GGUF), read and checked before the library sees them: it ends the program on some of what
//! it does not expect, and a bad file must be an error.
//!
//! Checked are form (versions, lengths, types, places within the file), what every architecture's numbers must obey, the
//! vocabulary, and the tensors' types and sizes. Memory stays small whatever the file claims.
//!
//! The form: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.

mod header;
mod reader;

use std::path::Path;

use thiserror::Error;

pub use header::{Header, Tensor};

/// A file that is not a valid model: where and why.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{what} (at byte {at}); the file is cut short or damaged: fetch it again, or give another file")]
pub struct GgufError {
    /// Byte of the file up to which it was read.
    pub at: u64,
    /// What is wrong.
    pub what: String,
}

/// Whether a chat template has a place for the tools of a request.
#[must_use]
pub fn takes_tools(template: &str) -> bool {
    template.contains("tools")
}

/// Reads and checks the header of a file.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn check(path: &Path) -> Result<Header, GgufError> {
    let failed = |error: std::io::Error| GgufError { at: 0, what: format!("it cannot be read: {error}") };
    // A pipe or a device may never end, and opening it may wait forever.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(GgufError { at: 0, what: "it is not a regular file".to_owned() });
    }
    let file = std::fs::File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    check_bytes(std::io::BufReader::with_capacity(1 << 16, file), length)
}

/// The same for `length` bytes from anywhere.
///
/// # Errors
/// The first thing that is wrong with them.
pub fn check_bytes(bytes: impl std::io::Read, length: u64) -> Result<Header, GgufError> {
    header::read(&mut reader::Reader::new(bytes, length))
}
