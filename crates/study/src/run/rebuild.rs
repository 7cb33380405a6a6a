//! Rebuilds a lost index. It is derived data: journals hold every finished episode, the ledger every attempt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gimbal_core::chain::Chain;
use gimbal_core::event::{Body, Ended, Event, Started};
use gimbal_core::{Digest, Spent, Stop, TaskId};
use serde::Serialize;

use super::check::is_whole;
use super::error::RunError;
use super::folder::RunFolder;
use super::frame::NONE;
use super::index::{EpisodeId, Failed, Finished, Index, Place, unreadable};
use super::ledger::{Called, Row};
use super::store::sync_folder;
use super::writable::Writable;
use super::{INDEX, journal};
use crate::plan::{Stored, StoredCell, TrialChange, Trials, episode_key, session_seed, trial_seed};
use crate::stage::Outcome;

/// What was found for a rebuilt index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// Episodes whose journals end and hold, texts included: finished.
    pub finished: u64,
    /// Attempts that failed for reasons that were not the agent's.
    pub failed: u64,
    /// Episodes that the ledger knows to have ended, but whose journals or texts do not hold: played again.
    pub lost: u64,
}

impl Writable {
    /// Rebuilds the index from journals and ledger if it is missing although something was played here; `None` if it is
    /// there, or if there is nothing to make it of. Nothing that is durable is played or paid for again (SH-05).
    ///
    /// Of several whole journals of one episode the last counts: an episode is played again only when no row named the
    /// one before. The critical path, which is not part of any digest, is taken from the ledger: calls of the main lane one
    /// after the other, lanes between two of them side by side.
    ///
    /// # Errors
    /// When journals, texts or ledger cannot be read, or the index cannot be written; then nothing has changed.
    pub fn rebuild_lost_index(&self, stored: &Stored) -> Result<Option<Rebuilt>, RunError> {
        let folder = self.folder();
        let path = folder.root().join(INDEX);
        if Index::begun(&path)? || !folder.was_played()? {
            return Ok(None);
        }
        let scan = AttemptScan::read(folder)?;
        let found = Found::read(folder, stored, &scan, |_| true)?;
        let failed: Vec<Failed> = scan.failed.iter().filter_map(|failed| found.failed(failed)).collect();
        let rebuilt = Rebuilt {
            finished: found.finished.len() as u64,
            failed: failed.len() as u64,
            lost: scan.ended.iter().filter(|key| !found.finished.contains_key(key)).count() as u64,
        };
        let finished: Vec<Finished> = found.finished.into_values().collect();
        put_in_place(&path, &finished, &failed)?;
        Ok(Some(rebuilt))
    }
}

impl Writable {
    /// Takes up episodes that ended, by the ledger, and whose journals and texts are whole, but whose rows never came
    /// into the index: a full disk or a kill came between. Returns how many. They are not played or paid for again.
    ///
    /// # Errors
    /// When journals, texts, ledger or index cannot be read, or the index cannot be written.
    pub fn recover(&self, stored: &Stored) -> Result<u64, RunError> {
        let folder = self.folder();
        let path = folder.root().join(INDEX);
        let mut index = Index::create(&path)?;
        let failed = |error: rusqlite::Error| unreadable(&path, &error);
        let scan = AttemptScan::read(folder)?;
        let mut missing: BTreeSet<AttemptId> = BTreeSet::new();
        for (attempt, key) in &scan.outcomes {
            if !index.knows(key).map_err(failed)? {
                missing.insert(*attempt);
            }
        }
        if missing.is_empty() {
            return Ok(0);
        }
        let found = Found::read(folder, stored, &scan, |attempt| missing.contains(attempt))?;
        let finished: Vec<Finished> = found.finished.into_values().collect();
        index.add(&finished, &[]).map_err(failed)?;
        Ok(finished.len() as u64)
    }
}

/// Writes the index beside its place and moves it there whole, so that an end under way leaves it lost and not half.
fn put_in_place(path: &Path, finished: &[Finished], failed: &[Failed]) -> Result<(), RunError> {
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let io = |error: std::io::Error| RunError::io(path, "the index cannot be rebuilt", &error);
    let remove = |path: PathBuf| match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io(error)),
        _ => Ok(()),
    };
    let fresh = beside(".new");
    for ending in [".new", ".new-wal", ".new-shm"] {
        remove(beside(ending))?;
    }
    let mut index = Index::create(&fresh)?;
    index.add(finished, failed).map_err(|error| unreadable(path, &error))?;
    index.close().map_err(|error| unreadable(path, &error))?;
    std::fs::File::open(&fresh).and_then(|file| file.sync_all()).map_err(io)?;
    // What SQLite left beside the lost file belongs to no file any more.
    for ending in ["-wal", "-shm"] {
        remove(beside(ending))?;
    }
    std::fs::rename(&fresh, path).map_err(io)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// An attempt by its file and number there.
