//! The reading of one action: first line, remark, table, parts, and what follows without a sign.

use super::table::Table;
use super::words::{cuts, is_one, is_rule, item, linked, opened, trimmed, turned, word_of};
use super::{PARTS, Problem, judged};

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
pub(super) struct Reader<R, B, S> {
    pub read: R,
    pub begins: B,
    pub second: S,
}

impl<R, B, S> Reader<R, B, S> {
    /// Reads one action.
    pub(super) fn one<T: PartialEq, E>(&self, text: &str) -> Result<T, Problem<E>>
    where
        R: Fn(&str) -> Result<T, E>,
        B: Fn(&str) -> bool,
        S: Fn(&str) -> Option<T>,
    {
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
    fn read<T, E>(&self, text: &str) -> Result<T, E>
    where
        R: Fn(&str) -> Result<T, E>,
    {
        match ((self.read)(text), trimmed(text)) {
            (Err(_), bare) if !bare.is_empty() && bare.len() < text.trim().len() => (self.read)(bare),
            (read, _) => read,
        }
    }

    fn names_one(&self, clause: &str) -> bool
    where
        B: Fn(&str) -> bool,
    {
        (self.begins)(word_of(clause))
    }

    /// Another action in a line that should be a remark.
    fn other<T: PartialEq>(&self, action: &T, line: &str) -> Option<String>
    where
        B: Fn(&str) -> bool,
        S: Fn(&str) -> Option<T>,
    {
        // The row of a table, as the action that its cells write.
        let row = line.starts_with('|').then(|| line.replace('|', " "));
        let row = row.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "));
        let line = row.as_deref().unwrap_or(line);
        let mut clauses =
            std::iter::once(line).chain(line.split(CLAUSES)).map(|clause| trimmed(linked(item(opened(item(clause))))));
        let is_other =
            |clause: &&str| self.names_one(clause) && (self.second)(clause).is_some_and(|other| other != *action);
        clauses.find(is_other).map(str::to_owned)
    }

    /// The one action that the rows of a table name. `None` if one of them cannot be read, or there is none. `below` is the line behind the
    /// table.
    fn of_table<T: PartialEq, E>(&self, table: &Table<'_>, below: Option<&str>) -> Result<Option<T>, Problem<E>>
    where
        R: Fn(&str) -> Result<T, E>,
        B: Fn(&str) -> bool,
        S: Fn(&str) -> Option<T>,
    {
        let mut first: Option<(T, &str)> = None;
        for ways in &table.rows {
            let read = ways.iter().find_map(|way| Some((self.read(way).ok()?, way.as_str())));
            let Some((action, way)) = read else { return Ok(None) };
            match &first {
                Some((known, written)) if *known != action => {
                    return Err(Problem::Two((*written).to_owned(), way.to_owned()));
                }
                Some(_) => {}
                None => first = Some((action, way)),
            }
        }
        let Some((action, way)) = first else { return Ok(None) };
        for words in table.beside.iter().copied().chain(below) {
            if let Some(second) = self.other(&action, words) {
                return Err(Problem::Two(way.to_owned(), second));
            }
            judged((), way, words)?;
        }
        Ok(Some(action))
    }

    /// The action in front of a remark on its line. `None` if no remark can be cut off one.
    fn before_remark<T: PartialEq, E>(&self, line: &str) -> Option<Result<T, Problem<E>>>
    where
        R: Fn(&str) -> Result<T, E>,
        B: Fn(&str) -> bool,
        S: Fn(&str) -> Option<T>,
    {
        let found = cuts(line).into_iter().find_map(|cut| Some((self.read(cut.0).ok()?, cut)));
        let (action, (head, mark, remark)) = found?;
        // `to remove it` says what for, unless it names another action in full.
        let purpose = mark.ends_with("to ");
        let other = |clause: &str| {
            let bare = turned(clause, &self.begins);
            // Behind a word that turns, a name alone is what the same action is meant for instead.
            let instead = || self.read(&format!("{} {bare}", word_of(head))).is_ok_and(|other| other != action);
            if bare.len() < clause.len() && !bare.is_empty() && instead() {
                return Some(clause.to_owned());
            }
            match self.names_one(bare).then(|| self.within(bare))? {
                Some(other) => (other != action).then(|| bare.to_owned()),
                // `may fail` is nothing that an action could be carried out on; `then remove it` is.
                None => (!purpose && (is_next(clause, bare) || is_on_it(bare))).then(|| bare.to_owned()),
            }
        };
        Some(match remark.split(CLAUSES).find_map(|clause| other(clause.trim())) {
            Some(clause) => Err(Problem::Two(head.to_owned(), clause)),
            // The sign that cut the remark off may be a word of it.
            None => judged(action, head, &line[head.len()..]),
        })
    }

    /// Actions that follow one another on a line without a sign between them: the one that each of them is, or the first two.
    fn run_on<T: PartialEq, E>(&self, line: &str) -> Option<Result<T, Problem<E>>>
    where
        R: Fn(&str) -> Result<T, E>,
        B: Fn(&str) -> bool,
        S: Fn(&str) -> Option<T>,
    {
        let starts = line.match_indices(char::is_whitespace).map(|(at, blank)| at + blank.len());
        let mut starts = starts.filter(|at| self.names_one(&line[*at..])).take(CLAUSE_WORDS);
        let (action, head, rest) = starts.find_map(|at| {
            let (head, rest) = (line[..at].trim(), line[at..].trim());
            Some((self.read(head).ok()?, head, rest))
        })?;
        let is_same = self.within(rest)? == action;
        Some(is_same.then_some(action).ok_or_else(|| Problem::Two(head.to_owned(), rest.to_owned())))
    }

    /// The action that a clause names in full, or with words behind it.
    fn within<T>(&self, clause: &str) -> Option<T>
    where
        S: Fn(&str) -> Option<T>,
    {
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
