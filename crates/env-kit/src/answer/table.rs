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
/// Names of columns that say nothing of whether a row is meant, or of what it is about, unless an action has a parameter of that name. A column of
/// another name (`Skip`, `Approved`) may say that the row is not meant.
const PASSED: [&str; 14] = [
    "severity",
    "risk",
    "evidence",
    "impact",
    "benefit",
    "description",
    "details",
    "explanation",
    "observation",
    "goal",
    "category",
    "urgency",
    "remark",
    "remarks",
];
/// Most rows that are looked at.
const ROWS: usize = 16;

/// A table at the beginning of an answer.
#[derive(Debug, Default)]
pub(super) struct Table<'t> {
    /// The rows that may be read as actions; more than one may name one.
    pub rows: Vec<Row<'t>>,
    /// Cells that hold no part of an action.
    pub beside: Vec<&'t str>,
    /// Lines of the answer that it takes.
    pub lines: usize,
}

/// A row of a table.
#[derive(Debug, Default)]
pub(super) struct Row<'t> {
    /// Its place below the names, from 1.
    pub number: usize,
    /// The cell of the action.
    action: String,
    /// The other cells that may hold a part of it.
    others: Vec<Cell<'t>>,
}

/// A cell with the name of its column.
#[derive(Clone, Copy, Debug)]
struct Cell<'t> {
    name: &'t str,
    text: &'t str,
}

impl<'t> Table<'t> {
    /// Reads a table; a row of names over it, or a column of names beside it, says what the cells are. `lines` are those of the answer without
    /// drawn ones. `None` if the answer does not begin with a table. One without signs at the ends of its lines has a row of names.
    pub(super) fn read(lines: &[&'t str], begins: &impl Fn(&str) -> bool) -> Option<Self> {
        let is_closed = lines.first()?.starts_with('|');
        let rows: Vec<Vec<&str>> = lines.iter().map_while(|line| cells(line, is_closed)).collect();
        let [names, rest @ ..] = rows.as_slice() else { return None };
        let is_action = |name: &str| is_one(name, &ACTION);
        let at = names.iter().position(|name| is_action(name));
        let at = at.filter(|_| !names.iter().any(|name| begins(super::word_of(name))));
        let is_over_pairs = || names.len() == 2 && is_over(names[0], names[1]);
        if !is_closed && (rest.is_empty() || !(at.is_some() || is_over_pairs())) {
            return None;
        }
        let mut table = Self { lines: rows.len(), ..Self::default() };
        if rows.len() > ROWS {
            // No action is that long: it names none.
            return Some(table);
        }
        if let Some(at) = at {
            rest.iter().enumerate().for_each(|(place, row)| table.add(place + 1, names, row, at));
            return Some(table);
        }
        // Names beside the cells, with or without a row over both.
        let mut pairs: Vec<(&str, &str)> =
            rows.iter().filter_map(|row| Some((*row.first()?, *row.get(1)?)).filter(|_| row.len() == 2)).collect();
        pairs.retain(|(name, cell)| !is_over(name, cell));
        if let Some(at) = pairs.iter().position(|(name, cell)| is_action(name) && begins(super::word_of(cell))) {
            let (names, row): (Vec<&str>, Vec<&str>) = pairs.into_iter().unzip();
            table.add(1, &names, &row, at);
            return Some(table);
        }
        // Without names each row is an action, part by part.
        let whole = |(place, row): (usize, &Vec<&str>)| Row {
            number: place + 1,
            action: row.join(" ").trim().to_owned(),
            others: Vec::new(),
        };
        table.rows = rows.iter().enumerate().map(whole).collect();
        Some(table)
    }

    /// Adds a row whose action is in the cell `at`; one without an action is passed over.
    fn add(&mut self, number: usize, names: &[&'t str], row: &[&'t str], at: usize) {
        let Some(action) = row.get(at).filter(|cell| !is_none(cell)) else { return };
        let others = names.iter().zip(row).enumerate().filter(|(place, _)| *place != at);
        let others = others.map(|(_, (name, text))| Cell { name, text }).filter(|cell| !is_one(cell.name, &ASIDE));
        let others = others.filter(|cell| cell.text.chars().any(char::is_alphanumeric)).collect();
        self.rows.push(Row { number, action: (*action).to_owned(), others });
        self.beside.extend(row.iter().zip(names).filter(|(_, name)| is_one(name, &ASIDE)).map(|(cell, _)| *cell));
    }
}

impl<'t> Row<'t> {
    /// The ways in which the whole row may be read: the other cells as named parameters, and bare.
    pub(super) fn ways(&self) -> [String; 2] {
        ways(&self.action, self.others.iter())
    }

    /// The ways in which the row may be read without the columns of [`PASSED`], and the cells of these.
    pub(super) fn without_asides(&self) -> ([String; 2], Vec<&'t str>) {
        let may_be_passed = |cell: &&Cell<'_>| is_one(cell.name, &PASSED) && !cell.text.contains('=');
        let (passed, kept): (Vec<_>, Vec<_>) = self.others.iter().partition(may_be_passed);
        (ways(&self.action, kept.into_iter()), passed.into_iter().map(|cell| cell.text).collect())
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
fn ways<'c, 't: 'c>(action: &str, others: impl Iterator<Item = &'c Cell<'t>> + Clone) -> [String; 2] {
    let named = others.clone().map(|cell| format!(" {}={}", cell.name.to_lowercase().replace(' ', "_"), cell.text));
    let bare = others.map(|cell| format!(" {}", cell.text));
    [named.fold(action.to_owned(), |text, part| text + &part), bare.fold(action.to_owned(), |text, part| text + &part)]
}

/// The cells of a row. `None` if the line is not one; the rows of a closed table begin with its sign.
fn cells(line: &str, is_closed: bool) -> Option<Vec<&str>> {
    let inside = match line.strip_prefix('|') {
        None if is_closed || !line.contains('|') => return None,
        inside => inside.unwrap_or(line),
    };
    let inside = inside.strip_suffix('|').unwrap_or(inside);
    Some(inside.split('|').map(|cell| cell.trim().trim_matches(['*', '`', '_']).trim()).collect())
}
