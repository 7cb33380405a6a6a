//! The standard tables of a study.

pub mod bog;
pub(crate) mod cost;
mod detail;
mod faults;
mod main_table;
mod paired;
mod replication;

use crate::cells::{Analysis, CellSummary};
use crate::row::{CellInfo, Kind};
use crate::table::{Cell, Column, ColumnKind, Table};

pub use cost::{cost, roles};
pub use detail::{failures, gaps, spread, stops};
pub use faults::faults;
pub use main_table::main;
pub use paired::paired;
pub use replication::{replication, second_world};

/// The key of every table that a report can hold, in reading order.
pub const KEYS: [&str; 11] =
    ["cells", "paired", "spread", "cost", "roles", "stops", "failures", "gaps", "faults", "rescored", "bill"];

/// Every table that has something to say, in reading order: main, paired, spread, cost, roles, stops, failures, gaps. Each has the same
/// columns whatever was played.
#[must_use]
pub fn all(analysis: &Analysis) -> Vec<Table> {
    [
        Some(main(analysis)),
        paired(analysis),
        Some(spread(analysis)),
        cost(analysis),
        roles(analysis),
        stops(analysis),
        failures(analysis),
        gaps(analysis),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The mark that a cell carries in every table: what keeps its numbers from being evidence about a language model.
#[must_use]
pub fn mark(info: &CellInfo) -> &'static str {
    match (info.kind, &info.plumbing) {
        (Kind::Baseline, _) => "policy",
        (Kind::Scripted, _) => "scripted",
        (Kind::NoisyExpert, _) => "noisy expert",
        (_, Some(_)) => "plumbing",
        (Kind::Replayed, None) => "replayed",
        (Kind::Embedded | Kind::Remote, None) => "",
    }
}

/// Columns that name a cell: environment where the study has several, configuration, model, decoding, mark.
pub(crate) fn labels(analysis: &Analysis) -> Vec<Column> {
    let label = |key, title, help| Column::new(key, title, "cell", ColumnKind::Label, help);
    vec![
        label("configuration", "Configuration", "Architecture and persona"),
        label("environment", "Environment", "Environment and the options that tell cells apart")
            .shown_if(several_environments(analysis)),
        label("model", "Model", "Model, by role where there are several"),
        label("decoding", "Decoding", "Whether a grammar masks the model's choices"),
        label("mark", "Mark", "What keeps the numbers from being evidence about a language model"),
    ]
}

pub(crate) fn label_cells(summary: &CellSummary) -> Vec<Cell> {
    let info = &summary.info;
    vec![
        Cell::text(info.configuration_label()),
        Cell::text(&info.environment),
        Cell::text(info.model_label()),
        Cell::text(info.decoding.label()),
        Cell::text(mark(info)),
    ]
}

fn several_environments(analysis: &Analysis) -> bool {
    analysis.cells.windows(2).any(|pair| pair[0].info.environment != pair[1].info.environment)
}

/// Digits after the point for returns: one where they reach tens, three for small scales such as success in [0, 1].
fn return_digits(analysis: &Analysis) -> usize {
    let largest =
        analysis.cells.iter().flat_map(|cell| &cell.values).fold(0.0_f64, |most, value| most.max(value.abs()));
    if largest >= 10.0 { 1 } else { 3 }
}

/// What counts as catastrophic, where all cells agree on it (BOG-164).
fn catastrophic_note(analysis: &Analysis) -> Option<String> {
    let limit = one(analysis.cells.iter().filter_map(|cell| cell.info.thresholds.catastrophic_below))?;
    Some(format!("Catastr.: share of episodes with a return below {}.", limit as f64 / 1000.0))
}

/// What counts as a success, where all cells agree on it.
fn success_note(analysis: &Analysis) -> Option<String> {
    let limit = one(analysis.cells.iter().filter_map(|cell| cell.info.thresholds.success_above))?;
    Some(format!("Success: share of episodes with a return above {}.", limit as f64 / 1000.0))
}

/// The one value that all agree on.
fn one(mut values: impl Iterator<Item = i64>) -> Option<i64> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

fn confidence_title(analysis: &Analysis) -> String {
    format!("{}% CI", analysis.options.percent())
}

/// Notes on the marks that the cells carry.
pub(crate) fn mark_notes(analysis: &Analysis) -> Vec<String> {
    let mut notes = Vec::new();
    let marked = |wanted: &str| analysis.cells.iter().any(|cell| mark(&cell.info) == wanted);
    if marked("policy") {
        notes.push("policy: a rule without a language model; it spends no tokens.".to_owned());
    }
    if marked("scripted") {
        notes.push("scripted: rules stand in for a model; such rows test the scaffolding and say nothing about language models.".to_owned());
    }
    if marked("noisy expert") {
        notes.push("noisy expert: an expert spoiled at a known rate stands in for a model; such rows show what the scaffolding does with errors and say nothing about language models.".to_owned());
    }
    let mut reasons: Vec<&str> = Vec::new();
    for cell in &analysis.cells {
        if let Some(reason) = cell.info.plumbing.as_deref().filter(|reason| !reasons.contains(reason)) {
            reasons.push(reason);
        }
    }
    for reason in reasons {
        notes.push(format!("plumbing: {reason}; such rows show that the machinery works and are not evidence."));
    }
    if marked("replayed") {
        notes.push("replayed: a recording of a real model, played back.".to_owned());
    }
    notes
}
