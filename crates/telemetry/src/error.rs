//! Why telemetry cannot be read.

use std::io;
use std::path::{Path, PathBuf};

use gimbal_evidence::extract::{ExtractError, SourceError};
use thiserror::Error;

/// Why telemetry cannot be read: where, what was found and how to fix it.
#[derive(Debug, Error)]
pub enum TelemetryError {
    /// Standard input is named more than once.
    #[error("-: standard input can be read once; name it once")]
    StandardInputTwice,
    /// A file cannot be opened.
    #[error("{}: cannot be opened: {error}", .path.display())]
    Unopened {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file or folder cannot be read.
    #[error("{}: cannot be read: {error}", .path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The content of a source cannot be read.
    #[error("{place}: {error}")]
    Source {
        /// The source.
        place: String,
        /// What is wrong with it.
        error: SourceError,
    },
    /// There was no source at all.
    #[error("nothing was read: {0}")]
    Nothing(&'static str),
    /// The statements of a person cannot be read.
    #[error("{0}")]
    Context(String),
    /// The map of names cannot be read.
    #[error("{0}")]
    Pseudonyms(String),
    /// Seconds for a file are not as they should be.
    #[error("{0}")]
    Shift(String),
}

impl TelemetryError {
    /// The member of [`Reading`](crate::Reading) that is wrong; `None` for the sources themselves.
    #[must_use]
    pub const fn member(&self) -> Option<&'static str> {
        match self {
            Self::Context(_) => Some("context"),
            Self::Pseudonyms(_) => Some("pseudonyms"),
            Self::Shift(_) => Some("shift"),
            _ => None,
        }
    }

    /// Whether the disk failed while a source was read, and not the source or the request.
    #[must_use]
    pub const fn is_external(&self) -> bool {
        matches!(self, Self::Source { error: SourceError::Extract(ExtractError::Io(_)), .. })
    }

    pub(crate) fn unopened(path: &Path, error: io::Error) -> Self {
        Self::Unopened { path: path.to_path_buf(), error }
    }

    pub(crate) fn unreadable(path: &Path, error: io::Error) -> Self {
        Self::Unreadable { path: path.to_path_buf(), error }
    }
}
