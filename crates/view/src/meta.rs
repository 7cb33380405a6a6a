//! What a report says of its run, apart from the rows.

use serde::{Deserialize, Serialize};

/// Facts of a run, taken from its folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// Study name.
    pub study: String,
    /// What the study asks, in a sentence, if its file says.
    pub question: Option<String>,
    /// Whether the run goes on now: what it lacks is still to be played, and not missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_progress: bool,
    /// Version of the program that played it.
    pub program_version: String,
    /// Hash of the study as resolved.
    pub study_hash: Option<String>,
    /// Digest of the run: one hash over every episode's chain.
    pub digest: Option<String>,
    /// Further facts in order, such as an environment with its behaviour number or the hash of weights.
    pub facts: Vec<(String, String)>,
    /// Price table in force, if any.
    pub prices: Option<PriceTable>,
    /// Commands that make this report again, one a line.
    pub commands: Vec<String>,
}

/// The prices that money is counted with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PriceTable {
    /// Date of the table, as written in it.
    pub date: String,
    /// Where the prices were read.
    pub source: String,
    /// Prices of the models in this run.
    pub models: Vec<Price>,
}

/// Dollars per million tokens; `None` where the table has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Model name.
    pub model: String,
    /// Prompt tokens.
    pub input: Option<f64>,
    /// Cached prompt tokens.
    pub cached_input: Option<f64>,
    /// Completion tokens.
    pub output: Option<f64>,
}
