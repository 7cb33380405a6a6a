//! The arguments of the program.

mod arbiter;
mod env;
mod evidence;
mod graph;
mod models;
mod results;
mod rules;
mod temporal;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use arbiter::{
    ArbiterVerb, CollectArgs, ConflictPart, EvalArgs, GenerateArgs, Grouping, HeldOut, StatsArgs, TuneArgs,
};
#[cfg(feature = "arbiter-train")]
pub use arbiter::{AuthorityArgs, Left, TrainArgs, WeightForm};
pub use env::{Draws, EnvPlay, EnvSettings, EnvVerb, Observe, OptionFlags};
pub use evidence::{
    ArithmeticChoice, EvidenceHistory, EvidenceShow, EvidenceVerb, JudgeVerb, SkepticChoice, Sources, Sweep,
    TriageArgs, TriageForm,
};
pub use graph::{Advise, Distilled, GraphCost, GraphForm, GraphPlan, GraphShots, GraphVerb, Planned};
pub use models::{ModelVerb, PersonaShow, PersonaVerb};
pub use results::{Compare, JudgeChoice, List, OfRun, Papers, Report, ReportFormat, Rescore, TableFormat, Trace};
pub use rules::RulesArgs;
#[cfg(feature = "sigma")]
pub use rules::RulesTable;
pub use temporal::{GainsArgs, TemporalVerb};

