//! Shape of what `papers/bog.yaml` holds beyond the matrix: tables and claims that follow from it.

use std::collections::BTreeMap;

use gimbal_analysis::papers::Relation;
use serde::{Deserialize, Serialize};

/// Numbers by model name.
pub type ByModel = BTreeMap<String, f64>;

/// Numbers of a cell that another table prints again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeated {
    /// Table that prints them.
    pub table: String,
    /// Configuration.
    pub configuration: String,
    /// Model.
    pub model: String,
    /// Mean return.
    #[serde(default)]
    pub mean: Option<f64>,
    /// SD with one digit.
    #[serde(default)]
    pub sd: Option<f64>,
    /// SD without digits.
    #[serde(default)]
    pub sd_rounded: Option<f64>,
    /// Worst episode.
    #[serde(default)]
    pub min: Option<f64>,
    /// Thousand tokens an episode.
    #[serde(default)]
    pub kilotokens: Option<f64>,
    /// Episodes.
    #[serde(default)]
    pub episodes: Option<u32>,
}

/// The best level of deliberation of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BestLevel {
    /// Model.
    pub model: String,
    /// Mean return.
    pub mean: f64,
    /// Thousand tokens an episode.
    pub kilotokens: f64,
}

/// Best and worst configuration of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperRange {
    /// Table.
    pub table: String,
    /// Model.
    pub model: String,
    /// Axis, or `all`; deliberation counts from the anchor up.
    pub among: String,
    /// Worst configuration.
    pub worst: String,
    /// Its mean return.
    pub worst_mean: f64,
    /// Best configuration.
    pub best: String,
    /// Its mean return.
    pub best_mean: f64,
    /// Best minus worst.
    #[serde(default)]
    pub gap: Option<f64>,
    /// Best over worst in percent of the worst one's size.
    #[serde(default)]
    pub improvement_percent: Option<f64>,
}

/// A group of configurations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperGroup {
    /// Axis, or `anchor`.
    pub group: String,
    /// Mean over its cells' mean returns.
    pub mean: f64,
    /// Highest of them.
    pub best: f64,
    /// Lowest of them.
    pub worst: f64,
    /// Mean over its cells' thousand tokens.
    pub kilotokens: f64,
}

/// Ranks of a model, 1 is best.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperRanks {
    /// Model.
    pub model: String,
    /// By its contexts.
    pub context: u32,
    /// By its levels of deliberation.
    pub deliberation: u32,
    /// By its hierarchies.
    pub hierarchy: u32,
    /// By all.
    pub overall: u32,
}

/// Prompt and completion tokens of a cell, in thousands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenProfile {
    /// Configuration.
    pub configuration: String,
    /// Model.
    pub model: String,
    /// Prompt.
    pub prompt: f64,
    /// Completion.
    pub completion: f64,
    /// Both.
    pub total: f64,
    /// Prompt over completion.
    pub ratio: f64,
}

/// Totals of episodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperTotals {
    /// Episodes by model.
    pub episodes: ByModel,
    /// Steps of an episode.
    pub steps_of_an_episode: u32,
}

/// A number of the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperClaim {
    /// Requirement or resolution that it belongs to.
    pub claim: String,
    /// What the number is of.
    pub place: String,
    /// Where it is.
    pub source: String,
    /// As printed.
    pub printed: f64,
    /// Digits after the point.
    #[serde(default)]
    pub digits: i32,
    /// What the text says of the number.
    #[serde(default)]
    pub relation: Relation,
    /// How it follows from the matrix.
    pub of: Formula,
}

/// How a number follows from the matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are labels of configurations, models and axes")]
pub enum Formula {
    /// Pairs of model and configuration.
    Pairs,
    /// Episodes.
    Episodes,
    /// Environment steps.
    Steps,
    /// Tokens of all episodes, in millions.
    MillionTokens,
    /// Marginal change in percent.
    MarginalPercent { from: String, to: String, model: String },
    /// Ratio of returns.
    Degradation { from: String, to: String, model: String },
    /// Least ratio of tokens over the models.
    LeastTokenRatio { from: String, to: String },
    /// Largest ratio of tokens over the models.
    MostTokenRatio { from: String, to: String },
    /// Models on which the first returns more.
    ModelsBetter { first: String, second: String },
    /// Models whose best of an axis (or `all`) is this configuration.
    ModelsBestAt { configuration: String, among: String },
    /// Models with a configuration of the axis on their frontier.
    ModelsWithFrontier { axis: String },
    /// Models on which the first is cheaper and returns more.
    ModelsDominated { first: String, second: String },
    /// Thousand tokens of a cell.
    Kilotokens { configuration: String, model: String },
    /// SD of a cell.
    Sd { configuration: String, model: String },
    /// Catastrophic rate of a cell in percent.
    CatastrophicPercent { configuration: String, model: String },
    /// Lowest catastrophic rate of a model's cells in percent.
    LeastCatastrophicPercent { model: String },
    /// Least prompt-to-completion ratio over the models.
    LeastProfileRatio { configuration: String },
    /// Largest prompt-to-completion ratio over the models.
    MostProfileRatio { configuration: String },
    /// Models on which two configurations keep their order by shifted efficiency when tokens are weighted by price.
    ModelsInOrderByPrice { first: String, second: String },
}
