//! A table as data: typed cells under described columns, rendered to text, Markdown, CSV and JSON.

use std::borrow::Cow;

mod blocks;
pub mod columns;
mod csv;
mod format;
mod json;
mod markdown;
mod text;

use crate::printable::printable;
pub use markdown::markdown_text;

/// Content of a cell. Numbers that do not exist are [`Cell::Empty`] and never NaN.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing to say: shown as an en dash, empty in CSV, null in JSON.
    Empty,
    /// Words.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number; the column says with how many digits it is shown.
    Number(f64),
    /// A share between 0 and 1, shown in percent.
    Share(f64),
    /// An interval.
    Interval(f64, f64),
    /// Yes or no.
    Flag(bool),
    /// Wins, ties, losses.
    Record(u64, u64, u64),
}

impl Cell {
    /// A number, or nothing when there is none or it is not finite. 0 has no sign.
    #[must_use]
    pub fn number(value: Option<f64>) -> Self {
        value.filter(|value| value.is_finite()).map_or(Self::Empty, |value| Self::Number(value + 0.0))
    }

    /// The difference of two numbers, or nothing. What is no more than the error of their last digits is 0.
    #[must_use]
    pub fn difference(of: Option<(f64, f64)>) -> Self {
        let least = |(one, other): (f64, f64)| 1e-12 * one.abs().max(other.abs());
        Self::number(of.map(|(one, other)| {
            let apart = one - other;
            if apart.abs() <= least((one, other)) { 0.0 } else { apart }
        }))
    }

    /// A share, or nothing.
    #[must_use]
    pub fn share(value: Option<f64>) -> Self {
        value.filter(|value| value.is_finite()).map_or(Self::Empty, |value| Self::Share(value + 0.0))
    }

    /// An interval, or nothing.
    #[must_use]
    pub fn interval(value: Option<crate::Interval>) -> Self {
        value
            .filter(|value| value.low.is_finite() && value.high.is_finite())
            .map_or(Self::Empty, |value| Self::Interval(value.low, value.high))
    }

    /// A count; saturates at the largest that fits.
    #[must_use]
    pub fn count(value: u64) -> Self {
        Self::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }

    /// Words, or nothing when they are empty.
    #[must_use]
    pub fn text(value: impl Into<String>) -> Self {
        let value = value.into();
        if value.is_empty() { Self::Empty } else { Self::Text(value) }
    }
}

/// What a column holds: it decides alignment and how many fields it takes in CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Words that name the row; repeated when a wide table is broken.
    Label,
    /// Other words.
    Text,
    /// Numbers shown with so many digits after the point.
    Number(usize),
    /// Whole numbers.
    Integer,
    /// Shares, shown in percent with so many digits.
    Share(usize),
    /// Probabilities of a test; what would be shown as 0 is shown as less than the last digit.
    Probability(usize),
    /// Intervals, two fields in CSV.
    Interval(usize),
    /// Yes or no.
    Flag,
    /// Wins, ties, losses: three fields in CSV.
    Record,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Stable machine name, used in CSV and JSON.
    pub key: Cow<'static, str>,
    /// Heading.
    pub title: String,
    /// Unit, if any, shown beside the heading.
    pub unit: Option<&'static str>,
    /// Columns of one group stay together when a wide table is broken.
    pub group: Cow<'static, str>,
    /// What it holds.
    pub kind: ColumnKind,
    /// One line on what the number means.
    pub help: String,
    /// Left out of text, Markdown and HTML, where it would tell the reader nothing; CSV and JSON always have it.
    pub programs_only: bool,
}

impl Column {
    /// A column without a unit.
    #[must_use]
    pub fn new(
        key: impl Into<Cow<'static, str>>,
        title: &str,
        group: impl Into<Cow<'static, str>>,
        kind: ColumnKind,
        help: &str,
    ) -> Self {
        Self {
            key: key.into(),
            title: title.to_owned(),
            unit: None,
            group: group.into(),
            kind,
            help: help.to_owned(),
            programs_only: false,
        }
    }

    /// The same column, shown to readers or held for programs only.
    #[must_use]
    pub fn shown_if(self, shown: bool) -> Self {
        Self { programs_only: !shown, ..self }
    }

    /// The same column with a unit.
    #[must_use]
    pub fn unit(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// Heading with the unit in brackets.
    #[must_use]
    pub fn heading(&self) -> String {
        self.unit.map_or_else(|| self.title.clone(), |unit| format!("{} ({unit})", self.title))
    }

    /// Whether values are set against the right edge.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        !matches!(self.kind, ColumnKind::Label | ColumnKind::Text | ColumnKind::Flag)
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Stable machine name.
    pub key: &'static str,
    /// Title.
    pub title: String,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows; each holds one cell a column (shorter rows are filled with [`Cell::Empty`]).
    pub rows: Vec<Vec<Cell>>,
    /// Notes beneath, in order.
    pub notes: Vec<String>,
}

/// A table with about as many rows as there are episodes. It is made row by row, for a file alone.
pub struct Log<'r> {
    /// Machine name.
    pub key: &'static str,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows in order.
    pub rows: Box<dyn Iterator<Item = Vec<Cell>> + 'r>,
}

