//! Writing files so that none is ever half written and no link is followed.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file or folder cannot be written.
#[derive(Debug, Error)]
pub enum FileFailure {
    /// A file.
    #[error("{}: cannot be written: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file of an earlier report.
    #[error("{}: cannot be removed: {error}", path.display())]
    Remove {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A folder cannot be made.
    #[error("{}: cannot be made: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A folder cannot be listed.
    #[error("{}: {error}", path.display())]
    List {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A folder is a symbolic link.
    #[error(
        "{}: this is a symbolic link, and files are not written through one; remove it, or write elsewhere",
        path.display()
    )]
    Link {
        /// The link.
        path: PathBuf,
    },
}

/// Writes a file completely or not at all: beside its place, then moved there. A file that was there is replaced, a
/// symbolic link too: nothing is ever written through one.
///
/// # Errors
/// When the file cannot be written; a file that was there is then as before.
pub fn write(path: &Path, text: &str) -> Result<(), FileFailure> {
    write_bytes(path, text.as_bytes())
}

/// [`write()`] for a file that holds no text.
///
/// # Errors
/// As [`write()`].
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), FileFailure> {
    let failed = |error: std::io::Error| FileFailure::Write { path: path.to_owned(), error };
    // A terminal, a pipe or `/dev/null` that was asked for by name takes the content as it comes.
    let special = std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if special && !path.is_symlink() {
        return std::fs::write(path, bytes).map_err(failed);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let beside = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    // A killed process with the same number may have left one. Only a new file is opened: never one that a link names.
    let _ = std::fs::remove_file(&beside);
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&beside);
    let written = made.and_then(|mut file| {
        file.write_all(bytes)?;
        // A full disk may be reported only now.
        file.sync_data()?;
        std::fs::rename(&beside, path)
    });
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        failed(error)
    })
}

/// Makes a folder with its parents.
///
/// # Errors
/// When it cannot be made.
pub fn folder(path: &Path) -> Result<(), FileFailure> {
    std::fs::create_dir_all(path).map_err(|error| FileFailure::Folder { path: path.to_owned(), error })
}

/// Makes a folder for files of the program within the folder of another command.
///
/// # Errors
/// When it cannot be made, or is a symbolic link.
pub fn own_folder(path: &Path) -> Result<(), FileFailure> {
    if path.is_symlink() {
        return Err(FileFailure::Link { path: path.to_owned() });
    }
    folder(path)
}

/// Removes a file; a file that does not exist is not an error.
///
/// # Errors
/// When it cannot be removed.
pub fn remove(path: &Path) -> Result<(), FileFailure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(FileFailure::Remove { path: path.to_owned(), error })
        }
        _ => Ok(()),
    }
}

/// Removes the files of a folder whose names `stale` accepts, and nothing else.
///
/// # Errors
/// When the folder cannot be listed, or a file cannot be removed.
pub fn remove_stale(folder: &Path, stale: impl Fn(&str) -> bool) -> Result<(), FileFailure> {
    let unreadable = |error: std::io::Error| FileFailure::List { path: folder.to_owned(), error };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.file_name().to_str().is_some_and(&stale) {
            paths.push(entry.path());
        }
    }
    for path in paths {
        std::fs::remove_file(&path).map_err(|error| FileFailure::Remove { path, error })?;
    }
    Ok(())
}
