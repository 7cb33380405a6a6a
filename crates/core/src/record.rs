//! Kinds of record: what a controller or an engine writes to the journal about itself.
//!
//! The form of a record is a type elsewhere; here is what a list of kinds needs: the name, a check of stored data, and their words.

use std::collections::BTreeMap;

use thiserror::Error;

/// Stored data of a known kind that do not have the form of that kind.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the record `{kind}` cannot be read: {}{why}", at(.key))]
pub struct RecordError {
    /// The kind.
    pub kind: &'static str,
    /// The key at which reading failed; empty for the record as a whole.
    pub key: String,
    /// What was found there, and what was expected.
    pub why: String,
}

fn at(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!("`{key}`: ") }
}

/// A kind of record.
#[derive(Clone, Copy, Debug)]
pub struct RecordKind {
    /// Its name in the journal. One name has one form in all systems.
    pub name: &'static str,
    /// Checks stored data against the form.
    pub check: fn(&str) -> Result<(), RecordError>,
    /// Stored data in words; `None` if the kind has none, and an empty text where the lines around it say the same.
    pub tell: fn(&str, &mut StoryMemory) -> Result<Option<String>, RecordError>,
    /// Whether the words leave things out, so that a story with whole texts shows the data as they are stored.
    pub is_short: bool,
    /// Whether a record of this kind is about what was done before it: the step that is over, or the whole episode.
    pub is_behind: bool,
}

/// What the records of an episode that were put into words so far leave for later ones: words by key.
#[derive(Clone, Debug, Default)]
pub struct StoryMemory(BTreeMap<String, String>);

impl StoryMemory {
    /// Keeps words under a key. Keys of a kind begin with its name, so that kinds do not meet.
    pub fn keep(&mut self, key: impl Into<String>, words: impl Into<String>) {
        self.0.insert(key.into(), words.into());
    }

    /// The words that were kept last under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }
}

/// All kinds that a program knows.
#[derive(Clone, Debug, Default)]
pub struct RecordKinds(Vec<RecordKind>);

impl RecordKinds {
    /// These kinds. Systems that share a kind may both name it.
    #[must_use]
    pub fn new(kinds: impl IntoIterator<Item = RecordKind>) -> Self {
        let mut known: Vec<RecordKind> = Vec::new();
        for kind in kinds {
            if !known.iter().any(|other| other.name == kind.name) {
                known.push(kind);
            }
        }
        Self(known)
    }

    /// The kind called `name`; `None` where no system registers it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RecordKind> {
        self.0.iter().find(|kind| kind.name == name)
    }

    /// Checks stored data of a kind. Data of an unknown kind are as they are.
    ///
    /// # Errors
    /// When the kind is known and the data do not have its form.
    pub fn check(&self, name: &str, data: &str) -> Result<(), RecordError> {
        self.get(name).map_or(Ok(()), |kind| (kind.check)(data))
    }

    /// Stored data in words; `None` for unknown kinds and for kinds without words.
    ///
    /// # Errors
    /// When the kind is known and the data do not have its form.
    pub fn tell(&self, name: &str, data: &str, memory: &mut StoryMemory) -> Result<Option<String>, RecordError> {
        self.get(name).map_or(Ok(None), |kind| (kind.tell)(data, memory))
    }
}
