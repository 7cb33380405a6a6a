//! The bill of a whole run: everything that was sent and paid for, with or without a finished episode.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::row::TokenUse;
use crate::table::{Cell, Column, ColumnKind, Table};

/// State of an attempt at an episode for which something was paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptState {
    /// It is a finished episode: what every other table counts.
    Finished,
    /// The run is in progress, and the attempt has not ended, or its row is still to come.
    UnderWay,
    /// It ended, but its journal, texts or row are gone, and the episode was or will be played again.
    Lost,
    /// It failed for a reason that is not the agent's: network, provider, disk.
    Failed,
    /// It was called off: by the user, or by a limit of the study.
    Cancelled,
    /// Nothing says how it ended: the process was killed.
    CutOff,
}

impl AttemptState {
    /// The words that tables show.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::UnderWay => "under way",
            Self::Lost => "lost",
            Self::Failed => "failed",
            Self::Cancelled => "called off",
            Self::CutOff => "cut off",
        }
    }
}

/// One line of a bill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BillLine {
    /// State of the attempts at episodes.
    #[serde(rename = "fate")]
    pub state: AttemptState,
    /// Id of the cell; `None` where nothing says to which the episode belonged.
    pub cell: Option<String>,
    /// Role that was asked.
    pub role: String,
    /// Model that was asked.
    pub model: String,
    /// What was sent, and what it cost.
    pub sum: BillSum,
}

/// Requests, tokens and money.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BillSum {
    /// Requests that left, repeated ones too.
    pub requests: u64,
    /// Calls answered from our own cache; they cost nothing and are not requests.
    pub from_cache: u64,
    /// Requests without an answer on record: their cost is unknown and in no sum.
    pub unknown: u64,
    /// Tokens as the provider counted them.
    pub billed: TokenUse,
    /// Money in millionths of a millionth of a dollar, under the price table in force.
    pub cost_exact: u128,
    /// Requests that were billed and whose model has no price: their cost is in no sum.
    pub unpriced: u64,
}

impl BillSum {
    /// Field by field sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            from_cache: self.from_cache + other.from_cache,
            unknown: self.unknown + other.unknown,
            billed: self.billed.plus(&other.billed),
            cost_exact: self.cost_exact + other.cost_exact,
            unpriced: self.unpriced + other.unpriced,
        }
    }

    /// Dollars; `None` where a billed request has no price.
    #[must_use]
    pub fn dollars(&self) -> Option<f64> {
        (self.unpriced == 0).then_some(self.cost_exact as f64 / 1e12)
    }

    /// Tokens and dollars in words.
    #[must_use]
    pub fn words(&self) -> String {
        let tokens = format!("{} tokens", self.billed.total());
        match self.dollars() {
            Some(dollars) => format!("{tokens}, ${dollars:.6}"),
            None => format!("{tokens}, cost not known of {} request(s)", self.unpriced),
        }
    }
}

/// What a run has cost in all: a fold over its whole ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bill {
    /// By state, cell, role and model, in this order.
    pub lines: Vec<BillLine>,
}

impl Bill {
    /// Everything.
    #[must_use]
    pub fn total(&self) -> BillSum {
        self.lines.iter().fold(BillSum::default(), |sum, line| sum.plus(&line.sum))
    }

    /// By provider: what comes before the first slash of a model's name (BOG-150).
    #[must_use]
    pub fn by_provider(&self) -> BTreeMap<&str, BillSum> {
        let mut sums: BTreeMap<&str, BillSum> = BTreeMap::new();
        for line in &self.lines {
            let sum = sums.entry(provider(&line.model)).or_default();
            *sum = sum.plus(&line.sum);
        }
        sums
    }

    /// How many models of a provider were asked.
    fn models_of(&self, wanted: &str) -> usize {
        let models = self.lines.iter().filter(|line| provider(&line.model) == wanted).map(|line| line.model.as_str());
        models.collect::<std::collections::BTreeSet<_>>().len()
    }

    /// By state.
    #[must_use]
    pub fn by_state(&self) -> BTreeMap<AttemptState, BillSum> {
        let mut sums: BTreeMap<AttemptState, BillSum> = BTreeMap::new();
        for line in &self.lines {
            let sum = sums.entry(line.state).or_default();
            *sum = sum.plus(&line.sum);
        }
        sums
    }
}

