//! Replays recordings and compares every recorded field of every step.

pub(crate) mod episode;
mod sources;

use std::path::{Path, PathBuf};

use gimbal_env_kit::replay::{self, Checksums, Counts, Mismatch, around_difference, read_all};
pub use gimbal_env_kit::replay::{DrawSource, Unreadable};
use serde::Serialize;

use crate::checksum::{Checksum, Observe};
use crate::recording::{Line, Lines, ReadError, Recorded, WANTED};
use episode::{Actions, Played};
use sources::{FromSeed, FromTape};

/// What to replay.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// The recordings, played in this order.
    pub files: Vec<PathBuf>,
    /// Where the draws come from.
    pub draws: DrawSource,
    /// Fold what is seen into a checksum, as `bench` does.
    pub checksum: Option<ChecksumView>,
}

/// Which view a replay folds into its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecksumView {
    /// That which the files name: `observe` of an action list, the vector of a recording. All must name the same.
    Own,
    /// This one.
    Of(Observe),
}

impl From<Observe> for ChecksumView {
    fn from(observe: Observe) -> Self {
        Self::Of(observe)
    }
}

/// What a replay found.
pub type ReplayReport = gimbal_env_kit::replay::ReplayReport<ReplayCounts, Place>;

/// What was played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayCounts {
    /// Episodes.
    pub episodes: u64,
    /// Steps.
    pub steps: u64,
}

impl Counts for ReplayCounts {
    fn played(&self) -> Vec<(u64, &'static str)> {
        vec![(self.episodes, "episode"), (self.steps, "step")]
    }
}

/// A place in a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The episode's number.
    pub episode: u64,
    /// The step, from 0; none at the reset, the number of steps at the end.
    pub step: Option<u32>,
}

impl replay::Place for Place {
    fn shown(&self, file: &str) -> String {
        let step = self.step.map_or_else(|| "at its ends".to_owned(), |step| format!("step {step}"));
        format!("{file} episode {}, {step}", self.episode)
    }
}

/// Collects what a replay finds.
#[derive(Debug, Default)]
struct Findings {
    report: ReplayReport,
    file: String,
    episode: u64,
    step: Option<u32>,
    asked: Option<ChecksumView>,
    /// The view that is folded: as asked for, or as the first episode names it.
    view: Option<Observe>,
    played: Checksum,
    recorded: Checksum,
    /// Whether every step so far held what the checksum takes in.
    complete: bool,
}

impl Findings {
    fn new(options: &ReplayOptions) -> Self {
        Self { complete: true, asked: options.checksum, ..Self::default() }
    }

    /// The view to fold over an episode whose line names `own`.
    fn view_of(&mut self, own: Observe, line: &Line<'_>) -> Result<Option<Observe>, ReadError> {
        match (self.asked, self.view) {
            (None, _) => Ok(None),
            (Some(ChecksumView::Of(view)), _) => {
                self.view = Some(view);
                Ok(Some(view))
            }
            (Some(ChecksumView::Own), Some(view)) if view != own => Err(line.error(format!(
                "this episode is of the view `{}` and an earlier one of `{}`; say which to fold, as in `--checksum={}`",
                own.name(),
                view.name(),
                own.name()
            ))),
            (Some(ChecksumView::Own), _) => {
                self.view = Some(own);
                Ok(Some(own))
            }
        }
    }

    fn close(self) -> ReplayReport {
        let Self { mut report, played, recorded, complete, asked, view, .. } = self;
        if asked.is_some() {
            let view = view.map(Observe::name);
            report.checksums =
                Some(Checksums { view, played: played.hex(), recorded: complete.then(|| recorded.hex()) });
        }
        report
    }

    fn differs(&mut self, field: &str, expected: &str, got: &str) {
        self.report.differs(|| {
            let (expected, got) = around_difference(expected, got);
            let place = Place { episode: self.episode, step: self.step };
            Mismatch { file: self.file.clone(), place, field: field.to_owned(), expected, got }
        });
    }
}

/// Replays recordings up to the first that cannot be read.
///
/// # Errors
/// When a recording cannot be read or holds no episode; differences are not errors but findings of the report.
pub fn replay(options: &ReplayOptions) -> Result<ReplayReport, ReadError> {
    let mut findings = Findings::new(options);
    for file in &options.files {
        replay_lines(&mut Lines::open(file)?, file, options, &mut findings)?;
    }
    Ok(findings.close())
}

/// Replays all recordings: one that cannot be read is named in the report and keeps no other from being checked.
#[must_use]
pub fn replay_all(options: &ReplayOptions) -> ReplayReport {
    let mut findings = Findings::new(options);
    findings.report.unreadable =
        read_all(&options.files, |file| replay_lines(&mut Lines::open(file)?, file, options, &mut findings));
    // With files that could not be read, the two checksums would be over different steps.
    findings.complete &= findings.report.unreadable.is_empty();
    findings.close()
}

/// Replays one recording from any source; `path` is only for messages.
///
/// # Errors
/// As [`replay()`].
pub fn replay_from(
    path: &Path,
    source: Box<dyn std::io::BufRead>,
    options: &ReplayOptions,
) -> Result<ReplayReport, ReadError> {
    let mut findings = Findings::new(options);
    replay_lines(&mut Lines::new(path, source), path, options, &mut findings)?;
    Ok(findings.close())
}

enum Running {
    None,
    Tape(Box<Played<FromTape>>),
    Seed(Box<Played<FromSeed>>),
}

fn replay_lines(
    lines: &mut Lines,
    file: &Path,
    options: &ReplayOptions,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    findings.file = file.display().to_string();
    let before = findings.report.counts.episodes;
    let mut running = Running::None;
    let mut last_line = 0;
    let mut actions = Actions::default();
    while let Some(line) = lines.next_line()? {
        last_line = line.number;
        match line.kind {
            Recorded::Reset => {
                if !matches!(running, Running::None) {
                    return Err(line.error("an episode begins before the last one has an `end` line"));
                }
                running = match options.draws {
                    DrawSource::Tape => Running::Tape(Box::new(Played::begin(&line, findings)?)),
                    DrawSource::Seed => Running::Seed(Box::new(Played::begin(&line, findings)?)),
                };
            }
            Recorded::Step => match &mut running {
                Running::None => return Err(line.error("a `step` line without a `reset` line before it")),
                Running::Tape(played) => played.step(&line, findings)?,
                Running::Seed(played) => played.step(&line, findings)?,
            },
            Recorded::End => {
                match std::mem::replace(&mut running, Running::None) {
                    Running::None => return Err(line.error("an `end` line without a `reset` line before it")),
                    Running::Tape(played) => played.end(&line, findings)?,
                    Running::Seed(played) => played.end(&line, findings)?,
                };
            }
            Recorded::Error => {
                findings.differs("error", line.raw("error").unwrap_or("\"the original raised an error\""), "null");
            }
            Recorded::Actions => {
                if !matches!(running, Running::None) {
                    return Err(line.error("an `actions` line inside of an episode"));
                }
                actions.play(&line, findings)?;
            }
        }
    }
    match running {
        Running::None if findings.report.counts.episodes == before => {
            Err(ReadError::Empty { path: file.to_owned(), wanted: WANTED })
        }
        Running::None => Ok(()),
        _ => Err(ReadError::Malformed {
            path: file.to_owned(),
            line: last_line,
            what: "the recording ends inside of an episode: its `end` line is missing".to_owned(),
        }),
    }
}
