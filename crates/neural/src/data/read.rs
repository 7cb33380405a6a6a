//! Reading and writing of conflicts.

use std::collections::BTreeSet;

use thiserror::Error;

use super::conflict::{ACTION, Conflict, Dataset, FORMAT, Header, LAYER, VERSION};

/// Longest file, in bytes. 100,000 conflicts of four parties with 30 features take about 100 million.
pub const MOST_BYTES: usize = 4 << 30;
const MOST_LINE: usize = 1 << 20;
const MOST_COLUMNS: usize = 1024;
const MOST_PARTIES: usize = 64;
const MOST_CANDIDATES: usize = 1024;
/// Whole numbers up to this are exact in f32.
const MOST_ACTION: f32 = 16_777_216.0;

/// Why a file of conflicts is not read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct DataError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// The file has no line.
    #[error("the file is empty; expected a header `{{\"format\":\"{FORMAT}\",\"version\":{VERSION},...}}`")]
    Empty,
    /// The line is too long.
    #[error("{bytes} bytes; at most {MOST_LINE} are read")]
    Long {
        /// What was found.
        bytes: usize,
    },
    /// The line has another form.
    #[error("{0}")]
    Form(String),
    /// The header is of another format.
    #[error("`format` is `{found}`; expected `{FORMAT}`")]
    Format {
        /// What was found.
        found: String,
    },
    /// The header is of another version.
    #[error(
        "`version` is {found}; this program reads {VERSION}, in which collected conflicts have actions and a context: play the study anew and collect it, \
         or generate the conflicts again"
    )]
    Version {
        /// What was found.
        found: u32,
    },
    /// A count is out of bounds.
    #[error("{found} {what}; expected {least} to {most}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// What was found.
        found: usize,
        /// The lower bound.
        least: usize,
        /// The upper bound.
        most: usize,
    },
    /// A name occurs twice, or is kept for something else.
    #[error("the name `{0}` in `columns` or `rules` occurs twice or is reserved; give each another name")]
    Name(String),
    /// A number is none, or out of its range.
    #[error("`{what}` is {found}; expected {expected}")]
    Number {
        /// Which number.
        what: String,
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A place that names nothing.
    #[error("`{what}` names place {found}, and there are {count}")]
    Place {
        /// Which place.
        what: &'static str,
        /// What was found.
        found: usize,
        /// How many there are.
        count: usize,
    },
    /// Places are not in order.
    #[error("`kept` of candidate {candidate} must name each party once, in ascending order")]
    Order {
        /// The candidate.
        candidate: usize,
    },
    /// `best` is not the best.
    #[error("`best` names candidate {best}, and candidate {other} has a higher mean")]
    NotBest {
        /// What was found.
        best: usize,
        /// One that is better.
        other: usize,
    },
}

impl Dataset {
    /// Reads a file of conflicts. Empty lines at the end are passed over.
    ///
    /// # Errors
    /// At the first line that is wrong; see [`Problem`].
    pub fn read(text: &str) -> Result<Self, DataError> {
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let Some((_, first)) = lines.next() else { return Err(DataError { line: 1, problem: Problem::Empty }) };
        let header = read_header(first).map_err(|problem| DataError { line: 1, problem })?;
        let mut conflicts = Vec::new();
        for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
            let conflict = read_conflict(text, &header).map_err(|problem| DataError { line, problem })?;
            conflicts.push(conflict);
        }
        Ok(Self { header, conflicts })
    }

    /// The text of the file.
    ///
    /// # Errors
    /// When a conflict does not agree with the header, or holds a number that is none; the line is the one that it would have.
    pub fn write(&self) -> Result<String, DataError> {
        let form =
            |line: usize, error: serde_json::Error| DataError { line, problem: Problem::Form(error.to_string()) };
        let mut text = serde_json::to_string(&self.header).map_err(|error| form(1, error))?;
        text.push('\n');
        for (index, conflict) in self.conflicts.iter().enumerate() {
            let line = index + 2;
            check(conflict, &self.header).map_err(|problem| DataError { line, problem })?;
            text.push_str(&serde_json::to_string(conflict).map_err(|error| form(line, error))?);
            text.push('\n');
        }
        Ok(text)
    }
}

fn parsed<'t, T: serde::Deserialize<'t>>(text: &'t str) -> Result<T, Problem> {
    if text.len() > MOST_LINE {
        return Err(Problem::Long { bytes: text.len() });
    }
    serde_json::from_str(text).map_err(|error| Problem::Form(error.to_string()))
}

