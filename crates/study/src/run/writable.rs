//! The one writer of a run folder.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use super::error::RunError;
use super::folder::{RunFolder, sealed};
use super::index::{EpisodeId, Index, unreadable};
use super::ledger::LedgerFile;
use super::presence::Presence;
use super::store::{Files, sync_folder};
use super::{INDEX, STUDY};

/// How often a lock is tried again that another process may hold for a look.
const LOOKS: u32 = 10;
const LOOK: std::time::Duration = std::time::Duration::from_millis(10);

/// The right to write into a run folder; given back when it is dropped, or when the process dies.
#[derive(Debug)]
pub struct Writable {
    folder: RunFolder,
    _lock: File,
}

impl Writable {
    /// Takes the folder at `root` for writing, making it when it is not there.
    ///
    /// # Errors
    /// When it cannot be made, or another process writes into it.
    pub fn take(root: &Path) -> Result<Self, RunError> {
        let failed = |error: std::io::Error| RunError::io(root, "the run folder cannot be made", &error);
        for name in ["ledger", "journals", "texts"] {
            fs::create_dir_all(root.join(name)).map_err(failed)?;
        }
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).open(root.join("lock")).map_err(failed)?;
        // A process that only looks whether a run is in progress holds the lock for an instant.
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
        Ok(Self { folder: RunFolder::at(root), _lock: lock })
    }

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
        let (path, fresh) = (self.folder.root().join(STUDY), self.folder.root().join("study.yaml.new"));
        let written = File::create(&fresh).and_then(|mut file| {
            file.write_all(sealed(text).as_bytes())?;
            file.sync_all()?;
            fs::rename(&fresh, &path)
        });
        written.map_err(|error| RunError::io(&path, "the study cannot be written", &error))?;
        sync_folder(self.folder.root())
    }

    /// Whether a run was begun here before.
    #[must_use]
    pub fn begun(&self) -> bool {
        self.folder.root().join(STUDY).is_file()
    }

    /// Sets the rows of cells aside that are no longer in the study, takes back those that are in it again, and gives all
    /// rows the names that their cells have now. `cell_of` gives the present name of an episode's cell and whether it is
    /// in the study.
    ///
    /// # Errors
    /// When the index cannot be read or written.
    pub fn arrange(&self, cell_of: impl Fn(&EpisodeId) -> Option<(String, bool)>) -> Result<(), RunError> {
        let path = self.folder.root().join(INDEX);
        let arranged = Index::create(&path)?.arrange(cell_of);
        arranged.map_err(|error| unreadable(&path, &error))
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
        let path = folder.root().join(INDEX);
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
        sync_folder(&folder.root().join("ledger"))?;
        index.mark(number, mark).map_err(|error| unreadable(&path, &error))?;
        let (texts, journal) = (make("texts", "pack")?, make("journals", "seg")?);
        let places = [("ledger", "log"), ("texts", "pack"), ("journals", "seg")];
        let places = places.map(|(name, ending)| folder.file(name, number, ending));
        let presence = Presence::of(places.into_iter().chain([path.clone()]))?;
        let files = Files { number, folder: folder.root().to_owned(), ledger, texts, journal, index, presence };
        for name in ["texts", "journals"] {
            sync_folder(&folder.root().join(name))?;
        }
        sync_folder(folder.root())?;
        Ok(files)
    }
}
