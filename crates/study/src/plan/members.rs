//! Reads the members of a study file, each with the place that errors name.

use gimbal_core::nearest;
use gimbal_core::yaml::{Kind, Location, Member, Node};
use serde_json::Value;

use super::error::Problem;

/// The tree of a text; `file` names it in errors.
///
/// # Errors
/// Where the text is not valid YAML.
pub fn tree(text: &str, file: &str) -> Result<Node, Problem> {
    Node::parse(text, file).map_err(|error| {
        let at = Location { line: error.line, column: error.column };
        Problem::at(file, at, format!("this is not valid YAML: {}", error.message))
    })
}

/// Reads the members of a map, each once; what is left over is unknown.
pub struct Members<'a> {
    file: &'a str,
    what: &'a str,
    /// Where the map begins.
    pub at: Location,
    members: &'a [Member],
    known: Vec<&'static str>,
}

impl<'a> Members<'a> {
    /// The members of a map.
    ///
    /// # Errors
    /// When the node is not a map, or names a key twice.
    pub fn of(node: &'a Node, file: &'a str, what: &'a str) -> Result<Self, Problem> {
        let Kind::Map(members) = &node.kind else {
            return Err(misfit(node, file, &format!("{what} must be a map of keys and values")));
        };
        for (index, Member { key, at, .. }) in members.iter().enumerate() {
            if members[..index].iter().any(|other| other.key == *key) {
                return Err(Problem::at(file, *at, format!("duplicate key `{key}` in {what}; drop one")));
            }
        }
        Ok(Self { file, what, at: node.at, members, known: Vec::new() })
    }

