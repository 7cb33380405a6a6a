//! Checking a run folder: chains, frames, texts, and that study, index, journals and ledger agree.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::event::{Body, Event};
use gimbal_core::{Digest, RecordKinds, TextRef};
use serde::Serialize;

use super::scan::LedgerScan;
use crate::plan::{Cell, Stored};
use crate::run::index::unreadable;
use crate::run::rebuild::{AttemptId, Names, began, outcome};
use crate::run::texts::Texts;
use crate::run::{Failed, Finished, INDEX, Index, Place, RunError, RunFolder, STUDY, check, journal};

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Finished episodes checked.
    pub episodes: u64,
    /// Events checked.
    pub events: u64,
    /// Texts checked.
    pub texts: u64,
    /// Ledger rows read.
    pub ledger_rows: u64,
    /// Attempts at episodes that have no outcome: killed, failed or cancelled. A process that was killed early left rows in the ledger
    /// and no journal.
    pub unfinished_attempts: u64,
    /// Attempts at episodes that the process at work is making now.
    pub under_way: u64,
    /// Finished episodes of cells that are no longer in the study; checked like the others.
    pub past: u64,
    /// Whether a process works on the run now. What it has not finished is not missing, and its files have no torn end.
    pub in_progress: bool,
    /// Files with a torn end, as kills leave them. Harmless.
    pub torn: Vec<String>,
    /// What lies beside the files of the run and is none of them. Nothing of it is read or counted.
    pub unknown: Vec<String>,
    /// What is wrong, one sentence each. Empty when all is well.
    pub problems: Vec<String>,
}

/// Checks a run folder: every field of every row is computed again from journals and ledger, and records of the known `kinds`
/// must have the form of their kind.
///
/// # Errors
/// When it cannot be read at all.
pub fn verify(folder: &RunFolder, kinds: &RecordKinds) -> Result<Report, RunError> {
    let mut report = Report { in_progress: folder.in_progress(), ..Report::default() };
    let stored = Stored::read(folder)?;
    // The index first: a row is committed when everything that it refers to is durable, so that what is read later contains it.
    let index = folder.index()?;
    let IndexRows { episodes, past, failed, broken } = IndexRows::read(folder, &index);
    report.problems.extend(study(folder, &stored)?);
    report.unknown = folder.strangers()?;
    let name = |path: &std::path::Path| path.strip_prefix(folder.root()).unwrap_or(path).display().to_string();
    let mut journals: BTreeSet<AttemptId> = BTreeSet::new();
    let mut torn: Vec<(u32, String)> = Vec::new();
    for (number, path) in folder.segments()? {
        let state = journal::scan(&path, number)?;
        journals.extend(state.attempts.keys().map(|attempt| (number, *attempt)));
        if state.torn {
            torn.push((number, name(&path)));
        }
    }
    // Before the ledger is read: a run in progress may add to both.
    let index = folder.index()?;
    let marks = index.marks().map_err(|error| unreadable(&folder.root().join(INDEX), &error))?;
    let scan = LedgerScan::read(folder)?;
    let live = folder.newest()?;
    for file in &scan.files {
        report.ledger_rows += file.state.rows;
        if file.state.torn {
            torn.push((number_of(&file.path), name(&file.path)));
        }
    }
    report.problems.extend(folder.ledger_complaints(&scan.files, &marks)?);
    report.problems.extend(scan.problems.iter().cloned());
    let mut texts = folder.texts()?;
    torn.extend(texts.torn().map(|path| (number_of(path), name(path))));
    let mut checked = BTreeMap::new();
    let mut check = Check {
        folder,
        texts: &mut texts,
        checked: &mut checked,
        scan: &scan,
        names: Names::of(folder, &stored)?,
        stored: &stored,
        kinds,
    };
    let mut rows: BTreeMap<AttemptId, Digest> = BTreeMap::new();
    for (episode, current) in episodes.iter().map(|one| (one, true)).chain(past.iter().map(|one| (one, false))) {
        *(if current { &mut report.episodes } else { &mut report.past }) += 1;
        rows.insert((episode.place.segment, episode.place.attempt), episode.id.key);
        match check.episode(episode, current) {
            Ok(events) => report.events += events,
            Err(what) => report.problems.push(format!("episode {}: {what}", episode.id.key.short())),
        }
    }
    // A run that began, or went on, while we looked is in progress too.
    report.in_progress |= folder.in_progress();
    let open = report.in_progress.then_some(live.max(folder.newest()?));
    let begun = scan.files.iter().map(|file| file.number).max();
    let living = |file: u32| open.is_some() && (Some(file) == open || Some(file) == begun);
    report.torn = torn.into_iter().filter(|(file, _)| !living(*file)).map(|(_, name)| name).collect();
    match broken {
        // Episodes that were not reached are not missing.
        Some(error) => report.problems.push(error),
        None => {
            report.problems.extend(missing(&scan, &rows, living));
            report.problems.extend(failures(&failed, &scan, &journals, living));
        }
    }
    for attempt in journals.union(&scan.tries).filter(|attempt| !rows.contains_key(attempt)) {
        // One that has ended with an outcome gets its row in a moment.
        let goes_on = living(attempt.0) && scan.ends.get(attempt).is_none_or(|end| end.stop.is_outcome());
        *(if goes_on { &mut report.under_way } else { &mut report.unfinished_attempts }) += 1;
    }
    report.texts = checked.len() as u64;
    Ok(report)
}

