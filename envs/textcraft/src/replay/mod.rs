//! Replays recordings and compares every recorded field of every row.
//!
//! A row's prompt is compared as far as a seed decides it in the original: its first and last lines, that it shows every
//! command below the goal, and beside these at most ten of those that distractors are drawn from, none twice. Which ten, and
//! in which order, depends on the hash seed of the original's process. Rows of kind `alias` are played with the aliasing quirk,
//! all others without it.

mod row;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use gimbal_env_kit::replay::Unreadable;
use gimbal_env_kit::replay::{self, Counts, Mismatch, read_all};
use gimbal_parity::{Lines, ReadError};
use serde::Serialize;

use crate::tree::Tree;

/// What to replay.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// The recordings, played in this order.
    pub files: Vec<PathBuf>,
    /// The recipes.
    pub tree: Arc<Tree>,
}

/// What a replay found.
pub type ReplayReport = gimbal_env_kit::replay::ReplayReport<ReplayCounts, Place>;

/// What was played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayCounts {
    /// Rows: one episode each.
    pub rows: u64,
    /// Rows that were played with the aliasing quirk.
    pub aliased: u64,
    /// Steps.
    pub steps: u64,
}

impl Counts for ReplayCounts {
    fn played(&self) -> Vec<(u64, &'static str)> {
        vec![(self.rows, "row"), (self.steps, "step")]
    }

    fn remarks(&self) -> Vec<String> {
        let aliased =
            format!("{} rows of kind `alias` were played with the aliasing quirk, the others without", self.aliased);
        if self.aliased > 0 { vec![aliased] } else { Vec::new() }
    }
}

/// A place in a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The line, from one.
    pub line: usize,
    /// The seed of the row.
    pub seed: String,
    /// The step, from 0; none at the reset.
    pub step: Option<usize>,
}

impl replay::Place for Place {
    fn shown(&self, file: &str) -> String {
        let step = self.step.map_or_else(|| "at its reset".to_owned(), |step| format!("step {step}"));
        format!("{file}:{}, seed {}, {step}", self.line, self.seed)
    }
}

/// Collects what a replay finds.
#[derive(Debug, Default)]
struct Findings {
    report: ReplayReport,
    file: String,
    line: usize,
    seed: String,
    step: Option<usize>,
}

/// The longest piece of a value that is shown.
const SHOWN: usize = 400;

impl Findings {
    fn check(&mut self, field: &str, expected: &str, got: &str) {
        if expected != got {
            self.differs(field, expected, got);
        }
    }

    fn differs(&mut self, field: &str, expected: &str, got: &str) {
        self.report.differs(|| Mismatch {
            file: self.file.clone(),
            place: Place { line: self.line, seed: self.seed.clone(), step: self.step },
            field: field.to_owned(),
            expected: cut(expected),
            got: cut(got),
        });
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Replays recordings up to the first that cannot be read.
///
/// # Errors
/// When a recording cannot be read or holds no row; differences are not errors but findings of the report.
pub fn replay(options: &ReplayOptions) -> Result<ReplayReport, ReadError> {
    let mut findings = Findings::default();
    for file in &options.files {
        replay_lines(&mut Lines::open(file)?, file, &options.tree, &mut findings)?;
    }
    Ok(findings.report)
}

/// Replays all recordings: one that cannot be read is named in the report and keeps no other from being checked.
#[must_use]
pub fn replay_all(options: &ReplayOptions) -> ReplayReport {
    let mut findings = Findings::default();
    findings.report.unreadable =
        read_all(&options.files, |file| replay_lines(&mut Lines::open(file)?, file, &options.tree, &mut findings));
    findings.report
}

/// Replays one recording from any source; `path` is only for messages.
///
/// # Errors
/// As [`replay()`].
pub fn replay_from(
    path: &Path,
    source: Box<dyn std::io::BufRead>,
    tree: &Arc<Tree>,
) -> Result<ReplayReport, ReadError> {
    let mut findings = Findings::default();
    replay_lines(&mut Lines::new(path, source), path, tree, &mut findings)?;
    Ok(findings.report)
}

const WANTED: &str = "a recording holds at least one row with `seed`, `kind` and `steps`";

fn replay_lines(lines: &mut Lines, file: &Path, tree: &Arc<Tree>, findings: &mut Findings) -> Result<(), ReadError> {
    findings.file = file.display().to_string();
    let before = findings.report.counts.rows;
    let mut scenes = row::Scenes::new(tree);
    while let Some(line) = lines.next_line()? {
        findings.line = line.number;
        findings.step = None;
        row::replay(&line, &mut scenes, findings)?;
    }
    if findings.report.counts.rows == before {
        return Err(ReadError::Empty { path: file.to_owned(), wanted: WANTED });
    }
    Ok(())
}