    /// The value of a key, if it is there.
    pub fn get(&mut self, key: &'static str) -> Option<&'a Node> {
        self.known.push(key);
        self.members
            .iter()
            .find(|member| member.key == key)
            .map(|member| &member.value)
            .filter(|node| node.kind != Kind::Scalar(Value::Null))
    }

    /// The value of a key that must be there.
    ///
    /// # Errors
    /// When it is missing.
    pub fn need(&mut self, key: &'static str) -> Result<&'a Node, Problem> {
        let (file, at, what) = (self.file, self.at, self.what);
        if let Some(node) = self.get(key) {
            return Ok(node);
        }
        // A misspelling of just this key is more likely than that it was forgotten.
        let is_near = |member: &&Member| member.key != key && nearest::nearest(&member.key, [key]).is_some();
        match self.members.iter().find(is_near) {
            Some(member) => Err(unknown(file, member.at, &member.key, what, &[key])),
            None => Err(Problem::at(file, at, format!("{what} needs `{key}`"))),
        }
    }

    /// All members that were not asked for.
    pub fn others(&self) -> impl Iterator<Item = &'a Member> + '_ {
        self.members.iter().filter(|member| !self.known.contains(&member.key.as_str()))
    }

    /// Refuses members that were not asked for.
    ///
    /// # Errors
    /// The first unknown key, with the nearest known one.
    pub fn finish(self) -> Result<(), Problem> {
        let Some(member) = self.others().next() else { return Ok(()) };
        Err(unknown(self.file, member.at, &member.key, self.what, &self.known))
    }
}

/// The complaint about an unknown key.
pub fn unknown(file: &str, at: Location, key: &str, what: &str, known: &[&str]) -> Problem {
    Problem::at(file, at, format!("unknown key `{key}` in {what}{}", nearest::hint_among(key, known)))
}

/// The complaint about a value that is not what it must be: `must` says what, and the value is shown.
fn misfit(node: &Node, file: &str, must: &str) -> Problem {
    /// Longest value that a message shows, in characters.
    const SHOWN: usize = 60;
    let found = match &node.kind {
        Kind::Scalar(Value::Null) => "empty".to_owned(),
        Kind::Scalar(Value::String(text)) if text.is_empty() => "empty".to_owned(),
        Kind::Scalar(Value::String(text)) => match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("`{}...`", &text[..end]),
            None => format!("`{text}`"),
        },
        Kind::Scalar(value) => format!("`{value}`"),
        Kind::List(_) => "a list".to_owned(),
        Kind::Map(_) => "a map".to_owned(),
    };
    Problem::at(file, node.at, format!("{must}, and is {found}"))
}

/// A string.
///
/// # Errors
/// When it is none.
pub fn string(node: &Node, file: &str, what: &str) -> Result<String, Problem> {
    match &node.kind {
        Kind::Scalar(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
        Kind::Scalar(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
        _ => Err(misfit(node, file, &format!("{what} must be a text"))),
    }
}

/// A text for tables, terminals and spreadsheets: nothing that any of them would take as a command.
///
/// # Errors
/// When it is not a text, has control characters, or begins like a formula.
pub fn shown(node: &Node, file: &str, what: &str) -> Result<String, Problem> {
    let text = string(node, file, what)?;
    if text.chars().any(char::is_control) {
        return Err(Problem::at(file, node.at, format!("{what} must be one line without control characters")));
    }
    // Plain words after a plus, as in `+question`, are how additions to an architecture are called.
    let words = |rest: &str| rest.chars().all(|letter| letter.is_alphabetic() || " +_".contains(letter));
    if text.starts_with(['=', '-', '@']) || text.strip_prefix('+').is_some_and(|rest| !words(rest)) {
        let words = "begin with a letter or digit: spreadsheets take `=`, `+`, `-` and `@` for formulas";
        return Err(Problem::at(
            file,
            node.at,
            format!("{what} must not be `{text}`; {words} (`+` and plain words will do)"),
        ));
    }
    Ok(text)
}

/// A text, and nothing that only looks like one.
///
/// # Errors
/// When it is none; a number or boolean must be in quotation marks.
pub fn written(node: &Node, file: &str, what: &str) -> Result<String, Problem> {
    if let Kind::Scalar(value @ (Value::Number(_) | Value::Bool(_))) = &node.kind {
        let words = format!("{what} must be a text, and `{value}` is none: write it in quotation marks, `\"{value}\"`");
        return Err(Problem::at(file, node.at, words));
    }
    string(node, file, what)
}

/// A whole number of at least `least`.
///
/// # Errors
/// When it is none, or greater than 18446744073709551615.
pub fn whole(node: &Node, file: &str, what: &str, least: u64) -> Result<u64, Problem> {
    bounded(node, file, what, least, u64::MAX)
}

/// A whole number of at least `least`, of 32 bits.
///
/// # Errors
/// When it is none, or greater than 4294967295.
pub fn small(node: &Node, file: &str, what: &str, least: u32) -> Result<u32, Problem> {
    let number = bounded(node, file, what, least.into(), u32::MAX.into())?;
    Ok(u32::try_from(number).unwrap_or(u32::MAX))
}

fn bounded(node: &Node, file: &str, what: &str, least: u64, most: u64) -> Result<u64, Problem> {
    let number = if let Kind::Scalar(value) = &node.kind { natural(value) } else { None };
    if let Some(number) = number.filter(|number| (least..=most).contains(number)) {
        return Ok(number);
    }
    let too_great = match &node.kind {
        Kind::Scalar(Value::Number(value)) => {
            number.is_some_and(|number| number > most) || value.as_f64() >= Some(1.8e19)
        }
        _ => false,
    };
    let words = if too_great {
        format!("{what} must be a whole number from {least} to {most}")
    } else {
        format!("{what} must be a whole number of at least {least}")
    };
    Err(misfit(node, file, &words))
}

/// The value as a whole number; `10.0` is one, as in JSON Schema.
fn natural(value: &Value) -> Option<u64> {
    /// Below this all whole numbers are exact as a floating-point number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let real = || value.as_f64().filter(|real| real.fract() == 0.0 && (0.0..EXACT).contains(real));
    value.as_u64().or_else(|| real().map(|real| real as u64))
}

/// A number from `least` to `most`.
///
/// # Errors
/// When it is none.
pub fn decimal(node: &Node, file: &str, what: &str, least: f64, most: f64) -> Result<f64, Problem> {
    let number = if let Kind::Scalar(value) = &node.kind { value.as_f64() } else { None };
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| misfit(node, file, &format!("{what} must be a number from {least} to {most}")))
}

/// The items of a list; a single item counts as a list of one.
#[must_use]
pub fn items(node: &Node) -> Vec<&Node> {
    match &node.kind {
        Kind::List(items) => items.iter().collect(),
        _ => vec![node],
    }
}
