//! What a run has cost in all: a fold over its whole ledger, attempts that came to nothing included.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::{Bill, BillLine, BillSum, Fate};
use gimbal_core::event::{Body, Event};
use gimbal_core::{Digest, Stop, UsageSource};

use crate::plan::Stored;
use crate::run::index::unreadable;
use crate::run::ledger::{Row, Sent};
use crate::run::rebuild::Names;
use crate::run::{Finished, INDEX, RunError, RunFolder, Spending, journal};

/// An attempt at an episode: number of the ledger file, number within.
type Try = (u32, u64);

/// What the ledger says of the attempts at one episode.
#[derive(Default)]
struct Account {
    episode: Digest,
    stop: Option<Stop>,
    /// By role and model.
    sums: BTreeMap<(String, String), BillSum>,
}

/// Folds the ledger. Its total is what the limits of the study are held against.
///
/// # Errors
/// When ledger, index or journals cannot be read.
pub fn bill(folder: &RunFolder, stored: &Stored) -> Result<Bill, RunError> {
    // What a run in progress has not finished is under way; its rows are read before the ledger that they stand on.
    let live = if folder.in_progress() { Some(folder.newest()?) } else { None };
    let index = folder.index()?;
    let failed = |error: rusqlite::Error| unreadable(&folder.root().join(INDEX), &error);
    let (mut cells, mut finished): (BTreeMap<Digest, String>, BTreeSet<Try>) = Default::default();
    let mut take = |episode: Finished| {
        finished.insert((episode.place.segment, episode.place.attempt));
        cells.insert(episode.id.key, episode.id.cell);
        Ok::<(), rusqlite::Error>(())
    };
    index.each(&mut take).and_then(|()| index.each_past(&mut take)).map_err(failed)?;
    let accounts = accounts(folder, stored)?;
    for attempt in index.failures().map_err(failed)? {
        cells.entry(attempt.id.key).or_insert(attempt.id.cell);
    }
    let unknown: BTreeSet<Try> =
        accounts.iter().filter(|(_, account)| !cells.contains_key(&account.episode)).map(|(id, _)| *id).collect();
    cells.extend(by_journal(folder, stored, &unknown)?);
    let mut lines: BTreeMap<(Fate, Option<String>, String, String), BillSum> = BTreeMap::new();
    for (id, account) in accounts {
        let fate = match account.stop {
            _ if finished.contains(&id) => Fate::Finished,
            _ if live == Some(id.0) => Fate::UnderWay,
            None => Fate::CutOff,
            Some(stop) if stop == Stop::Cancelled || stop.is_limit() => Fate::Cancelled,
            Some(stop) if stop.is_outcome() => Fate::Lost,
            Some(_) => Fate::Failed,
        };
        for ((role, model), sum) in account.sums {
            let line = lines.entry((fate, cells.get(&account.episode).cloned(), role, model)).or_default();
            *line = line.plus(&sum);
        }
    }
    let order: BTreeMap<&str, usize> =
        stored.cells.iter().enumerate().map(|(at, cell)| (cell.info.id.as_str(), at)).collect();
    let order = |id: &Option<String>| id.as_deref().and_then(|id| order.get(id).copied());
    let mut lines: Vec<BillLine> =
        lines.into_iter().map(|((fate, cell, role, model), sum)| BillLine { fate, cell, role, model, sum }).collect();
    // Cells in the order of the study, as in all tables; those that nobody knows last.
    lines.sort_by_key(|line| (line.fate, order(&line.cell).unwrap_or(usize::MAX)));
    Ok(Bill { lines })
}

fn accounts(folder: &RunFolder, stored: &Stored) -> Result<BTreeMap<Try, Account>, RunError> {
    let mut accounts: BTreeMap<Try, Account> = BTreeMap::new();
    let mut open: BTreeMap<Try, Sent> = BTreeMap::new();
    folder.rows(|file, row| match row {
        Row::Sent(sent) => {
            let account = accounts.entry((file, sent.try_number)).or_default();
            account.episode = sent.episode;
            let sum = account.sums.entry((sent.role.clone(), sent.model.clone())).or_default();
            if sent.cached {
                sum.from_cache += 1;
            } else {
                sum.requests += 1;
                sum.unknown += 1;
                open.insert((file, sent.attempt), sent);
            }
        }
        Row::Received(received) => {
            let Some(sent) = open.remove(&(file, received.attempt)) else { return };
            let account = accounts.entry((file, sent.try_number)).or_default();
            let price = stored.prices.get(&sent.model);
            let sum = account.sums.entry((sent.role, sent.model)).or_default();
            // An answer without a count may have cost anything: it stays unknown, and its estimate is in no bill.
            if received.usage.is_some_and(|usage| usage.source == UsageSource::Missing) {
                return;
            }
            sum.unknown -= 1;
            if let Some(usage) = &received.usage {
                let mut cost = Spending::default();
                cost.add(price, usage);
                sum.cost_exact += cost.exact();
                sum.unpriced += u64::from(price.is_none());
                super::rows::add(&mut sum.billed, usage);
            }
        }
        Row::Attempted(ended) => {
            // Attempts that sent nothing cost nothing.
            if let Some(account) = accounts.get_mut(&(file, ended.try_number)) {
                account.stop = Some(ended.stop);
            }
        }
        Row::Called(_) | Row::Indexed(_) => {}
    })?;
    Ok(accounts)
}

/// The cells of episodes without a row in the index, as far as a journal was begun.
fn by_journal(
    folder: &RunFolder,
    stored: &Stored,
    wanted: &BTreeSet<Try>,
) -> Result<BTreeMap<Digest, String>, RunError> {
    let mut cells = BTreeMap::new();
    let mut names = Names::of(folder, stored)?;
    for (number, path) in folder.segments()? {
        if wanted.range((number, 0)..=(number, u64::MAX)).next().is_none() {
            continue;
        }
        for (attempt, place) in journal::scan(&path, number)?.attempts {
            if !wanted.contains(&(number, attempt)) {
                continue;
            }
            let events = match folder.events(place) {
                Ok(events) => events,
                Err(RunError::Damaged { .. }) => continue,
                Err(error) => return Err(error),
            };
            let first = events.first().and_then(|bytes| serde_json::from_slice::<Event>(bytes).ok());
            let Some(Body::Started(started)) = first.map(|event| event.body) else { continue };
            if let Some(id) = names.find(&started) {
                cells.insert(started.key, id.cell);
            }
        }
    }
    Ok(cells)
}
