//! Criteria of subgoals that a tracker's query answers.
//!
//! The schema of plans has criteria as free text. What is written in the small language below is judged by code on the answers of the tracker;
//! anything else is not a [`Criterion`] and is left to a reader.
//!
//! ```text
//! criterion  = check { "and" check }
//! check      = QUERY "(" [ argument { "," argument } ] ")" { "." MEMBER } comparison TEXT
//! argument   = [ NAME "=" ] TEXT
//! comparison = "is" | "is not" | "contains" | "lacks" | "<" | "<=" | "=" | "!=" | ">=" | ">"
//! ```
//!
//! A text in quotation marks may hold anything; within them `\"` is a quotation mark and `\\` a backslash. Other texts end at a comma or a
//! bracket among arguments, and at the word `and` behind a comparison.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use gimbal_core::{Milli, ToolCall, ToolSpec};
use serde_json::Value;
use thiserror::Error;

use super::condition::{Operator, thousandths};

/// Most checks of a criterion.
const CHECKS: usize = 16;

/// A criterion: all of its checks hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion(Vec<Check>);

/// A comparison with the answer of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Name of the query: generic, or as the environment publishes it.
    pub query: String,
    /// Arguments: with their names, or in the order of the query.
    pub arguments: Vec<(Option<String>, String)>,
    /// The member of the answer, from the outside in; empty for the whole answer.
    pub member: Vec<String>,
    /// How it is compared.
    pub comparison: Comparison,
    /// What it is compared with.
    pub text: String,
}

/// How an answer is compared with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// It is that text, in any case of letters.
    Is,
    /// It is another one.
    IsNot,
    /// It has that text, as whole words.
    Contains,
    /// It does not have it.
    Lacks,
    /// As numbers.
    Number(Operator),
}

/// A text that is not a criterion of the small language.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "criterion: {problem} at `{rest}`; write a query, a comparison and a text, such as `subject_state(NAME).current_status is baseline`"
)]
pub struct NotACriterion {
    /// What is missing or wrong.
    pub problem: &'static str,
    /// The text from there on, its beginning.
    pub rest: String,
}

impl Criterion {
    /// The criterion that all checks hold.
    #[must_use]
    pub const fn new(checks: Vec<Check>) -> Self {
        Self(checks)
    }

    /// The checks.
    #[must_use]
    pub fn checks(&self) -> &[Check] {
        &self.0
    }

    /// The calls to the tracker, one for each check, under the generic names of `queries`; `None` for a query or an argument that does not
    /// exist. `names` are the names under which the environment publishes queries (`Brief::tool_names`).
    #[must_use]
    pub fn calls(&self, queries: &[ToolSpec], names: &BTreeMap<String, String>) -> Vec<Option<ToolCall>> {
        self.0.iter().map(|check| check.call(queries, names)).collect()
    }

    /// Whether it holds, by the answers to [`Criterion::calls`]; `None` where that cannot be said.
    #[must_use]
    pub fn holds(&self, answers: &[Option<String>]) -> Option<bool> {
        let mut known = true;
        for (place, check) in self.0.iter().enumerate() {
            match answers.get(place).and_then(Option::as_deref).and_then(|answer| check.holds(answer)) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => known = false,
            }
        }
        known.then_some(true)
    }
}

impl Check {
    fn call(&self, queries: &[ToolSpec], names: &BTreeMap<String, String>) -> Option<ToolCall> {
        let is_called = |spec: &&ToolSpec| {
            let published = names.get(&spec.name).is_some_and(|name| name.eq_ignore_ascii_case(&self.query));
            published || spec.name.eq_ignore_ascii_case(&self.query)
        };
        let spec = queries.iter().find(is_called)?;
        let required: Vec<&str> = spec.required().collect();
        let mut call = ToolCall::bare(&spec.name);
        for (place, (name, value)) in self.arguments.iter().enumerate() {
            let known = match name {
                Some(name) => required.iter().find(|known| known.eq_ignore_ascii_case(name)),
                None => required.get(place),
            };
            let twice = call.arguments.insert((*known?).to_owned(), Value::from(value.as_str()));
            if twice.is_some() {
                return None;
            }
        }
        (call.arguments.len() == required.len()).then_some(call)
    }

