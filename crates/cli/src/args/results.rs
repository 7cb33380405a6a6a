//! Arguments of the commands that read runs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::at_least_one;

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
    /// Write every table that has rows and every figure into a folder (`--out DIR`, else report-all/ in the run folder): tables/*.csv and
    /// *.md, figures/*.svg, and index.html that shows them
    #[arg(long, conflicts_with_all = ["table", "figure", "format"])]
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
    /// Count the tokens of the table `blocks` with the tokenizer of these weights, such as local/smollm2-135m (default: an
    /// estimate of four bytes a token)
    #[arg(long, value_name = "MODEL")]
    pub tokenizer: Option<String>,
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
    /// Number of matched pairs to list, worst first
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
    /// One self-contained page of the whole report; not with --table
    Html,
}

/// Form of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// For a terminal
    Text,
    /// For a document
    Markdown,
    /// For a spreadsheet
    Csv,
    /// For a program
    Json,
}

impl ReportFormat {
    /// The form of a single table; `None` for the page, which holds all of them.
    pub const fn of_table(self) -> Option<TableFormat> {
        match self {
            Self::Text => Some(TableFormat::Text),
            Self::Markdown => Some(TableFormat::Markdown),
            Self::Csv => Some(TableFormat::Csv),
            Self::Json => Some(TableFormat::Json),
            Self::Html => None,
        }
    }
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
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
    /// Print one JSON object as the last line: counts by table, misses that are not listed, listed numbers that are not misses
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
    /// Show full texts: observations, and what controllers record and send as it is stored
    #[arg(long, conflicts_with_all = ["call", "diff", "json"])]
    pub full: bool,
    /// Draw a debate over a packet as claims, facts and confidences (SVG)
    #[arg(long, value_name = "FILE", requires = "episode", conflicts_with_all = ["call", "diff", "json", "full"])]
    pub figure: Option<PathBuf>,
    /// Show the messages between the agents of a debate: sender, receiver, phase; with --json as JSON lines
    #[arg(long, requires = "episode", conflicts_with_all = ["call", "diff", "full", "figure"])]
    pub messages: bool,
    /// List only episodes of cells whose name contains this text
    #[arg(long, value_name = "TEXT", conflicts_with = "episode")]
    pub cell: Option<String>,
    /// List only episodes with this stop reason: `horizon`, `solved`, `token_budget`, ...
    #[arg(long, value_name = "STOP", conflicts_with = "episode")]
    pub stop: Option<String>,
    /// List only the N episodes with the lowest returns, the lowest first
    #[arg(long, value_name = "N", value_parser = at_least_one, conflicts_with = "episode")]
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
