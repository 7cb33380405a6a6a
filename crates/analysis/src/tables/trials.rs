//! Returns by number of the trial.

use super::{confidence_title, label_cells, labels, mark_notes, return_digits};
use crate::cells::Analysis;
use crate::interval_notes::interval_note;
use crate::table::{Cell, Column, ColumnKind, Table};

/// Returns trial by trial, for cells whose sessions have several; `None` where none has.
#[must_use]
pub fn trials(analysis: &Analysis) -> Option<Table> {
    let digits = return_digits(analysis);
    let ci = confidence_title(analysis);
    let column = |key, title: &str, kind, help| Column::new(key, title, "trials", kind, help);
    let mut columns = labels(analysis);
    columns.extend([
        column("trial", "Trial", ColumnKind::Integer, "Number of the trial in its session, from 0"),
        column("episodes", "Episodes", ColumnKind::Integer, "Episodes of this number"),
        column("return", "Return", ColumnKind::Number(digits), "Mean return of them"),
        column("return_ci", &format!("Return {ci}"), ColumnKind::Interval(digits), "Interval of the mean"),
        column("gain", "Gain", ColumnKind::Number(digits), "Mean difference to the first trial of the same session"),
        column("gain_ci", &format!("Gain {ci}"), ColumnKind::Interval(digits), "Interval of the mean difference"),
    ]);
    let mut rows = Vec::new();
    for cell in &analysis.cells {
        for trial in &cell.by_trial {
            let mut row = label_cells(cell);
            row.extend([
                Cell::count(u64::from(trial.trial)),
                Cell::count(trial.returns.n as u64),
                Cell::number(Some(trial.returns.mean)),
                Cell::interval(trial.returns.interval()),
                Cell::number(trial.gain.map(|gain| gain.mean)),
                Cell::interval(trial.gain.and_then(|gain| gain.interval())),
            ]);
            rows.push(row);
        }
    }
    let mut notes = vec![
        interval_note(analysis),
        "Gain: where the trials of a session are different tasks, it holds the difference of their tasks too."
            .to_owned(),
    ];
    notes.extend(mark_notes(analysis));
    let table = Table { key: "trials", title: "Returns by trial of a session".to_owned(), columns, rows, notes };
    (!table.rows.is_empty()).then_some(table)
}
