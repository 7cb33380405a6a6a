//! Rows for analysis: the index says which attempts count, the ledger what they cost.

use std::collections::BTreeMap;

use gimbal_analysis::{EpisodeRow, PastCell, RoleLedger, RoleUsage, Rows, TokenUse};
use gimbal_core::{Digest, ModelErrorKind, Usage, UsageSource, canonical};

use crate::plan::{Stored, StoredCell};
use crate::run::index::unreadable;
use crate::run::ledger::Row;
use crate::run::{EpisodeId, Finished, INDEX, Outcome, Place, RunError, RunFolder, Spending};

/// What the ledger says of one attempt at an episode.
#[derive(Clone, Debug, Default)]
struct Account {
    usage: BTreeMap<(String, bool), TokenUse>,
    /// Calls and tokens as called by role and model.
    called_by: BTreeMap<(String, String), (u64, TokenUse)>,
    latency_us: Vec<u64>,
    estimated: bool,
    calls: u64,
    called: (u64, u64),
    failures: Failures,
}

/// What the ledger says of an episode over all its attempts: what was billed.
#[derive(Clone, Debug, Default)]
struct Bill {
    billed: TokenUse,
    spending: Spending,
    priced: bool,
    unknown: u32,
    outages: u32,
    turned_down: u32,
    /// By role and model.
    by_role: BTreeMap<(String, String), RoleBill>,
}

/// What was billed for one role and model of an episode.
#[derive(Clone, Debug, Default)]
struct RoleBill {
    requests: u64,
    billed: TokenUse,
    spending: Spending,
    unpriced: bool,
}

/// Everything that a fold over the ledger gives.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    attempts: BTreeMap<(u32, u64), Account>,
    bills: BTreeMap<gimbal_core::Digest, Bill>,
}

/// The calls of an attempt at an episode that gave no whole answer.
#[derive(Clone, Copy, Debug, Default)]
struct Failures {
    refusals: u32,
    truncations: u32,
    bad_shapes: u32,
    /// Those of the agent's own roles: attempts at an action that brought none (BOG-047).
    of_agent: u32,
}

impl Failures {
    fn count(&mut self, outcome: &str, environment: bool) {
        let kinds = [
            (ModelErrorKind::Refusal, &mut self.refusals),
            (ModelErrorKind::Truncated, &mut self.truncations),
            (ModelErrorKind::BadShape, &mut self.bad_shapes),
        ];
        for (kind, count) in kinds {
            if kind.name() == outcome {
                *count += 1;
                self.of_agent += u32::from(!environment);
            }
        }
    }
}

/// Whether an attempt with this outcome failed, and not by the agent's fault: a provider in trouble or out of reach.
fn is_outage(outcome: &str) -> bool {
    use ModelErrorKind::{BadResponse, NotRecorded, RateLimited, Timeout, Transport, Unavailable};
    [Transport, Timeout, RateLimited, Unavailable, BadResponse, NotRecorded].iter().any(|kind| kind.name() == outcome)
}

/// Whether the provider turned the request down for what it asks: no outage, for it will do so again.
fn is_turned_down(outcome: &str) -> bool {
    [ModelErrorKind::BadRequest, ModelErrorKind::Denied].iter().any(|kind| kind.name() == outcome)
}

struct Open {
    episode: gimbal_core::Digest,
    model: String,
    role: String,
    cached: bool,
}

/// Adds what a provider reported to a sum of tokens.
pub(super) fn add(total: &mut TokenUse, usage: &Usage) {
    let more = TokenUse {
        input: usage.input,
        cached_input: usage.cached_input,
        output: usage.output,
        reasoning: usage.reasoning,
    };
    *total = total.plus(&more);
}

