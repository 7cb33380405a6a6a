//! Checking a run folder: chains, frames, texts, and that index and ledger tell the same.

use std::collections::BTreeSet;

use gimbal_core::chain::Chain;
use gimbal_core::event::{Body, Event};
use gimbal_core::{Digest, TextRef};
use serde::Serialize;

use super::rows::Accounts;
use crate::plan::Stored;
use crate::run::index::unreadable;
use crate::run::texts::Texts;
use crate::run::{Finished, INDEX, RunError, RunFolder, journal};

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
        if state.damaged > 0 {
            report.problems.push(format!("{}: {} damaged rows before the last", name(&path), state.damaged));
        }
    }
    let mut texts = folder.texts()?;
    report.torn.extend(texts.torn().map(name));
    let accounts = Accounts::read(folder, &stored)?;
    let known: BTreeSet<&str> = stored.cells.iter().map(|cell| cell.info.id.as_str()).collect();
    let mut checked = BTreeSet::new();
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
    checked: &'a mut BTreeSet<Digest>,
    accounts: &'a Accounts,
}

impl Check<'_> {
    fn episode(&mut self, episode: &Finished) -> Result<u64, String> {
        let (id, outcome) = (&episode.id, &episode.outcome);
        let events = self.folder.events(episode.place).map_err(|error| error.to_string())?;
        let mut chain = Chain::start("journal", id.key.to_string().as_bytes());
        let mut last = None;
        for bytes in &events {
            chain.push(bytes);
            let event: Event =
                serde_json::from_slice(bytes).map_err(|error| format!("an event cannot be read: {error}"))?;
            if event.bytes() != *bytes {
                return Err("an event is not in its canonical form".to_owned());
            }
            let value = serde_json::to_value(&event.body).unwrap_or_default();
            self.references(&value)?;
            last = Some(event.body);
        }
        if chain.value() != outcome.chain || chain.links() != outcome.events {
            return Err("the chain does not end where the index says".to_owned());
        }
        let Some(Body::Ended(ended)) = last else { return Err("the journal does not end".to_owned()) };
        let spent = &outcome.spent;
        let told = (ended.stop, ended.episode_return, ended.steps, ended.model_calls, ended.tool_calls, ended.state);
        let indexed =
            (outcome.stop, outcome.episode_return, outcome.steps, spent.model_calls, spent.tool_calls, outcome.state);
        if told != indexed {
            return Err("index and journal tell different outcomes".to_owned());
        }
        let ledger = self.accounts.totals(episode.place);
        let index = (spent.model_calls, spent.input_tokens, spent.output_tokens);
        if ledger != index {
            return Err(format!(
                "the ledger folds to {ledger:?} calls, input and output tokens, the index says {index:?}"
            ));
        }
        Ok(events.len() as u64)
    }

    /// Checks every stored text that a value refers to. References begin with `#` and 64 hexadecimal digits.
    fn references(&mut self, value: &serde_json::Value) -> Result<(), String> {
        match value {
            serde_json::Value::String(_) => {
                let reference: TextRef = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
                match reference.as_stored() {
                    Some(digest) if self.checked.insert(digest) => {
                        self.texts.get(&digest).map(|_| ()).map_err(|error| error.to_string())
                    }
                    _ => Ok(()),
                }
            }
            serde_json::Value::Array(items) => items.iter().try_for_each(|item| self.references(item)),
            serde_json::Value::Object(members) => members.values().try_for_each(|member| self.references(member)),
            _ => Ok(()),
        }
    }
}
