//! What judges say over ranges of confidences.

use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_core::Milli;
use gimbal_evidence::judge::sweep::{NotARange, Phase, Range, grid};
use gimbal_evidence::judge::{Arithmetic, Judge, Verdict};

/// What is swept.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Judges.
    pub judges: Vec<Judge>,
    /// Ways to compute.
    pub arithmetics: Vec<Arithmetic>,
    /// The ranges, a row or more each.
    pub phases: Vec<NamedRanges>,
    /// Distance of neighbouring points of the grid.
    pub step: Milli,
}

/// Ranges of confidences with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRanges {
    /// The name in the table.
    pub name: String,
    /// The Architect's range.
    pub architect: Range,
    /// The Skeptic's range.
    pub skeptic: Range,
}

impl From<&Phase> for NamedRanges {
    fn from(phase: &Phase) -> Self {
        Self { name: phase.name.to_owned(), architect: phase.architect, skeptic: phase.skeptic }
    }
}

/// A row for each range, judge and way to compute: shares of verdicts over all pairs of the grid (ARES-060 to ARES-064, ARES-R10).
///
/// # Errors
/// When the step is not from 0.001 to 1.
pub fn sweep(asked: &Asked) -> Result<Table, NotARange> {
    let label = |key, title, help| Column::new(key, title, "judge", ColumnKind::Label, help);
    let share = |key, title, help| Column::new(key, title, "verdicts", ColumnKind::Share(1), help);
    let columns = vec![
        label("phase", "Confidences", "Name of the ranges"),
        label("architect", "Architect", "Range of the Architect's confidence"),
        label("skeptic", "Skeptic", "Range of the Skeptic's confidence"),
        label("judge", "Judge", "The judge"),
        label("arithmetic", "Arithmetic", "Thousandths, or floats of 64 bits as published"),
        share("confirmed", "Confirmed", "Share of pairs in which a threat is confirmed"),
        share("dismissed", "Dismissed", "Share of pairs in which it is dismissed"),
        share("inconclusive", "Inconclusive", "Share of pairs that do not decide"),
        Column::new("pairs", "Pairs", "verdicts", ColumnKind::Integer, "Pairs of the grid"),
    ];
    let mut rows = Vec::new();
    for NamedRanges { name, architect, skeptic } in &asked.phases {
        for judge in &asked.judges {
            for arithmetic in &asked.arithmetics {
                let counts = grid(judge, *arithmetic, *architect, *skeptic, asked.step)?;
                let names = [name.clone(), architect.to_string(), skeptic.to_string()];
                let mut row: Vec<Cell> = names.iter().map(Cell::text).collect();
                row.extend([Cell::text(judge.name()), Cell::text(arithmetic.name())]);
                row.extend(Verdict::ALL.map(|verdict| Cell::share(Some(counts.share(verdict)))));
                row.push(Cell::count(counts.all()));
                rows.push(row);
            }
        }
    }
    let notes = vec![
        format!(
            "Every pair of a grid of {} counts once. No model is asked: what the table shows is the judge, and no debate.",
            asked.step
        ),
        "The Architect's confidence is that there is a threat, the Skeptic's that there is none.".to_owned(),
    ];
    Ok(Table { key: "judge-sweep", title: "Verdicts over ranges of confidences".to_owned(), columns, rows, notes })
}