pub(crate) type AttemptId = (u32, u64);

/// An attempt at an episode that failed, as the ledger has it.
struct FailedAttempt {
    attempt: AttemptId,
    key: Digest,
    stop: Stop,
    detail: String,
}

/// What was read from the ledger.
#[derive(Default)]
struct AttemptScan {
    /// Latencies by attempt.
    latencies: BTreeMap<AttemptId, Latencies>,
    /// Failed attempts that were not cancelled, in order.
    failed: Vec<FailedAttempt>,
    /// Episodes that ended as an outcome.
    ended: BTreeSet<Digest>,
    /// The same by attempt.
    outcomes: BTreeMap<AttemptId, Digest>,
}

/// Latencies of an attempt, folded call by call.
#[derive(Default)]
pub(crate) struct Latencies {
    total_us: u64,
    main_us: u64,
    /// Lanes since the last call of the main lane.
    lanes: BTreeMap<u32, u64>,
}

impl Latencies {
    fn add(&mut self, called: &Called) {
        self.total_us += called.latency_us;
        if called.lane == 0 {
            self.join();
            self.main_us += called.latency_us;
        } else {
            *self.lanes.entry(called.lane).or_default() += called.latency_us;
        }
    }

    fn join(&mut self) {
        self.main_us += std::mem::take(&mut self.lanes).into_values().max().unwrap_or_default();
    }
}

impl AttemptScan {
    fn read(folder: &RunFolder) -> Result<Self, RunError> {
        let mut scan = Self::default();
        folder.rows(|file, row| match row {
            Row::Called(called) => scan.latencies.entry((file, called.try_number)).or_default().add(&called),
            Row::Attempted(ended) if ended.stop.is_outcome() => {
                scan.ended.insert(ended.episode);
                scan.outcomes.insert((file, ended.try_number), ended.episode);
            }
            Row::Attempted(ended) if ended.stop != Stop::Cancelled => {
                let attempt = (file, ended.try_number);
                scan.failed.push(FailedAttempt { attempt, key: ended.episode, stop: ended.stop, detail: ended.detail });
            }
            Row::Attempted(_) | Row::Sent(_) | Row::Received(_) | Row::Indexed(_) => {}
        })?;
        scan.latencies.values_mut().for_each(Latencies::join);
        Ok(scan)
    }
}

/// What the journals hold.
#[derive(Default)]
struct Found {
    finished: BTreeMap<Digest, Finished>,
    /// Every episode that was begun.
    known: BTreeMap<Digest, EpisodeId>,
    places: BTreeMap<AttemptId, Place>,
}