    /// Whether an answer is as it says; `None` where the answer has no such member, or no number to compare.
    #[must_use]
    pub fn holds(&self, answer: &str) -> Option<bool> {
        let parsed = serde_json::from_str(answer).unwrap_or_else(|_| Value::from(answer));
        let mut found = &parsed;
        for name in &self.member {
            found = found.as_object()?.get(name)?;
        }
        if found.is_null() {
            return None;
        }
        match self.comparison {
            Comparison::Is => Some(is(found, &self.text)),
            Comparison::IsNot => Some(!is(found, &self.text)),
            Comparison::Contains => Some(has(found, &self.text)),
            Comparison::Lacks => Some(!has(found, &self.text)),
            Comparison::Number(operator) => Some(operator.holds(number(found)?, thousandths(&self.text)?)),
        }
    }
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn is(found: &Value, text: &str) -> bool {
    match found {
        Value::String(found) => plain(found) == plain(text),
        other => plain(&other.to_string()) == plain(text),
    }
}

/// As whole words: `pen 1` is not in `pen 12`.
fn has(found: &Value, text: &str) -> bool {
    let wanted = plain(text);
    let whole = match found {
        Value::String(found) => plain(found),
        Value::Array(items) => return items.iter().any(|item| has(item, text)),
        other => plain(&other.to_string()),
    };
    if wanted.is_empty() {
        return false;
    }
    let edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    whole.match_indices(&wanted).any(|(at, _)| {
        let (before, after) = (&whole[..at], &whole[at + wanted.len()..]);
        let opens = edge(before.chars().next_back()) || edge(wanted.chars().next());
        let closes = edge(after.chars().next()) || edge(wanted.chars().next_back());
        opens && closes
    })
}

fn number(found: &Value) -> Option<Milli> {
    match found {
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.checked_mul(1000).map(Milli),
            None => number.as_f64().filter(|number| number.abs() < 1e12).map(Milli::from_f64),
        },
        Value::String(text) => thousandths(text.trim()),
        _ => None,
    }
}

impl FromStr for Criterion {
    type Err = NotACriterion;

    fn from_str(text: &str) -> Result<Self, NotACriterion> {
        let mut scan = Scan(text);
        let mut checks = Vec::new();
        loop {
            if checks.len() == CHECKS {
                return Err(scan.wrong("there are more than 16 checks"));
            }
            checks.push(scan.check()?);
            if scan.end() {
                return Ok(Self(checks));
            }
            if !scan.word("and") {
                return Err(scan.wrong("there is more than a check"));
            }
        }
    }
}

/// What is left of a text.
struct Scan<'a>(&'a str);

