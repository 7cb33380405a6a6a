//! Columns of the usual kinds.

use super::{Column, ColumnKind};

/// A column of whole numbers.
#[must_use]
pub fn count(key: &'static str, title: &str, group: &'static str, help: &str) -> Column {
    Column::new(key, title, group, ColumnKind::Integer, help)
}

/// A column of numbers with so many digits after the point.
#[must_use]
pub fn number(key: &'static str, title: &str, group: &'static str, digits: usize, help: &str) -> Column {
    Column::new(key, title, group, ColumnKind::Number(digits), help)
}

/// A column of shares in percent with one digit.
#[must_use]
pub fn share(key: &'static str, title: &str, group: &'static str, help: &str) -> Column {
    Column::new(key, title, group, ColumnKind::Share(1), help)
}

/// A column of intervals whose ends have so many digits after the point.
#[must_use]
pub fn interval(key: &'static str, title: &str, group: &'static str, digits: usize, help: &str) -> Column {
    Column::new(key, title, group, ColumnKind::Interval(digits), help)
}

/// A column of words.
#[must_use]
pub fn words(key: &'static str, title: &str, group: &'static str, help: &str) -> Column {
    Column::new(key, title, group, ColumnKind::Text, help)
}

/// A column of words that name the row.
#[must_use]
pub fn label(key: &'static str, title: &str, group: &'static str, help: &str) -> Column {
    Column::new(key, title, group, ColumnKind::Label, help)
}
