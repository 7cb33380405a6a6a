//! What a run has cost in all: a fold over its whole ledger, attempts without an outcome included.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gimbal_analysis::name::{Name, Names as RoleNames};
use gimbal_analysis::{AttemptState, Bill, BillLine, BillSum};
use gimbal_core::event::{Body, Event};
use gimbal_core::{Digest, Stop, UsageSource};

use super::accounts::{AttemptId, add};
use crate::plan::Stored;
use crate::run::ledger::{Attempted, Received, Row, Sent};
use crate::run::rebuild::Names;
use crate::run::{Failed, Finished, RunError, RunFolder, Spending, journal};

/// The fold. It reads the index first, then the ledger.
pub(super) struct BillFold<'s> {
    stored: &'s Stored,
    /// The ledger file of the process that works on the run now: what it has not finished is under way.
    live: Option<u32>,
    names: RoleNames,
    /// Attempts that are finished episodes.
    finished: Vec<AttemptId>,
    /// Cells of episodes by key.
    cells: Vec<(Digest, Name)>,
    accounts: HashMap<AttemptId, Account>,
    /// Requests without an answer so far, by ledger file and number of the request.
    open: HashMap<(u32, u64), Open>,
}

/// The entries of the ledger for one attempt at an episode.
#[derive(Default)]
struct Account {
    episode: Digest,
    stop: Option<Stop>,
    sums: Vec<RoleSum>,
}

/// What one role asked of one model.
struct RoleSum {
    role: Name,
    model: Name,
    sum: BillSum,
}

/// A request under way.
struct Open {
    attempt: u64,
    role: Name,
    model: Name,
}

impl Account {
    fn sum(&mut self, role: &Name, model: &Name) -> &mut BillSum {
        let same = |sum: &RoleSum| (&sum.role, &sum.model) == (role, model);
        let place = self.sums.iter().position(same).unwrap_or_else(|| {
            self.sums.reserve_exact(1);
            self.sums.push(RoleSum { role: role.clone(), model: model.clone(), sum: BillSum::default() });
            self.sums.len() - 1
        });
        &mut self.sums[place].sum
    }
}

impl<'s> BillFold<'s> {
    pub(super) fn new(stored: &'s Stored, live: Option<u32>) -> Self {
        Self {
            stored,
            live,
            names: RoleNames::default(),
            finished: Vec::new(),
            cells: Vec::new(),
            accounts: HashMap::new(),
            open: HashMap::new(),
        }
    }

    /// Adds a finished episode, of a cell that is in the study or is no longer in it.
    pub(super) fn finished(&mut self, episode: &Finished) {
        self.finished.push((episode.place.segment, episode.place.attempt));
        self.cells.push((episode.id.key, self.names.of(&episode.id.cell)));
    }

    /// Takes in a failed attempt.
    pub(super) fn failed(&mut self, attempt: &Failed) {
        self.cells.push((attempt.id.key, self.names.of(&attempt.id.cell)));
    }

    /// Takes in a row of a ledger file.
    pub(super) fn take(&mut self, file: u32, row: &Row) {
        match row {
            Row::Sent(sent) => self.sent(file, sent),
            Row::Received(received) => self.received(file, received),
            Row::Attempted(ended) => self.attempted(file, ended),
            Row::Called(_) | Row::Indexed(_) => {}
        }
    }

    fn sent(&mut self, file: u32, sent: &Sent) {
        let (role, model) = (self.names.of(&sent.role), self.names.of(&sent.model));
        let account = self.accounts.entry((file, sent.try_number)).or_default();
        account.episode = sent.episode;
        let sum = account.sum(&role, &model);
        if sent.cached {
            sum.from_cache += 1;
        } else {
            sum.requests += 1;
            sum.unknown += 1;
            self.open.insert((file, sent.attempt), Open { attempt: sent.try_number, role, model });
        }
    }