/// The rows of the index.
struct IndexRows {
    /// The finished episodes.
    episodes: Vec<Finished>,
    /// Those of cells that are no longer in the study.
    past: Vec<Finished>,
    /// The failed attempts.
    failed: Vec<Failed>,
    /// What kept the index from being read to its end.
    broken: Option<String>,
}

impl IndexRows {
    fn read(folder: &RunFolder, index: &Index) -> Self {
        let (mut episodes, mut past) = (Vec::new(), Vec::new());
        let walked = index
            .each(|episode| {
                episodes.push(episode);
                Ok::<(), rusqlite::Error>(())
            })
            .and_then(|()| {
                index.each_past(|episode| {
                    past.push(episode);
                    Ok::<(), rusqlite::Error>(())
                })
            })
            .and_then(|()| index.failures());
        let (failed, broken) = match walked {
            Ok(failed) => (failed, None),
            Err(error) => (Vec::new(), Some(unreadable(&folder.root().join(INDEX), &error).to_string())),
        };
        Self { episodes, past, failed, broken }
    }
}

/// The number of a numbered file; 0 where its name holds none.
fn number_of(path: &std::path::Path) -> u32 {
    path.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).unwrap_or_default()
}

/// What is wrong with the study as resolved.
fn study(folder: &RunFolder, stored: &Stored) -> Result<Vec<String>, RunError> {
    let mut problems = Vec::new();
    if !folder.study_is_as_written()? {
        problems.push(format!("{STUDY}: it was changed after it was written: it does not match the hash at its end"));
    }
    if stored.file_hash != Digest::of(stored.text.as_bytes()) {
        problems.push(format!("{STUDY}: `file_hash` is not the hash of `text`"));
    }
    for cell in stored.cells.iter().chain(&stored.past) {
        if cell.key != Cell::hash(&cell.identity) {
            problems.push(format!("{STUDY}: the key of cell `{}` is not the hash of its identity", cell.info.id));
        }
    }
    Ok(problems)
}

