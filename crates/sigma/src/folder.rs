//! Files of rules in a folder, and the licence beside them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gimbal_core::Digest;
use thiserror::Error;

/// Largest file of rules, in bytes. Real ones have less than 64 KiB.
pub const MAX_RULE_BYTES: u64 = 1 << 20;

/// Folders of a copy of the public rule set that hold rules. A copy holds other files of the same form too, such as descriptions of tests.
const FOLDERS: [&str; 3] = ["rules", "rules-emerging-threats", "rules-threat-hunting"];
/// Files that may state the licence of a folder of rules.
const LICENCES: [&str; 4] = ["LICENSE", "LICENSE.md", "LICENSE-DRL-1.1.md", "LICENSE.Detection.Rules.md"];
/// The licence of the public rule set, and its short name.
const DETECTION_RULE_LICENSE: &str = "Detection Rule License";

/// A file of rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleText {
    /// Its path, relative to the folder, with `/` between its parts.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl RuleText {
    /// SHA-256 of the file.
    #[must_use]
    pub fn sha256(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }
}

/// A file that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Its path, relative to the folder.
    pub path: String,
    /// What is wrong, and what is expected.
    pub what: String,
}

/// The files of a folder of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleFiles {
    /// What was read, in the order of the bytes of the paths.
    pub texts: Vec<RuleText>,
    /// What could not be read.
    pub unread: Vec<Unread>,
    /// The licence that the folder states, such as `DRL-1.1`.
    pub licence: Option<String>,
}

/// A folder that cannot be read at all.
#[derive(Debug, Error)]
pub enum FolderError {
    /// It is not a folder, or cannot be opened.
    #[error("{}: cannot be read as a folder of rules: {source}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It has no file of rules.
    #[error(
        "{}: has no file that ends in .yml or .yaml; name a folder of Sigma rules, such as `rules` of a copy of github.com/SigmaHQ/sigma",
        .0.display()
    )]
    Empty(PathBuf),
}

impl RuleFiles {
    /// Reads all files of a folder, and of the folders in it, whose names end in `.yml` or `.yaml`. Of a copy of the public rule set, which
    /// has a folder `rules` in it, only the folders of rules are read. Links are not followed.
    ///
    /// # Errors
    /// When a folder cannot be read, or no file of rules is in it. Single files that cannot be read are in [`Self::unread`].
    pub fn read(folder: &Path) -> Result<Self, FolderError> {
        let mut files = Self::default();
        let inner: Vec<PathBuf> = FOLDERS.iter().map(|name| folder.join(name)).filter(|inner| inner.is_dir()).collect();
        if inner.is_empty() {
            files.walk(folder, folder)?;
        } else {
            inner.iter().try_for_each(|inner| files.walk(folder, inner))?;
        }
        if files.texts.is_empty() && files.unread.is_empty() {
            return Err(FolderError::Empty(folder.to_path_buf()));
        }
        files.texts.sort_by(|one, other| one.path.cmp(&other.path));
        files.unread.sort_by(|one, other| one.path.cmp(&other.path));
        // A single folder of the set is under the licence of the whole, which is a file above it.
        let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        files.licence = [Some(whole.as_path()), whole.parent()].into_iter().flatten().find_map(licence_of);
        Ok(files)
    }

    fn walk(&mut self, root: &Path, folder: &Path) -> Result<(), FolderError> {
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            let failed = |source| FolderError::Io { path: folder.clone(), source };
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let kind = entry.file_type().map_err(failed)?;
                let path = entry.path();
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file() && path.extension().is_some_and(|end| end == "yml" || end == "yaml") {
                    self.take(root, &path);
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, root: &Path, file: &Path) {
        let parts = file.strip_prefix(root).unwrap_or(file).components();
        let path = parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        let size = fs::metadata(file).map_or(0, |about| about.len());
        if size > MAX_RULE_BYTES {
            let what = format!("has {size} bytes; a file of rules has at most {MAX_RULE_BYTES}");
            self.unread.push(Unread { path, what });
            return;
        }
        match fs::read_to_string(file) {
            Ok(text) => self.texts.push(RuleText { path, text }),
            Err(error) => self.unread.push(Unread { path, what: format!("cannot be read: {error}") }),
        }
    }

    /// A hash over all files that were read, by path and content.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut parts: Vec<&[u8]> = Vec::with_capacity(2 * self.texts.len());
        for text in &self.texts {
            parts.extend([text.path.as_bytes(), text.text.as_bytes()]);
        }
        Digest::of_parts(&parts)
    }

    /// How many bytes were read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.texts.iter().map(|text| text.text.len() as u64).sum()
    }
}

/// The short name of the licence that a folder states.
fn licence_of(folder: &Path) -> Option<String> {
    let texts = LICENCES.iter().filter_map(|name| fs::read_to_string(folder.join(name)).ok());
    let version = |text: String| {
        let (_, after) = text.split_once(DETECTION_RULE_LICENSE)?;
        let number: String = after
            .chars()
            .take(40)
            .skip_while(|letter| !letter.is_ascii_digit())
            .take_while(|letter| letter.is_ascii_digit() || *letter == '.')
            .collect();
        let number = number.trim_end_matches('.');
        Some(if number.is_empty() { "DRL".to_owned() } else { format!("DRL-{number}") })
    };
    texts.filter_map(version).next()
}
