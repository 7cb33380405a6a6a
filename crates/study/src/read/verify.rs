//! Checking a run folder: chains, frames, texts, and that study, index, journals and ledger tell the same.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::Digest;
use gimbal_core::event::Event;
use serde::Serialize;

use super::rows::Accounts;
use super::told::Told;
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
    /// Attempts at episodes whose journals lie there without an outcome: killed, failed or called off.
    pub unfinished_attempts: u64,
    /// Files with a torn end, as kills leave them. Harmless.
    pub torn: Vec<String>,
    /// What is wrong, one sentence each. Empty when all is well.
    pub problems: Vec<String>,
}

/// Checks a run folder: every field of every row is computed anew from journals and ledger.
///
/// # Errors
/// When it cannot be read at all.
pub fn verify(folder: &RunFolder) -> Result<Report, RunError> {
    let mut report = Report::default();
    let stored = Stored::read(folder)?;
    report.problems.extend(study(folder, &stored)?);
    let name = |path: &std::path::Path| path.strip_prefix(folder.root()).unwrap_or(path).display().to_string();
    let mut journals: BTreeSet<AttemptId> = BTreeSet::new();
    for (number, path) in folder.segments()? {
        let state = journal::scan(&path, number)?;
        journals.extend(state.attempts.keys().map(|attempt| (number, *attempt)));
        if state.torn {
            report.torn.push(name(&path));
        }
    }
    let told = Told::read(folder)?;
    for (path, state) in &told.files {
        report.ledger_rows += state.rows;
        if state.torn {
            report.torn.push(name(path));
        }
        report.problems.extend(state.complaint(&name(path)));
    }
    report.problems.extend(told.problems.iter().cloned());
    let mut texts = folder.texts()?;
    report.torn.extend(texts.torn().map(name));
    let accounts = Accounts::read(folder, &stored)?;
    let mut checked = BTreeMap::new();
    let mut check = Check {
        folder,
        texts: &mut texts,
        checked: &mut checked,
        accounts: &accounts,
        told: &told,
        names: Names::of(folder, &stored)?,
        cells: stored.cells.iter().map(|cell| cell.info.id.as_str()).collect(),
    };
    let index = folder.index()?;
    let mut rows: BTreeMap<AttemptId, Digest> = BTreeMap::new();
    let walked = index.each(|episode| {
        report.episodes += 1;
        rows.insert((episode.place.segment, episode.place.attempt), episode.id.key);
        match check.episode(&episode) {
            Ok(events) => report.events += events,
            Err(what) => report.problems.push(format!("episode {}: {what}", episode.id.key.short())),
        }
        Ok::<(), rusqlite::Error>(())
    });
    let cannot = |error: rusqlite::Error| unreadable(&folder.root().join(INDEX), &error).to_string();
    match walked {
        // Episodes that were not reached are not missing.
        Err(error) => report.problems.push(cannot(error)),
        Ok(()) => report.problems.extend(missing(&told, &rows)),
    }
    report.problems.extend(failures(&index, &told, &journals).unwrap_or_else(|error| vec![cannot(error)]));
    report.unfinished_attempts = (journals.len() as u64).saturating_sub(report.episodes);
    report.texts = checked.len() as u64;
    Ok(report)
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
    for cell in &stored.cells {
        if cell.key != Cell::hash(&cell.identity) {
            problems.push(format!("{STUDY}: the key of cell `{}` is not the hash of its identity", cell.info.id));
        }
    }
    Ok(problems)
}

