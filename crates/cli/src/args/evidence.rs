//! Arguments of `gimbal evidence` and `gimbal judge`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{RulesArgs, TableFormat, at_least_one};

/// Verbs of `gimbal evidence`.
#[derive(Debug, Subcommand)]
pub enum EvidenceVerb {
    /// Reads telemetry and freezes what was selected into a packet
    Extract {
        /// What is read, and how
        #[command(flatten)]
        sources: Sources,
        /// Where the packet is written (default: standard output)
        #[arg(long, short, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Verifies every byte of a packet, a proof of one fact, or a kept history
    Verify {
        /// The packet, the proof, or the lines of `history --json`
        file: PathBuf,
        /// The root that a proof must lead to, as a report prints it
        #[arg(long, value_name = "SHA256")]
        root: Option<String>,
        /// The head that a packet or history must have, as a report prints it
        #[arg(long, value_name = "SHA256")]
        head: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Shows the facts of a packet, or one fact in full
    Show(EvidenceShow),
    /// Draws what facts are about and what was done, in the language of Mermaid
    Graph {
        /// The packet
        packet: PathBuf,
        /// Only what is near this entity, such as host:ws01
        #[arg(long, value_name = "KIND:NAME")]
        around: Option<String>,
        /// Most edges away
        #[arg(long, value_name = "EDGES", default_value_t = 2)]
        within: usize,
    },
    /// Shows the raw record behind a fact, from the files that the packet was made of
    Raw {
        /// Id of the fact, such as F012
        fact: String,
        /// The packet
        packet: PathBuf,
        /// The telemetry: files and folders, in any order; files that are not a source are passed over
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Most records of a fact that counts others
        #[arg(long, value_name = "N", default_value = "10", value_parser = at_least_one)]
        most: usize,
    },
    /// Compares what Sigma rules hit in files with the verdicts of the program's own rules
    Rules(RulesArgs),
    /// Proves that a fact is in a packet, without the rest of it
    Prove {
        /// Id of the fact, such as F012
        fact: String,
        /// The packet
        packet: PathBuf,
        /// Where the proof is written (default: standard output)
        #[arg(long, short, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Lists the verdicts of verified runs in order of time, each linked to the one before it
    History(EvidenceHistory),
}

/// `gimbal evidence history`.
#[derive(Debug, Args)]
#[command(
    after_help = "Every run is verified before its verdicts are listed; one that does not verify is named, and the exit code is 1. Keep the \
                        lines of --json and the head: `gimbal evidence verify FILE --head HEAD` shows later whether they were changed."
)]
pub struct EvidenceHistory {
    /// The folder that holds run folders
    #[arg(long, value_name = "DIR", default_value = "runs")]
    pub runs: PathBuf,
    /// Only this verdict: confirmed, dismissed, inconclusive
    #[arg(long, value_name = "VERDICT")]
    pub verdict: Option<String>,
    /// Only verdicts at this time or later (RFC 3339)
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only verdicts over the packet with this head, of which the first digits are enough, or with this id
    #[arg(long, value_name = "HEAD|ID")]
    pub packet: Option<String>,
    /// Form of the table
    #[arg(long, value_enum, default_value_t = TableFormat::Text, conflicts_with = "json")]
    pub format: TableFormat,
    /// Print JSON, one record on each line
    #[arg(long)]
    pub json: bool,
}

/// Telemetry that is read.
#[derive(Debug, Args)]
pub struct Sources {
    /// Files, folders, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Format of all of them (default: detected from the first bytes of each)
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Known context: inventory, changes, scanners, accounts, what was not collected (YAML)
    #[arg(long, value_name = "FILE")]
    pub context: Option<PathBuf>,
    /// Folder of Sigma rules: hits become facts of the class `rule_hit`; verdicts ignore them (feature `sigma`)
    #[arg(long, value_name = "DIR")]
    pub rules: Option<PathBuf>,
    /// Year of times without one, as in syslog lines
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(i16).range(1970..=9999))]
    pub year: Option<i16>,
    /// Zone of times without one, in minutes east of UTC
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true, value_parser = clap::value_parser!(i16).range(-1440..=1440))]
    pub zone: Option<i16>,
    /// Seconds that are added to every time of a file, to bring several on one clock; may be given for each file
    #[arg(long, value_name = "FILE=SECONDS")]
    pub shift: Vec<String>,
    /// Names that facts must not show: a map of each to what replaces it (YAML). Raw data are hashed unchanged
    #[arg(long, value_name = "FILE")]
    pub pseudonyms: Option<PathBuf>,
    /// Only records at this time or later (RFC 3339), and those without a time
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only records before this time (RFC 3339), and those without a time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only records about this entity, such as host:ws01
    #[arg(long, value_name = "KIND:NAME")]
    pub entity: Option<String>,
    /// Most facts of the packet
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub max_facts: u64,
    /// Records of the same class, actor, action and object are counted as one fact when there are more than this
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub aggregate_above: u64,
    /// Stop at the first record that cannot be read; else such records are facts
    #[arg(long)]
    pub strict: bool,
}

