//! Tables as Markdown.

use super::{Table, printable};

pub(super) fn render(table: &Table) -> String {
    let mut out = format!("### {}\n\n", markdown_text(&table.title));
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    out.push_str(&line(table.columns.iter().map(|column| markdown_text(&column.heading())).collect()));
    let rule = |numeric: bool| if numeric { "---:" } else { "---" }.to_owned();
    out.push_str(&line(table.columns.iter().map(|column| rule(column.is_numeric())).collect()));
    for row in 0..table.rows.len() {
        out.push_str(&line((0..table.columns.len()).map(|column| markdown_text(&table.shown(row, column))).collect()));
    }
    if !table.notes.is_empty() {
        out.push('\n');
    }
    for note in &table.notes {
        out.push_str(&format!("- {}\n", markdown_text(note)));
    }
    out
}

/// Text that Markdown shows as it is, inside a table too. Angle brackets and ampersands become entities, so that no
/// HTML gets through a renderer that would let it.
#[must_use]
pub fn markdown_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '~' | '#' => {
                safe.push('\\');
                safe.push(character);
            }
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            other => safe.push(other),
        }
    }
    safe
}
