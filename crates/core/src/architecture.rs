//! The seam to an architecture: how model calls are arranged.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::{GrammarKind, Halt, RecordKind, Stage, nearest};

/// What an architecture needs of an environment. The plan refuses a pair that does not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// Kinds of material that the brief must hold.
    pub materials: Vec<String>,
    /// Subjects in the brief.
    pub subjects: bool,
    /// A forkable environment.
    pub simulator: bool,
    /// Built-in policies by name.
    pub policies: Vec<String>,
    /// Context blocks by name.
    pub blocks: Vec<String>,
    /// Read-only queries by generic name.
    pub queries: Vec<String>,
    /// A call that ends the task with an answer (CYC-095).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answers: bool,
    /// Roles of which a model must be named (`default` stands in for any).
    pub roles: Vec<String>,
    /// What kinds of grammars a role's answers take, where it decodes under constraint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grammars: Vec<(String, GrammarKind)>,
    /// Roles whose requests offer tools for native calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub native: Vec<String>,
    /// Whether control goes from one part to another through the stage: without it no fault can divert it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub routes: bool,
    /// Whether messages go between agents through the stage: without them none can be lost or altered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub messages: bool,
}

/// What an environment offers to an architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offers {
    /// Kinds of material in the brief.
    pub materials: Vec<String>,
    /// Whether the brief names subjects.
    pub subjects: bool,
    /// Whether the environment can be forked.
    pub simulator: bool,
    /// Built-in policies by name.
    pub policies: Vec<String>,
    /// Context blocks by name.
    pub blocks: Vec<String>,
    /// Read-only queries by generic name.
    pub queries: Vec<String>,
    /// Whether its briefs name a call that ends the task with an answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answers: bool,
    /// Roles that the environment's own tools ask (`reader`, `judge`, `user`).
    pub asks: Vec<String>,
}

impl Needs {
    /// Adds what one agent of several needs by itself: its queries, its roles and how they answer. What it needs of the
    /// environment otherwise is for the architecture to say.
    pub fn add_agent(&mut self, agent: Self) {
        self.queries.extend(agent.queries);
        self.roles.extend(agent.roles);
        self.grammars.extend(agent.grammars);
        self.native.extend(agent.native);
    }

    /// Why the pair does not fit: a sentence for each thing that is missing. Empty when it fits.
    #[must_use]
    pub fn unmet(&self, offers: &Offers) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.subjects && !offers.subjects {
            reasons.push("it needs subjects, and this environment names none".to_owned());
        }
        if self.simulator && !offers.simulator {
            reasons.push("it needs an environment that can be forked".to_owned());
        }
        if self.answers && !offers.answers {
            reasons.push("it needs a call that ends the task with an answer, and this environment has none".to_owned());
        }
        let lists = [
            ("material", &self.materials, &offers.materials),
            ("policy", &self.policies, &offers.policies),
            ("context block", &self.blocks, &offers.blocks),
            ("query", &self.queries, &offers.queries),
        ];
        for (what, needed, offered) in lists {
            for name in needed.iter().filter(|name| !offered.contains(name)) {
                let known = if offered.is_empty() { "none".to_owned() } else { offered.join(", ") };
                let hint = nearest::hint(name, offered.iter().map(String::as_str));
                reasons.push(format!("it needs the {what} `{name}`{hint}; this environment offers: {known}"));
            }
        }
        reasons
    }
}

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
    /// The halt that ended it. A return without error means that it had nothing left to do.
    async fn play(&self, stage: &dyn Stage) -> Result<(), Halt>;

    /// The same architecture with what was made for these models, by role; none where that is this one. A graph that one
    /// model planned plays only in cells whose planner that model is.
    fn for_models(&self, models: &BTreeMap<String, String>) -> Option<Arc<dyn Architecture>> {
        let _ = models;
        None
    }

    /// What must be made before it can be played on an environment of this name, and how; none where nothing is missing.
    /// It may be planned and estimated all the same.
    fn lacks(&self, environment: &str) -> Option<String> {
        let _ = environment;
        None
    }
}

/// Files that a user may override: personas and the like. Read through this, so that architectures do no I/O.
pub trait Files: Send + Sync {
    /// The text of a file by its path in the data folder (`personas/planner/core.yaml`), and where it came from; none if
    /// there is no such file.
    ///
    /// # Errors
    /// When there is a file and it cannot be read: nothing else may silently take its place.
    fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError>;

    /// Paths below a folder, sorted.
    fn list(&self, folder: &str) -> Vec<String>;
}

/// A file that is there and cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{place}: cannot be read: {why}")]
pub struct FileError {
    /// The file, as a person would name it.
    pub place: String,
    /// Why, and how to mend it.
    pub why: String,
}

impl FileError {
    /// What the operating system says of the file at `place`.
    #[must_use]
    pub fn of(place: impl Into<String>, error: &std::io::Error) -> Self {
        let why = match error.kind() {
            std::io::ErrorKind::InvalidData => "it is no UTF-8 text; save it as UTF-8".to_owned(),
            std::io::ErrorKind::IsADirectory => "it is a folder; a file is wanted here".to_owned(),
            _ => error.to_string(),
        };
        Self { place: place.into(), why }
    }
}

/// What is wrong with the settings of an architecture.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct BuildError(pub String);

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
}

#[cfg(test)]
mod tests {
    use super::{Needs, Offers};

    #[test]
    fn says_what_is_missing_and_what_there_is() {
        let needs = Needs { blocks: vec!["status".to_owned()], simulator: true, ..Needs::default() };
        let offers = Offers { blocks: vec!["observation".to_owned()], ..Offers::default() };
        assert_eq!(
            needs.unmet(&offers),
            [
                "it needs an environment that can be forked",
                "it needs the context block `status`; this environment offers: observation",
            ]
        );
        assert!(Needs::default().unmet(&offers).is_empty());
    }
}
