//! What can be wrong with a run folder.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use gimbal_core::RecordError;
use thiserror::Error;

/// What can be wrong with a run folder.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RunError {
    /// A file or folder could not be read or written.
    #[error("{}: {what}: {why}{}", .path.display(), fix(.kind.as_ref()))]
    Io {
        /// Which.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// The error of the operating system.
        why: String,
        /// Its kind; `None` if it is not an error of the operating system.
        kind: Option<ErrorKind>,
    },
    /// This is not a run folder.
    #[error("{}: this is not a run folder ({why}); name a folder that `gimbal run` made", .path.display())]
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
    /// A file that a run writes to was deleted or replaced under it.
    #[error(
        "{}: this file was deleted or replaced while the run was writing to it; what was played and paid for since then \
         is lost with it. Put the run folder back from a copy, or run the study again into a new one", .path.display()
    )]
    Gone {
        /// Which.
        path: PathBuf,
    },
    /// A journal or text is damaged.
    #[error(
        "{}: {what}; `gimbal verify` lists all damage, and the next `gimbal run` of the study plays damaged episodes \
         again", .path.display()
    )]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is damaged.
        what: String,
    },
    /// What a finished trial left to the later trials of its session cannot be read.
    #[error(
        "{}: the trials of a session after {episode} are not played, since what it left in their memory cannot be read: \
         {what}; nothing that was played is lost: `gimbal verify` lists all damage, and the next `gimbal run` of the study \
         plays damaged episodes again", .path.display()
    )]
    Memory {
        /// The run folder.
        path: PathBuf,
        /// The episode: cell/task/run, and the trial where there are several.
        episode: String,
        /// What is wrong.
        what: String,
    },
    /// A record of a known kind does not have the form of that kind.
    #[error(
        "{}: episode {episode}, event {event}: {error}; read the run with the version of gimbal that made it", .path.display()
    )]
    Record {
        /// The run folder; empty for an episode in memory.
        path: PathBuf,
        /// The episode: cell/task/run, and the trial where there are several.
        episode: String,
        /// Number of the event in the episode, from 0.
        event: u64,
        /// What is wrong with it.
        error: RecordError,
    },
    /// The index is damaged, so that finished episodes are not known.
    #[error(
        "{}: the index is damaged: {why}; put a sound copy of this file in its place, or delete it: the next `gimbal run` \
         of the study makes it anew from journals and ledger, and pays for nothing again", .path.display()
    )]
    IndexDamaged {
        /// The index.
        path: PathBuf,
        /// The error of SQLite.
        why: String,
    },
    /// The index is missing while journals or ledger are there.
    #[error(
        "{}: there are journals or a ledger in this run folder, but its index, which lists what is \
         finished, is missing; the next `gimbal run` of the study rebuilds it from them and pays for nothing again",
        .path.display()
    )]
    IndexLost {
        /// Where the index should be.
        path: PathBuf,
    },
    /// The study as resolved is missing while journals or ledger are there.
    #[error(
        "{}: there are journals or a ledger in this run folder, but the study as resolved is missing; put a copy of this \
         file in its place, or run the same study again: `gimbal run` writes it again, and finished episodes stay",
        .path.display()
    )]
    StudyLost {
        /// Where the study should be.
        path: PathBuf,
    },
    /// The study as resolved is damaged.
    #[error(
        "{}: the study as resolved cannot be read; put a sound copy in its place, or delete this file: the next \
         `gimbal run` of the same study writes it again, and finished episodes stay", .path.display()
    )]
    StudyDamaged {
        /// The file.
        path: PathBuf,
    },
    /// The folder cannot be written, and its index holds what only a writer can take up.
    #[error(
        "{}: a run was cut off here, and its last rows can be read in a folder that may be written only ({why}); copy \
         the run folder to such a place and read it there", .path.display()
    )]
    ReadOnly {
        /// The index.
        path: PathBuf,
        /// The error of SQLite.
        why: String,
    },
    /// The study is not the one that the run was made of.
    #[error("{0}")]
    Changed(String),
    /// Prompts of the study cannot be made.
    #[error("{0}")]
    Prompts(String),
    /// There is no such episode or call in the run.
    #[error("{0}")]
    Missing(String),
}

