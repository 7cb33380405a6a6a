//! An action in a table: names over the cells of a row, or beside them.

use super::words::is_one;

/// Names of columns that hold the action.
const ACTION: [&str; 5] = ["action", "tool", "command", "answer", "name"];
/// Names of columns that hold no part of it.
const ASIDE: [&str; 13] = [
    "step",
    "#",
    "no",
    "nr",
    "reason",
    "why",
    "rationale",
    "justification",
    "comment",
    "purpose",
    "confidence",
    "priority",
    "",
];
/// Most rows that are looked at.
const ROWS: usize = 16;

/// The ways in which each row of a table may be read as an action; a row of names over it, or a column of names beside it, says what the
/// cells are. `lines` are those of the answer without drawn ones. `None` if the answer does not begin with a table.
pub(super) fn rows(lines: &[&str], begins: &impl Fn(&str) -> bool) -> Option<Vec<Vec<String>>> {
    let rows: Vec<Vec<&str>> = lines.iter().take(ROWS).map_while(|line| cells(line)).collect();
    let [names, rest @ ..] = rows.as_slice() else { return None };
    let is_action = |name: &str| is_one(name, &ACTION);
    if let Some(at) = names.iter().position(|name| is_action(name))
        && !names.iter().any(|name| begins(super::word_of(name)))
    {
        return Some(rest.iter().map(|row| of_row(names, row, at)).collect());
    }
    // Names beside the cells, with or without a row over both.
    let pairs: Vec<(&str, &str)> =
        rows.iter().filter_map(|row| Some((*row.first()?, *row.get(1)?)).filter(|_| row.len() == 2)).collect();
    if let Some((_, action)) = pairs.iter().find(|(name, cell)| is_action(name) && begins(super::word_of(cell))) {
        let others =
            || pairs.iter().filter(|(name, cell)| !is_action(name) && !is_one(name, &ASIDE) && !is_over(name, cell));
        return Some(vec![ways(action, others().copied())]);
    }
    // Without names each row is an action, part by part.
    Some(rows.iter().map(|row| vec![row.join(" ").trim().to_owned()]).collect())
}

/// Whether a row only says that names and values follow.
fn is_over(name: &str, cell: &str) -> bool {
    is_one(name, &["field", "key", "parameter", "item", "argument"]) && is_one(cell, &["value", "content"])
}

fn of_row(names: &[&str], row: &[&str], at: usize) -> Vec<String> {
    let Some(action) = row.get(at) else { return Vec::new() };
    let others =
        names.iter().zip(row).enumerate().filter(|(place, _)| *place != at).map(|(_, (name, cell))| (*name, *cell));
    ways(action, others.filter(|(name, _)| !is_one(name, &ASIDE)))
}

/// An action with its other cells as named parameters, and with the bare cells.
fn ways<'a>(action: &str, others: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Vec<String> {
    let filled = others.filter(|(_, cell)| cell.chars().any(char::is_alphanumeric));
    let named = filled.clone().map(|(name, cell)| format!(" {}={cell}", name.to_lowercase().replace(' ', "_")));
    let bare = filled.map(|(_, cell)| format!(" {cell}"));
    vec![
        named.fold(action.to_owned(), |text, part| text + &part),
        bare.fold(action.to_owned(), |text, part| text + &part),
    ]
}

/// The cells of a row. `None` if the line is not one.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inside = line.strip_prefix('|')?;
    let inside = inside.strip_suffix('|').unwrap_or(inside);
    Some(inside.split('|').map(|cell| cell.trim().trim_matches(['*', '`', '_']).trim()).collect())
}
