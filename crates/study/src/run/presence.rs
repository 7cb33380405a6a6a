//! Whether the files that a run writes to are still those that its folder shows. On most systems a file can be deleted
//! while it is written to: all goes well until the program ends, and nothing is left.

use std::path::{Path, PathBuf};

use super::error::RunError;

/// The files of a process, by handle and by place.
#[derive(Debug)]
pub struct Presence {
    files: Vec<(PathBuf, Identity)>,
}

/// What distinguishes a file from another one with the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity(u64, u64);

impl Presence {
    /// Notes files as they lie now.
    ///
    /// # Errors
    /// When one cannot be looked at.
    pub fn of(paths: impl IntoIterator<Item = PathBuf>) -> Result<Self, RunError> {
        let look = |path: PathBuf| match identity(&path) {
            Ok(identity) => Ok((path, identity)),
            Err(error) => Err(RunError::io(&path, "the file cannot be looked at", &error)),
        };
        Ok(Self { files: paths.into_iter().map(look).collect::<Result<_, _>>()? })
    }

    /// Whether all are still there.
    ///
    /// # Errors
    /// [`RunError::Gone`], which names the first that is not.
    pub fn check(&self) -> Result<(), RunError> {
        let gone = self.files.iter().find(|(path, known)| identity(path).ok() != Some(*known));
        gone.map_or(Ok(()), |(path, _)| Err(RunError::Gone { path: path.clone() }))
    }
}

/// The file is not opened: when a process closes any handle of a file, POSIX takes all its locks on that file away, those of
/// SQLite on the index too, and the next reader would then delete the write-ahead log under the run.
#[cfg(unix)]
fn identity(path: &Path) -> std::io::Result<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(path)?;
    Ok(Identity(found.dev(), found.ino()))
}

/// Other systems do not let an open file be deleted; that it is there is all that is asked.
#[cfg(not(unix))]
fn identity(path: &Path) -> std::io::Result<Identity> {
    std::fs::metadata(path).map(|_| Identity(0, 0))
}

#[cfg(test)]
mod tests {
    use super::Presence;
    use crate::run::RunError;

    #[test]
    fn a_file_that_was_deleted_or_replaced_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["one", "two"].map(|name| folder.path().join(name));
        for path in &paths {
            std::fs::write(path, "x").unwrap();
        }
        let presence = Presence::of(paths.clone()).unwrap();
        assert_eq!(presence.check(), Ok(()));
        std::fs::rename(&paths[1], folder.path().join("old")).unwrap();
        assert_eq!(presence.check(), Err(RunError::Gone { path: paths[1].clone() }));
        std::fs::write(&paths[1], "x").unwrap();
        #[cfg(unix)]
        assert_eq!(presence.check(), Err(RunError::Gone { path: paths[1].clone() }));
        std::fs::rename(folder.path().join("old"), &paths[1]).unwrap();
        assert_eq!(presence.check(), Ok(()));
    }
}
