//! A run folder on disk: opening it for reading, and for the one writer.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use gimbal_core::Digest;

use super::error::RunError;
use super::index::{Index, Place, unreadable};
use super::ledger::LedgerFile;
use super::ledgers::LedgerRead;
use super::presence::Presence;
use super::store::{Files, sync_folder};
use super::texts::Texts;
use super::{Finished, INDEX, STUDY, check, journal, ledger};

/// A run folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    root: PathBuf,
}

/// How often, and after how long, a lock is tried again that somebody may have taken to look.
const LOOKS: u32 = 10;
const LOOK: std::time::Duration = std::time::Duration::from_millis(10);

/// The right to write into a run folder; given back when it is dropped, or when the process dies.
#[derive(Debug)]
pub struct Writable {
    folder: RunFolder,
    _lock: File,
}

impl RunFolder {
    /// The folder at `root`, for reading.
    ///
    /// # Errors
    /// When it is no run folder, or of another format.
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

    /// Takes the folder at `root` for writing, making it when it is not there.
    ///
    /// # Errors
    /// When it cannot be made, or another process writes into it.
    pub fn take(root: &Path) -> Result<Writable, RunError> {
        let failed = |error: std::io::Error| RunError::io(root, "the run folder cannot be made", &error);
        for name in ["ledger", "journals", "texts"] {
            fs::create_dir_all(root.join(name)).map_err(failed)?;
        }
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).open(root.join("lock")).map_err(failed)?;
        // Whoever only looks whether a run is in progress holds the lock for an instant.
        let mut tries = 0;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(fs::TryLockError::WouldBlock) if tries < LOOKS => {
                    tries += 1;
                    std::thread::sleep(LOOK);
                }
                Err(fs::TryLockError::WouldBlock) => return Err(RunError::Busy { path: root.to_owned() }),
                Err(fs::TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Ok(Writable { folder: Self { root: root.to_owned() }, _lock: lock })
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

    /// Where it lies.
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
    /// When what is there is no index.
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

    /// The segment in which an attempt's journal lies.
    #[must_use]
    pub fn segment(&self, place: Place) -> PathBuf {
        self.file("journals", place.segment, "seg")
    }

    /// Whether the journal of a finished episode holds, and every text that it refers to is there and undamaged.
    pub(super) fn is_whole(&self, episode: &Finished, texts: &mut Texts) -> Result<bool, RunError> {
        let events = match check::events(self, episode) {
            Ok(events) => events,
            Err(RunError::Damaged { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        for digest in events.iter().flat_map(|event| check::references(event)) {
            if !texts.holds(&digest)? {
                return Ok(false);
            }
        }
        Ok(true)
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

    fn file(&self, folder: &str, number: u32, ending: &str) -> PathBuf {
        self.root.join(folder).join(format!("{number:06}.{ending}"))
    }

    /// What lies in the folders of ledger, journals and texts and is none of their files: nothing reads it. Sorted, as paths
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

    fn numbered(&self, folder: &str, ending: &str) -> Result<Vec<(u32, PathBuf)>, RunError> {
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

/// The number in the name of a file as a run writes it; another spelling of the number is no file of the run.
fn number_in(name: &std::ffi::OsStr, ending: &str) -> Option<u32> {
    let name = name.to_str()?;
    let number: u32 = name.strip_suffix(ending)?.strip_suffix('.')?.parse().ok()?;
    (name == format!("{number:06}.{ending}")).then_some(number)
}

/// A text with the hash of itself as a comment at its end.
fn sealed(text: &str) -> String {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let body = format!("{text}{end}");
    format!("{body}{SEAL}{}\n", Digest::of(body.as_bytes()))
}

/// Begins the last line of the study as resolved.
pub const SEAL: &str = "# sha256 of all lines above: ";

impl Writable {
    /// The folder.
    #[must_use]
    pub const fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Writes the study as resolved, all or nothing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_study(&self, text: &str) -> Result<(), RunError> {
        let (path, fresh) = (self.folder.root.join(STUDY), self.folder.root.join("study.yaml.new"));
        let written = File::create(&fresh).and_then(|mut file| {
            file.write_all(sealed(text).as_bytes())?;
            file.sync_all()?;
            fs::rename(&fresh, &path)
        });
        written.map_err(|error| RunError::io(&path, "the study cannot be written", &error))?;
        sync_folder(&self.folder.root)
    }

    /// Whether a run was begun here before.
    #[must_use]
    pub fn begun(&self) -> bool {
        self.folder.root.join(STUDY).is_file()
    }

    /// Puts the rows of cells that are no longer in the study apart, takes those back that are in it again, and gives all
    /// the names that their cells have now.
    ///
    /// # Errors
    /// When the index cannot be read or written.
    pub fn arrange(&self, stored: &crate::plan::Stored) -> Result<(), RunError> {
        let path = self.folder.root.join(INDEX);
        let arranged = Index::create(&path)?.arrange(|id| stored.cell_of(id));
        arranged.map_err(|error| unreadable(&path, &error))
    }

    /// Takes back episodes whose journals or texts are gone or damaged, so that they are played again. Returns how many.
    /// What they cost stays in the ledger.
    ///
    /// # Errors
    /// When the index is gone (see [`Writable::rebuild_lost_index`]) or cannot be read or written, or when a journal or
    /// text could not be looked at.
    pub fn forget_lost(&self) -> Result<u64, RunError> {
        let path = self.folder.root.join(INDEX);
        if !Index::begun(&path)? && self.folder.was_played()? {
            return Err(RunError::IndexLost { path });
        }
        let mut index = Index::create(&path)?;
        let mut texts = self.folder.texts()?;
        let mut lost: Vec<Digest> = Vec::new();
        let mut failed = None;
        let walked = index.each(|episode| {
            if failed.is_none() {
                match self.folder.is_whole(&episode, &mut texts) {
                    Ok(true) => {}
                    Ok(false) => lost.push(episode.id.key),
                    Err(error) => failed = Some(error),
                }
            }
            Ok::<(), rusqlite::Error>(())
        });
        walked.map_err(|error| unreadable(&path, &error))?;
        if let Some(error) = failed {
            return Err(error);
        }
        index.forget(&lost).map_err(|error| unreadable(&path, &error))?;
        Ok(lost.len() as u64)
    }

    /// New files for this process, numbered after all that are there: a torn end is never written on.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn files(&self) -> Result<Files, RunError> {
        let folder = &self.folder;
        let last = [folder.ledgers()?, folder.segments()?, folder.numbered("texts", "pack")?]
            .into_iter()
            .flatten()
            .map(|(number, _)| number)
            .max();
        let path = folder.root.join(INDEX);
        let index = Index::create(&path)?;
        // Rows may name files that are gone: their numbers must not be given again.
        let named = index.last_segment().map_err(|error| unreadable(&path, &error))?;
        let known = index.marks().map_err(|error| unreadable(&path, &error))?.into_keys().max();
        let number = last.max(known).unwrap_or(0).max(named) + 1;
        let make = |name: &str, ending: &str| {
            let path = folder.file(name, number, ending);
            let file = OpenOptions::new().create_new(true).append(true).open(&path);
            file.map_err(|error| RunError::io(&path, "the run cannot be stored", &error))
        };
        // The ledger first, and on the disk: whatever else has this number, the ledger has it too.
        let opened = folder.next_opened(number)?;
        let begun = LedgerFile::begin(make("ledger", "log")?, &opened).and_then(|mut ledger| {
            let mark = ledger.mark()?;
            Ok((ledger, mark))
        });
        let failed = |error: std::io::Error| {
            RunError::io(&folder.file("ledger", number, "log"), "the run cannot be stored", &error)
        };
        let (ledger, mark) = begun.map_err(failed)?;
        sync_folder(&folder.root.join("ledger"))?;
        index.mark(number, mark).map_err(|error| unreadable(&path, &error))?;
        let (texts, journal) = (make("texts", "pack")?, make("journals", "seg")?);
        let places = [("ledger", "log"), ("texts", "pack"), ("journals", "seg")];
        let places = places.map(|(name, ending)| folder.file(name, number, ending));
        let presence = Presence::of(places.into_iter().chain([path.clone()]))?;
        let files = Files { number, folder: folder.root.clone(), ledger, texts, journal, index, presence };
        for name in ["texts", "journals"] {
            sync_folder(&folder.root.join(name))?;
        }
        sync_folder(&folder.root)?;
        Ok(files)
    }
}
