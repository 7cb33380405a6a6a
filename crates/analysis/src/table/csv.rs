//! CSV after RFC 4180, with full precision and no text that a spreadsheet would take for a formula.

use std::borrow::Cow;

use super::{Cell, Column, ColumnKind};
use crate::printable::{is_hidden, printable_lines};

pub(super) fn render<'t>(columns: &[Column], rows: impl Iterator<Item = Cow<'t, [Cell]>>) -> String {
    let mut out = String::new();
    line(&mut out, columns.iter().flat_map(headings));
    for row in rows {
        let fields = columns.iter().enumerate();
        line(&mut out, fields.flat_map(|(place, column)| values(row.get(place).unwrap_or(&Cell::Empty), column.kind)));
    }
    out
}

fn line(out: &mut String, fields: impl Iterator<Item = String>) {
    for (place, field) in fields.enumerate() {
        if place > 0 {
            out.push(',');
        }
        out.push_str(&quoted(&field));
    }
    out.push_str("\r\n");
}

fn headings(column: &Column) -> Vec<String> {
    let suffixes: &[&str] = match column.kind {
        ColumnKind::Interval(_) => &["_low", "_high"],
        ColumnKind::Record => &["_wins", "_ties", "_losses"],
        _ => &[""],
    };
    suffixes.iter().map(|suffix| harmless(&format!("{}{suffix}", column.key))).collect()
}

fn values(cell: &Cell, kind: ColumnKind) -> Vec<String> {
    match cell {
        Cell::Empty => match kind {
            ColumnKind::Interval(_) => vec![String::new(); 2],
            ColumnKind::Record => vec![String::new(); 3],
            _ => vec![String::new()],
        },
        Cell::Text(words) => vec![harmless(words)],
        Cell::Integer(value) => vec![value.to_string()],
        // The shortest digits that read back as the same number.
        Cell::Number(value) | Cell::Share(value) => vec![value.to_string()],
        Cell::Interval(low, high) => vec![low.to_string(), high.to_string()],
        Cell::Flag(value) => vec![value.to_string()],
        Cell::Record(wins, ties, losses) => vec![wins.to_string(), ties.to_string(), losses.to_string()],
    }
}

/// Words that a spreadsheet would calculate stay words behind an apostrophe; names come from files and models. Letters
/// behind a sign, such as `+question`, and a sign alone are neither a number nor a place nor a call: they stay as they
/// are, so that a program reads the name.
/// Spreadsheets look past blanks, and some read full-width signs as plain ones. What cannot be seen becomes an escape.
fn harmless(words: &str) -> String {
    let plain = |rest: &str| rest.chars().all(|letter| letter.is_alphabetic() || "+-_".contains(letter));
    let seen = words.trim_start_matches(|letter: char| letter.is_whitespace() || is_hidden(letter));
    let harmful = match seen.strip_prefix(['+', '-', '\u{ff0b}', '\u{ff0d}']) {
        Some(rest) => !plain(rest),
        None => seen.starts_with(['=', '@', '\u{ff1d}', '\u{ff20}']) || words.starts_with(['\t', '\r', '\n']),
    };
    let shown = printable_lines(words);
    if harmful { format!("'{shown}") } else { shown.into_owned() }
}

fn quoted(field: &str) -> Cow<'_, str> {
    let special = |character: char| matches!(character, ',' | '"' | '\r' | '\n');
    if field.contains(special) || field.starts_with(' ') || field.ends_with(' ') {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}
