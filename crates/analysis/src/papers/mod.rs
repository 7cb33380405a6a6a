//! Printed numbers of a work against our formulas: what follows from what, and where it does not.
//!
//! Which numbers there are, each work's room knows; the facts themselves are data (`papers/*.yaml`).

mod examined;
mod printed;

pub use examined::{Examined, KnownMiss, Relation};
pub use printed::{Claim, Reach};

use serde::de::DeserializeOwned;

use crate::error::AnalysisError;
use crate::table::{Cell, Column, ColumnKind, Table};

/// How a printed number compares with the recomputed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The recomputed value, rounded as the table is, equals what is printed.
    Equal,
    /// It differs, and the rounding of the printed inputs explains it.
    Rounding,
    /// It differs, and it lies between what the ends of the printed ranges give.
    Range,
    /// It does not follow from the printed inputs.
    Miss,
}

/// One printed number recomputed.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Table of the work.
    pub table: String,
    /// Which number: configuration and model.
    pub place: String,
    /// What is printed.
    pub printed: f64,
    /// Digits after the point that it is printed with.
    pub digits: usize,
    /// What follows from the printed inputs.
    pub recomputed: f64,
    /// Verdict.
    pub verdict: Verdict,
    /// Why a miss is not an error of ours, as far as is known.
    pub note: Option<String>,
}

impl Check {
    /// Judges a number printed with `digits` after the point. `reach` holds the least and the largest value that the
    /// rounding of the inputs allows.
    #[must_use]
    pub fn judge(table: &str, place: String, printed: f64, digits: i32, recomputed: f64, reach: (f64, f64)) -> Self {
        let half = 0.5 * 10_f64.powi(-digits);
        // Inputs are decimal fractions, so a tie can miss by an ulp or two.
        let slack = 1e-9 * printed.abs().max(1.0);
        let scale = 10_f64.powi(digits);
        let verdict = if ((recomputed * scale).round() / scale - printed).abs() <= slack {
            Verdict::Equal
        } else if reach.0 <= printed + half + slack && printed - half - slack <= reach.1 {
            Verdict::Rounding
        } else {
            Verdict::Miss
        };
        let digits = usize::try_from(digits).unwrap_or(0);
        Self { table: table.to_owned(), place, printed, digits, recomputed, verdict, note: None }
    }

    /// The check of a number that follows from ranges: their ends, and no rounding, are what lets it reach.
    #[must_use]
    pub fn of_ranges(mut self) -> Self {
        if self.verdict == Verdict::Rounding {
            self.verdict = Verdict::Range;
        }
        self
    }

    /// The check of a text that says more or less than the printed number: it is right where the recomputed number says so.
    #[must_use]
    pub fn related(mut self, relation: Relation) -> Self {
        let holds = match relation {
            Relation::Equal => return self,
            Relation::Above => self.recomputed > self.printed,
            Relation::Below => self.recomputed < self.printed,
        };
        self.verdict = if holds { Verdict::Equal } else { Verdict::Miss };
        self
    }
}

/// Numbers of one printed table by verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Table of the work.
    pub table: String,
    /// Equal as printed.
    pub equal: usize,
    /// Explained by the rounding of the printed inputs.
    pub rounding: usize,
    /// Between what the ends of the printed ranges give.
    pub ranges: usize,
    /// Do not follow from the printed inputs.
    pub missed: usize,
}

/// Reads the facts of a work; `place` is what messages call the text.
///
/// # Errors
/// When the text does not have the shape of the facts: where, and what is wrong.
pub fn read_facts<T: DeserializeOwned>(text: &str, place: &str) -> Result<T, AnalysisError> {
    serde_saphyr::from_str(text)
        .map_err(|error| AnalysisError::Facts { place: place.to_owned(), what: error.to_string() })
}

/// Counts by table, in the order in which tables come up.
#[must_use]
pub fn tally(checks: &[Check]) -> Vec<Tally> {
    let mut counts: Vec<Tally> = Vec::new();
    for check in checks {
        let position = counts.iter().position(|entry| entry.table == check.table).unwrap_or_else(|| {
            counts.push(Tally { table: check.table.clone(), ..Tally::default() });
            counts.len() - 1
        });
        match check.verdict {
            Verdict::Equal => counts[position].equal += 1,
            Verdict::Rounding => counts[position].rounding += 1,
            Verdict::Range => counts[position].ranges += 1,
            Verdict::Miss => counts[position].missed += 1,
        }
    }
    counts
}

/// The tally as a table, with every miss and every rounding case named in the notes.
#[must_use]
pub fn report(title: &str, checks: &[Check]) -> Table {
    let column = |key, title, help| Column::new(key, title, "checks", ColumnKind::Integer, help);
    let counted = tally(checks);
    let has_ranges = counted.iter().any(|entry| entry.ranges > 0);
    let columns = vec![
        Column::new("table", "Table", "checks", ColumnKind::Label, "Table of the work"),
        column("numbers", "Numbers", "Numbers recomputed"),
        column("equal", "Equal", "Equal as printed"),
        column("rounding", "Rounding", "Explained by the rounding of the printed inputs"),
        column("ranges", "In ranges", "Between what the ends of the printed ranges give").shown_if(has_ranges),
        column("missed", "Missed", "Do not follow from the printed inputs"),
    ];
    let rows = counted
        .into_iter()
        .map(|Tally { table, equal, rounding, ranges, missed }| {
            let counts = [equal + rounding + ranges + missed, equal, rounding, ranges, missed];
            std::iter::once(Cell::text(table)).chain(counts.map(|count| Cell::count(count as u64))).collect()
        })
        .collect();
    let notes = checks
        .iter()
        .filter(|check| check.verdict != Verdict::Equal)
        .map(|check| {
            let word = match check.verdict {
                Verdict::Miss => "miss",
                Verdict::Range => "in ranges",
                Verdict::Equal | Verdict::Rounding => "rounding",
            };
            let why = check.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
            format!(
                "{word}: {}, {}: printed {:.digits$}, recomputed {:.4}{why}",
                check.table,
                check.place,
                check.printed,
                check.recomputed,
                digits = check.digits
            )
        })
        .collect();
    Table { key: "papers", title: title.to_owned(), columns, rows, notes }
}
