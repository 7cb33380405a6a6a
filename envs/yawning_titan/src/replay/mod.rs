//! Replays recordings and compares every recorded field of every line.

mod episode;
mod truth;

use std::path::{Path, PathBuf};

use gimbal_env_kit::replay::{self, Checksums, Counts, Mismatch, around_difference, read_all};
pub use gimbal_env_kit::replay::{DrawSource, Unreadable};
use gimbal_env_kit::workbench::plural;
use gimbal_parity::{Line, Lines, ReadError};
use serde::Serialize;

use crate::checksum::Checksum;
use crate::draws::Trust;
use episode::{Episode, Replayed};

impl From<DrawSource> for Trust {
    /// The tape of a replay from the seed still says in which order hash sets were gone through, which no seed says.
    fn from(source: DrawSource) -> Self {
        match source {
            DrawSource::Tape => Self::Tape,
            DrawSource::Seed => Self::Seed,
        }
    }
}

/// What to replay.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// The recordings, played in this order.
    pub files: Vec<PathBuf>,
    /// Where the draws come from.
    pub draws: DrawSource,
    /// Fold rewards and vectors into a checksum, as `bench` does.
    pub checksum: bool,
}

/// What a replay found.
pub type ReplayReport = gimbal_env_kit::replay::ReplayReport<ReplayCounts, Place>;

/// What was played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayCounts {
    /// Environments that were built.
    pub environments: u64,
    /// Episodes.
    pub episodes: u64,
    /// Steps.
    pub steps: u64,
    /// Episodes that end in an exception of the original.
    pub exceptions: u64,
}

impl Counts for ReplayCounts {
    const VIEW: &'static str = "vector";

    fn played(&self) -> Vec<(u64, &'static str)> {
        vec![(self.episodes, "episode"), (self.steps, "step")]
    }

    fn remarks(&self) -> Vec<String> {
        vec![format!(
            "{}, {} that end in an exception of the original",
            plural(self.environments, "environment"),
            plural(self.exceptions, "episode")
        )]
    }
}

/// A place in a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The environment's number.
    pub environment: u64,
    /// The episode's number; none at the building of the environment.
    pub episode: Option<u64>,
    /// The step, from 0; none at the reset, the number of steps at the end.
    pub step: Option<u64>,
}

impl replay::Place for Place {
    fn shown(&self, file: &str) -> String {
        let episode = self.episode.map_or_else(|| "its building".to_owned(), |episode| format!("episode {episode}"));
        let step = self.step.map_or_else(|| "at its start".to_owned(), |step| format!("step {step}"));
        format!("{file} environment {}, {episode}, {step}", self.environment)
    }
}

/// Collects what a replay finds.
#[derive(Debug, Default)]
struct Findings {
    report: ReplayReport,
    file: String,
    environment: u64,
    episode: Option<u64>,
    step: Option<u64>,
    trust: Trust,
    asked: bool,
    played: Checksum,
    recorded: Checksum,
    /// Whether every step so far held what the checksum takes in.
    complete: bool,
}

impl Findings {
    fn new(options: &ReplayOptions) -> Self {
        Self { complete: true, asked: options.checksum, trust: options.draws.into(), ..Self::default() }
    }

    fn close(self) -> ReplayReport {
        let Self { mut report, played, recorded, complete, asked, .. } = self;
        if asked {
            let recorded = complete.then(|| recorded.hex());
            report.checksums = Some(Checksums { view: None, played: played.hex(), recorded });
        }
        report
    }

    fn differs(&mut self, field: &str, expected: &str, got: &str) {
        self.report.differs(|| {
            let (expected, got) = around_difference(expected, got);
            let place = Place { environment: self.environment, episode: self.episode, step: self.step };
            Mismatch { file: self.file.clone(), place, field: field.to_owned(), expected, got }
        });
    }

    fn check(&mut self, field: &str, expected: &str, got: &str) {
        if expected != got {
            self.differs(field, expected, got);
        }
    }

    /// Counts the fields that a line lacks.
    fn count_missing(&mut self, line: &Line<'_>, known: &[&str]) {
        self.report.lacks(known.iter().filter(|key| line.raw(key).is_none()).count());
    }
}

/// Replays recordings up to the first that cannot be read.
///
/// # Errors
/// When a recording cannot be read or holds no episode; differences are not errors but findings of the report.
pub fn replay(options: &ReplayOptions) -> Result<ReplayReport, ReadError> {
    let mut findings = Findings::new(options);
    for file in &options.files {
        replay_lines(&mut Lines::open(file)?, file, &mut findings)?;
    }
    Ok(findings.close())
}

/// Replays all recordings: one that cannot be read is named in the report and keeps no other from being checked.
#[must_use]
pub fn replay_all(options: &ReplayOptions) -> ReplayReport {
    let mut findings = Findings::new(options);
    findings.report.unreadable =
        read_all(&options.files, |file| replay_lines(&mut Lines::open(file)?, file, &mut findings));
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
    replay_lines(&mut Lines::new(path, source), path, &mut findings)?;
    Ok(findings.close())
}

const WANTED: &str = "a recording holds at least one `env` line, and a `reset` line with its steps";

fn replay_lines(lines: &mut Lines, file: &Path, findings: &mut Findings) -> Result<(), ReadError> {
    findings.file = file.display().to_string();
    let before = findings.report.counts.episodes;
    let mut environment: Option<Replayed> = None;
    let mut running: Option<Episode> = None;
    let mut last_line = 0;
    while let Some(line) = lines.next_line()? {
        last_line = line.number;
        match line.kind.as_str() {
            "env" | "reset" if running.is_some() => {
                return Err(line.error("an environment or episode begins before the last episode has an `end` line"));
            }
            "env" => environment = Some(Replayed::build(&line, findings)?),
            kind => {
                let Some(environment) = environment.as_mut() else {
                    return Err(line.error(format!("a `{kind}` line without an `env` line before it")));
                };
                match (kind, &mut running) {
                    ("reset", _) => running = Some(Episode::begin(environment, &line, findings)?),
                    ("step", Some(episode)) => episode.step(environment, &line, findings)?,
                    ("error", Some(episode)) => episode.error(environment, &line, findings)?,
                    ("end", Some(episode)) => {
                        episode.end(environment, &line, findings)?;
                        running = None;
                    }
                    ("step" | "error" | "end", None) => {
                        return Err(line.error(format!("a `{kind}` line without a `reset` line before it")));
                    }
                    (other, _) => {
                        return Err(
                            line.error(format!("unknown kind `{other}`; expected env, reset, step, error or end"))
                        );
                    }
                }
            }
        }
    }
    if running.is_some() {
        return Err(ReadError::Malformed {
            path: file.to_owned(),
            line: last_line,
            what: "the recording ends inside of an episode: its `end` line is missing".to_owned(),
        });
    }
    if findings.report.counts.episodes == before {
        return Err(ReadError::Empty { path: file.to_owned(), wanted: WANTED });
    }
    Ok(())
}