impl RunError {
    /// A failure of the file system.
    #[must_use]
    pub fn io(path: &Path, what: &'static str, error: &std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), what, why: error.to_string(), kind: Some(error.kind()) }
    }

    /// A failure of SQLite at a file, which keeps of the operating system's error only that the disk is full.
    #[must_use]
    pub fn sqlite(path: &Path, what: &'static str, error: &rusqlite::Error) -> Self {
        let is_full = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull);
        let kind = is_full.then_some(ErrorKind::StorageFull);
        Self::Io { path: path.to_owned(), what, why: error.to_string(), kind }
    }

    /// A failure at a file or folder for a reason that is not the file system's.
    #[must_use]
    pub fn other(path: &Path, what: &'static str, why: &dyn std::fmt::Display) -> Self {
        Self::Io { path: path.to_owned(), what, why: why.to_string(), kind: None }
    }

    /// Whether it is the run folder's content that is wrong, and not the environment or what was asked for.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. }
                | Self::Memory { .. }
                | Self::IndexDamaged { .. }
                | Self::IndexLost { .. }
                | Self::StudyDamaged { .. }
                | Self::StudyLost { .. }
                | Self::Format { .. }
        )
    }

    /// The program's exit code: 3 where the environment is the cause, 2 where what was asked for is.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Io { .. }
            | Self::Gone { .. }
            | Self::Damaged { .. }
            | Self::Memory { .. }
            | Self::IndexDamaged { .. }
            | Self::IndexLost { .. }
            | Self::StudyDamaged { .. }
            | Self::StudyLost { .. }
            | Self::ReadOnly { .. } => 3,
            _ => 2,
        }
    }
}

/// What to do about an error of this kind; empty if the error says it.
const fn fix(kind: Option<&ErrorKind>) -> &'static str {
    if matches!(kind, Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)) {
        "; free some space and run the same command again: episodes whose journals and texts reached the disk are kept, \
         the others are played again, and the bill holds both"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_kind(kind: ErrorKind, words: &str) -> String {
        let error = std::io::Error::new(kind, words.to_owned());
        RunError::io(Path::new("run/ledger"), "the run cannot be stored", &error).to_string()
    }

    #[test]
    fn the_advice_to_free_space_depends_on_the_kind_and_not_on_the_words() {
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge] {
            let text = of_kind(kind, "Kein Platz");
            assert!(text.starts_with("run/ledger: the run cannot be stored: Kein Platz; free some space"), "{text}");
        }
        let text = of_kind(ErrorKind::NotFound, "no such folder: /full/quota");
        assert_eq!(text, "run/ledger: the run cannot be stored: no such folder: /full/quota");
        let other = RunError::other(Path::new("run"), "a session ended by a bug of this program", &"the queue is full");
        assert_eq!(other.to_string(), "run: a session ended by a bug of this program: the queue is full");
    }

    #[test]
    fn a_full_disk_under_the_index_gives_the_advice_too() {
        let failure = |code| rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        let advice =
            |code| RunError::sqlite(Path::new("index"), "the index cannot be used", &failure(code)).to_string();
        assert!(advice(rusqlite::ffi::SQLITE_FULL).contains("; free some space"));
        assert!(!advice(rusqlite::ffi::SQLITE_PERM).contains("free some space"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_operating_system_reports_a_full_device_by_its_kind() {
        use std::io::Write as _;
        let mut full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let error = full.write_all(b"x").expect_err("a full device");
        assert!(
            RunError::io(Path::new("/dev/full"), "the run cannot be stored", &error)
                .to_string()
                .contains("free some space")
        );
    }
}
