//! The reading of one action: first line, remark, table, parts, and what follows without a sign.

use gimbal_core::remark;

use super::table::{Row, Table};
use super::words::{
    cuts, is_one, is_rejected, is_rule, item, joined, linked, opened, trimmed, turned, unlinked, word_of,
};
use super::{PARTS, Problem, judged};

/// A text that is a value only where any text is one.
const NO_VALUE: &str = "no such value";
/// Words that refer to what was named before.
const PRONOUNS: [&str; 5] = ["it", "this", "that", "them", "both"];
/// Most words of a clause in which another action is looked for.
const CLAUSE_WORDS: usize = 8;
/// What separates the clauses of a remark.
const CLAUSES: [char; 14] = [
    ',', ';', '.', '(', ')', ':', '\u{2014}', '"', '\u{3002}', '\u{ff08}', '\u{ff09}', '\u{ff0c}', '\u{ff1a}',
    '\u{ff1b}',
];

/// What an environment knows of its actions: see [`super::one`].
pub(super) struct Reader<'e, T, E> {
    pub read: &'e dyn Fn(&str) -> Result<T, E>,
    pub begins: &'e dyn Fn(&str) -> bool,
    pub second: &'e dyn Fn(&str) -> Option<T>,
}

impl<T: PartialEq, E> Reader<'_, T, E> {
    /// Reads one action.
    pub(super) fn one(&self, text: &str) -> Result<T, Problem<E>> {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_rule(line)).collect();
        let [first, later @ ..] = lines.as_slice() else { return self.read(text).map_err(Problem::Unread) };
        let settled = |action: T| match later.iter().find_map(|line| self.other(&action, line)) {
            Some(second) => Err(Problem::Two((*first).to_owned(), second)),
            None => Ok(action),
        };
        if let Some(table) = Table::read(&lines, &self.begins) {
            return match self.of_table(&table, lines.get(table.lines).copied())? {
                Some(action) => settled(action),
                None => self.read(text).map_err(Problem::Unread),
            };
        }
        let error = match self.read(first) {
            Ok(action) => return settled(action),
            Err(error) => error,
        };
        let bare = item(first);
        if bare.len() < first.len()
            && let Ok(action) = self.read(bare)
        {
            return settled(action);
        }
        if let Some(read) = self.before_remark(bare) {
            return read.and_then(settled);
        }
        // The parts of one action on lines of their own.
        if (1..PARTS).contains(&later.len())
            && let Ok(action) = self.read(&lines.join(", "))
        {
            return Ok(action);
        }
        self.run_on(bare).unwrap_or(Err(Problem::Unread(error))).and_then(settled)
    }

    /// Reads a text that is an action, with words without meaning at its end or not.
    fn read(&self, text: &str) -> Result<T, E> {
        match ((self.read)(text), trimmed(text)) {
            (Err(_), bare) if !bare.is_empty() && bare.len() < text.trim().len() => (self.read)(bare),
            (read, _) => read,
        }
    }

    fn names_one(&self, clause: &str) -> bool {
        (self.begins)(word_of(clause))
    }

    /// Another action in a line that should be a remark.
    fn other(&self, action: &T, line: &str) -> Option<String> {
        // The row of a table, as the action that its cells write.
        let row = line.contains('|').then(|| line.replace('|', " "));
        let row = row.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "));
        let line = row.as_deref().unwrap_or(line);
        let mut clauses =
            std::iter::once(line).chain(line.split(CLAUSES)).map(|clause| trimmed(linked(item(opened(item(clause))))));
        let is_other = |clause: &&str| {
            self.names_one(clause)
                && !self.is_tried(clause)
                && (self.second)(clause).is_some_and(|other| other != *action)
        };
        clauses.find(is_other).map(str::to_owned)
    }

    /// The one action that the rows of a table name. `None` if there is none. `below` is the line behind the table.
    fn of_table(&self, table: &Table<'_>, below: Option<&str>) -> Result<Option<T>, Problem<E>> {
        let mut first: Option<(T, String)> = None;
        let mut passed = Vec::new();
        for row in &table.rows {
            let (action, way) = self.of_row(row, &mut passed)?;
            match &first {
                Some((known, written)) if *known != action => return Err(Problem::Two(written.clone(), way)),
                Some(_) => {}
                None => first = Some((action, way)),
            }
        }
        let Some((action, way)) = first else { return Ok(None) };
        let way = way.as_str();
        for words in table.beside.iter().copied().chain(passed).chain(below) {
            if let Some(second) = self.other(&action, words) {
                return Err(Problem::Two(way.to_owned(), second));
            }
            judged((), way, words)?;
        }
        Ok(Some(action))
    }

    /// The action of a row, and how it is written. Columns that say nothing of it are passed over where the others state one whole action and no
    /// cell of theirs could be a part of it; these cells are added to `passed`.
    fn of_row<'t>(&self, row: &Row<'t>, passed: &mut Vec<&'t str>) -> Result<(T, String), Problem<E>> {
        let [named, bare] = row.ways();
        let error = match self.read(&named) {
            Ok(action) => return Ok((action, named)),
            Err(error) => error,
        };
        if let Ok(action) = self.read(&bare) {
            return Ok((action, bare));
        }
        let (ways, cells) = row.without_asides();
        if let Some(action) = ways.iter().find_map(|way| self.read(way).ok())
            && cells.iter().all(|cell| self.is_aside(cell, &action, &ways[1]))
        {
            passed.extend(cells);
            let [_, way] = ways;
            return Ok((action, way));
        }
        Err(Problem::Row { number: row.number, row: bare, error })
    }

    /// Whether a cell can be no part of an action that is written in this way: it begins as none, and is neither a value nor a name beside it.
    fn is_aside(&self, cell: &str, action: &T, way: &str) -> bool {
        let words = |text: &'_ str| -> Vec<String> {
            let words = text.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '-')));
            words.map(str::to_lowercase).collect()
        };
        let known = words(way);
        let is_name = |word: &String| {
            word.contains(char::is_numeric) && word.contains(char::is_alphabetic) && !known.contains(word)
        };
        let is_value = || self.read(&format!("{} {cell}", word_of(way))).is_ok_and(|other| other != *action);
        !self.names_one(cell) && !words(cell).iter().any(is_name) && !is_value()
    }

    /// The action in front of a remark on its line. `None` if no remark can be cut off one.
    fn before_remark(&self, line: &str) -> Option<Result<T, Problem<E>>> {
        let found = cuts(line).into_iter().find_map(|cut| Some((self.read(cut.0).ok()?, cut)));
        let (action, (head, mark, remark)) = found?;
        // `to remove it` says what for, unless it names another action in full.
        let purpose = mark.ends_with("to ");
        let other = |clause: &str, is_first: bool| {
            let bare = turned(clause, &self.begins);
            // Behind a word that turns, or a comma, a name alone is what the same action is meant for instead.
            let turns = bare.len() < clause.len() || (is_first && mark.starts_with(','));
            // Where any text is a value, a reason would be one too: `search ..., since it is needed`.
            let with = |value: &str| self.read(&format!("{} {value}", word_of(head)));
            let instead = || with(NO_VALUE).is_err() && with(bare).is_ok_and(|other| other != action);
            if turns && !bare.is_empty() && instead() {
                return Some(clause.to_owned());
            }
            match self.names_one(bare).then(|| self.within(bare))? {
                Some(other) => (other != action && !self.is_tried(bare)).then(|| bare.to_owned()),
                // `may fail` is nothing that an action could be carried out on; `then remove it` is.
                None => (!purpose && (is_next(clause, bare) || is_on_it(bare))).then(|| bare.to_owned()),
            }
        };
        // In the middle of a clause an action is written with what it is about.
        let later = |clause: &str| {
            let is_other = |part: &&str| {
                let other = || self.within(part).is_some_and(|other| other != action);
                !is_on_it(part)
                    && part.contains(char::is_whitespace)
                    && self.names_one(part)
                    && other()
                    && !self.is_tried(part)
            };
            joined(clause).map(linked).find(is_other).map(str::to_owned)
        };
        let mut clauses = remark.split(CLAUSES).map(str::trim).enumerate();
        let second = clauses.find_map(|(at, clause)| {
            let is_rejected = at == 0 && is_rejected(mark);
            (!is_rejected).then(|| other(clause, at == 0)).flatten().or_else(|| later(clause))
        });
        // Signs that separate clauses may be signs of an action: `Remove(hostname=User2)`.
        let whole = || {
            let bare = turned(remark, &self.begins);
            let is_other = self.names_one(bare) && !is_rejected(mark) && !self.is_tried(bare);
            let other = is_other.then(|| self.within(bare)).flatten();
            other.filter(|other| *other != action).map(|_| bare.to_owned())
        };
        Some(match second.or_else(whole) {
            Some(clause) => Err(Problem::Two(head.to_owned(), clause)),
            // The sign that cut the remark off may be a word of it.
            None => judged(action, head, &line[head.len()..]),
        })
    }

    /// Actions that follow one another on a line without a sign between them: the one that each of them is, or the first two.
    fn run_on(&self, line: &str) -> Option<Result<T, Problem<E>>> {
        let starts = line.match_indices(char::is_whitespace).map(|(at, blank)| at + blank.len());
        let mut starts = starts.filter(|at| self.names_one(&line[*at..])).take(CLAUSE_WORDS);
        let (action, head, rest) = starts.find_map(|at| {
            let (head, rest) = (unlinked(&line[..at]), line[at..].trim());
            Some((self.read(head).ok()?, head, rest))
        })?;
        let is_same = self.within(rest)? == action;
        Some(is_same.then_some(action).ok_or_else(|| Problem::Two(head.to_owned(), rest.to_owned())))
    }

    /// Whether a clause says of the action that it names that it was tried before, or is of no use.
    fn is_tried(&self, clause: &str) -> bool {
        let mut ends = clause.match_indices(char::is_whitespace).map(|(end, _)| end).take(CLAUSE_WORDS);
        ends.any(|end| remark::is_tried(&clause[end..]) && (self.second)(&clause[..end]).is_some())
    }

    /// The action that a clause names in full, or with words behind it.
    fn within(&self, clause: &str) -> Option<T> {
        let ends = clause.match_indices(char::is_whitespace).map(|(end, _)| end).skip(1).take(CLAUSE_WORDS);
        (self.second)(clause)
            .or_else(|| (self.second)(trimmed(clause)))
            .or_else(|| ends.into_iter().find_map(|end| (self.second)(&clause[..end])))
    }
}

/// Whether the words before an action say that it comes after another one.
fn is_next(clause: &str, bare: &str) -> bool {
    clause[..clause.len() - bare.len()]
        .split(|letter: char| !letter.is_alphanumeric())
        .any(|word| is_one(word, &["then"]))
}

/// Whether an action is meant for what was named before.
fn is_on_it(clause: &str) -> bool {
    clause.split_whitespace().nth(1).is_some_and(|word| is_one(word_of(word), &PRONOUNS))
}