impl Accounts {
    /// Folds all ledger files of a run.
    ///
    /// # Errors
    /// When one cannot be read.
    pub(super) fn read(folder: &RunFolder, stored: &Stored) -> Result<Self, RunError> {
        let mut accounts = Self::default();
        let mut open: BTreeMap<(u32, u64), Open> = BTreeMap::new();
        folder.rows(|file, row| match row {
            Row::Sent(sent) => {
                let bill = accounts.bills.entry(sent.episode);
                let bill = bill.or_insert_with(|| Bill { priced: true, ..Bill::default() });
                let by_role = bill.by_role.entry((sent.role.clone(), sent.model.clone())).or_default();
                by_role.requests += u64::from(!sent.cached);
                let held = Open { episode: sent.episode, model: sent.model, role: sent.role, cached: sent.cached };
                open.insert((file, sent.attempt), held);
            }
            Row::Received(received) => {
                let Some(sent) = open.remove(&(file, received.attempt)) else { return };
                let bill = accounts.bills.entry(sent.episode).or_default();
                if let (false, Some(usage)) = (sent.cached, &received.usage) {
                    let price = stored.prices.get(&sent.model);
                    bill.spending.add(price, usage);
                    let by_role = bill.by_role.entry((sent.role, sent.model)).or_default();
                    by_role.spending.add(price, usage);
                    if usage.source != UsageSource::Missing {
                        by_role.unpriced |= price.is_none();
                        add(&mut by_role.billed, usage);
                    }
                    if usage.source == UsageSource::Missing {
                        bill.unknown += 1;
                    } else {
                        bill.priced &= price.is_some();
                        add(&mut bill.billed, usage);
                    }
                }
                bill.outages += u32::from(is_outage(&received.outcome));
                bill.turned_down += u32::from(is_turned_down(&received.outcome));
            }
            Row::Called(called) => {
                let account = accounts.attempts.entry((file, called.try_number)).or_default();
                let by = account.called_by.entry((called.role.clone(), called.model)).or_default();
                by.0 += 1;
                add(&mut by.1, &called.usage);
                add(account.usage.entry((called.role, called.environment)).or_default(), &called.usage);
                account.latency_us.push(called.latency_us);
                account.estimated |= matches!(called.usage.source, UsageSource::Estimated | UsageSource::Missing);
                account.calls += 1;
                account.called.0 = account.called.0.saturating_add(called.usage.input);
                account.called.1 = account.called.1.saturating_add(called.usage.output);
                account.failures.count(&called.outcome, called.environment);
            }
            Row::Attempted(_) | Row::Indexed(_) => {}
        })?;
        // A request without an answer: its cost is unknown, and said to be.
        for sent in open.into_values() {
            accounts.bills.entry(sent.episode).or_default().unknown += 1;
        }
        Ok(accounts)
    }

    /// Calls, input and output tokens of an attempt.
    pub(super) fn totals(&self, place: Place) -> (u64, u64, u64) {
        self.attempts
            .get(&(place.segment, place.attempt))
            .map_or((0, 0, 0), |account| (account.calls, account.called.0, account.called.1))
    }

    fn row(&self, id: &EpisodeId, place: Place, environment: &str) -> EpisodeRow {
        let account = self.attempts.get(&(place.segment, place.attempt)).cloned().unwrap_or_default();
        let bill = self.bills.get(&id.key).cloned().unwrap_or(Bill { priced: true, ..Bill::default() });
        let ledger = ledger(&account.called_by, &bill.by_role);
        EpisodeRow {
            cell: id.cell.clone(),
            environment: environment.to_owned(),
            task: id.task.clone(),
            run: id.run,
            trial: id.trial,
            seed: id.seed,
            return_thousandths: 0,
            steps: 0,
            stop: String::new(),
            infrastructure: false,
            usage: account
                .usage
                .into_iter()
                .map(|((role, environment), called)| RoleUsage { role, environment, called })
                .collect(),
            tokens_estimated: account.estimated,
            billed: bill.billed,
            model_calls: u32::try_from(account.calls).unwrap_or(u32::MAX),
            tool_calls: 0,
            rejected_calls: 0,
            failed_attempts: account.failures.of_agent,
            fallbacks: 0,
            unknown_attempts: bill.unknown,
            refusals: account.failures.refusals,
            truncations: account.failures.truncations,
            bad_shapes: account.failures.bad_shapes,
            outages: bill.outages,
            turned_down: bill.turned_down,
            lost_because: String::new(),
            call_latency_us: account.latency_us,
            critical_path_us: None,
            cost_microdollars: bill.priced.then(|| bill.spending.microdollars()),
            instance: 0,
            ledger,
        }
    }
}