impl Log<'_> {
    /// CSV as [`Table::to_csv`] writes it.
    #[must_use]
    pub fn to_csv(self) -> String {
        csv::render(&self.columns, self.rows.map(Cow::Owned))
    }
}

impl Table {
    /// As text, Markdown and HTML show it: without the columns for programs only and those that hold nothing in any
    /// row; the first, which names the rows, stays. CSV and JSON keep all, so that a program that reads them
    /// meets the same columns whatever was played.
    #[must_use]
    pub fn readable(&self) -> Self {
        let keep: Vec<bool> = self
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                let filled = |row: &Vec<Cell>| row.get(index).is_some_and(|cell| *cell != Cell::Empty);
                index == 0 || (!column.programs_only && self.rows.iter().any(filled))
            })
            .collect();
        let chosen = |index: &usize| keep.get(*index).copied().unwrap_or(false);
        Self {
            columns: (0..self.columns.len()).filter(chosen).map(|index| self.columns[index].clone()).collect(),
            rows: self
                .rows
                .iter()
                .map(|row| {
                    let cell = |index: usize| row.get(index).cloned().unwrap_or(Cell::Empty);
                    (0..self.columns.len()).filter(chosen).map(cell).collect()
                })
                .collect(),
            ..self.clone()
        }
    }

    /// The same table without the label columns that hold one value in every row, and those values with their headings. The
    /// first column, which names the rows, stays; so does every column of a table with one row.
    #[must_use]
    pub fn without_shared(&self) -> (Self, Vec<(String, String)>) {
        let shared = |index: usize| {
            let column = self.columns.get(index)?;
            let value = self.cell(0, index);
            let same = (1..self.rows.len()).all(|row| self.cell(row, index) == value);
            let told = index > 0 && self.rows.len() > 1 && column.kind == ColumnKind::Label && same;
            (told && *value != Cell::Empty).then(|| (column.heading(), self.shown(0, index)))
        };
        let found: Vec<Option<(String, String)>> = (0..self.columns.len()).map(shared).collect();
        let keep = |index: &usize| found.get(*index).is_some_and(Option::is_none);
        let table = Self {
            columns: (0..self.columns.len()).filter(keep).map(|index| self.columns[index].clone()).collect(),
            rows: (0..self.rows.len())
                .map(|row| (0..self.columns.len()).filter(keep).map(|index| self.cell(row, index).clone()).collect())
                .collect(),
            ..self.clone()
        };
        (table, found.into_iter().flatten().collect())
    }

    /// Cell of a row, [`Cell::Empty`] where the row is short.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> &Cell {
        self.rows.get(row).and_then(|row| row.get(column)).unwrap_or(&Cell::Empty)
    }

    /// The text that text, Markdown and HTML show for a cell, before any escaping.
    #[must_use]
    pub fn shown(&self, row: usize, column: usize) -> String {
        let kind = self.columns.get(column).map_or(ColumnKind::Text, |column| column.kind);
        format::shown(self.cell(row, column), kind)
    }

    /// Aligned text for a terminal, at most `width` columns wide: a table that is wider is broken at its column groups,
    /// with the labels repeated. A label that all rows share is named once, under the title. Control characters in names are shown as escapes.
    #[must_use]
    pub fn to_text(&self, width: usize) -> String {
        self.to_text_of(width, usize::MAX)
    }

    /// The same with the first `most` rows, and a line that counts the others. What all rows share is what all of them share,
    /// those that are not shown too.
    #[must_use]
    pub fn to_text_of(&self, width: usize, most: usize) -> String {
        text::render(&self.readable(), width, most)
    }

    /// The columns (by index) of each block when the table is broken to fit `width` characters: the labels, then as many
    /// whole groups as fit. No column counts for more than `longest` characters of words: the drawing cuts
    /// or wraps what is longer.
    #[must_use]
    pub fn blocks(&self, width: usize, longest: usize) -> Vec<Vec<usize>> {
        blocks::blocks(self, width, longest)
    }

    /// A Markdown table with its title and notes; markup characters in names are escaped.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        markdown::render(&self.readable())
    }

    /// CSV after RFC 4180 (CRLF, quotes doubled) with every column and every digit of every number; intervals take two fields. Text that
    /// begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets an apostrophe in front, lest a spreadsheet
    /// calculates it.
    #[must_use]
    pub fn to_csv(&self) -> String {
        csv::render(&self.columns, self.rows.iter().map(|row| Cow::Borrowed(row.as_slice())))
    }

    /// JSON with the same columns whatever the rows hold: `{"key","title","columns":[...],"rows":[{...}],"notes":[...]}` with numbers as numbers.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        json::render(self)
    }
}