impl Found {
    /// Reads the journals of the attempts that are `wanted`.
    fn read(
        folder: &RunFolder,
        stored: &Stored,
        scan: &AttemptScan,
        wanted: impl Fn(&AttemptId) -> bool,
    ) -> Result<Self, RunError> {
        let mut found = Self::default();
        let mut names = Names::of(folder, stored)?;
        let mut texts = folder.texts()?;
        for (number, path) in folder.segments()? {
            let attempts = journal::scan(&path, number)?.attempts;
            for (attempt, place) in attempts.into_iter().filter(|(attempt, _)| wanted(&(number, *attempt))) {
                found.places.insert((number, attempt), place);
                let events = match folder.events(place) {
                    Ok(events) => events,
                    Err(RunError::Damaged { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let Some(id) = began(&events).and_then(|started| names.find(&started)) else { continue };
                found.known.insert(id.key, id.clone());
                let Some(outcome) = outcome(&id.key, &events, scan.latencies.get(&(number, attempt))) else { continue };
                let finished = Finished { id, place, outcome };
                if is_whole(folder, &finished, &mut texts)? {
                    found.finished.insert(finished.id.key, finished);
                }
            }
        }
        Ok(found)
    }

    /// The row of a failed attempt. One that failed before its environment was opened is known to the ledger only.
    fn failed(&self, failed: &FailedAttempt) -> Option<Failed> {
        let FailedAttempt { attempt, key, stop, detail } = failed;
        let id = self.known.get(key)?.clone();
        let nowhere = Place { segment: attempt.0, attempt: attempt.1, last: NONE };
        let place = self.places.get(attempt).copied().unwrap_or(nowhere);
        Some(Failed { id, place, stop: *stop, detail: detail.clone() })
    }
}

pub(crate) fn began(events: &[Vec<u8>]) -> Option<Started> {
    match serde_json::from_slice::<Event>(events.first()?).ok()?.body {
        Body::Started(started) => Some(started),
        _ => None,
    }
}

/// The outcome of an attempt; `None` if its journal does not end.
pub(crate) fn outcome(key: &Digest, events: &[Vec<u8>], latencies: Option<&Latencies>) -> Option<Outcome> {
    let (mut rejected, mut fallbacks) = (0, 0);
    let mut end: Option<Ended> = None;
    let mut chain = Chain::start("journal", key.to_string().as_bytes());
    for bytes in events {
        chain.push(bytes);
        match serde_json::from_slice::<Event>(bytes).ok()?.body {
            Body::Rejected(_) => rejected += 1,
            Body::Fallback(_) => fallbacks += 1,
            Body::Ended(ended) => end = Some(ended),
            _ => {}
        }
    }
    let ended = end?;
    Some(Outcome {
        stop: ended.stop,
        detail: ended.detail,
        episode_return: ended.episode_return,
        steps: ended.steps,
        spent: Spent {
            model_calls: ended.model_calls,
            tool_calls: ended.tool_calls,
            input_tokens: ended.prompt_tokens,
            output_tokens: ended.output_tokens,
            cost_exact: 0,
        },
        rejected,
        fallbacks,
        state: ended.state,
        chain: chain.value(),
        events: chain.links(),
        critical_path_us: latencies.map_or(0, |latencies| latencies.main_us),
        total_latency_us: latencies.map_or(0, |latencies| latencies.total_us),
    })
}

/// Finds cell and run of an episode: journals name neither, since nothing in an episode depends on them.
pub(crate) struct Names<'a> {
    stored: &'a Stored,
    study_seed: u64,
    over: TrialChange,
    /// Runs by seed, for each environment, task and trial; for the first trial where the trials of a session have one seed.
    runs: BTreeMap<(&'a str, String, u32), BTreeMap<u64, u32>>,
    /// Cells by the keys of their episodes, for tasks, seeds and trials that were asked for: cells share their environments, so
    /// that every key is made once.
    keys: BTreeMap<(String, u64, u32), BTreeMap<Digest, usize>>,
    held: usize,
}

/// Keys that are held at once.
const MOST_KEYS: usize = 2_000_000;

impl<'a> Names<'a> {
    pub(crate) fn of(folder: &RunFolder, stored: &'a Stored) -> Result<Self, RunError> {
        let written = stored.frame.get("seed").and_then(|seed| seed.as_str()?.parse().ok());
        let study_seed = written.ok_or_else(|| RunError::StudyDamaged { path: folder.root().join(super::STUDY) })?;
        let over = Trials::over_of(&stored.frame);
        Ok(Self { stored, study_seed, over, runs: BTreeMap::new(), keys: BTreeMap::new(), held: 0 })
    }

    pub(crate) fn find(&mut self, started: &Started) -> Option<EpisodeId> {
        let (task, trial) = (TaskId(started.task.clone()), started.trial);
        let seed = u64::from_str_radix(&started.seed, 16).ok()?;
        if self.held > MOST_KEYS {
            (self.keys, self.held) = (BTreeMap::new(), 0);
        }
        let (stored, held) = (self.stored, &mut self.held);
        // Cells that no longer belong to the study still own the episodes that were played of them.
        let cells = || stored.cells.iter().chain(&stored.past);
        let keys = self.keys.entry((task.0.clone(), seed, trial)).or_insert_with(|| {
            *held += stored.cells.len() + stored.past.len();
            let key = |(at, cell): (usize, &StoredCell)| (episode_key(&cell.key, &task, seed, trial), at);
            cells().enumerate().map(key).collect()
        });
        let cell = cells().nth(*keys.get(&started.key)?)?;
        let (study_seed, most) = (self.study_seed, self.stored.runs);
        let over = self.over;
        let of_seeds = if over == TrialChange::Seeds { trial } else { 0 };
        let runs = self.runs.entry((&cell.environment, started.task.clone(), of_seeds)).or_insert_with(|| {
            let seed = |run| trial_seed(over, session_seed(study_seed, &cell.environment, &task, run), trial);
            (0..most).map(|run| (seed(run), run)).collect()
        });
        let run = *runs.get(&seed)?;
        Some(EpisodeId { key: started.key, cell: cell.info.id.clone(), task: task.0, run, trial, seed })
    }
}
