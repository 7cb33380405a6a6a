//! How rows are analysed.

use serde::{Deserialize, Serialize};

/// Random sign flips above the exact limit.
const FLIPS: u32 = 20_000;

/// Which cell the others are measured against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineChoice {
    /// The cell of this configuration with the same environment, models, decoding and faults (BOG-163: one baseline a model);
    /// where there is none, the cell of this configuration that plays the same environment without a model.
    Configuration(String),
    /// One cell, by id, for all cells of its environment.
    Cell(String),
}

/// How to analyse.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Baseline of RPTS and of the paired differences; none leaves these out.
    pub baseline: Option<BaselineChoice>,
    /// Confidence of every interval, such as 0.95.
    pub confidence: f64,
    /// Bootstrap resamples for intervals of ratios.
    pub resamples: u32,
    /// Seed of the bootstrap and of permutation tests.
    pub seed: u64,
    /// Fewest units (episodes, or clusters of them where several tasks were played) for a bootstrap interval: with fewer the resamples repeat one another and flatter.
    pub bootstrap_minimum: usize,
    /// Random sign flips of the permutation test above the number of pairs that is counted exactly; 0 leaves the test out.
    pub flips: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { baseline: None, confidence: 0.95, resamples: 4_000, seed: 1, bootstrap_minimum: 10, flips: FLIPS }
    }
}

impl Options {
    /// The confidence in percent, without the noise of a binary fraction.
    #[must_use]
    pub fn percent(&self) -> f64 {
        (100.0 * self.confidence * 1e6).round() / 1e6
    }
}
