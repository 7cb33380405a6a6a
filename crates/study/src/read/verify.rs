//! Checking a run folder: chains, frames, texts, and that index and ledger tell the same.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::Digest;
use gimbal_core::event::Event;
use serde::Serialize;

use super::rows::Accounts;
use crate::plan::Stored;
use crate::run::index::unreadable;
use crate::run::texts::Texts;
use crate::run::{Finished, INDEX, RunError, RunFolder, check, journal};

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

/// Checks a run folder.
///
/// # Errors
/// When it cannot be read at all.
pub fn verify(folder: &RunFolder) -> Result<Report, RunError> {
    let mut report = Report::default();
    let stored = Stored::read(folder)?;
    let name = |path: &std::path::Path| path.strip_prefix(folder.root()).unwrap_or(path).display().to_string();
    let mut attempts = 0;
    for (number, path) in folder.segments()? {
        let state = journal::scan(&path, number)?;
        attempts += state.attempts.len() as u64;
        if state.torn {
            report.torn.push(name(&path));
        }
    }
    for (path, state) in folder.rows(|_, _| ())? {
        report.ledger_rows += state.rows;
        if state.torn {
            report.torn.push(name(&path));
        }
        report.problems.extend(state.complaint(&name(&path)));
    }
    let mut texts = folder.texts()?;
    report.torn.extend(texts.torn().map(name));
    let accounts = Accounts::read(folder, &stored)?;
    let known: BTreeSet<&str> = stored.cells.iter().map(|cell| cell.info.id.as_str()).collect();
    let mut checked = BTreeMap::new();
    let mut check = Check { folder, texts: &mut texts, checked: &mut checked, accounts: &accounts };
    let index = folder.index()?;
    let walked = index.each(|episode| {
        report.episodes += 1;
        if !known.contains(episode.id.cell.as_str()) {
            report.problems.push(format!(
                "episode {}: its cell `{}` is not in the study",
                episode.id.key.short(),
                episode.id.cell
            ));
        }
        match check.episode(&episode) {
            Ok(events) => report.events += events,
            Err(what) => report.problems.push(format!("episode {}: {what}", episode.id.key.short())),
        }
        Ok::<(), rusqlite::Error>(())
    });
    walked.map_err(|error| unreadable(&folder.root().join(INDEX), &error))?;
    report.unfinished_attempts = attempts.saturating_sub(report.episodes);
    report.texts = checked.len() as u64;
    Ok(report)
}

struct Check<'a> {
    folder: &'a RunFolder,
    texts: &'a mut Texts,
    /// What is wrong with each text looked at.
    checked: &'a mut BTreeMap<Digest, Option<String>>,
    accounts: &'a Accounts,
}

impl Check<'_> {
    fn episode(&mut self, episode: &Finished) -> Result<u64, String> {
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
        let (spent, ledger) = (&episode.outcome.spent, self.accounts.totals(episode.place));
        let index = (spent.model_calls, spent.input_tokens, spent.output_tokens);
        if ledger != index {
            return Err(format!(
                "the ledger folds to {ledger:?} calls, input and output tokens, the index says {index:?}; the episode \
                 stays finished and is not paid for again, but its costs and tokens by role are not whole"
            ));
        }
        Ok(events.len() as u64)
    }
}