/// Episodes that ended by the ledger and have no row, beyond those that a kill may have kept from getting one. Of files that
/// are being written nothing is missing: their rows come later.
fn missing(scan: &LedgerScan, rows: &BTreeMap<AttemptId, Digest>, living: impl Fn(u32) -> bool) -> Vec<String> {
    let held: BTreeSet<&Digest> = rows.values().collect();
    let mut by_file: BTreeMap<u32, (u64, Vec<Digest>)> = BTreeMap::new();
    for ((file, _), end) in scan.ends.iter().filter(|((file, _), end)| end.stop.is_outcome() && !living(*file)) {
        let (ended, missing) = by_file.entry(*file).or_default();
        *ended += 1;
        if !held.contains(&end.episode) {
            missing.push(end.episode);
        }
    }
    let mut problems = Vec::new();
    for (file, (ended, missing)) in by_file {
        // The process committed this number; the rest may have been under way when it ended.
        let committed = scan.indexed.get(&file).map_or(0, |count| count.finished);
        if missing.len() as u64 > ended.saturating_sub(committed) {
            problems.extend(missing.iter().map(|key| {
                format!(
                    "episode {}: by ledger/{file:06}.log it is finished, and the index has no row of it; the next \
                     `gimbal run` takes it up from its journal, or plays it again where that does not hold",
                    key.short()
                )
            }));
        }
    }
    problems
}

/// Failed attempts: the index's rows held against the ledger's.
fn failures(
    failed: &[Failed],
    scan: &LedgerScan,
    journals: &BTreeSet<AttemptId>,
    living: impl Fn(u32) -> bool,
) -> Vec<String> {
    let mut problems = Vec::new();
    let mut rows: BTreeSet<AttemptId> = BTreeSet::new();
    for Failed { id, place, stop, detail } in failed {
        let attempt = (place.segment, place.attempt);
        let same = |end: &super::scan::End| end.episode == id.key && end.stop == *stop && end.detail == *detail;
        if !rows.insert(attempt) || !scan.ends.get(&attempt).is_some_and(same) {
            problems.push(format!(
                "episode {}: the index notes a failed attempt that the ledger does not know, or knows otherwise",
                id.key.short()
            ));
        }
    }
    let mut by_file: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (attempt, end) in &scan.ends {
        if end.stop.is_outcome() || end.stop == gimbal_core::Stop::Cancelled || living(attempt.0) {
            continue;
        }
        let (ended, missing) = by_file.entry(attempt.0).or_default();
        *ended += 1;
        // An attempt that failed before its environment was reset has no journal, and no row in a rebuilt index.
        *missing += u64::from(!rows.contains(attempt) && journals.contains(attempt));
    }
    for (file, (ended, missing)) in by_file {
        let committed = scan.indexed.get(&file).map_or(0, |count| count.failed);
        if missing > ended.saturating_sub(committed) {
            problems.push(format!("{missing} failed attempt(s) of ledger/{file:06}.log have no row in the index"));
        }
    }
    problems
}

struct Check<'a> {
    folder: &'a RunFolder,
    texts: &'a mut Texts,
    /// What is wrong with each text looked at.
    checked: &'a mut BTreeMap<Digest, Option<String>>,
    scan: &'a LedgerScan,
    names: Names<'a>,
    stored: &'a Stored,
    kinds: &'a RecordKinds,
}

