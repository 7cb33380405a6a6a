//! Conditions of rules and rollbacks, as far as plain code can judge them.
//!
//! The schemas have conditions as free text. What is written in the small language below is judged by code; anything else is kept as
//! words ([`Condition::Words`]), of which code says neither yes nor no, so that it can be counted apart and left to a model.
//!
//! ```text
//! condition  = clause { "or" clause }
//! clause     = part { "and" part }
//! part       = "always" | "call" PATTERN | NAME ( "<" | "<=" | "=" | "!=" | ">=" | ">" ) NUMBER
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use gimbal_core::{Milli, ToolCall};
use thiserror::Error;

use crate::Pattern;

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Holds always.
    Always,
    /// Holds for calls that match.
    Call(Pattern),
    /// Holds where a measured number compares so.
    Compare {
        /// Name of the number.
        name: String,
        /// Comparison.
        operator: Operator,
        /// The number that it is compared with.
        number: Milli,
    },
    /// Holds where all hold.
    All(Vec<Self>),
    /// Holds where one holds.
    Any(Vec<Self>),
    /// Words that only a reader can judge.
    Words(String),
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `!=`
    Other,
    /// `>=`
    AtLeast,
    /// `>`
    More,
}

/// What conditions are judged by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Situation<'a> {
    /// Measured numbers by name, such as `reward`, `refusals`, `steps_left`.
    pub numbers: Option<&'a BTreeMap<String, Milli>>,
    /// The call in question.
    pub call: Option<&'a ToolCall>,
}

/// A text that is not a condition of the small language.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "condition: `{part}` is no part of a condition; write `always`, `call PATTERN`, or a name, a comparison and a number such as \
         `refusals >= 2`"
)]
pub struct NotACondition {
    /// The part.
    pub part: String,
}

/// Most parts of a condition.
const PARTS: usize = 64;

impl Condition {
    /// The condition that a text is; [`Condition::Words`] where it is none of the small language.
    #[must_use]
    pub fn of(text: &str) -> Self {
        text.parse().unwrap_or_else(|_: NotACondition| Self::Words(text.to_owned()))
    }

    /// Whether it holds; `None` where that cannot be said: the words need a reader, or a number was not measured.
    #[must_use]
    pub fn holds(&self, situation: &Situation<'_>) -> Option<bool> {
        match self {
            Self::Always => Some(true),
            Self::Call(pattern) => situation.call.map(|call| pattern.matches(call)),
            Self::Compare { name, operator, number } => {
                let measured = situation.numbers?.get(name)?;
                Some(operator.holds(*measured, *number))
            }
            Self::All(parts) => joined(parts, situation, false),
            Self::Any(parts) => joined(parts, situation, true),
            Self::Words(_) => None,
        }
    }

    /// Whether code can judge it.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().all(Self::is_judged),
            Self::Words(_) => false,
            Self::Always | Self::Call(_) | Self::Compare { .. } => true,
        }
    }

    /// The calls that it is about, where it is about calls alone.
    #[must_use]
    pub fn calls(&self) -> Option<Vec<Pattern>> {
        match self {
            Self::Call(pattern) => Some(vec![pattern.clone()]),
            Self::Any(parts) => Some(parts.iter().map(Self::calls).collect::<Option<Vec<_>>>()?.concat()),
            Self::Always => Some(vec![Pattern::new("*")]),
            Self::All(_) | Self::Compare { .. } | Self::Words(_) => None,
        }
    }
}

/// One part that is `decides` decides; else the answer is known only where all parts are.
fn joined(parts: &[Condition], situation: &Situation<'_>, decides: bool) -> Option<bool> {
    let mut known = true;
    for part in parts {
        match part.holds(situation) {
            Some(holds) if holds == decides => return Some(decides),
            Some(_) => {}
            None => known = false,
        }
    }
    known.then_some(!decides)
}

impl Operator {
    pub(super) const SIGNS: [(&'static str, Self); 7] = [
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("!=", Self::Other),
        ("==", Self::Equal),
        ("<", Self::Less),
        (">", Self::More),
        ("=", Self::Equal),
    ];

    pub(super) fn holds(self, one: Milli, other: Milli) -> bool {
        match self {
            Self::Less => one < other,
            Self::AtMost => one <= other,
            Self::Equal => one == other,
            Self::Other => one != other,
            Self::AtLeast => one >= other,
            Self::More => one > other,
        }
    }

    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Equal => "=",
            Self::Other => "!=",
            Self::AtLeast => ">=",
            Self::More => ">",
        }
    }
}

impl FromStr for Condition {
    type Err = NotACondition;

    fn from_str(text: &str) -> Result<Self, NotACondition> {
        let wrong = |part: &str| NotACondition { part: part.chars().take(60).collect() };
        let words: Vec<&str> = text.split_whitespace().collect();
        let joins = |word: &&&str| word.eq_ignore_ascii_case("or") || word.eq_ignore_ascii_case("and");
        if words.iter().filter(joins).count() >= PARTS {
            return Err(wrong(text));
        }
        let clauses = words.split(|word| word.eq_ignore_ascii_case("or"));
        let mut any = Vec::new();
        for clause in clauses {
            let parts = clause.split(|word| word.eq_ignore_ascii_case("and"));
            let mut all = parts.map(|words| part(&words.join(" "))).collect::<Result<Vec<_>, _>>()?;
            any.push(if all.len() == 1 { all.remove(0) } else { Self::All(all) });
        }
        Ok(if any.len() == 1 { any.remove(0) } else { Self::Any(any) })
    }
}

fn part(text: &str) -> Result<Condition, NotACondition> {
    let wrong = || NotACondition { part: text.chars().take(60).collect() };
    if text.eq_ignore_ascii_case("always") {
        return Ok(Condition::Always);
    }
    if let Some((first, rest)) = text.split_once(' ')
        && first.eq_ignore_ascii_case("call")
        && !rest.contains(['<', '>', '='])
    {
        return Ok(Condition::Call(Pattern::new(rest)));
    }
    let found = Operator::SIGNS.iter().find_map(|(sign, operator)| {
        let (name, number) = text.split_once(sign)?;
        Some((name.trim(), *operator, number.trim()))
    });
    let (name, operator, number) = found.ok_or_else(wrong)?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    if !is_name {
        return Err(wrong());
    }
    let number = thousandths(number).ok_or_else(wrong)?;
    Ok(Condition::Compare { name: name.to_lowercase(), operator, number })
}

/// A decimal with at most three digits after the point and nine before it.
pub(super) fn thousandths(text: &str) -> Option<Milli> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let sound = |part: &str, most: usize| part.len() <= most && part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !sound(whole, 9) || !sound(rest, 3) || digits.ends_with('.') {
        return None;
    }
    let amount = whole.parse::<i64>().ok()? * 1000 + format!("{rest:0<3}").parse::<i64>().ok()?;
    Some(Milli(if negative { -amount } else { amount }))
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |formatter: &mut fmt::Formatter<'_>, parts: &[Self], word: &str| {
            for (place, part) in parts.iter().enumerate() {
                let between = if place == 0 { "" } else { word };
                write!(formatter, "{between}{part}")?;
            }
            Ok(())
        };
        match self {
            Self::Always => formatter.write_str("always"),
            Self::Call(pattern) => write!(formatter, "call {}", pattern.as_str()),
            Self::Compare { name, operator, number } => write!(formatter, "{name} {} {number}", operator.sign()),
            Self::All(parts) => join(formatter, parts, " and "),
            Self::Any(parts) => join(formatter, parts, " or "),
            Self::Words(words) => formatter.write_str(words),
        }
    }
}
