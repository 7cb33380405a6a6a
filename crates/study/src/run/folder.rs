//! A run folder on disk, opened for reading.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use gimbal_core::Digest;

use super::error::RunError;
use super::index::{Index, Place};
use super::ledger::LedgerRead;
use super::texts::Texts;
use super::{INDEX, STUDY, journal, ledger};

/// Where an attempt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttemptPlace {
    /// Number of the ledger file, which is that of the segment too.
    pub file: u32,
    /// Attempt within it.
    pub attempt: u64,
}

/// A run folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    root: PathBuf,
}

impl RunFolder {
    /// The folder at `root`, whatever is there.
    pub(super) fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The folder at `root`, for reading.
    ///
    /// # Errors
    /// When it is not a run folder, or of another format.
    pub fn open(root: &Path) -> Result<Self, RunError> {
        let missing = |why: &str| RunError::NotARun { path: root.to_owned(), why: why.to_owned() };
        match fs::metadata(root) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(missing("this is a file; name the run folder, e.g. `runs/quickstart`")),
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(missing("there is no such folder")),
            Err(error) => return Err(RunError::io(root, "the run folder cannot be read", &error)),
        }
        let folder = Self { root: root.to_owned() };
        if !root.join(STUDY).is_file() {
            return Err(if folder.was_played()? {
                RunError::StudyLost { path: root.join(STUDY) }
            } else {
                missing(&format!("it holds no {STUDY}"))
            });
        }
        // An emptied index is as good as none. What is wrong with another shows when it is opened.
        if !root.join(INDEX).is_file() || matches!(Index::begun(&root.join(INDEX)), Ok(false)) {
            return Err(if folder.was_played()? {
                RunError::IndexLost { path: root.join(INDEX) }
            } else {
                missing(&format!("it holds no {INDEX}"))
            });
        }
        folder.index()?;
        Ok(folder)
    }

    /// Whether a process works on this folder now: its writer holds the lock. What such a run has not finished is not lost.
    #[must_use]
    pub fn in_progress(&self) -> bool {
        let Ok(lock) = File::open(self.root.join("lock")) else { return false };
        matches!(lock.try_lock_shared(), Err(fs::TryLockError::WouldBlock))
    }

    /// Number of the newest ledger file: that of the process that works here, where one does.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn newest(&self) -> Result<u32, RunError> {
        Ok(self.ledgers()?.last().map_or(0, |(number, _)| *number))
    }

    /// Its path.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The index, for reading.
    ///
    /// # Errors
    /// When it is damaged or of another format.
    pub fn index(&self) -> Result<Index, RunError> {
        Index::open(&self.root.join(INDEX))
    }

    /// Whether an index was begun here.
    ///
    /// # Errors
    /// When the file is not an index.
    pub fn index_begun(&self) -> Result<bool, RunError> {
        Index::begun(&self.root.join(INDEX))
    }

    /// The study as resolved, as text.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn study(&self) -> Result<String, RunError> {
        let path = self.root.join(STUDY);
        fs::read_to_string(&path).map_err(|error| RunError::io(&path, "the study cannot be read", &error))
    }

    /// Whether the study as resolved is as it was written: its last line holds the hash of all before it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn study_is_as_written(&self) -> Result<bool, RunError> {
        let text = self.study()?;
        let body = text.trim_end_matches('\n').rfind('\n').map_or("", |end| &text[..=end]);
        Ok(text == sealed(body))
    }

    /// Ledger files with their numbers, in order.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn ledgers(&self) -> Result<Vec<(u32, PathBuf)>, RunError> {
        self.numbered("ledger", "log")
    }

    /// Segments of journals with their numbers, in order.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn segments(&self) -> Result<Vec<(u32, PathBuf)>, RunError> {
        self.numbered("journals", "seg")
    }

    /// The texts.
    ///
    /// # Errors
    /// When a pack cannot be read.
    pub fn texts(&self) -> Result<Texts, RunError> {
        let packs: Vec<PathBuf> = self.numbered("texts", "pack")?.into_iter().map(|(_, path)| path).collect();
        Texts::open(&self.root.join("texts"), &packs)
    }

    /// The events of an attempt, as they were hashed.
    ///
    /// # Errors
    /// When the journal is missing or damaged.
    pub fn events(&self, place: Place) -> Result<Vec<Vec<u8>>, RunError> {
        journal::read(&self.segment(place), place)
    }

    /// The segment that holds an attempt's journal.
    #[must_use]
    pub fn segment(&self, place: Place) -> PathBuf {
        self.file("journals", place.segment, "seg")
    }

    /// Whether anything was ever played or paid for here.
    pub(super) fn was_played(&self) -> Result<bool, RunError> {
        let paid = self.ledgers()?.iter().any(|(_, path)| ledger::has_rows(path).unwrap_or(true));
        Ok(paid || self.segments()?.iter().any(|(_, path)| fs::metadata(path).is_ok_and(|file| file.len() > 0)))
    }

    /// Reads all ledger files; `each` gets the file's number and the row.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn rows(&self, mut each: impl FnMut(u32, ledger::Row)) -> Result<Vec<LedgerRead>, RunError> {
        let mut read = Vec::new();
        for (number, path) in self.ledgers()? {
            let state = ledger::read(&path, |row| each(number, row))?;
            read.push(LedgerRead { number, path, state });
        }
        Ok(read)
    }

    /// When each attempt ended, in milliseconds since 1970, as the ledger says.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn attempt_ends(&self) -> Result<BTreeMap<AttemptPlace, u64>, RunError> {
        let mut ends = BTreeMap::new();
        self.rows(|file, row| {
            if let ledger::Row::Attempted(attempted) = row {
                ends.insert(AttemptPlace { file, attempt: attempted.try_number }, attempted.at);
            }
        })?;
        Ok(ends)
    }

    /// The file of this number in the folder of ledger, journals or texts.
    pub(super) fn file(&self, folder: &str, number: u32, ending: &str) -> PathBuf {
        self.root.join(folder).join(format!("{number:06}.{ending}"))
    }

    /// Files in the folders of ledger, journals and texts that are not theirs: nothing reads them. Sorted, as paths
    /// below the run folder.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn strangers(&self) -> Result<Vec<String>, RunError> {
        let mut strangers = Vec::new();
        for (folder, ending) in [("ledger", "log"), ("journals", "seg"), ("texts", "pack")] {
            let path = self.root.join(folder);
            let failed = |error: std::io::Error| RunError::io(&path, "the folder cannot be read", &error);
            let entries = match fs::read_dir(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                entries => entries.map_err(failed)?,
            };
            for entry in entries {
                let name = entry.map_err(failed)?.file_name();
                if number_in(&name, ending).is_none() {
                    strangers.push(format!("{folder}/{}", name.to_string_lossy()));
                }
            }
        }
        strangers.sort();
        Ok(strangers)
    }

    /// The files of one of these folders with their numbers, in order.
    pub(super) fn numbered(&self, folder: &str, ending: &str) -> Result<Vec<(u32, PathBuf)>, RunError> {
        let path = self.root.join(folder);
        let failed = |error: std::io::Error| RunError::io(&path, "the folder cannot be read", &error);
        let mut files = Vec::new();
        let entries = match fs::read_dir(&path) {
            // A folder that is gone holds nothing; what should be in it is missed one by one.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(files),
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            files.extend(number_in(&entry.file_name(), ending).map(|number| (number, entry.path())));
        }
        files.sort();
        Ok(files)
    }
}

/// The number in the name of a file as a run writes it; `None` for another spelling of the number.
fn number_in(name: &std::ffi::OsStr, ending: &str) -> Option<u32> {
    let name = name.to_str()?;
    let number: u32 = name.strip_suffix(ending)?.strip_suffix('.')?.parse().ok()?;
    (name == format!("{number:06}.{ending}")).then_some(number)
}

/// A text with the hash of itself as a comment at its end.
pub(super) fn sealed(text: &str) -> String {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let body = format!("{text}{end}");
    format!("{body}{SEAL}{}\n", Digest::of(body.as_bytes()))
}

/// Begins the last line of the study as resolved.
pub const SEAL: &str = "# sha256 of all lines above: ";
