//! Conflicts, and what is made of them.

use gimbal_core::Milli;
use gimbal_temporal::Layer;
use gimbal_temporal::rollout::{Resolution, row};
use serde::{Deserialize, Serialize};

/// What the first line says the file is.
pub const FORMAT: &str = "gimbal-conflicts";
/// The version of the format that is read and written.
///
/// Version 1 had neither the column [`ACTION`] nor a context where conflicts were collected from runs.
pub const VERSION: u32 = 2;
/// The column that holds a place in the table of actions: a hash of the action, a whole number.
pub const ACTION: &str = "action";
/// The name of the column before all others in the rows that a scorer gets: the place of the party's layer, from 0.
pub const LAYER: &str = "layer";

/// The first line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// Names of a party's features, in their order.
    pub columns: Vec<String>,
    /// Length of the vector of a conflict's context; 0 where there is none.
    #[serde(default)]
    pub context: usize,
    /// Names of the rules whose choices are stored.
    #[serde(default)]
    pub rules: Vec<String>,
}

/// A conflict among layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conflict {
    /// Its name, for messages.
    pub id: String,
    /// The environment; no feature.
    pub environment: String,
    /// Seed of the episode; no feature. All conflicts of an episode are in the same part.
    pub seed: u64,
    /// Noise of the players, in thousandths.
    pub noise: Milli,
    /// What kind of conflict it is, for tables: `resource`, `effect`, or several words joined by `+`.
    pub kind: String,
    /// Who is in it.
    pub parties: Vec<Party>,
    /// Pairs of parties that exclude one another, by place; empty where the file does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excludes: Vec<(usize, usize)>,
    /// The vector of the context, as long as the header says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<f32>,
    /// The ways to settle it.
    pub candidates: Vec<Candidate>,
    /// For each rule of the header, the place of the candidate that it chooses.
    #[serde(default)]
    pub choices: Vec<usize>,
    /// The place of the candidate with the highest mean.
    pub best: usize,
    /// Whether the best one cannot be told from the second: the paired 95% interval covers 0.
    pub tied: bool,
    /// How often it counts, for data that are weighted to another mix.
    #[serde(default = "once")]
    pub weight: f32,
}

/// One party of a conflict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Party {
    /// Its layer.
    pub layer: Layer,
    /// Its features, one for each column of the header.
    pub features: Vec<f32>,
}

/// A set of parties that may be kept, and its outcome when the rest of the episode was simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// Places of the parties that are kept, ascending.
    pub kept: Vec<usize>,
    /// The sets of parties in conflict that lead to it when a rule leaves them; empty where the file does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<Vec<usize>>,
    /// Mean return of the rest of the episode.
    pub mean: f64,
    /// Its standard error; 0 where the environment has no chance.
    #[serde(default)]
    pub error: f64,
    /// Whether it turned out well; `None` if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<bool>,
}

/// All conflicts of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// What the columns are.
    pub header: Header,
    /// Conflicts, in the order of the file.
    pub conflicts: Vec<Conflict>,
}

const fn once() -> f32 {
    1.0
}

impl Header {
    /// The header of a file with these columns, a context of this length and these rules.
    #[must_use]
    pub fn new(columns: &[&str], context: usize, rules: &[&str]) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self { format: FORMAT.to_owned(), version: VERSION, columns: owned(columns), context, rules: owned(rules) }
    }

    /// The place of a column, among the features.
    #[must_use]
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }
}

impl Conflict {
    /// The rows that a scorer gets: for each party the place of its layer, its features, and the context.
    #[must_use]
    pub fn rows(&self) -> Vec<Vec<f32>> {
        self.parties.iter().map(|party| row(party.layer, &party.features, &self.context)).collect()
    }

    /// Who gives way in a candidate, by the pairs that exclude one another.
    #[must_use]
    pub fn resolution(&self, candidate: usize) -> Option<Resolution> {
        let layers: Vec<Layer> = self.parties.iter().map(|party| party.layer).collect();
        Some(Resolution::of(&layers, &self.excludes, &self.candidates.get(candidate)?.kept))
    }

    /// What is lost by choosing a candidate and not the best one. 0 for a candidate that does not exist.
    #[must_use]
    pub fn regret(&self, candidate: usize) -> f64 {
        match (self.candidates.get(self.best), self.candidates.get(candidate)) {
            (Some(best), Some(chosen)) => best.mean - chosen.mean,
            _ => 0.0,
        }
    }
}

/// The candidate that scores choose: the one whose parties have the highest sum. Of several with the same sum the first; none of no candidates.
#[must_use]
pub fn chosen(scores: &[i64], candidates: &[Candidate]) -> Option<usize> {
    gimbal_temporal::rollout::chosen(scores, candidates.iter().map(|candidate| candidate.kept.as_slice()))
}
