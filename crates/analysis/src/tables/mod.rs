//! The standard tables of a study.

mod detail;
mod main_table;
mod paired;

use crate::cells::{Analysis, CellSummary};
use crate::row::{CellInfo, Kind};
use crate::table::{Cell, Column, ColumnKind, Table};

pub use detail::{failures, gaps, roles, spread, stops};
pub use main_table::main;
pub use paired::paired;

/// Every table that has something to say, in reading order: main, paired, spread, roles, stops, failures, gaps.
#[must_use]
pub fn all(analysis: &Analysis) -> Vec<Table> {
    [
        Some(main(analysis)),
        paired(analysis),
        Some(spread(analysis)),
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
fn labels(analysis: &Analysis) -> Vec<Column> {
    let label = |key, title, help| Column::new(key, title, "cell", ColumnKind::Label, help);
    let mut columns = vec![label("configuration", "Configuration", "Architecture and persona")];
    if several_environments(analysis) {
        columns.push(label("environment", "Environment", "Environment and the options that tell cells apart"));
    }
    columns.extend([
        label("model", "Model", "Model, by role where there are several"),
        label("decoding", "Decoding", "Whether a grammar masks the model's choices"),
        label("mark", "Mark", "What keeps the numbers from being evidence about a language model"),
    ]);
    columns
}

fn label_cells(analysis: &Analysis, summary: &CellSummary) -> Vec<Cell> {
    let info = &summary.info;
    let mut cells = vec![Cell::text(&info.configuration)];
    if several_environments(analysis) {
        cells.push(Cell::text(&info.environment));
    }
    cells.extend([Cell::text(info.model_label()), Cell::text(info.decoding.label()), Cell::text(mark(info))]);
    cells
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

fn confidence_title(analysis: &Analysis) -> String {
    format!("{}% CI", analysis.options.percent())
}

/// Notes on the marks that the cells carry.
fn mark_notes(analysis: &Analysis) -> Vec<String> {
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
