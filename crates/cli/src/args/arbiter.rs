//! Arguments of `gimbal arbiter`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{TableFormat, at_least_one};

/// Verbs of `gimbal arbiter`.
#[derive(Debug, Subcommand)]
pub enum ArbiterVerb {
    /// Writes the conflicts that runs labelled by rollouts, to learn from
    Collect(CollectArgs),
    /// Writes synthetic conflicts with a planted rule, to try the other verbs without an environment
    Generate(GenerateArgs),
    /// Shows what a file of conflicts holds: subjects of conflict, outcomes, ties, parts
    Stats(StatsArgs),
    /// Searches the weights of the rule for the least regret on the training part, and prints their regret on the test part
    Tune(TuneArgs),
    /// Trains a network on conflicts with simulated values, and writes its weights
    Train(TrainArgs),
    /// Measures weights on conflicts: accuracy, regret, the share of each rule's gap that is closed, outcomes
    Eval(EvalArgs),
    /// Trains the classifier of authority and compares it with the rule, on words that it has seen and words that it has not
    Authority(AuthorityArgs),
    /// Shows what a file of weights holds and how it was made
    Show {
        /// File of weights
        weights: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// `gimbal arbiter collect`.
#[derive(Debug, Args)]
#[command(
    after_help = "A study labels conflicts where an architecture `temporal` has `rollouts`, such as studies/ctha-labels.yaml."
)]
pub struct CollectArgs {
    /// Run folders, or names of studies below `runs/`
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// File of conflicts to write
    #[arg(long, short, value_name = "FILE", default_value = "conflicts.jsonl")]
    pub out: PathBuf,
}

/// `gimbal arbiter generate`.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// File of conflicts to write
    #[arg(long, value_name = "FILE", default_value = "conflicts.jsonl")]
    pub out: PathBuf,
    /// How many conflicts
    #[arg(long, value_name = "N", default_value_t = 3_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub conflicts: u32,
    /// Seed of the draws
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
}

/// `gimbal arbiter stats`.
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// File of conflicts
    pub conflicts: PathBuf,
    /// What to print
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
}

/// `gimbal arbiter tune`.
#[derive(Debug, Args)]
#[command(
    after_help = "One weight after the other is set to the best value of its grid, until none gets better: bases of layers 0 to 1 by 0.1, urgency and confidence\n                  -0.5 to 1.5 by 0.1, margin 0, 0.05, 0.1 or 0.2, policies and emergencies before the score or not, the faster or the slower of two tied parties.\n                  Each environment counts alike, by the share of random's regret that is left.\n                  Copy `weights` of the file into an architecture `temporal` of a study to play with them."
)]
pub struct TuneArgs {
    /// File of conflicts
    pub conflicts: PathBuf,
    /// File to write, JSON
    #[arg(long, short, value_name = "FILE", default_value = "rule.json")]
    pub out: PathBuf,
    /// Starts that are drawn, beside the default weights and those that keep the faster and the slower layer
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub starts: u32,
    /// Seed of the starts
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// Weight conflicts to the mix of subjects of conflict that the work prints
    #[arg(long)]
    pub published_mix: bool,
    /// Conflicts that are held out
    #[command(flatten)]
    pub held: HeldOut,
    /// What to print of the test part
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
}

/// Conflicts that are tested on and never learned from.
#[derive(Debug, Args)]
pub struct HeldOut {
    /// Hold out an environment: it is tested on and never learned from (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub hold_out: Vec<String>,
    /// Hold out a level of noise, in thousandths (may be repeated)
    #[arg(long, value_name = "THOUSANDTHS")]
    pub hold_out_noise: Vec<i64>,
}