    fn received(&mut self, file: u32, received: &Received) {
        let Some(sent) = self.open.remove(&(file, received.attempt)) else { return };
        // An answer without a count may have cost anything: it stays unknown, and its estimate is in no bill.
        if received.usage.is_some_and(|usage| usage.source == UsageSource::Missing) {
            return;
        }
        let price = self.stored.prices.get(sent.model.as_str());
        let account = self.accounts.entry((file, sent.attempt)).or_default();
        let sum = account.sum(&sent.role, &sent.model);
        sum.unknown -= 1;
        if let Some(usage) = &received.usage {
            let mut cost = Spending::default();
            cost.add(price, usage);
            sum.cost_exact += cost.exact();
            sum.unpriced += u64::from(price.is_none());
            add(&mut sum.billed, usage);
        }
    }

    fn attempted(&mut self, file: u32, ended: &Attempted) {
        // Attempts that sent nothing cost nothing.
        if let Some(account) = self.accounts.get_mut(&(file, ended.try_number)) {
            account.stop = Some(ended.stop);
        }
    }

    /// The bill: by fate, cell, role and model. Opens the journals of attempts whose episodes have no row in the index.
    ///
    /// # Errors
    /// When such a journal cannot be read.
    pub(super) fn finish(mut self, folder: &RunFolder) -> Result<Bill, RunError> {
        self.finished.sort_unstable();
        // The first that names an episode counts: rows of finished episodes come before failures.
        let mut cells: HashMap<Digest, Name> = HashMap::new();
        let asked: BTreeSet<Digest> = self.accounts.values().map(|account| account.episode).collect();
        for (key, cell) in std::mem::take(&mut self.cells) {
            if asked.contains(&key) {
                cells.entry(key).or_insert(cell);
            }
        }
        let unknown: BTreeSet<AttemptId> = self
            .accounts
            .iter()
            .filter(|(_, account)| !cells.contains_key(&account.episode))
            .map(|(attempt, _)| *attempt)
            .collect();
        if !unknown.is_empty() {
            let found = by_journal(folder, self.stored, &unknown)?;
            cells.extend(found.into_iter().map(|(key, cell)| (key, Name::from(cell))));
        }
        let mut lines: BTreeMap<(AttemptState, Option<Name>, Name, Name), BillSum> = BTreeMap::new();
        for (attempt, account) in std::mem::take(&mut self.accounts) {
            let state = self.state(attempt, account.stop);
            let cell = cells.get(&account.episode);
            for RoleSum { role, model, sum } in account.sums {
                let line = lines.entry((state, cell.cloned(), role, model)).or_default();
                *line = line.plus(&sum);
            }
        }
        Ok(Bill { lines: self.in_order(lines) })
    }

    fn state(&self, attempt: AttemptId, stop: Option<Stop>) -> AttemptState {
        match stop {
            _ if self.finished.binary_search(&attempt).is_ok() => AttemptState::Finished,
            _ if self.live == Some(attempt.0) => AttemptState::UnderWay,
            None => AttemptState::CutOff,
            Some(stop) if stop == Stop::Cancelled || stop.is_limit() => AttemptState::Cancelled,
            Some(stop) if stop.is_outcome() => AttemptState::Lost,
            Some(_) => AttemptState::Failed,
        }
    }

    /// Cells in the order of the study, as in all tables; unknown ones last.
    fn in_order(&self, lines: BTreeMap<(AttemptState, Option<Name>, Name, Name), BillSum>) -> Vec<BillLine> {
        let cells = self.stored.cells.iter().enumerate();
        let order: BTreeMap<&str, usize> = cells.map(|(place, cell)| (cell.info.id.as_str(), place)).collect();
        let place = |line: &BillLine| line.cell.as_deref().and_then(|cell| order.get(cell).copied());
        let line = |((state, cell, role, model), sum): ((AttemptState, Option<Name>, Name, Name), BillSum)| {
            let cell = cell.as_ref().map(String::from);
            BillLine { state, cell, role: String::from(&role), model: String::from(&model), sum }
        };
        let mut lines: Vec<BillLine> = lines.into_iter().map(line).collect();
        lines.sort_by_key(|line| (line.state, place(line).unwrap_or(usize::MAX)));
        lines
    }
}

/// The cells of episodes without a row in the index, as far as a journal was begun.
fn by_journal(
    folder: &RunFolder,
    stored: &Stored,
    wanted: &BTreeSet<AttemptId>,
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