/// What was called in the attempt that counts beside what was billed for all attempts.
fn ledger(
    called: &BTreeMap<(String, String), (u64, TokenUse)>,
    billed: &BTreeMap<(String, String), RoleBill>,
) -> Vec<RoleLedger> {
    let keys: std::collections::BTreeSet<&(String, String)> = called.keys().chain(billed.keys()).collect();
    let rows = keys.into_iter().map(|key| {
        let (calls, tokens) = called.get(key).copied().unwrap_or_default();
        let bill = billed.get(key).cloned().unwrap_or_default();
        let exact = u64::try_from(bill.spending.exact()).unwrap_or(u64::MAX);
        RoleLedger {
            role: key.0.clone(),
            model: key.1.clone(),
            calls,
            requests: bill.requests,
            called: tokens,
            billed: bill.billed,
            cost_exact: (!bill.unpriced).then_some(exact),
        }
    });
    rows.collect()
}

fn outcome_into(row: &mut EpisodeRow, outcome: &Outcome) {
    let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    row.return_thousandths = outcome.episode_return.0;
    row.steps = outcome.steps;
    row.stop = outcome.stop.name().to_owned();
    row.tool_calls = small(outcome.spent.tool_calls);
    row.rejected_calls = small(outcome.rejected);
    row.fallbacks = small(outcome.fallbacks);
    row.critical_path_us = Some(outcome.critical_path_us);
}

/// The rows of a run: its cells as planned, its finished episodes, and those that were lost to infrastructure only.
///
/// # Errors
/// When the folder is damaged.
pub fn load_rows(folder: &RunFolder) -> Result<Rows, RunError> {
    let stored = Stored::read(folder)?;
    // Before the ledger: of a run in progress the ledger then holds all that these rows stand for.
    let in_progress = folder.in_progress();
    let index = folder.index()?;
    let failed = |error: rusqlite::Error| unreadable(&folder.root().join(INDEX), &error);
    let mut finished: Vec<Finished> = Vec::new();
    let walked = index.each(|episode| {
        finished.push(episode);
        Ok::<(), rusqlite::Error>(())
    });
    walked.map_err(failed)?;
    let accounts = Accounts::read(folder, &stored)?;
    let cells: BTreeMap<&str, &StoredCell> = stored.cells.iter().map(|cell| (cell.info.id.as_str(), cell)).collect();
    let row_of = |id: &EpisodeId, place: Place| {
        let cell = cells.get(id.cell.as_str());
        let row = accounts.row(id, place, cell.map_or("", |cell| &cell.environment));
        EpisodeRow { instance: cell.map_or(0, |cell| cell.instance(id.run)), ..row }
    };
    let known = |cell: &str| cells.contains_key(cell);
    let mut episodes = Vec::new();
    for episode in finished.iter().filter(|episode| known(&episode.id.cell)) {
        let mut row = row_of(&episode.id, episode.place);
        outcome_into(&mut row, &episode.outcome);
        episodes.push(row);
    }
    let mut lost: BTreeMap<gimbal_core::Digest, EpisodeRow> = BTreeMap::new();
    // A run in progress tries failed episodes again: nothing of it is lost yet.
    let failures = if in_progress { Vec::new() } else { index.failures().map_err(failed)? };
    for attempt in failures.into_iter().filter(|attempt| known(&attempt.id.cell)) {
        if index.holds(&attempt.id.key).map_err(failed)? {
            continue;
        }
        let mut row = row_of(&attempt.id, attempt.place);
        row.stop = attempt.stop.name().to_owned();
        row.infrastructure = true;
        row.lost_because = attempt.detail;
        lost.insert(attempt.id.key, row);
    }
    episodes.extend(lost.into_values());
    Ok(Rows { cells: stored.cells.into_iter().map(|cell| cell.info).collect(), episodes })
}