/// The provider of a model.
fn provider(model: &str) -> &str {
    model.split('/').next().unwrap_or(model)
}

fn columns() -> Vec<Column> {
    use ColumnKind::{Integer, Label, Number};
    let count = |key, title, help| Column::new(key, title, "requests", Integer, help);
    let tokens = |key, title, help| Column::new(key, title, "tokens", Integer, help);
    vec![
        Column::new("fate", "Attempt", "who", Label, "State of the attempts at episodes"),
        Column::new("cell", "Cell", "who", Label, "Cell; empty where nothing says to which the episode belonged"),
        Column::new("role", "Role", "who", Label, "Role that was asked"),
        Column::new("model", "Model", "who", Label, "Model that was asked"),
        count("requests", "Requests", "Requests that left, repeated ones too"),
        count("from_cache", "Cache", "Calls answered from our own cache: no requests"),
        count("unknown", "Unknown", "Requests without an answer on record: their cost is unknown"),
        tokens("input", "In", "Prompt tokens billed"),
        tokens("cached_input", "Cached", "Prompt tokens that the provider took from its cache"),
        tokens("output", "Out", "Completion tokens billed"),
        tokens("reasoning", "Reasoning", "Completion tokens spent on hidden reasoning"),
        Column::new("cost", "Cost", "tokens", Number(6), "Cost under the price table in force").unit("$"),
    ]
}

fn row(names: [Cell; 4], sum: &BillSum) -> Vec<Cell> {
    let billed = sum.billed;
    let counts = [sum.requests, sum.from_cache, sum.unknown].into_iter();
    let tokens = [billed.input, billed.cached_input, billed.output, billed.reasoning];
    let mut row: Vec<Cell> = names.into_iter().chain(counts.chain(tokens).map(Cell::count)).collect();
    row.push(Cell::number(sum.dollars()));
    row
}

/// The bill as a table with its total last; `None` where nothing was ever sent.
#[must_use]
pub fn table(bill: &Bill) -> Option<Table> {
    if bill.lines.is_empty() {
        return None;
    }
    let mut rows: Vec<Vec<Cell>> = bill
        .lines
        .iter()
        .map(|line| {
            let cell = Cell::text(line.cell.clone().unwrap_or_default());
            row([Cell::text(line.state.label()), cell, Cell::text(&line.role), Cell::text(&line.model)], &line.sum)
        })
        .collect();
    let total = bill.total();
    let providers = bill.by_provider();
    if providers.len() > 1 || providers.keys().any(|provider| bill.models_of(provider) > 1) {
        for (provider, sum) in &providers {
            let names = [Cell::text("all"), Cell::Empty, Cell::Empty, Cell::text(format!("{provider}/*"))];
            rows.push(row(names, sum));
        }
    }
    rows.push(row([Cell::text("all"), Cell::Empty, Cell::Empty, Cell::Empty], &total));
    Some(Table { key: "bill", title: "Bill of the whole run".to_owned(), columns: columns(), rows, notes: notes(bill) })
}

fn notes(bill: &Bill) -> Vec<String> {
    let (states, total) = (bill.by_state(), bill.total());
    let mut notes = vec![
        "Every request of the ledger, with or without a finished episode; all other tables count finished episodes, and those lost to infrastructure where they say so.".to_owned(),
    ];
    let meaning = |state| match state {
        AttemptState::Finished => "episodes that count",
        AttemptState::UnderWay => "attempts of the run in progress",
        AttemptState::Lost => "episodes that ended and whose journal, texts or row are gone",
        AttemptState::Failed => "attempts that failed for reasons that are not the agent's",
        AttemptState::Cancelled => "attempts that were called off",
        AttemptState::CutOff => "attempts that a kill cut off",
    };
    for (state, sum) in &states {
        notes.push(format!("{}: {}; {}.", state.label(), meaning(*state), sum.words()));
    }
    let under_way = states.get(&AttemptState::UnderWay).map_or(0, |sum| sum.unknown);
    if under_way > 0 {
        notes.push(format!("{under_way} request(s) of the run in progress are not answered yet."));
    }
    if total.unknown > under_way {
        notes.push(format!(
            "{} request(s) have no answer on record: they may have been paid for, and are in no sum.",
            total.unknown - under_way
        ));
    }
    notes
}