fn read_header(text: &str) -> Result<Header, Problem> {
    let header: Header = parsed(text)?;
    if header.format != FORMAT {
        return Err(Problem::Format { found: header.format });
    }
    if header.version != VERSION {
        return Err(Problem::Version { found: header.version });
    }
    within("columns", header.columns.len(), 1, MOST_COLUMNS)?;
    within("numbers of context", header.context, 0, MOST_COLUMNS)?;
    within("rules", header.rules.len(), 0, MOST_COLUMNS)?;
    for names in [&header.columns, &header.rules] {
        let mut seen = BTreeSet::from([LAYER, "", "random", "ceiling", "network"]);
        if let Some(name) = names.iter().find(|name| !seen.insert(name)) {
            return Err(Problem::Name(name.clone()));
        }
    }
    Ok(header)
}

fn read_conflict(text: &str, header: &Header) -> Result<Conflict, Problem> {
    let conflict: Conflict = parsed(text)?;
    check(&conflict, header)?;
    Ok(conflict)
}

fn check(conflict: &Conflict, header: &Header) -> Result<(), Problem> {
    within("parties", conflict.parties.len(), 1, MOST_PARTIES)?;
    within("candidates", conflict.candidates.len(), 1, MOST_CANDIDATES)?;
    exactly("numbers in `context`", conflict.context.len(), header.context)?;
    exactly("`choices`", conflict.choices.len(), header.rules.len())?;
    number("weight", f64::from(conflict.weight), 0.0, "a number above 0")?;
    let action = header.place(ACTION);
    for party in &conflict.parties {
        exactly("numbers in `features`", party.features.len(), header.columns.len())?;
        for (value, name) in party.features.iter().zip(&header.columns) {
            number(name, f64::from(*value), f64::NEG_INFINITY, "a finite number")?;
        }
        if let Some(value) = action.and_then(|place| party.features.get(place))
            && (value.fract() != 0.0 || !(0.0..=MOST_ACTION).contains(value))
        {
            let expected = "a whole number from 0 to 16777216";
            return Err(Problem::Number { what: ACTION.to_owned(), found: value.to_string(), expected });
        }
    }
    for value in &conflict.context {
        number("context", f64::from(*value), f64::NEG_INFINITY, "finite numbers")?;
    }
    for (place, candidate) in conflict.candidates.iter().enumerate() {
        if let Some(found) = candidate.kept.iter().copied().find(|place| *place >= conflict.parties.len()) {
            return Err(Problem::Place { what: "kept", found, count: conflict.parties.len() });
        }
        if !candidate.kept.is_sorted_by(|one, next| one < next) {
            return Err(Problem::Order { candidate: place });
        }
        if let Some(found) = candidate.sets.iter().flatten().copied().find(|place| *place >= conflict.parties.len()) {
            return Err(Problem::Place { what: "sets", found, count: conflict.parties.len() });
        }
        number("mean", candidate.mean, f64::NEG_INFINITY, "a finite number")?;
        number("error", candidate.error, -f64::MIN_POSITIVE, "a number from 0")?;
    }
    let ends = conflict.excludes.iter().flat_map(|(one, other)| [*one, *other]);
    if let Some(found) = ends.max().filter(|place| *place >= conflict.parties.len()) {
        return Err(Problem::Place { what: "excludes", found, count: conflict.parties.len() });
    }
    let count = conflict.candidates.len();
    if let Some(found) = conflict.choices.iter().copied().find(|place| *place >= count) {
        return Err(Problem::Place { what: "choices", found, count });
    }
    let Some(best) = conflict.candidates.get(conflict.best) else {
        return Err(Problem::Place { what: "best", found: conflict.best, count });
    };
    match conflict.candidates.iter().position(|other| other.mean > best.mean) {
        Some(other) => Err(Problem::NotBest { best: conflict.best, other }),
        None => Ok(()),
    }
}

const fn within(what: &'static str, found: usize, least: usize, most: usize) -> Result<(), Problem> {
    if found < least || found > most { Err(Problem::Count { what, found, least, most }) } else { Ok(()) }
}

const fn exactly(what: &'static str, found: usize, count: usize) -> Result<(), Problem> {
    within(what, found, count, count)
}

fn number(what: &str, value: f64, above: f64, expected: &'static str) -> Result<(), Problem> {
    if value.is_finite() && value > above {
        return Ok(());
    }
    Err(Problem::Number { what: what.to_owned(), found: value.to_string(), expected })
}