/// Finished episodes of cells that are no longer in the study, cell by cell in the order in which they went.
///
/// # Errors
/// When the folder is damaged.
pub fn past(folder: &RunFolder, stored: &Stored) -> Result<Vec<PastCell>, RunError> {
    let mut cells: Vec<PastCell> = stored.past.iter().map(|cell| PastCell::new(cell.info.clone())).collect();
    let walked = folder.index()?.each_past(|episode| {
        if let Some(cell) = cells.iter_mut().find(|cell| cell.info.id == episode.id.cell) {
            let spent = &episode.outcome.spent;
            cell.add(episode.outcome.episode_return.0, spent.input_tokens, spent.output_tokens);
        }
        Ok::<(), rusqlite::Error>(())
    });
    walked.map_err(|error| unreadable(&folder.root().join(INDEX), &error))?;
    cells.retain(|cell| cell.episodes > 0);
    Ok(cells)
}

/// How many finished episodes of the study's cells were played under which limits of an episode, the oldest first; empty
/// where the limits never changed.
///
/// # Errors
/// When the folder is damaged.
pub fn limits(folder: &RunFolder, stored: &Stored) -> Result<Vec<(String, u64)>, RunError> {
    if stored.earlier_limits.is_empty() {
        return Ok(Vec::new());
    }
    let present = stored.frame.get("limits").cloned().unwrap_or_default();
    let mut spans: Vec<(u32, String, u64)> =
        stored.earlier_limits.iter().map(|earlier| (earlier.until, canonical::text(&earlier.limits), 0)).collect();
    spans.push((u32::MAX, canonical::text(&present), 0));
    let walked = folder.index()?.each(|episode| {
        if let Some(span) = spans.iter_mut().find(|(until, ..)| episode.place.segment <= *until) {
            span.2 += 1;
        }
        Ok::<(), rusqlite::Error>(())
    });
    walked.map_err(|error| unreadable(&folder.root().join(INDEX), &error))?;
    Ok(spans.into_iter().map(|(_, limits, episodes)| (limits, episodes)).collect())
}

/// What a run has cost so far, by its ledger, and what is wrong with the ledger's files.
///
/// # Errors
/// When the ledger cannot be read.
pub fn spending(folder: &RunFolder, stored: &Stored) -> Result<(Spending, Vec<String>), RunError> {
    spending_by(folder, stored, |_, _, _| {})
}

/// The same, and what was spent on each episode: for limits of cells. A request without an answer on record is in no
/// episode's sum, as it is in no study's.
///
/// # Errors
/// When the ledger cannot be read.
pub fn spending_of_episodes(folder: &RunFolder, stored: &Stored) -> Result<BTreeMap<Digest, Spending>, RunError> {
    let mut episodes: BTreeMap<Digest, Spending> = BTreeMap::new();
    spending_by(folder, stored, |episode, model, usage| {
        episodes.entry(episode).or_default().add(stored.prices.get(model), usage);
    })?;
    Ok(episodes)
}

fn spending_by(
    folder: &RunFolder,
    stored: &Stored,
    mut each: impl FnMut(Digest, &str, &Usage),
) -> Result<(Spending, Vec<String>), RunError> {
    let mut total = Spending::default();
    let mut models: BTreeMap<(u32, u64), Option<(Digest, String)>> = BTreeMap::new();
    // Before the ledger is read: a run in progress may add to both.
    let marks = folder.index()?.marks().map_err(|error| unreadable(&folder.root().join(INDEX), &error))?;
    let files = folder.rows(|file, row| match row {
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
    })?;
    // A request without an answer, as a kill leaves it.
    total.unknown += models.into_values().flatten().count() as u64;
    let complaints = folder.ledger_complaints(&files, &marks)?;
    Ok((total, complaints))
}
