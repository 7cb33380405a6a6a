//! Tables as aligned text.

use super::blocks::{GAP, length, widths};
use super::{Table, printable};

/// A name longer than this is cut, unless the whole table fits as it is: one long name must not push every number off the
/// screen. What was cut is told in full beneath, by number, so that rows stay apart.
const LONGEST_LABEL: usize = 40;

pub(super) fn render(table: &Table, width: usize, most: usize) -> String {
    let (mut table, shared) = table.without_shared();
    let more = table.rows.len().saturating_sub(most);
    table.rows.truncate(most);
    let table = &table;
    let whole = widths(table, usize::MAX).iter().map(|width| width + GAP).sum::<usize>() <= width + GAP;
    let longest = if whole { usize::MAX } else { LONGEST_LABEL };
    let mut legend: Vec<String> = Vec::new();
    let text: Vec<Vec<String>> = (0..table.rows.len())
        .map(|row| (0..table.columns.len()).map(|column| cell(table, row, column, longest, &mut legend)).collect())
        .collect();
    let headings: Vec<String> = table.columns.iter().map(|column| printable(&column.heading())).collect();
    let widths = widths(table, longest);
    let mut out = format!("{}\n", printable(&table.title));
    if !shared.is_empty() {
        let all: Vec<String> = shared.iter().map(|(heading, value)| format!("{heading}: {value}")).collect();
        out.push_str(&wrap(&printable(&format!("all rows: {}", all.join("; "))), width));
    }
    for (part, columns) in table.blocks(width, longest).iter().enumerate() {
        if part > 0 {
            out.push('\n');
        }
        let line = |cells: &[String]| {
            let fields: Vec<String> = columns
                .iter()
                .map(|&column| pad(&cells[column], widths[column], table.columns[column].is_numeric()))
                .collect();
            format!("{}\n", fields.join(&" ".repeat(GAP)).trim_end())
        };
        out.push_str(&line(&headings));
        let total = columns.iter().map(|&column| widths[column]).sum::<usize>() + GAP * columns.len().saturating_sub(1);
        out.push_str(&format!("{}\n", "─".repeat(total)));
        for row in &text {
            out.push_str(&line(row));
        }
    }
    if more > 0 {
        out.push_str(&format!("… and {more} more {}\n", if more == 1 { "row" } else { "rows" }));
    }
    if !table.notes.is_empty() || !legend.is_empty() {
        out.push('\n');
    }
    for (number, name) in legend.iter().enumerate() {
        out.push_str(&wrap(&format!("[{}] {name}", number + 1), width));
    }
    for note in &table.notes {
        out.push_str(&wrap(&printable(note), width));
    }
    out
}

fn cell(table: &Table, row: usize, column: usize, longest: usize, legend: &mut Vec<String>) -> String {
    let shown = printable(&table.shown(row, column));
    if length(&shown) <= longest || table.columns[column].is_numeric() {
        return shown;
    }
    let number = legend.iter().position(|known| *known == shown).unwrap_or_else(|| {
        legend.push(shown.clone());
        legend.len() - 1
    });
    let mark = format!("…[{}]", number + 1);
    let cut: String = shown.chars().take(longest.saturating_sub(length(&mark))).collect();
    format!("{cut}{mark}")
}

fn pad(text: &str, width: usize, right: bool) -> String {
    let fill = " ".repeat(width.saturating_sub(length(text)));
    if right { format!("{fill}{text}") } else { format!("{text}{fill}") }
}

/// A note as a list item, broken between words.
fn wrap(note: &str, width: usize) -> String {
    let mut out = String::new();
    let mut line = "-".to_owned();
    for word in note.split_whitespace() {
        if length(&line) + 1 + length(word) > width && line.trim() != "-" && !line.trim().is_empty() {
            out.push_str(&line);
            out.push('\n');
            line = " ".to_owned();
        }
        line.push(' ');
        line.push_str(word);
    }
    out.push_str(&line);
    out.push('\n');
    out
}
