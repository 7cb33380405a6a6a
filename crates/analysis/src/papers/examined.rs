//! Checks against the list of known misses: what is new, what is listed and no miss any more.

use serde::{Deserialize, Serialize};

use super::{Check, Verdict};
use crate::table::{Cell, Column, ColumnKind, Table};

/// What a text says of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It is this.
    #[default]
    Equal,
    /// It is more than this.
    Above,
    /// It is less than this.
    Below,
}

/// A printed number that is known not to follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownMiss {
    /// Table.
    pub table: String,
    /// Which number, as the checks name it.
    pub place: String,
    /// Why it does not follow, as far as is known.
    pub why: String,
}

/// A work's printed numbers, examined.
#[derive(Clone, Debug, PartialEq)]
pub struct Examined {
    /// Every printed number that follows from others.
    pub checks: Vec<Check>,
    /// Misses that the facts do not list, as `table, place`.
    pub unlisted: Vec<String>,
    /// Listed misses that are none, or name a number that there is not.
    pub stale: Vec<String>,
    /// What the printed numbers leave open, a sentence each.
    pub open: Vec<String>,
}

impl Examined {
    /// Compares the misses among checks with those that a work's facts list.
    #[must_use]
    pub fn of(mut checks: Vec<Check>, listed: &[KnownMiss]) -> Self {
        let mut unlisted = Vec::new();
        for one in checks.iter_mut().filter(|one| one.verdict == Verdict::Miss) {
            match listed.iter().find(|known| known.table == one.table && known.place == one.place) {
                Some(known) => one.note = Some(known.why.clone()),
                None => unlisted.push(format!("{}, {}", one.table, one.place)),
            }
        }
        let missed = |table: &str, place: &str| {
            checks.iter().any(|one| one.verdict == Verdict::Miss && one.table == table && one.place == place)
        };
        let stale = listed.iter().filter(|known| !missed(&known.table, &known.place));
        let stale = stale.map(|known| format!("{}, {}", known.table, known.place)).collect();
        Self { checks, unlisted, stale, open: Vec::new() }
    }

    /// Whether every miss is listed and every listed one is a miss.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.unlisted.is_empty() && self.stale.is_empty()
    }

    /// One row a number: printed, computed, difference, verdict. With a table's name only its numbers.
    #[must_use]
    pub fn numbers(&self, title: &str, only: Option<&str>) -> Table {
        let number = |key, title, help| Column::new(key, title, "numbers", ColumnKind::Number(4), help);
        let columns = vec![
            Column::new("table", "Table", "number", ColumnKind::Label, "Table of the work"),
            Column::new("place", "Number", "number", ColumnKind::Label, "Which number"),
            number("printed", "Printed", "As printed"),
            number("computed", "Computed", "From the printed inputs"),
            number("difference", "Difference", "Computed minus printed"),
            Column::new("verdict", "Verdict", "numbers", ColumnKind::Text, "By the rounding interval"),
            Column::new("why", "Why", "why", ColumnKind::Text, "Why a listed miss is one").shown_if(false),
        ];
        let chosen = self.checks.iter().filter(|one| only.is_none_or(|only| one.table == only));
        let rows = chosen
            .clone()
            .map(|one| {
                let listed = !self.unlisted.contains(&format!("{}, {}", one.table, one.place));
                let verdict = match one.verdict {
                    Verdict::Equal => "equal",
                    Verdict::Rounding => "within rounding",
                    Verdict::Range => "within ranges",
                    // The number itself follows; it contradicts another one, as the note says.
                    Verdict::Miss if listed && one.recomputed == one.printed => "known miss: contradicts another",
                    Verdict::Miss if listed => "known miss",
                    Verdict::Miss => "MISS",
                };
                vec![
                    Cell::text(&one.table),
                    Cell::text(&one.place),
                    Cell::number(Some(one.printed)),
                    Cell::number(Some(one.recomputed)),
                    Cell::number(Some(one.recomputed - one.printed)),
                    Cell::text(verdict),
                    Cell::text(one.note.clone().unwrap_or_default()),
                ]
            })
            .collect();
        let mut notes = vec!["equal: rounded as the table is, it is what is printed; within rounding: the rounding of the printed inputs explains it; miss: it does not follow.".to_owned()];
        if chosen.clone().any(|one| one.verdict == Verdict::Range) {
            notes.push(
                "within ranges: it is not what the middles of the printed ranges give, and their ends allow it."
                    .to_owned(),
            );
        }
        let known = chosen.filter(|one| one.verdict == Verdict::Miss);
        notes.extend(known.filter_map(|one| {
            let why = one.note.as_ref()?.trim_end_matches('.');
            Some(format!("{}, {}: {why}.", one.table, one.place))
        }));
        if only.is_none() {
            notes.extend(self.open.iter().cloned());
        }
        notes.extend(self.unlisted.iter().map(|place| format!("NOT LISTED: {place}.")));
        notes.extend(self.stale.iter().map(|place| format!("LISTED AND NO MISS: {place}.")));
        Table { key: "papers", title: title.to_owned(), columns, rows, notes }
    }
}
