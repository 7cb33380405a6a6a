//! How values look in text, Markdown and HTML.

use super::{Cell, ColumnKind};

/// What a cell shows that has nothing to say.
pub(super) const EMPTY: &str = "–";

pub(super) fn shown(cell: &Cell, kind: ColumnKind) -> String {
    let digits = match kind {
        ColumnKind::Number(digits)
        | ColumnKind::Share(digits)
        | ColumnKind::Interval(digits)
        | ColumnKind::Probability(digits) => digits,
        _ => 2,
    };
    match cell {
        Cell::Empty => EMPTY.to_owned(),
        Cell::Text(words) => words.clone(),
        Cell::Integer(value) => value.to_string(),
        Cell::Number(value) if matches!(kind, ColumnKind::Probability(_)) => probability(*value, digits),
        Cell::Number(value) => fixed(*value, digits),
        Cell::Share(value) => format!("{}%", fixed(100.0 * value, digits)),
        Cell::Interval(low, high) => format!("[{}, {}]", fixed(*low, digits), fixed(*high, digits)),
        Cell::Flag(true) => "yes".to_owned(),
        Cell::Flag(false) => "no".to_owned(),
        Cell::Record(wins, ties, losses) => format!("{wins}/{ties}/{losses}"),
    }
}

/// Fixed digits; what is less than the last of them is shown as less, because no test gives a probability of 0.
fn probability(value: f64, digits: usize) -> String {
    let least = 10_f64.powi(-i32::try_from(digits).unwrap_or(4));
    if value < least { format!("<{least:.digits$}") } else { fixed(value, digits) }
}

/// Fixed digits, without a minus sign before zero.
fn fixed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        _ => text,
    }
}