/// `gimbal arbiter train`.
#[derive(Debug, Args)]
#[cfg_attr(not(feature = "arbiter-train"), allow(dead_code, reason = "without training nobody reads them"))]
#[command(
    after_help = "Presets: test (a tiny encoder, within a minute), linear, mlp, small (2 x 128), published (4 x 256, 5.85 million parameters).\n\
                  Conflicts are divided by the seeds of their episodes: 8 tenths to learn from, 1 to decide when to stop, 1 to test.\n\
                  After every epoch a checkpoint is written beside the weights; the same command goes on from it.\n\
                  Training needs a build with the feature arbiter-train."
)]
pub struct TrainArgs {
    /// File of conflicts
    pub conflicts: PathBuf,
    /// Named settings: test, linear, mlp, small, published
    #[arg(long, value_name = "NAME", default_value = "small")]
    pub preset: String,
    /// Seed of first weights, order and dropout
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// File of weights to write
    #[arg(long, value_name = "FILE", default_value = "arbiter.weights")]
    pub out: PathBuf,
    /// Form of the matrices in it
    #[arg(long, value_enum, default_value_t = WeightForm::Q8_0)]
    pub form: WeightForm,
    /// Most epochs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub epochs: Option<u32>,
    /// Most conflicts to learn from, for learning curves; a smaller set is within every larger one
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub most: Option<usize>,
    /// Conflicts that are held out
    #[command(flatten)]
    pub held: HeldOut,
    /// Leave out an input (may be repeated)
    #[arg(long, value_enum, value_name = "INPUT")]
    pub without: Vec<Left>,
    /// Control: put 0 into a column, such as confidence (may be repeated)
    #[arg(long, value_name = "COLUMN")]
    pub mask: Vec<String>,
    /// Control: deal out the values of candidates anew within each conflict
    #[arg(long)]
    pub shuffle_labels: bool,
    /// Weight conflicts to the mix of subjects of conflict that the work prints
    #[arg(long)]
    pub published_mix: bool,
}

/// `gimbal arbiter authority`.
#[derive(Debug, Args)]
#[cfg_attr(not(feature = "arbiter-train"), allow(dead_code, reason = "without training nobody reads them"))]
#[command(
    after_help = "Examples are made from phrases and labelled by the scopes of the layers. The classifier sees words alone; the rule is given the kind of a \
                  decision, either the one that the words describe or the one that the form claims.\n\
                  Training needs a build with the feature arbiter-train."
)]
pub struct AuthorityArgs {
    /// Examples to learn from; each is labelled for five layers
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(16..=1_000_000))]
    pub examples: u32,
    /// Epochs
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub epochs: u32,
    /// Seed of examples, first weights, order and dropout
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// Write the weights of the MLP, in Q8_0, into this file
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
}

/// Form of matrices in a file of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WeightForm {
    /// 32-bit numbers
    F32,
    /// 8-bit integers in blocks of 32
    #[value(name = "q8_0")]
    Q8_0,
}

/// An input that may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Left {
    /// The table of actions
    Actions,
    /// The vector of the context
    Context,
}

/// `gimbal arbiter eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// File of weights
    pub weights: PathBuf,
    /// File of conflicts
    pub conflicts: PathBuf,
    /// Rule with weights of its own, as `tune` writes it: a further row `tuned`
    #[arg(long, value_name = "FILE")]
    pub rule: Option<PathBuf>,
    /// Weight conflicts to the mix of subjects of conflict that the work prints
    #[arg(long)]
    pub published_mix: bool,
    /// Which part of the conflicts
    #[arg(long, value_enum, default_value_t = ConflictPart::Test)]
    pub part: ConflictPart,
    /// Conflicts that are held out
    #[command(flatten)]
    pub held: HeldOut,
    /// Only the rows of this grouping
    #[arg(long, value_enum)]
    pub by: Option<Grouping>,
    /// What to print
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
}

/// A part of the conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConflictPart {
    /// What is learned from
    Train,
    /// What decides when to stop
    Validation,
    /// What is never learned from; with --hold-out only what is held out
    Test,
    /// All conflicts
    All,
}

/// A grouping of conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Grouping {
    /// All conflicts together
    All,
    /// By environment
    Environment,
    /// By kind of conflict
    Kind,
    /// By noise of the players
    Noise,
}