/// The arguments of the program.
#[derive(Debug, Parser)]
#[command(name = "gimbal", version, max_term_width = 100)]
#[command(
    about = "A laboratory and runtime for compound LLM agents: runs any architecture on any environment with any \
             model, counts every token, and shows what each design choice is worth.",
    long_about = None,
    after_help = "Examples:\n  gimbal run studies/quickstart.yaml\n  gimbal report quickstart --format markdown\n  \
                  gimbal env cage2 bench --observe vector\n\nExit codes: 0 done, 1 a check failed, 2 usage, 3 network, \
                  disk or provider, 130 interrupted. `gimbal triage`: 0 dismissed, 10 inconclusive or not complete, 20 confirmed."
)]
pub struct Arguments {
    /// Folder whose files override the built-in ones of the same path: personas/, graphs/, studies/, prices.yaml and others
    #[arg(long, global = true, value_name = "DIR", env = "GIMBAL_CONFIG")]
    pub config: Option<PathBuf>,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(format!("{error}")),
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Plays a study, or the episodes of it that are not played yet
    Run(Run),
    /// Shows which differences a study can detect, and with how many runs
    Plan(Plan),
    /// Measures the coverage of confidence intervals in simulated studies
    Coverage(Coverage),
    /// Lists run folders with their state and what they cost
    List(List),
    /// Prints the report of a run, and writes its tables and its page
    Report(Report),
    /// Recomputes the published tables of a work and compares them
    Papers(Papers),
    /// Compares two cells or two episodes of a run
    Compare(Compare),
    /// Checks a run: chains, frames, ledger, texts
    Verify(OfRun),
    /// Prints the hash of a run's finished episodes
    Digest(OfRun),
    /// Judges the stored answers of a run again, without playing
    Rescore(Rescore),
    /// Shows an episode in plain words, or the exact prompt of a call
    Trace(Trace),
    /// Shows which architectures fit which environments, or why they do not
    Matrix {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Plays, replays, benches and evaluates an environment
    Env {
        /// Environment
        name: String,
        /// What to do with it
        #[command(subcommand)]
        verb: EnvVerb,
    },
    /// Lists, fetches, tries and benches models
    Model {
        /// What to do
        #[command(subcommand)]
        verb: ModelVerb,
    },
    /// Shows personas and their final prompts
    Persona {
        /// What to do
        #[command(subcommand)]
        verb: PersonaVerb,
    },
    /// Measures the tasks of an environment and names controllers for them
    Advise(Advise),
    /// Plans, shows, checks, compares and distils task graphs
    Graph {
        /// What to do
        #[command(subcommand)]
        verb: GraphVerb,
    },
    /// Judges by rule, or with a model, whether telemetry shows a threat
    Triage(TriageArgs),
    /// Extracts, verifies, shows and proves packets of evidence
    Evidence {
        /// What to do
        #[command(subcommand)]
        verb: EvidenceVerb,
    },
    /// Sweeps judges that compute verdicts by arithmetic
    Judge {
        /// What to do
        #[command(subcommand)]
        verb: JudgeVerb,
    },
    /// Searches the arbiter's rules, and computes gains between layers
    Temporal {
        /// What to do
        #[command(subcommand)]
        verb: TemporalVerb,
    },
    /// Collects conflicts, and tunes, trains and evaluates the arbiter
    Arbiter {
        /// What to do
        #[command(subcommand)]
        verb: ArbiterVerb,
    },
    /// Prints the JSON Schema of a kind of file, for editors
    Schema {
        /// Kind of file
        kind: SchemaKind,
    },
    /// Checks keys, weights, tools and disk
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// `gimbal run`.
#[derive(Debug, Args)]
pub struct Run {
    /// The study file
    pub study: PathBuf,
    /// Where run folders are kept
    #[arg(long, default_value = "runs", value_name = "DIR")]
    pub runs: PathBuf,
    /// Episodes at once, at most (default: as many as the models take, 8 of a model that takes any number)
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub jobs: Option<usize>,
    /// Show cells, episodes and estimated tokens and cost, and stop
    #[arg(long)]
    pub dry_run: bool,
    /// Only cells whose name contains this text (may be repeated)
    #[arg(long, value_name = "CELL")]
    pub only: Vec<String>,
    /// Use this model for every role
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// At most this many sessions for each cell; a session plays all trials of a task, one episode each
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// Add this many runs to those of the study
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub add_runs: u32,
    /// How progress is shown
    #[arg(long, value_enum, default_value_t = ProgressStyle::Auto)]
    pub progress: ProgressStyle,
    /// Threads of an embedded model (default: as many as the machine has, at most 4)
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<usize>,
    /// Write no report at the end
    #[arg(long)]
    pub no_report: bool,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressStyle {
    /// A bar on a terminal, plain lines elsewhere
    Auto,
    /// One JSON object on each line, on standard error
    Json,
    /// Nothing
    Quiet,
}

/// `gimbal plan`.
#[derive(Debug, Args)]
pub struct Plan {
    /// The study file
    pub study: PathBuf,
    /// Where run folders are kept: the spread of differences is taken from an earlier run of the same cells
    #[arg(long, default_value = "runs", value_name = "DIR")]
    pub runs: PathBuf,
    /// SD of a paired difference, in place of what is known
    #[arg(long, value_name = "SD")]
    pub sd: Option<f64>,
    /// Power: probability with which a difference is found
    #[arg(long, default_value_t = 0.8, value_name = "SHARE")]
    pub power: f64,
    /// Level of the two-sided test
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    pub alpha: f64,
    /// Show how many pairs are needed to find this difference
    #[arg(long, value_name = "RETURN")]
    pub difference: Option<f64>,
    /// Cell that configurations are compared with (default: the study's `baseline`, else that of the protocol)
    #[arg(long, value_name = "CELL")]
    pub baseline: Option<String>,
    /// Only cells whose name contains this text (may be repeated)
    #[arg(long, value_name = "CELL")]
    pub only: Vec<String>,
    /// At most this many sessions for each cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// Add this many runs to those of the study
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub add_runs: u32,
    /// Estimate no tokens and no cost: play nothing
    #[arg(long)]
    pub no_cost: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
}

/// `gimbal coverage`.
#[derive(Debug, Args)]
pub struct Coverage {
    /// Environment whose built-in policies are played
    #[arg(long, default_value = "cage2", value_name = "NAME")]
    pub environment: String,
    /// Policy of the baseline (default: the weaker of two that the environment names)
    #[arg(long, value_name = "POLICY")]
    pub baseline: Option<String>,
    /// The other policy (default: the stronger of the two)
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<String>,
    /// Simulated studies
    #[arg(long, default_value_t = 1_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub studies: u32,
    /// Episodes of a cell in each study (may be repeated)
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10_usize, 25, 50])]
    pub runs: Vec<usize>,
    /// Tasks in a further design in which episodes of a task are alike, with the largest number of runs; 1 for none
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = at_least_one)]
    pub tasks: usize,
    /// Size of the population: episodes of each policy
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = clap::value_parser!(u64).range(100..))]
    pub pool: u64,
    /// Bootstrap resamples of every interval
    #[arg(long, default_value_t = 2_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub resamples: u32,
    /// Nominal coverage
    #[arg(long, default_value_t = 0.95, value_name = "SHARE")]
    pub confidence: f64,
    /// A return below this is catastrophic (default: as the environment's brief says)
    #[arg(long, value_name = "RETURN", allow_negative_numbers = true)]
    pub catastrophic_below: Option<f64>,
    /// Seed of episodes, tokens and studies
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// How to print it
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
}

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaKind {
    /// studies/*.yaml
    Study,
    /// personas/NAME/core.yaml
    PersonaCore,
    /// personas/NAME/prompt.yaml
    PersonaPrompt,
    /// personas/NAME/knowledge.yaml and personas/common.yaml
    PersonaKnowledge,
    /// personas/NAME/examples.yaml
    PersonaExamples,
    /// personas/engine.yaml
    Engine,
    /// Suites of attacks, such as attacks/suite.yaml
    Attacks,
    /// graphs/NAME.yaml
    Graph,
    /// personas/configurations.yaml
    Configurations,
    /// prices.yaml
    Prices,
    /// Scripts of the scripted model
    Script,
    /// Protocols for `report --protocol`
    Protocol,
}
