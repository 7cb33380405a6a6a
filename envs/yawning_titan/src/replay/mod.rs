//! Replays recordings and compares every recorded field of every line.

mod episode;
mod truth;

use std::path::{Path, PathBuf};

pub use gimbal_env_kit::replay::{DrawSource, Unreadable};
use gimbal_env_kit::replay::{around_difference, read_all};
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

/// What a replay found; its keys are those of `--json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayReport {
    /// Environments built.
    pub environments: u64,
    /// Episodes replayed.
    pub episodes: u64,
    /// Steps replayed.
    pub steps: u64,
    /// Episodes that end in an exception of the original.
    pub exceptions: u64,
    /// Fields that differ.
    pub mismatches: u64,
    /// The first of them.
    pub first: Option<Mismatch>,
    /// Fields of the format that lines lack, hence fields that were not compared.
    pub unrecorded: u64,
    /// Files that could not be read, or not to their end; what was found before is in the other numbers.
    pub unreadable: Vec<Unreadable>,
    /// The checksum of what was played, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// The same over what the recordings hold, where they hold it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum_recorded: Option<String>,
}

impl ReplayReport {
    /// Whether everything agreed.
    #[must_use]
    pub const fn agrees(&self) -> bool {
        self.mismatches == 0
    }
}

/// A difference between a recording and the simulator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The recording.
    pub file: String,
    /// The environment's number in it.
    pub environment: u64,
    /// The episode's number in it; none at the building of the environment.
    pub episode: Option<u64>,
    /// The step, from 0; none at the reset, the number of steps at the end.
    pub step: Option<u64>,
    /// The field.
    pub field: String,
    /// What is recorded, as JSON.
    pub expected: String,
    /// What the simulator says, as JSON.
    pub got: String,
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
            report.checksum = Some(played.hex());
            report.checksum_recorded = complete.then(|| recorded.hex());
        }
        report
    }

    fn differs(&mut self, field: &str, expected: &str, got: &str) {
        self.report.mismatches += 1;
        if self.report.first.is_none() {
            let (expected, got) = around_difference(expected, got);
            self.report.first = Some(Mismatch {
                file: self.file.clone(),
                environment: self.environment,
                episode: self.episode,
                step: self.step,
                field: field.to_owned(),
                expected,
                got,
            });
        }
    }

    fn check(&mut self, field: &str, expected: &str, got: &str) {
        if expected != got {
            self.differs(field, expected, got);
        }
    }

    /// Counts the fields that a line lacks.
    fn count_missing(&mut self, line: &Line<'_>, known: &[&str]) {
        self.report.unrecorded += known.iter().filter(|key| line.raw(key).is_none()).count() as u64;
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
/// As [`replay`].
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
    let before = findings.report.episodes;
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
    if findings.report.episodes == before {
        return Err(ReadError::Empty { path: file.to_owned(), wanted: WANTED });
    }
    Ok(())
}
