//! The ledger by attempt at an episode, and by episode over all its attempts: a fold for rows.

use std::collections::{BTreeMap, HashMap};

use gimbal_analysis::name::{Name, Names};
use gimbal_analysis::{ComponentTime, EpisodeRow, Rate, RoleLedger, RoleUsage, TokenUse};
use gimbal_core::{Digest, ModelErrorKind, Usage, UsageSource};
use gimbal_model::Price;

use crate::run::ledger::{Attempted, Called, Received, Row, Sent};
use crate::run::spend::microdollars;

/// An attempt at an episode: number of the ledger file, number within.
pub(super) type AttemptId = (u32, u64);

/// The fold.
#[derive(Debug)]
pub(super) struct Accounts<'s> {
    prices: &'s BTreeMap<String, Price>,
    names: Names,
    attempts: HashMap<AttemptId, Account>,
    bills: HashMap<Digest, EpisodeBill>,
    /// Requests without an answer so far, by ledger file and number of the request.
    open: HashMap<(u32, u64), Open>,
}

/// What was called in one attempt at an episode.
#[derive(Debug, Default)]
struct Account {
    called: Vec<CalledBy>,
    latency_us: Vec<u64>,
    /// Calls whose tokens are not a provider's count.
    estimated: u64,
    failures: Failures,
    took_us: Option<u64>,
    components: Vec<ComponentTime>,
}

/// Calls and tokens as called of one role and model.
#[derive(Debug)]
struct CalledBy {
    role: Name,
    model: Name,
    /// Whether the environment asked.
    environment: bool,
    calls: u64,
    tokens: TokenUse,
    latency_us: u64,
}

/// What was billed for an episode over all its attempts.
#[derive(Debug, Default)]
struct EpisodeBill {
    unknown: u32,
    outages: u32,
    turned_down: u32,
    by_role: Vec<RoleBill>,
}

/// What was billed for one role and model of an episode.
#[derive(Debug)]
struct RoleBill {
    role: Name,
    model: Name,
    requests: u64,
    billed: TokenUse,
    /// Millionths of a millionth of a dollar.
    cost_exact: u128,
    /// Whether a billed request has no price.
    unpriced: bool,
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

#[derive(Debug)]
struct Open {
    episode: Digest,
    role: Name,
    model: Name,
    cached: bool,
}

impl<'s> Accounts<'s> {
    /// An empty fold with the prices in force.
    pub(super) fn new(prices: &'s BTreeMap<String, Price>) -> Self {
        Self { prices, names: Names::default(), attempts: HashMap::new(), bills: HashMap::new(), open: HashMap::new() }
    }

    /// Takes in a row of a ledger file.
    pub(super) fn take(&mut self, file: u32, row: &Row) {
        match row {
            Row::Sent(sent) => self.sent(file, sent),
            Row::Received(received) => self.received(file, received),
            Row::Called(called) => self.called(file, called),
            Row::Attempted(ended) => self.ended(file, ended),
            Row::Indexed(_) => {}
        }
    }

    fn sent(&mut self, file: u32, sent: &Sent) {
        let (role, model) = (self.names.of(&sent.role), self.names.of(&sent.model));
        let bill = self.bills.entry(sent.episode).or_default();
        bill.role(&role, &model).requests += u64::from(!sent.cached);
        let open = Open { episode: sent.episode, role, model, cached: sent.cached };
        self.open.insert((file, sent.attempt), open);
    }

    fn received(&mut self, file: u32, received: &Received) {
        let Some(sent) = self.open.remove(&(file, received.attempt)) else { return };
        let bill = self.bills.entry(sent.episode).or_default();
        if let (false, Some(usage)) = (sent.cached, &received.usage) {
            bill.add(&sent, self.prices.get(sent.model.as_str()), usage);
        }
        bill.outages += u32::from(is_outage(&received.outcome));
        bill.turned_down += u32::from(is_turned_down(&received.outcome));
    }

    fn called(&mut self, file: u32, called: &Called) {
        let (role, model) = (self.names.of(&called.role), self.names.of(&called.model));
        let account = self.attempts.entry((file, called.try_number)).or_default();
        account.estimated += u64::from(matches!(called.usage.source, UsageSource::Estimated | UsageSource::Missing));
        if account.latency_us.is_empty() {
            // Many episodes have one call: the first takes no more room than it needs.
            account.latency_us.reserve_exact(1);
        }
        account.latency_us.push(called.latency_us);
        account.failures.count(&called.outcome, called.environment);
        let by = account.by(role, model, called.environment);
        by.calls += 1;
        by.latency_us = by.latency_us.saturating_add(called.latency_us);
        add(&mut by.tokens, &called.usage);
    }

    fn ended(&mut self, file: u32, ended: &Attempted) {
        if ended.took_us.is_none() && ended.components.is_empty() {
            return;
        }
        let components = ended.components.iter().map(|one| ComponentTime {
            component: self.names.of(&one.component),
            nanoseconds: one.nanoseconds,
            times: one.times,
        });
        let components = components.collect();
        let account = self.attempts.entry((file, ended.try_number)).or_default();
        (account.took_us, account.components) = (ended.took_us, components);
    }

    /// All rows were taken in: a request without an answer has an unknown cost.
    pub(super) fn close(&mut self) {
        for sent in std::mem::take(&mut self.open).into_values() {
            self.bills.entry(sent.episode).or_default().unknown += 1;
        }
    }