impl Check<'_> {
    fn episode(&mut self, episode: &Finished, current: bool) -> Result<u64, String> {
        let cells = if current { &self.stored.cells } else { &self.stored.past };
        if !cells.iter().any(|cell| cell.info.id == episode.id.cell) {
            return Err(format!("its cell `{}` is not in the study", episode.id.cell));
        }
        let events = check::events(self.folder, episode).map_err(|error| error.to_string())?;
        for (number, bytes) in events.iter().enumerate() {
            let event: Event =
                serde_json::from_slice(bytes).map_err(|error| format!("an event cannot be read: {error}"))?;
            if event.bytes() != *bytes {
                return Err("an event is not in its canonical form".to_owned());
            }
            for digest in check::references(bytes) {
                let texts = &mut *self.texts;
                let looked_at = self.checked.entry(digest);
                let wrong = looked_at.or_insert_with(|| texts.get(&digest).err().map(|error| error.to_string()));
                if let Some(wrong) = wrong {
                    return Err(wrong.clone());
                }
            }
            if let Body::Remembered(change) = &event.body {
                let text = self.text(&change.value).map_err(|error| error.to_string())?;
                check::remembered(&change.key, &text)?;
            }
            if let Body::Note(note) = &event.body
                && self.kinds.get(&note.kind).is_some()
            {
                let data = self.text(&note.data).map_err(|error| error.to_string())?;
                self.kinds
                    .check(&note.kind, &data)
                    .map_err(|error| format!("{}, event {number}: {error}", episode.id.name()))?;
            }
        }
        let fields = self.changed(episode, &events);
        if !fields.is_empty() {
            return Err(format!(
                "the index says otherwise than journal and ledger of {}; it was changed by hand or damaged",
                fields.join(", ")
            ));
        }
        self.against_ledger(episode)?;
        Ok(events.len() as u64)
    }

    fn text(&mut self, reference: &TextRef) -> Result<String, RunError> {
        match (reference.as_inline(), reference.as_stored()) {
            (Some(text), _) => Ok(text.to_owned()),
            (None, Some(digest)) => self.texts.get(&digest),
            (None, None) => Ok(String::new()),
        }
    }

    /// The fields of a row that are not what journal and ledger give.
    fn changed(&mut self, episode: &Finished, events: &[Vec<u8>]) -> Vec<&'static str> {
        let (id, row) = (&episode.id, &episode.outcome);
        let lanes = self.scan.lanes.get(&(episode.place.segment, episode.place.attempt));
        let total: u64 = lanes.into_iter().flat_map(BTreeMap::values).sum();
        let longest = lanes.into_iter().flat_map(BTreeMap::values).max().copied().unwrap_or_default();
        let mut fields = Vec::new();
        let mut field = |name: &'static str, same: bool| {
            if !same {
                fields.push(name);
            }
        };
        match began(events).and_then(|started| self.names.find(&started)) {
            Some(named) => {
                field("cell", named.cell == id.cell);
                field("task", named.task == id.task);
                field("run", named.run == id.run);
                field("trial", named.trial == id.trial);
                field("seed", named.seed == id.seed);
                field("key", named.key == id.key);
            }
            None => field("cell and task", false),
        }
        match outcome(&id.key, events, None) {
            Some(made) => {
                field("stop", made.stop == row.stop);
                field("detail", made.detail == row.detail);
                field("episode_return", made.episode_return == row.episode_return);
                field("steps", made.steps == row.steps);
                field("calls and tokens", made.spent == row.spent);
                field("rejected", made.rejected == row.rejected);
                field("fallbacks", made.fallbacks == row.fallbacks);
                field("state", made.state == row.state);
                field("chain", made.chain == row.chain && made.events == row.events);
            }
            None => field("its end", false),
        }
        field("total_latency_us", row.total_latency_us == total);
        // Which lanes waited for which is not on record: no lane is longer than the path, nor the path than all.
        field("critical_path_us", (longest..=total).contains(&row.critical_path_us));
        fields
    }

    fn against_ledger(&self, episode: &Finished) -> Result<(), String> {
        let (spent, called) = (&episode.outcome.spent, self.scan.called(episode.place));
        let ledger = (called.calls, called.prompt_tokens, called.output_tokens);
        let index = (spent.model_calls, spent.input_tokens, spent.output_tokens);
        if ledger != index {
            return Err(format!(
                "the ledger folds to {ledger:?} calls, input and output tokens, the index says {index:?}; the episode \
                 stays finished and is not paid for again, but its costs and tokens by role are not whole"
            ));
        }
        let Place { segment, attempt, .. } = episode.place;
        let (outcome, end) = (&episode.outcome, self.scan.ends.get(&(segment, attempt)));
        match end {
            None => Err("the ledger does not say that it ended; its costs may not be whole".to_owned()),
            Some(end) if end.episode != episode.id.key || end.stop != outcome.stop || end.detail != outcome.detail => {
                Err("the ledger says that this attempt ended otherwise".to_owned())
            }
            Some(_) => Ok(()),
        }
    }
}