/// `gimbal triage`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 dismissed, 10 inconclusive, 20 confirmed. A dismissal over what is not complete ends with 10: records in no fact, \
                        damaged ones, inputs that were not read (compressed files, links in a folder), times that cannot be compared because \
                        no year was given (--allow-left-out: with 0). --dry-run ends with 0 and gives no verdict. Without --model nothing leaves this \
                        machine: both sides are rules, and the judge is arithmetic. With a model of a provider, the text of the \
                        facts is sent to it; what is sent is said before, and --dry-run shows it. Keep the head that is printed: it shows \
                        later whether the packet was changed."
)]
pub struct TriageArgs {
    /// What is read, and how
    #[command(flatten)]
    pub sources: Sources,
    /// Model that plays both sides, such as openai/gpt-4.1 or local/NAME (default: rules)
    #[arg(long, value_name = "MODEL", conflicts_with = "skeptic")]
    pub model: Option<String>,
    /// How the sides argue: single, debate, anchored, gate, code-skeptic, or another configuration of `debate`
    #[arg(long, value_name = "NAME", default_value = "single", requires = "model")]
    pub pipeline: String,
    /// The judge: claims, v1, v1_extended, v2, v2_capped, v2_symmetric (default: claims; with a model, that of the pipeline)
    #[arg(long, value_name = "NAME")]
    pub judge: Option<String>,
    /// The Skeptic by rule (default: deterministic)
    #[arg(long, value_enum)]
    pub skeptic: Option<SkepticChoice>,
    /// Most dollars that the model may cost
    #[arg(long, value_name = "DOLLARS", requires = "model", allow_negative_numbers = true, value_parser = dollars)]
    pub max_cost: Option<f64>,
    /// Most tokens, input and output together
    #[arg(long, value_name = "N", requires = "model", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_tokens: Option<u64>,
    /// Most tokens of one answer
    #[arg(long, value_name = "N", requires = "model", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_output_tokens: Option<u32>,
    /// The folder that holds run folders: the calls of the model are kept there
    #[arg(long, value_name = "DIR", default_value = "runs", requires = "model")]
    pub runs: PathBuf,
    /// Show the text that the model would be sent first, and ask nothing
    #[arg(long, requires = "model")]
    pub dry_run: bool,
    /// Draw the debate as claims, facts and confidences (SVG)
    #[arg(long, value_name = "FILE", requires = "model")]
    pub figure: Option<PathBuf>,
    /// Exit code 0 on a dismissal even if the input was not complete
    #[arg(long)]
    pub allow_left_out: bool,
    /// What to print
    #[arg(long = "as", value_enum, default_value_t = TriageForm::Text)]
    pub form: TriageForm,
    /// Where the packet is kept
    #[arg(long, value_name = "FILE")]
    pub packet: Option<PathBuf>,
}

