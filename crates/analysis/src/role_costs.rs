//! What roles and models took, from the ledger.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::row::{EpisodeRow, TokenUse};

/// What one role and model took in a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleCost {
    /// Role name.
    pub role: String,
    /// Model that played it.
    pub model: String,
    /// Whether the environment asked for it.
    pub environment: bool,
    /// Calls over all episodes that count.
    pub calls: u64,
    /// Requests over all episodes, repeated ones and those of lost episodes too.
    pub requests: u64,
    /// Tokens as called over all episodes that count.
    pub called: TokenUse,
    /// Dollars billed over all episodes, lost ones too; `None` where a billed request had no price.
    pub cost: Option<f64>,
}

/// Sums what the ledger holds of these episodes by role and model; those lost to infrastructure were billed, too.
pub(crate) fn by_role(all: &[&EpisodeRow]) -> Vec<RoleCost> {
    struct Sum {
        environment: bool,
        calls: u64,
        requests: u64,
        called: TokenUse,
        exact: Option<u128>,
    }
    let mut sums: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
    for row in all {
        for part in &row.ledger {
            let environment = row.usage.iter().any(|usage| usage.environment && usage.role == part.role);
            let none = Sum { environment, calls: 0, requests: 0, called: TokenUse::default(), exact: Some(0) };
            let sum = sums.entry((&part.role, &part.model)).or_insert(none);
            sum.environment |= environment;
            sum.requests += part.requests;
            sum.exact = sum.exact.zip(part.cost_exact).map(|(sum, part)| sum + u128::from(part));
            if row.counts() {
                sum.calls += part.calls;
                sum.called = sum.called.plus(&part.called);
            }
        }
    }
    sums.into_iter()
        .map(|((role, model), sum)| RoleCost {
            role: role.to_owned(),
            model: model.to_owned(),
            environment: sum.environment,
            calls: sum.calls,
            requests: sum.requests,
            called: sum.called,
            cost: sum.exact.map(|exact| exact as f64 / 1e12),
        })
        .collect()
}

/// Mean tokens over the first run of each instance of a task, as the code of the first work counts (BOG-R10): the runs after
/// it say as much, and are left out there.
pub(crate) fn first_runs(rows: &[&EpisodeRow]) -> Option<f64> {
    let mut first: BTreeMap<(&str, u32), &EpisodeRow> = BTreeMap::new();
    for row in rows {
        let kept = first.entry((row.task.as_str(), row.instance)).or_insert(row);
        if (row.run, row.trial) < (kept.run, kept.trial) {
            *kept = row;
        }
    }
    let total: u64 = first.values().map(|row| row.agent_tokens().total()).sum();
    (!first.is_empty()).then(|| total as f64 / first.len() as f64)
}
