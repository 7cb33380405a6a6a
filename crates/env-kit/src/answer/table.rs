//! An action in a table: names over the cells of a row, or beside them.

use super::words::is_one;

/// Names of columns that hold the action.
const ACTION: [&str; 5] = ["action", "tool", "command", "answer", "name"];
/// Names of columns that hold no part of it.
const ASIDE: [&str; 21] = [
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
    "status",
    "state",
    "effect",
    "expected effect",
    "result",
    "expected result",
    "note",
    "notes",
    "",
];
/// Most rows that are looked at.
const ROWS: usize = 16;

/// A table at the beginning of an answer.
#[derive(Debug, Default)]
pub(super) struct Table<'t> {
    /// The ways in which each row may be read as an action; more than one row may name one.
    pub rows: Vec<Vec<String>>,
    /// Cells that hold no part of an action.
    pub beside: Vec<&'t str>,
    /// Lines of the answer that it takes.
    pub lines: usize,
}

impl<'t> Table<'t> {
    /// Reads a table; a row of names over it, or a column of names beside it, says what the cells are. `lines` are those of the answer without
    /// drawn ones. `None` if the answer does not begin with a table.
    pub(super) fn read(lines: &[&'t str], begins: &impl Fn(&str) -> bool) -> Option<Self> {
        let rows: Vec<Vec<&str>> = lines.iter().map_while(|line| cells(line)).collect();
        let [names, rest @ ..] = rows.as_slice() else { return None };
        let mut table = Self { lines: rows.len(), ..Self::default() };
        if rows.len() > ROWS {
            // No action is that long: it names none.
            return Some(table);
        }
        let is_action = |name: &str| is_one(name, &ACTION);
        if let Some(at) = names.iter().position(|name| is_action(name))
            && !names.iter().any(|name| begins(super::word_of(name)))
        {
            rest.iter().for_each(|row| table.add(names, row, at));
            return Some(table);
        }
        // Names beside the cells, with or without a row over both.
        let mut pairs: Vec<(&str, &str)> =
            rows.iter().filter_map(|row| Some((*row.first()?, *row.get(1)?)).filter(|_| row.len() == 2)).collect();
        pairs.retain(|(name, cell)| !is_over(name, cell));
        if let Some(at) = pairs.iter().position(|(name, cell)| is_action(name) && begins(super::word_of(cell))) {
            let (names, row): (Vec<&str>, Vec<&str>) = pairs.into_iter().unzip();
            table.add(&names, &row, at);
            return Some(table);
        }
        // Without names each row is an action, part by part.
        table.rows = rows.iter().map(|row| vec![row.join(" ").trim().to_owned()]).collect();
        Some(table)
    }

    /// Adds a row whose action is in the cell `at`; one without an action is passed over.
    fn add(&mut self, names: &[&str], row: &[&'t str], at: usize) {
        let Some(action) = row.get(at).filter(|cell| !is_none(cell)) else { return };
        let others = names.iter().zip(row).enumerate().filter(|(place, _)| *place != at);
        let parts = others.map(|(_, (name, cell))| (*name, *cell)).filter(|(name, _)| !is_one(name, &ASIDE));
        self.rows.push(ways(action, parts));
        self.beside.extend(row.iter().zip(names).filter(|(_, name)| is_one(name, &ASIDE)).map(|(cell, _)| *cell));
    }
}

/// Whether a cell says that there is nothing.
fn is_none(cell: &str) -> bool {
    !cell.contains(char::is_alphanumeric) || is_one(cell, &["none", "n/a", "no action"])
}

/// Whether a row only says that names and values follow.
fn is_over(name: &str, cell: &str) -> bool {
    is_one(name, &["field", "key", "parameter", "item", "argument"]) && is_one(cell, &["value", "content"])
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