/// A number of dollars; 0 where a model must be free.
fn dollars(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of dollars, such as 0.5".to_owned())?;
    if number.is_finite() && (0.0..=1e9).contains(&number) {
        return Ok(number);
    }
    Err("must be from 0 to 1000000000 dollars".to_owned())
}

/// Which Skeptic answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SkepticChoice {
    /// Queries over what the packet states
    Deterministic,
    /// Rules over observed facts, beside what is stated
    Rules,
}

/// Form of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TriageForm {
    /// For a terminal
    Text,
    /// For a document
    Markdown,
    /// One JSON object on each line
    Jsonl,
    /// The facts as a timeline, for a timeline tool
    Csv,
    /// A page, each sentence linked to its facts
    Html,
}

/// `gimbal evidence show`.
#[derive(Debug, Args)]
pub struct EvidenceShow {
    /// The packet
    pub packet: PathBuf,
    /// Only this fact, in full
    #[arg(long, value_name = "ID")]
    pub fact: Option<String>,
    /// Only facts of this class
    #[arg(long, value_name = "CLASS")]
    pub class: Option<String>,
    /// Only facts about this entity, such as host:ws01
    #[arg(long, value_name = "KIND:NAME")]
    pub entity: Option<String>,
    /// Only facts with this field, or with this value of it
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub field: Option<String>,
    /// Only facts at this time or later (RFC 3339)
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only facts before this time (RFC 3339)
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Print JSON, one fact on each line
    #[arg(long)]
    pub json: bool,
}

/// Verbs of `gimbal judge`.
#[derive(Debug, Subcommand)]
pub enum JudgeVerb {
    /// Shows what judges say over ranges of confidences; no model is asked
    Sweep(Sweep),
}

/// `gimbal judge sweep`.
#[derive(Debug, Args)]
#[command(
    after_help = "Without ranges, the confidences that the work prints are swept. With a run, all judges are asked about the \
                        confidences that its debates ended with, and the judge over claims about their claims. The judge `calibrated` subtracts the mean confidences \
                        --mean-architect and --mean-skeptic; of a run, those of the other scenarios of the cell."
)]
pub struct Sweep {
    /// The debates of this run: its folder, or the name of a study below `runs/`
    #[arg(
        long, value_name = "RUN", conflicts_with_all = ["judge", "architect", "skeptic", "step", "arithmetic", "mean_architect", "mean_skeptic"]
    )]
    pub run: Option<PathBuf>,
    /// A judge: v1, v1_extended, v2, v2_capped, v2_symmetric, calibrated (may be repeated; default: all but the last)
    #[arg(long, value_name = "NAME")]
    pub judge: Vec<String>,
    /// Confidences of the Architect, such as 0.45-0.65
    #[arg(long, value_name = "RANGE", requires = "skeptic")]
    pub architect: Option<String>,
    /// Confidences of the Skeptic
    #[arg(long, value_name = "RANGE", requires = "architect")]
    pub skeptic: Option<String>,
    /// Distance of neighbouring confidences
    #[arg(long, value_name = "STEP", default_value = "0.01")]
    pub step: String,
    /// How numbers are compared
    #[arg(long, value_enum, default_value_t = ArithmeticChoice::Both)]
    pub arithmetic: ArithmeticChoice,
    /// Mean confidence of the Architect, for `calibrated`
    #[arg(long, value_name = "MEAN", requires = "mean_skeptic")]
    pub mean_architect: Option<String>,
    /// Mean confidence of the Skeptic, for `calibrated`
    #[arg(long, value_name = "MEAN", requires = "mean_architect")]
    pub mean_skeptic: Option<String>,
    /// What to print
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
}

/// How numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum ArithmeticChoice {
    /// Thousandths, exactly
    Exact,
    /// Floats of 64 bits, as the published code computes
    FloatCompat,
    /// Both, in two rows
    Both,
}
