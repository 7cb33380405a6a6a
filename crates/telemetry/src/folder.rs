//! The files of a folder.

use std::path::{Path, PathBuf};

use crate::TelemetryError;

/// What a path leads to.
pub(crate) struct FolderEntries {
    /// Files, in the order of the bytes of their paths.
    pub files: Vec<PathBuf>,
    /// What a folder holds and is not read, with the reason.
    pub others: Vec<(PathBuf, &'static str)>,
}

/// A file, or the files of a folder and the folders in it, in the order of the bytes of their paths. Links in a folder are not followed.
///
/// # Errors
/// When the path or a folder below it cannot be read.
pub fn files_below(path: &Path) -> Result<Vec<PathBuf>, TelemetryError> {
    entries_below(path).map(|below| below.files)
}

/// The same with what is passed over.
pub(crate) fn entries_below(path: &Path) -> Result<FolderEntries, TelemetryError> {
    let about = std::fs::metadata(path).map_err(|error| TelemetryError::unreadable(path, error))?;
    if !about.is_dir() {
        return Ok(FolderEntries { files: vec![path.to_path_buf()], others: Vec::new() });
    }
    let (mut files, mut others, mut folders) = (Vec::new(), Vec::new(), vec![path.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| TelemetryError::unreadable(&folder, error))? {
            let entry = entry.map_err(|error| TelemetryError::unreadable(&folder, error))?;
            // Links are not followed: a folder could hold itself.
            let kind = entry.file_type().map_err(|error| TelemetryError::unreadable(&folder, error))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            } else if kind.is_symlink() {
                others.push((entry.path(), "links in a folder are not followed; name what it leads to"));
            } else {
                others.push((entry.path(), "it is neither a file nor a folder"));
            }
        }
    }
    files.sort_by(|one, other| one.as_os_str().as_encoded_bytes().cmp(other.as_os_str().as_encoded_bytes()));
    others.sort();
    Ok(FolderEntries { files, others })
}

/// Whether two paths lead to one file, by links too.
#[must_use]
pub fn is_same(one: &Path, other: &Path) -> bool {
    one.exists() && other.exists() && canonical(one) == canonical(other)
}

/// Whether `out` is `input`, or is in the folder `input`.
pub(crate) fn would_replace(input: &Path, out: &Path) -> bool {
    let below = input.is_dir() && out.exists() && canonical(out).starts_with(canonical(input));
    below || is_same(out, input)
}

fn canonical(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