    /// Writes the tokens and costs of an attempt, and of its episode, into the row of the episode.
    pub(super) fn fill(&mut self, row: &mut EpisodeRow, attempt: AttemptId, episode: &Digest) {
        let account = self.attempts.remove(&attempt).unwrap_or_default();
        let none = EpisodeBill::default();
        let bill = self.bills.get(episode).unwrap_or(&none);
        row.ledger = ledger(&account.called, &bill.by_role);
        row.usage = usage(&account.called);
        row.model_calls = u32::try_from(account.called.iter().map(|by| by.calls).sum::<u64>()).unwrap_or(u32::MAX);
        row.call_latency_us = account.latency_us;
        row.took_us = account.took_us;
        row.components = account.components;
        row.tokens_estimated = Rate { count: account.estimated, of: account.called.iter().map(|by| by.calls).sum() };
        row.failed_attempts = account.failures.of_agent;
        row.refusals = account.failures.refusals;
        row.truncations = account.failures.truncations;
        row.bad_shapes = account.failures.bad_shapes;
        row.billed = bill.by_role.iter().fold(TokenUse::default(), |sum, role| sum.plus(&role.billed));
        row.unknown_attempts = bill.unknown;
        row.outages = bill.outages;
        row.turned_down = bill.turned_down;
        let cost = bill.by_role.iter().fold(0, |sum: u128, role| sum.saturating_add(role.cost_exact));
        row.cost_microdollars = bill.by_role.iter().all(|role| !role.unpriced).then(|| microdollars(cost));
    }
}

impl Account {
    fn by(&mut self, role: Name, model: Name, environment: bool) -> &mut CalledBy {
        let same = |by: &CalledBy| (&by.role, &by.model, by.environment) == (&role, &model, environment);
        let place = self.called.iter().position(same).unwrap_or_else(|| {
            self.called.reserve_exact(1);
            self.called.push(CalledBy {
                role,
                model,
                environment,
                calls: 0,
                tokens: TokenUse::default(),
                latency_us: 0,
            });
            self.called.len() - 1
        });
        &mut self.called[place]
    }
}

impl EpisodeBill {
    fn role(&mut self, role: &Name, model: &Name) -> &mut RoleBill {
        let same = |bill: &RoleBill| (&bill.role, &bill.model) == (role, model);
        let place = self.by_role.iter().position(same).unwrap_or_else(|| {
            self.by_role.reserve_exact(1);
            self.by_role.push(RoleBill {
                role: role.clone(),
                model: model.clone(),
                requests: 0,
                billed: TokenUse::default(),
                cost_exact: 0,
                unpriced: false,
            });
            self.by_role.len() - 1
        });
        &mut self.by_role[place]
    }

    fn add(&mut self, sent: &Open, price: Option<&Price>, usage: &Usage) {
        if usage.source == UsageSource::Missing {
            self.unknown += 1;
            return;
        }
        let role = self.role(&sent.role, &sent.model);
        role.cost_exact = role.cost_exact.saturating_add(price.map_or(0, |price| price.cost_exact(usage)));
        role.unpriced |= price.is_none();
        add(&mut role.billed, usage);
    }
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

/// Whether the provider turned the request down for what it asks: no outage, because it will do so again.
fn is_turned_down(outcome: &str) -> bool {
    [ModelErrorKind::BadRequest, ModelErrorKind::Denied].iter().any(|kind| kind.name() == outcome)
}

/// Adds what a provider reported to a sum of tokens.
pub(super) fn add(total: &mut TokenUse, usage: &Usage) {
    *total = total.plus(&usage.into());
}

/// Tokens as called by role, in order of role; those of the environment after those of the agent.
fn usage(called: &[CalledBy]) -> Vec<RoleUsage> {
    let mut usage: Vec<RoleUsage> = Vec::with_capacity(called.len());
    for by in called {
        match usage.iter_mut().find(|sum| sum.role == by.role && sum.environment == by.environment) {
            Some(sum) => sum.called = sum.called.plus(&by.tokens),
            None => {
                let (role, environment, called) = (by.role.clone(), by.environment, by.tokens);
                usage.push(RoleUsage { role, environment, called });
            }
        }
    }
    usage.sort_by(|one, other| (&one.role, one.environment).cmp(&(&other.role, other.environment)));
    usage
}

/// What was called in the attempt that counts beside what was billed for all attempts, in order of role and model.
fn ledger(called: &[CalledBy], billed: &[RoleBill]) -> Vec<RoleLedger> {
    let mut lines: Vec<RoleLedger> = Vec::with_capacity(called.len().max(billed.len()));
    let mut line = |role: &Name, model: &Name| {
        let known = lines.iter().position(|line| line.role == *role && line.model == *model);
        known.unwrap_or_else(|| {
            // Nothing was billed: that costs nothing.
            let cost_exact = Some(0);
            let (role, model) = (role.clone(), model.clone());
            lines.push(RoleLedger { role, model, cost_exact, ..RoleLedger::default() });
            lines.len() - 1
        })
    };
    let places: (Vec<usize>, Vec<usize>) = (
        called.iter().map(|by| line(&by.role, &by.model)).collect(),
        billed.iter().map(|bill| line(&bill.role, &bill.model)).collect(),
    );
    for (place, by) in places.0.into_iter().zip(called) {
        lines[place].calls += by.calls;
        lines[place].called_us = lines[place].called_us.saturating_add(by.latency_us);
        lines[place].called = lines[place].called.plus(&by.tokens);
    }
    for (place, bill) in places.1.into_iter().zip(billed) {
        lines[place].requests = bill.requests;
        lines[place].billed = bill.billed;
        let exact = u64::try_from(bill.cost_exact).unwrap_or(u64::MAX);
        lines[place].cost_exact = (!bill.unpriced).then_some(exact);
    }
    lines.sort_by(|one, other| (&one.role, &one.model).cmp(&(&other.role, &other.model)));
    lines
}
