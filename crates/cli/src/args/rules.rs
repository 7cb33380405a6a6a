//! Arguments of `gimbal evidence rules`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::TableFormat;

/// `gimbal evidence rules`.
#[derive(Debug, Args)]
#[cfg_attr(not(feature = "sigma"), allow(dead_code, reason = "without the engine nobody reads them"))]
#[command(
    after_help = "Each file is read alone, as `gimbal triage FILE` reads it. A hit says that a pattern matched: the comparison takes hits for \
                  verdicts only to compare. Rules are asked about Windows events (.evtx, XML)."
)]
pub struct RulesArgs {
    /// Folder of Sigma rules, or a copy of the public set that has a folder `rules`
    pub rules: PathBuf,
    /// Files or folders
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What is known of the files: comma-separated values with the columns `file` and `label`
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Do not read starts of processes in the Security log (event 4688) as process creation
    #[arg(long)]
    pub sysmon_only: bool,
    /// Which table
    #[arg(long, value_enum, default_value_t = RulesTable::Files)]
    pub table: RulesTable,
    /// What to print
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
}

/// A table of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RulesTable {
    /// Each file: label, verdict of the program's own rules, rule hits
    Files,
    /// Each rule that matched in a file, with its author
    Hits,
    /// Each label: verdicts, and files with hits by level
    Labels,
    /// McNemar's test over files that are labelled malicious or harmless
    Test,
}
