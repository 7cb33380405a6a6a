//! Tables as aligned text.

use super::{ColumnKind, Table, format::printable};

const GAP: usize = 2;
/// A name longer than this is cut: one long name must not push every number off the screen.
const LONGEST_LABEL: usize = 40;

pub(super) fn render(table: &Table, width: usize) -> String {
    let text: Vec<Vec<String>> = (0..table.rows.len())
        .map(|row| (0..table.columns.len()).map(|column| cell(table, row, column)).collect())
        .collect();
    let headings: Vec<String> = table.columns.iter().map(|column| printable(&column.heading())).collect();
    let widths: Vec<usize> = (0..table.columns.len())
        .map(|column| {
            let longest = text.iter().map(|row| length(&row[column])).max().unwrap_or(0);
            longest.max(length(&headings[column]))
        })
        .collect();
    let mut out = format!("{}\n", printable(&table.title));
    for (part, columns) in parts(table, &widths, width).iter().enumerate() {
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
    if !table.notes.is_empty() {
        out.push('\n');
    }
    for note in &table.notes {
        out.push_str(&wrap(&printable(note), width));
    }
    out
}

fn cell(table: &Table, row: usize, column: usize) -> String {
    let shown = printable(&table.shown(row, column));
    if length(&shown) <= LONGEST_LABEL || table.columns[column].is_numeric() {
        return shown;
    }
    let cut: String = shown.chars().take(LONGEST_LABEL - 1).collect();
    format!("{cut}…")
}

/// The columns of each block: the labels, then as many whole groups as fit; a group that is too wide by itself is cut
/// where it must be.
fn parts(table: &Table, widths: &[usize], width: usize) -> Vec<Vec<usize>> {
    let is_label = |column: &usize| table.columns[*column].kind == ColumnKind::Label;
    let (labels, rest): (Vec<usize>, Vec<usize>) = (0..table.columns.len()).partition(is_label);
    let label_width: usize = labels.iter().map(|&column| widths[column] + GAP).sum();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for column in rest {
        match groups.last_mut() {
            Some(group) if table.columns[group[0]].group == table.columns[column].group => group.push(column),
            _ => groups.push(vec![column]),
        }
    }
    let room = width.saturating_sub(label_width);
    let size = |columns: &[usize]| columns.iter().map(|&column| widths[column] + GAP).sum::<usize>();
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for group in groups {
        match blocks.last_mut() {
            Some(block) if size(block) + size(&group) <= room + GAP => block.extend(group),
            _ => {
                let mut block = Vec::new();
                for column in group {
                    if !block.is_empty() && size(&block) + widths[column] > room {
                        blocks.push(std::mem::take(&mut block));
                    }
                    block.push(column);
                }
                blocks.push(block);
            }
        }
    }
    if blocks.is_empty() {
        blocks.push(Vec::new());
    }
    blocks.into_iter().map(|block| labels.iter().copied().chain(block).collect()).collect()
}

fn length(text: &str) -> usize {
    text.chars().count()
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
