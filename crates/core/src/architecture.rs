//! The seam to an architecture: how model calls are arranged.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use thiserror::Error;

use crate::fit::Needs;
use crate::{EpisodeStopped, RecordKind, Stage, ToolSpec};

/// How model calls are arranged to play an episode.
#[async_trait]
pub trait Architecture: Send + Sync {
    /// What it needs of an environment.
    fn needs(&self) -> Needs;

    /// Everything that decides its behaviour, defaults and personas written out: part of the episode key.
    fn resolved(&self) -> Value;

    /// Plays the episode to its end.
    ///
    /// # Errors
    /// What stopped it. A return without error means that it had nothing left to do.
    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped>;

    /// The same architecture with what was made for these models, by role; `None` where that is this one. A graph that one
    /// model planned plays only in cells whose planner that model is.
    fn for_models(&self, models: &BTreeMap<String, String>) -> Option<Arc<dyn Architecture>> {
        let _ = models;
        None
    }

    /// Whether its agents only write messages, and code makes every call: then what they wrote decides whether a model acted,
    /// and not the calls.
    fn acts_by_messages(&self) -> bool {
        false
    }

    /// What of it does not fit the tools of an environment of this name: a graph whose subtasks name tools that the environment's options
    /// leave out. `None` if all fits. `tools` are those of the environment under its options; they are asked for where they matter.
    fn misfit(&self, environment: &str, tools: &dyn Fn() -> Option<Arc<[ToolSpec]>>) -> Option<String> {
        let _ = (environment, tools);
        None
    }

    /// What must be made before it can be played on an environment of this name, and how; `None` where nothing is missing.
    /// It may be planned and estimated nevertheless.
    fn lacks(&self, environment: &str) -> Option<String> {
        let _ = environment;
        None
    }
}

/// Files that a user may override: personas and the like. Read through this, so that architectures do no I/O.
pub trait Files: Send + Sync {
    /// The text of a file by its path in the data folder (`personas/planner/core.yaml`), and where it came from; `None` if
    /// there is no such file.
    ///
    /// # Errors
    /// When there is a file and it cannot be read: nothing else may silently take its place.
    fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError>;

    /// The bytes of a file by its path, at most `most` of them, and where it came from; `None` if there is no such file. Where
    /// nothing else is said, the bytes of a text.
    ///
    /// # Errors
    /// As [`Files::read`], and when the file has more than `most` bytes.
    fn read_bytes(&self, path: &str, most: u64) -> Result<Option<(Vec<u8>, String)>, FileError> {
        match self.read(path)? {
            Some((text, place)) if text.len() as u64 > most => {
                Err(FileError::too_large(place, text.len() as u64, most))
            }
            found => Ok(found.map(|(text, place)| (text.into_bytes(), place))),
        }
    }

    /// Paths below a folder, sorted.
    fn list(&self, folder: &str) -> Vec<String>;
}

/// A file that is there and cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{place}: cannot be read: {why}")]
pub struct FileError {
    /// The file, as a person would name it.
    pub place: String,
    /// Why, and how to fix it.
    pub why: String,
}

impl FileError {
    /// The operating system's error for the file at `place`.
    #[must_use]
    pub fn of(place: impl Into<String>, error: &std::io::Error) -> Self {
        let why = match error.kind() {
            std::io::ErrorKind::InvalidData => "it is not UTF-8 text; save it as UTF-8".to_owned(),
            std::io::ErrorKind::IsADirectory => "it is a folder, and a file is expected here".to_owned(),
            _ => error.to_string(),
        };
        Self { place: place.into(), why }
    }

    /// The file at `place` has more than `most` bytes.
    #[must_use]
    pub fn too_large(place: impl Into<String>, found: u64, most: u64) -> Self {
        let why = format!("it has {found} bytes, and at most {most} are read; name a smaller file");
        Self { place: place.into(), why }
    }
}

/// What is wrong with the settings of an architecture.
#[derive(Clone, Debug, Default, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct BuildError {
    /// Path of the setting, such as `arbiter.gate`; empty where no single one is at fault.
    pub key: String,
    /// Whether this setting is missing.
    pub is_missing: bool,
    /// What is wrong and what would be right.
    pub message: String,
}

impl BuildError {
    /// An error of the settings as a whole.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// The same, of one setting.
    #[must_use]
    pub fn at(self, key: impl Into<String>) -> Self {
        Self { key: key.into(), ..self }
    }

    /// The same, of a setting that is missing.
    #[must_use]
    pub fn missing(self, key: impl Into<String>) -> Self {
        Self { key: key.into(), is_missing: true, ..self }
    }
}

/// A family of architectures, by which a study finds one.
pub trait ArchitectureKind: Send + Sync {
    /// Registry name: `baseline`, `react`, ...
    fn name(&self) -> &'static str;

    /// JSON Schema of its settings (without `base` and `name`).
    fn schema(&self) -> Value;

    /// Builds it from its settings; unknown keys are errors.
    ///
    /// # Errors
    /// Which key or file is wrong, and what would be right.
    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError>;

    /// Kinds of record that its controllers and agents write.
    fn records(&self) -> Vec<RecordKind>;

    /// A message of its agents in words, by the name of its form; `None` for other messages, and where the text as it is says it best. `whole`
    /// asks for words that leave nothing out.
    fn tell_message(&self, _form: &str, _message: &str, _whole: bool) -> Option<String> {
        None
    }

    /// Who sends and gets messages beside agents, which have the names of their roles.
    fn parties(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether its control is a graph of subtasks, which a planner may make in every episode.
    fn has_graph(&self) -> bool {
        false
    }
}
