//! What can be wrong with a run folder.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// What can be wrong with a run folder.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RunError {
    /// A file or folder could not be read or written.
    #[error("{}: {what}: {why}{}", .path.display(), mend(.why))]
    Io {
        /// Which.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What the system says.
        why: String,
    },
    /// This is no run folder.
    #[error("{}: this is no run folder ({why}); name a folder that `gimbal run` made", .path.display())]
    NotARun {
        /// Which.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// The folder was written by another version of the stored form.
    #[error(
        "{}: the run folder has format {found}, and this program reads format {known}; read it with the version of \
         gimbal that made it ({program}), or run the study anew into another folder", .path.display()
    )]
    Format {
        /// Which.
        path: PathBuf,
        /// The format found.
        found: String,
        /// The format known.
        known: u32,
        /// The version that made it.
        program: String,
    },
    /// Another run works on this folder.
    #[error("{}: another `gimbal run` works on this folder; wait for it, or run into another folder with --runs", .path.display())]
    Busy {
        /// Which.
        path: PathBuf,
    },
    /// What is stored is damaged.
    #[error("{}: {what}; `gimbal verify` lists all damage, and `gimbal run` plays damaged episodes again", .path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is damaged.
        what: String,
    },
    /// The study is not the one that the run was made of.
    #[error("{0}")]
    Changed(String),
    /// There is no such episode or call in the run.
    #[error("{0}")]
    Missing(String),
}

impl RunError {
    /// A failure of the file system.
    #[must_use]
    pub fn io(path: &Path, what: &'static str, error: &dyn std::fmt::Display) -> Self {
        Self::Io { path: path.to_owned(), what, why: error.to_string() }
    }

    /// The program's exit code: 3 where the world is the cause, 2 where what was asked for is.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Io { .. } | Self::Damaged { .. } => 3,
            _ => 2,
        }
    }
}

fn mend(why: &str) -> &'static str {
    let why = why.to_lowercase();
    if why.contains("no space") || why.contains("full") || why.contains("too large") || why.contains("quota") {
        "; free some space and run the same command again: nothing already paid for is lost"
    } else {
        ""
    }
}
