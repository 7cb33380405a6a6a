//! Shape of `papers/ares.yaml`.

use std::collections::BTreeMap;

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::{self, KnownMiss, read_facts};
use serde::{Deserialize, Serialize};

use super::Formula;

/// The facts of the work, as printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AresFacts {
    /// Short name of the work.
    pub work: String,
    /// Printed lists of numbers, by name.
    pub lists: BTreeMap<String, Vec<f64>>,
    /// Printed numbers that follow from others.
    pub claims: Vec<Claim>,
    /// Printed numbers that are known not to follow.
    #[serde(default)]
    pub known_misses: Vec<KnownMiss>,
}

/// A printed number, and what it follows from.
pub type Claim = papers::Claim<Formula>;

impl AresFacts {
    /// Reads facts; `place` is what messages call the text.
    ///
    /// # Errors
    /// When the text holds no facts: where, and what is wrong.
    pub fn parse(text: &str, place: &str) -> Result<Self, AnalysisError> {
        read_facts(text, place)
    }

    /// A printed list.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn list(&self, name: &str) -> Result<&[f64], AnalysisError> {
        self.lists.get(name).map(Vec::as_slice).ok_or_else(|| AnalysisError::Facts {
            place: format!("lists, `{name}`"),
            what: "a claim names it and the lists lack it: add the list".to_owned(),
        })
    }
}