impl Scan<'_> {
    fn wrong(&self, problem: &'static str) -> NotACriterion {
        NotACriterion { problem, rest: self.0.trim_start().chars().take(40).collect() }
    }

    fn blank(&mut self) {
        self.0 = self.0.trim_start();
    }

    fn end(&mut self) -> bool {
        self.blank();
        self.0.is_empty()
    }

    fn sign(&mut self, sign: &str) -> bool {
        self.blank();
        let rest = self.0.strip_prefix(sign);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn word(&mut self, word: &str) -> bool {
        self.blank();
        let begins = self.0.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
        let closed = begins && !self.0[word.len()..].starts_with(is_letter);
        if closed {
            self.0 = &self.0[word.len()..];
        }
        closed
    }

    fn name(&mut self, problem: &'static str) -> Result<String, NotACriterion> {
        self.blank();
        let end = self.0.find(|letter| !is_letter(letter)).unwrap_or(self.0.len());
        if end == 0 {
            return Err(self.wrong(problem));
        }
        let (name, rest) = self.0.split_at(end);
        self.0 = rest;
        Ok(name.to_owned())
    }

    fn check(&mut self) -> Result<Check, NotACriterion> {
        let query = self.name("the name of a query is missing")?;
        if !self.sign("(") {
            return Err(self.wrong("`(` is missing"));
        }
        let arguments = self.arguments()?;
        let mut member = Vec::new();
        while self.0.starts_with('.') {
            self.0 = &self.0[1..];
            if !self.0.starts_with(is_letter) {
                return Err(self.wrong("the name of a member is missing"));
            }
            member.push(self.name("")?);
        }
        let comparison = self.comparison()?;
        let (text, quoted) = self.text(|rest| {
            // Words between blanks alone: `salt and` ends at `salt`.
            let mut from = 0;
            while let Some(at) = rest.get(from..).and_then(|rest| rest.find(char::is_whitespace)).map(|at| at + from) {
                let word = rest[at..].trim_start();
                if word.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("and"))
                    && !word[3..].starts_with(is_letter)
                {
                    return at;
                }
                from = rest.len() - word.len();
            }
            rest.len()
        })?;
        // A sentence may end in a point.
        let text = if quoted { text } else { text.trim_end_matches('.').trim_end().to_owned() };
        if text.is_empty() && !quoted {
            return Err(self.wrong("there is no text to compare with"));
        }
        let comparison = match comparison {
            Comparison::Number(operator) if thousandths(&text).is_none() => match operator {
                Operator::Equal => Comparison::Is,
                Operator::Other => Comparison::IsNot,
                _ => return Err(self.wrong("a number is missing behind the comparison")),
            },
            other => other,
        };
        Ok(Check { query, arguments, member, comparison, text })
    }

    fn arguments(&mut self) -> Result<Vec<(Option<String>, String)>, NotACriterion> {
        let mut arguments = Vec::new();
        if self.sign(")") {
            return Ok(arguments);
        }
        loop {
            self.blank();
            let end = self.0.find(|letter| !is_letter(letter)).unwrap_or(self.0.len());
            let named = end > 0 && self.0[end..].trim_start().starts_with('=');
            let name = if named { Some(self.name("")?) } else { None };
            if named {
                self.sign("=");
            }
            let (value, quoted) = self.text(|rest| rest.find([',', ')']).unwrap_or(rest.len()))?;
            if value.is_empty() && !quoted {
                return Err(self.wrong("an argument is missing"));
            }
            arguments.push((name, value));
            if self.sign(")") {
                return Ok(arguments);
            }
            if !self.sign(",") {
                return Err(self.wrong("`,` or `)` is missing"));
            }
        }
    }

    fn comparison(&mut self) -> Result<Comparison, NotACriterion> {
        let signs = Operator::SIGNS.iter().find(|(sign, _)| self.sign(sign));
        if let Some((_, operator)) = signs {
            return Ok(Comparison::Number(*operator));
        }
        if self.word("is") {
            return Ok(if self.word("not") { Comparison::IsNot } else { Comparison::Is });
        }
        if self.word("contains") {
            return Ok(Comparison::Contains);
        }
        if self.word("lacks") {
            return Ok(Comparison::Lacks);
        }
        Err(self.wrong("a comparison is missing"))
    }

    /// A text, and whether it is in quotation marks; one without them goes as far as `until` says.
    fn text(&mut self, until: impl Fn(&str) -> usize) -> Result<(String, bool), NotACriterion> {
        self.blank();
        let Some(rest) = self.0.strip_prefix('"') else {
            let (text, rest) = self.0.split_at(until(self.0));
            self.0 = rest;
            return Ok((text.trim().to_owned(), false));
        };
        let mut text = String::new();
        let mut letters = rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.0 = &rest[at + 1..];
                    return Ok((text, true));
                }
                '\\' => text.extend(letters.next().map(|(_, letter)| letter)),
                _ => text.push(letter),
            }
        }
        Err(self.wrong("a quotation mark is not closed"))
    }
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

impl Comparison {
    const fn sign(self) -> &'static str {
        match self {
            Self::Is => "is",
            Self::IsNot => "is not",
            Self::Contains => "contains",
            Self::Lacks => "lacks",
            Self::Number(operator) => operator.sign(),
        }
    }
}

/// A text as it is written: in quotation marks where it needs them.
fn write_text(formatter: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let plain = |letter: char| is_letter(letter) || matches!(letter, ' ' | '-' | ':' | '/');
    // The words of comparisons and of joining, and blanks at the ends, would be read as something else.
    let bare = |word: &str| !word.is_empty() && !["and", "not"].iter().any(|own| word.eq_ignore_ascii_case(own));
    let number = thousandths(text).is_some();
    if number || (!text.is_empty() && text.chars().all(plain) && text.split(' ').all(bare)) {
        return formatter.write_str(text);
    }
    formatter.write_str("\"")?;
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            formatter.write_str("\\")?;
        }
        write!(formatter, "{letter}")?;
    }
    formatter.write_str("\"")
}

impl fmt::Display for Criterion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, check) in self.0.iter().enumerate() {
            formatter.write_str(if place == 0 { "" } else { " and " })?;
            write!(formatter, "{}(", check.query)?;
            for (place, (name, value)) in check.arguments.iter().enumerate() {
                formatter.write_str(if place == 0 { "" } else { ", " })?;
                if let Some(name) = name {
                    write!(formatter, "{name}=")?;
                }
                write_text(formatter, value)?;
            }
            formatter.write_str(")")?;
            for member in &check.member {
                write!(formatter, ".{member}")?;
            }
            write!(formatter, " {} ", check.comparison.sign())?;
            write_text(formatter, &check.text)?;
        }
        Ok(())
    }
}
