//! What a run has cost so far, for its limits.

use std::collections::BTreeMap;

use gimbal_core::{Digest, Usage};

use super::gaps::LedgerGaps;
use crate::plan::Stored;
use crate::run::index::unreadable;
use crate::run::ledger::Row;
use crate::run::{Finished, INDEX, RunError, RunFolder, Spending};

/// What a run has cost so far, by its ledger, and what is wrong with the ledger's files.
///
/// # Errors
/// When the ledger cannot be read.
pub fn spending(folder: &RunFolder, stored: &Stored) -> Result<(Spending, Vec<String>), RunError> {
    spending_by(folder, stored, |_, _| {}, |_, _, _| {})
}

/// What a run has cost so far, by its ledger, and of how many finished episodes the ledger lacks calls: what those cost is not
/// in the sum. Nothing else is checked.
///
/// # Errors
/// When index or ledger cannot be read.
pub fn spending_and_gaps(folder: &RunFolder, stored: &Stored) -> Result<(Spending, u64), RunError> {
    let mut gaps = LedgerGaps::default();
    let index = folder.index()?;
    let mut seen = |episode: Finished| {
        gaps.finished(&episode);
        Ok::<(), rusqlite::Error>(())
    };
    let walked = index.each(&mut seen).and_then(|()| index.each_past(&mut seen));
    walked.map_err(|error| unreadable(&folder.root().join(INDEX), &error))?;
    let (spent, _) = spending_by(folder, stored, |file, row| gaps.take(file, row), |_, _, _| {})?;
    Ok((spent, gaps.episodes()))
}

/// The same, and what was spent on each episode: for limits of cells. A request without an answer on record is in no
/// episode's sum, as it is in no study's.
///
/// # Errors
/// When the ledger cannot be read.
pub fn spending_of_episodes(folder: &RunFolder, stored: &Stored) -> Result<BTreeMap<Digest, Spending>, RunError> {
    let mut episodes: BTreeMap<Digest, Spending> = BTreeMap::new();
    let each = |episode: Digest, model: &str, usage: &Usage| {
        episodes.entry(episode).or_default().add(stored.prices.get(model), usage);
    };
    spending_by(folder, stored, |_, _| {}, each)?;
    Ok(episodes)
}

fn spending_by(
    folder: &RunFolder,
    stored: &Stored,
    mut seen: impl FnMut(u32, &Row),
    mut each: impl FnMut(Digest, &str, &Usage),
) -> Result<(Spending, Vec<String>), RunError> {
    let mut total = Spending::default();
    let mut models: BTreeMap<(u32, u64), Option<(Digest, String)>> = BTreeMap::new();
    // Before the ledger is read: a run in progress may add to both.
    let marks = folder.index()?.marks().map_err(|error| unreadable(&folder.root().join(INDEX), &error))?;
    let files = folder.rows(|file, row| {
        seen(file, &row);
        match row {
            Row::Sent(sent) => {
                models.insert((file, sent.attempt), (!sent.cached).then_some((sent.episode, sent.model)));
            }
            Row::Received(received) => {
                let sent = models.remove(&(file, received.attempt));
                if let (Some(Some((episode, model))), Some(usage)) = (sent, received.usage) {
                    total.add(stored.prices.get(&model), &usage);
                    each(episode, &model, &usage);
                }
            }
            Row::Called(_) | Row::Attempted(_) | Row::Indexed(_) => {}
        }
    })?;
    // A request without an answer, as a kill leaves it.
    total.unknown += models.into_values().flatten().count() as u64;
    let complaints = folder.ledger_complaints(&files, &marks)?;
    Ok((total, complaints))
}
