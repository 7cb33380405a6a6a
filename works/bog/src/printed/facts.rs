//! Shape of `papers/bog.yaml`.

use std::collections::BTreeMap;

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::{KnownMiss, read_facts};
use serde::{Deserialize, Serialize};

use super::shapes::{
    BestLevel, ByModel, PaperClaim, PaperGroup, PaperRange, PaperRanks, PaperTotals, Repeated, TokenProfile,
};

/// The facts of the first work, as printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BogFacts {
    /// Short name of the work.
    pub work: String,
    /// Shift of the shifted efficiency (App. F).
    pub shift: f64,
    /// Catastrophic below this return (Sec. 4).
    pub catastrophic_below: f64,
    /// Confidence of the intervals (App. E).
    pub confidence: f64,
    /// Baseline configuration of RPTS.
    pub baseline: String,
    /// Models in the order of the tables.
    pub models: Vec<String>,
    /// Configurations in the order of Tab. 3.
    pub configurations: Vec<Configuration>,
    /// The matrix: one entry a configuration and model.
    pub cells: Vec<PaperCell>,
    /// Tab. 7.
    pub marginals: Vec<Marginal>,
    /// Tab. 8.
    pub degradation: Degradation,
    /// Configuration that deliberation is measured against (Tab. 13).
    pub anchor: String,
    /// Tab. 13.
    pub deliberation: Vec<Deliberation>,
    /// Tab. 25.
    pub paired: Vec<PaperPaired>,
    /// Tab. 15.
    pub win_tie_loss: PaperRecords,
    /// Tab. 2.
    pub reference_returns: Vec<ReferenceReturn>,
    /// Numbers of the matrix that other tables print again.
    #[serde(default)]
    pub repeated: Vec<Repeated>,
    /// Tab. 9: the best level of deliberation of one agent.
    #[serde(default)]
    pub best_levels: Vec<BestLevel>,
    /// Tab. 10, 14, 17-19: best and worst configurations.
    #[serde(default)]
    pub ranges: Vec<PaperRange>,
    /// Tab. 16.
    #[serde(default)]
    pub groups: Vec<PaperGroup>,
    /// Tab. 20.
    #[serde(default)]
    pub ranks: Vec<PaperRanks>,
    /// Tab. 32.
    #[serde(default)]
    pub token_profiles: Vec<TokenProfile>,
    /// Prompt tokens that cost as much as one completion token, by model: prices of today, which the work does not print.
    #[serde(default)]
    pub completion_weights: ByModel,
    /// Tab. 34.
    #[serde(default)]
    pub totals: Option<PaperTotals>,
    /// Numbers of the text.
    #[serde(default)]
    pub claims: Vec<PaperClaim>,
    /// Printed numbers that are known not to follow from the printed inputs.
    #[serde(default)]
    pub known_misses: Vec<KnownMiss>,
}

/// A configuration and its axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// Label.
    pub name: String,
    /// Axis.
    pub axis: String,
}

/// One configuration on one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperCell {
    /// Configuration label.
    pub configuration: String,
    /// Model label.
    pub model: String,
    /// Episodes (Tab. 34).
    pub episodes: u32,
    /// Mean return (Tab. 3).
    pub mean: f64,
    /// SD (Tab. 6, 22).
    pub sd: f64,
    /// Minimum (Tab. 22).
    pub min: f64,
    /// Catastrophic rate in percent (Tab. 23).
    pub catastrophic_percent: f64,
    /// Half width of the 95% interval (Tab. 24).
    pub half_width: f64,
    /// Kilotokens an episode (Tab. 3).
    pub kilotokens: f64,
    /// RPTS (Tab. 4); none for the baseline.
    #[serde(default)]
    pub rpts: Option<f64>,
    /// Shifted efficiency (Tab. 26-31).
    pub shifted_efficiency: f64,
}

/// Marginal percent of one change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marginal {
    /// Old configuration.
    pub from: String,
    /// New configuration.
    pub to: String,
    /// Percent by model.
    pub percent: ByModel,
}

/// Degradation ratios.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Degradation {
    /// Denominator.
    pub from: String,
    /// Numerator.
    pub to: String,
    /// Ratio by model.
    pub ratio: ByModel,
}

/// What one deliberation level gains and costs over the anchor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deliberation {
    /// Configuration label.
    pub configuration: String,
    /// Return gained by model.
    pub return_gained: ByModel,
    /// Kilotokens added by model.
    pub kilotokens_added: ByModel,
}

/// A row of paired differences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperPaired {
    /// Configuration label, or `best-context`.
    pub first: String,
    /// Configuration label, or `best-deliberation`.
    pub second: String,
    /// Mean paired difference by model.
    pub difference: ByModel,
    /// Half width of its 95% interval by model.
    pub half_width: ByModel,
    /// Models whose number is printed as excluding zero.
    pub marked: Vec<String>,
}

/// Wins, ties and losses of one configuration against another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperRecords {
    /// First configuration.
    pub first: String,
    /// Second configuration.
    pub second: String,
    /// By model.
    pub outcome: BTreeMap<String, PaperRecord>,
}

/// One model's wins, ties and losses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperRecord {
    /// Wins.
    pub wins: u32,
    /// Ties.
    pub ties: u32,
    /// Losses.
    pub losses: u32,
    /// Matched episodes.
    pub total: u32,
    /// Wins in percent.
    #[serde(default)]
    pub win_percent: Option<f64>,
    /// Losses in percent.
    #[serde(default)]
    pub loss_percent: Option<f64>,
}

/// A reference return of Tab. 2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceReturn {
    /// Name as printed.
    pub name: String,
    /// Return.
    #[serde(rename = "return")]
    pub value: f64,
}

impl BogFacts {
    /// Reads a facts file; `place` is what messages call it.
    ///
    /// # Errors
    /// When the text does not have this shape.
    pub fn parse(text: &str, place: &str) -> Result<Self, AnalysisError> {
        read_facts(text, place)
    }

    /// The cell of a configuration on a model.
    #[must_use]
    pub fn cell(&self, configuration: &str, model: &str) -> Option<&PaperCell> {
        self.cells.iter().find(|cell| cell.configuration == configuration && cell.model == model)
    }

    /// Labels of one axis, in order.
    #[must_use]
    pub fn axis(&self, axis: &str) -> Vec<&str> {
        self.configurations.iter().filter(|entry| entry.axis == axis).map(|entry| entry.name.as_str()).collect()
    }
}
