//! Shape of `papers/ctha.yaml`.

use std::collections::BTreeMap;

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::{self, KnownMiss, Reach, read_facts};
use serde::{Deserialize, Serialize};

use super::Formula;

/// The facts of the work, as printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CthaFacts {
    /// Short name of the work.
    pub work: String,
    /// Printed tables, by name.
    pub tables: BTreeMap<String, PrintedTable>,
    /// Columns and rows of tables that follow from others.
    pub rules: Vec<Rule>,
    /// Single printed numbers that follow from others.
    pub claims: Vec<Claim>,
    /// Printed numbers that are known not to follow.
    #[serde(default)]
    pub known_misses: Vec<KnownMiss>,
}

/// A printed table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedTable {
    /// Where it is printed.
    pub source: String,
    /// Digits after the point.
    pub digits: i32,
    /// Columns with other digits.
    #[serde(default)]
    pub digits_by_column: BTreeMap<String, i32>,
    /// Names of the columns, in order.
    pub columns: Vec<String>,
    /// Numbers by row; `null` where nothing is printed.
    pub rows: BTreeMap<String, Vec<Option<f64>>>,
}

/// A column of every row, or a row of every column, that follows from others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Name of the table.
    pub table: String,
    /// The column that follows from other columns of its row.
    #[serde(default)]
    pub column: Option<String>,
    /// The row that follows from other rows of its column.
    #[serde(default)]
    pub row: Option<String>,
    /// What it follows from: names are columns of the row, or rows of the column.
    pub of: Formula,
    /// Rows or columns that do not.
    #[serde(default)]
    pub except: Vec<String>,
}

/// A printed number, and what it follows from: names are `table/row/column`.
pub type Claim = papers::Claim<Formula>;

impl CthaFacts {
    /// Reads facts; `place` is what messages call the text.
    ///
    /// # Errors
    /// When the text holds no facts: where, and what is wrong.
    pub fn parse(text: &str, place: &str) -> Result<Self, AnalysisError> {
        read_facts(text, place)
    }

    /// A printed table.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn table(&self, name: &str) -> Result<&PrintedTable, AnalysisError> {
        let known: Vec<&str> = self.tables.keys().map(String::as_str).collect();
        self.tables.get(name).ok_or_else(|| AnalysisError::Facts {
            place: format!("tables, `{name}`"),
            what: format!("is named and is missing{}", gimbal_core::nearest::hint_among(name, &known)),
        })
    }

    /// A printed number by `table/row/column`, with what its rounding allows.
    ///
    /// # Errors
    /// When it is missing.
    pub fn cell(&self, name: &str) -> Result<Reach, AnalysisError> {
        let parts: Vec<&str> = name.split('/').collect();
        let [table, row, column] = parts[..] else {
            return Err(AnalysisError::Facts {
                place: format!("claims, `{name}`"),
                what: "names no number: write table/row/column".to_owned(),
            });
        };
        self.table(table)?.cell(row, column)
    }
}

impl PrintedTable {
    /// Digits after the point of a column.
    #[must_use]
    pub fn digits_of(&self, column: &str) -> i32 {
        self.digits_by_column.get(column).copied().unwrap_or(self.digits)
    }

    /// Whether a number is printed there.
    #[must_use]
    pub fn has(&self, row: &str, column: &str) -> bool {
        self.number(row, column).is_some()
    }

    /// A printed number with what its rounding allows.
    ///
    /// # Errors
    /// When it is missing.
    pub fn cell(&self, row: &str, column: &str) -> Result<Reach, AnalysisError> {
        let value = self.number(row, column).ok_or_else(|| AnalysisError::Facts {
            place: format!("{}, `{row}`, `{column}`", self.source),
            what: "is named and is missing: add the number".to_owned(),
        })?;
        Ok(Reach::rounded(value, self.digits_of(column)))
    }

    fn number(&self, row: &str, column: &str) -> Option<f64> {
        let place = self.columns.iter().position(|name| name == column)?;
        self.rows.get(row)?.get(place).copied().flatten()
    }
}