/// Episodes that ended by the ledger and have no row, beyond those that a kill may have kept from getting one.
fn missing(told: &Told, rows: &BTreeMap<AttemptId, Digest>) -> Vec<String> {
    let held: BTreeSet<&Digest> = rows.values().collect();
    let mut by_file: BTreeMap<u32, (u64, Vec<Digest>)> = BTreeMap::new();
    for ((file, _), end) in told.ends.iter().filter(|(_, end)| end.stop.is_outcome()) {
        let (ended, missing) = by_file.entry(*file).or_default();
        *ended += 1;
        if !held.contains(&end.episode) {
            missing.push(end.episode);
        }
    }
    let mut problems = Vec::new();
    for (file, (ended, missing)) in by_file {
        // The process committed so many; the rest may have been under way when it ended.
        let committed = told.indexed.get(&file).map_or(0, |count| count.finished);
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
fn failures(index: &Index, told: &Told, journals: &BTreeSet<AttemptId>) -> Result<Vec<String>, rusqlite::Error> {
    let mut problems = Vec::new();
    let mut rows: BTreeSet<AttemptId> = BTreeSet::new();
    for Failed { id, place, stop, detail } in index.failures()? {
        let attempt = (place.segment, place.attempt);
        let same = |end: &super::told::End| end.episode == id.key && end.stop == stop && end.detail == detail;
        if !rows.insert(attempt) || !told.ends.get(&attempt).is_some_and(same) {
            problems.push(format!(
                "episode {}: the index notes a failed attempt that the ledger does not know, or knows otherwise",
                id.key.short()
            ));
        }
    }
    let mut by_file: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (attempt, end) in &told.ends {
        if end.stop.is_outcome() || end.stop == gimbal_core::Stop::Cancelled {
            continue;
        }
        let (ended, missing) = by_file.entry(attempt.0).or_default();
        *ended += 1;
        // One that failed before its world stood has no journal, and no row in an index that was made anew.
        *missing += u64::from(!rows.contains(attempt) && journals.contains(attempt));
    }
    for (file, (ended, missing)) in by_file {
        let committed = told.indexed.get(&file).map_or(0, |count| count.failed);
        if missing > ended.saturating_sub(committed) {
            problems.push(format!("{missing} failed attempt(s) of ledger/{file:06}.log have no row in the index"));
        }
    }
    Ok(problems)
}

struct Check<'a> {
    folder: &'a RunFolder,
    texts: &'a mut Texts,
    /// What is wrong with each text looked at.
    checked: &'a mut BTreeMap<Digest, Option<String>>,
    accounts: &'a Accounts,
    told: &'a Told,
    names: Names<'a>,
    cells: BTreeSet<&'a str>,
}

impl Check<'_> {
    fn episode(&mut self, episode: &Finished) -> Result<u64, String> {
        if !self.cells.contains(episode.id.cell.as_str()) {
            return Err(format!("its cell `{}` is not in the study", episode.id.cell));
        }
        let events = check::events(self.folder, episode).map_err(|error| error.to_string())?;
        for bytes in &events {
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

    /// The fields of a row that are not what journal and ledger give.
    fn changed(&mut self, episode: &Finished, events: &[Vec<u8>]) -> Vec<&'static str> {
        let (id, row) = (&episode.id, &episode.outcome);
        let lanes = self.told.lanes.get(&(episode.place.segment, episode.place.attempt));
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
        let (spent, ledger) = (&episode.outcome.spent, self.accounts.totals(episode.place));
        let index = (spent.model_calls, spent.input_tokens, spent.output_tokens);
        if ledger != index {
            return Err(format!(
                "the ledger folds to {ledger:?} calls, input and output tokens, the index says {index:?}; the episode \
                 stays finished and is not paid for again, but its costs and tokens by role are not whole"
            ));
        }
        let Place { segment, attempt, .. } = episode.place;
        let (outcome, end) = (&episode.outcome, self.told.ends.get(&(segment, attempt)));
        match end {
            None => Err("the ledger does not say that it ended; its costs may not be whole".to_owned()),
            Some(end) if end.episode != episode.id.key || end.stop != outcome.stop || end.detail != outcome.detail => {
                Err("the ledger says that this attempt ended otherwise".to_owned())
            }
            Some(_) => Ok(()),
        }
    }
}
