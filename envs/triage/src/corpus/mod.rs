//! The corpus: scenarios by split, and the packets that are made of them.

mod built_in;
mod file;
mod generate;
mod packet;
mod steps;
pub mod verify;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gimbal_core::Digest;
use gimbal_core::yaml::YamlError;
use gimbal_evidence::extract::SourceError;
use thiserror::Error;

pub use packet::PacketOptions;

use crate::scenario::Scenario;

/// The splits.
///
/// `dev` is what rules and prompts may be written on; `test` has other scenes over other backgrounds; `real` is made of real files, which
/// the user has; `ares33` has as many scenarios of each tier as the published benchmark, and `ares18` and `ares12` are its history
/// (ARES-070, ARES-073). The scenes are ours.
pub const SPLITS: [&str; 6] = ["dev", "test", "real", "ares33", "ares18", "ares12"];

/// Why a corpus or a packet of it was not made.
#[derive(Debug, Error)]
pub enum CorpusError {
    /// A scenario's file is not in its form.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// A scenario says what cannot be.
    #[error("{place}:{line}: scenario `{id}`: {what}")]
    Scenario {
        /// The file.
        place: String,
        /// The line, from 1.
        line: u64,
        /// The scenario.
        id: String,
        /// What is wrong, what was expected.
        what: String,
    },
    /// A file or folder cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// There is no scenario.
    #[error("{}: there is no scenario: expected folders that each hold a scenario.yaml", .0.display())]
    Empty(PathBuf),
    /// A scenario needs the folder of telemetry.
    #[error("scenario `{id}` is made of files of a folder of telemetry: give the folder (option `data`)")]
    NeedsData {
        /// The scenario.
        id: String,
    },
    /// A raw file is not the one that the scenario was written on.
    #[error("{}: its SHA-256 is {found}; scenario `{id}` was written on {expected}", path.display())]
    OtherFile {
        /// The scenario.
        id: String,
        /// The file.
        path: PathBuf,
        /// The hash that the scenario says.
        expected: Digest,
        /// The hash of the file.
        found: Digest,
    },
    /// A raw source cannot be read into a packet.
    #[error("scenario `{id}`: source {number}: {error}")]
    Source {
        /// The scenario.
        id: String,
        /// The number of the source, from 1.
        number: usize,
        /// Why.
        error: SourceError,
    },
}

/// Scenarios with their splits.
#[derive(Debug)]
pub struct Corpus {
    scenarios: Vec<Scenario>,
}

impl Corpus {
    /// The project's own scenarios.
    ///
    /// # Errors
    /// When one of the files is not in its form: an error of the program, which tests exclude.
    pub fn built_in() -> Result<&'static Self, &'static CorpusError> {
        static CORPUS: OnceLock<Result<Corpus, CorpusError>> = OnceLock::new();
        CORPUS
            .get_or_init(|| {
                let mut scenarios = Vec::new();
                for (place, text) in built_in::FILES {
                    scenarios.extend(file::read(text, place, Path::new(""))?);
                }
                Self::of(scenarios)
            })
            .as_ref()
    }

    /// The scenarios below a folder: every file `scenario.yaml` in it and in the folders below, in the order of their paths. Raw files
    /// that a scenario names are in its own folder.
    ///
    /// # Errors
    /// When the folder cannot be read or holds no scenario, or a file is not in its form.
    pub fn open(folder: &Path) -> Result<Self, CorpusError> {
        let mut files = Vec::new();
        find(folder, &mut files)?;
        files.sort();
        if files.is_empty() {
            return Err(CorpusError::Empty(folder.to_path_buf()));
        }
        let mut scenarios = Vec::new();
        for path in files {
            let text = fs::read_to_string(&path).map_err(|error| CorpusError::Io { path: path.clone(), error })?;
            let beside = path.parent().unwrap_or(folder);
            scenarios.extend(file::read(&text, &path.display().to_string(), beside)?);
        }
        Self::of(scenarios)
    }

    /// The scenarios of the text of one file, a scenario with its twins; `place` names it in errors. Raw files that it names are below the
    /// present folder.
    ///
    /// # Errors
    /// When the text is not in its form.
    pub fn read(text: &str, place: &str) -> Result<Self, CorpusError> {
        Self::of(file::read(text, place, Path::new(""))?)
    }

    fn of(scenarios: Vec<Scenario>) -> Result<Self, CorpusError> {
        let mut ids: BTreeMap<&str, &Scenario> = BTreeMap::new();
        for scenario in &scenarios {
            if let Some(first) = ids.insert(&scenario.id, scenario) {
                return Err(CorpusError::Scenario {
                    place: scenario.place.clone(),
                    line: scenario.line,
                    id: scenario.id.clone(),
                    what: format!("{}:{} has this id too; ids are given once", first.place, first.line),
                });
            }
        }
        Ok(Self { scenarios })
    }

    /// All scenarios, in the order of their files.
    #[must_use]
    pub fn all(&self) -> &[Scenario] {
        &self.scenarios
    }

    /// The scenarios of a split, in the order of their files; `None` if no scenario is in it.
    #[must_use]
    pub fn scenarios(&self, split: &str) -> Vec<&Scenario> {
        self.scenarios.iter().filter(|scenario| scenario.splits.iter().any(|name| name == split)).collect()
    }

    /// The scenario with this id.
    #[must_use]
    pub fn scenario(&self, id: &str) -> Option<&Scenario> {
        self.scenarios.iter().find(|scenario| scenario.id == id)
    }

    /// One hash over a split: ids and digests of its scenarios. Results name it (ARES-R3).
    ///
    /// # Errors
    /// When a raw file cannot be read.
    pub fn digest(&self, split: &str) -> Result<Digest, CorpusError> {
        let mut parts = vec![b"gimbal/corpus/1".to_vec(), split.as_bytes().to_vec()];
        for scenario in self.scenarios(split) {
            parts.push(scenario.id.as_bytes().to_vec());
            parts.push(scenario.digest()?.0.to_vec());
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Ok(Digest::of_parts(&parts))
    }
}

/// The files of scenarios below a folder. Links are not followed: a folder could hold itself.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CorpusError> {
    let unreadable = |error| CorpusError::Io { path: folder.to_path_buf(), error };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_dir() {
            find(&entry.path(), files)?;
        } else if kind.is_file() && entry.file_name() == "scenario.yaml" {
            files.push(entry.path());
        }
    }
    Ok(())
}
