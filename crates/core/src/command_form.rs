//! Forms of commands: where an argument of a tool is a command in words, what its parts are called.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The form of a command: words, and names in braces for what is between them, such as `take {object} from {receptacle}`. A part in square
/// brackets comes last and is repeated, with commas between: `craft {made} using [{number} {input}]`.
///
/// Letters of either case are the same. A name takes the shortest text that fits, the last one of a part for all that is left; it is
/// never empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CommandForm {
    text: String,
    head: Vec<Piece>,
    repeated: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Words(String),
    Name(String),
}

/// A text that is not a form of a command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{form}` is not a form of a command: {problem}")]
pub struct NotAForm {
    /// The text.
    pub form: String,
    /// What is wrong, and what would be right.
    pub problem: &'static str,
}

/// The parts of a command, with their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Those that are there once.
    pub once: Vec<(String, String)>,
    /// Those of each repetition.
    pub rows: Vec<Vec<(String, String)>>,
}

impl CommandForm {
    /// The form as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The names in it, in the order in which they are written.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.head.iter().chain(&self.repeated).filter_map(|piece| match piece {
            Piece::Name(name) => Some(name.as_str()),
            Piece::Words(_) => None,
        })
    }

    /// The parts of a command; `None` where it has another form.
    #[must_use]
    pub fn read(&self, command: &str) -> Option<Parts> {
        let command = command.trim();
        if self.repeated.is_empty() {
            return Some(Parts { once: parts(&self.head, command)?, rows: Vec::new() });
        }
        let (once, rest) = beginning(&self.head, command)?;
        let rows = rest.split(',').map(|row| parts(&self.repeated, row.trim())).collect::<Option<Vec<_>>>()?;
        Some(Parts { once, rows })
    }
}

/// The named parts of a whole text.
fn parts(pieces: &[Piece], text: &str) -> Option<Vec<(String, String)>> {
    match pieces.split_last() {
        None => text.is_empty().then(Vec::new),
        Some((Piece::Name(name), before)) => {
            let (mut found, rest) = beginning(before, text)?;
            found.push((name.clone(), some(rest)?));
            Some(found)
        }
        Some((Piece::Words(words), before)) => {
            let at = text.len().checked_sub(words.len())?;
            let end = text.get(at..).filter(|end| end.eq_ignore_ascii_case(words))?;
            let rest = text.strip_suffix(end)?;
            match before.split_last() {
                // What is before the words is theirs to the last letter.
                None => rest.is_empty().then(Vec::new),
                Some(_) => parts(before, rest),
            }
        }
    }
}

/// The named parts of the beginning of a text, and the rest of it. A name at the end of `pieces` is not closed by anything: there is none.
fn beginning<'a>(pieces: &[Piece], text: &'a str) -> Option<(Vec<(String, String)>, &'a str)> {
    let mut rest = text;
    let mut found = Vec::new();
    let mut open: Option<&String> = None;
    for piece in pieces {
        match piece {
            Piece::Name(name) => open = Some(name),
            Piece::Words(words) => {
                let at = match open {
                    // A name has a letter at least.
                    Some(_) => {
                        let first = rest.chars().next()?.len_utf8();
                        first + place(rest.get(first..)?, words)?
                    }
                    None => (rest.get(..words.len())?.eq_ignore_ascii_case(words)).then_some(0)?,
                };
                if let Some(name) = open.take() {
                    found.push((name.clone(), some(rest.get(..at)?)?));
                }
                rest = rest.get(at + words.len()..)?;
            }
        }
    }
    Some((found, rest))
}

fn some(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Where words are first in a text.
fn place(text: &str, words: &str) -> Option<usize> {
    text.as_bytes().windows(words.len()).position(|window| window.eq_ignore_ascii_case(words.as_bytes()))
}

impl FromStr for CommandForm {
    type Err = NotAForm;

    fn from_str(text: &str) -> Result<Self, NotAForm> {
        let wrong = |problem| NotAForm { form: text.to_owned(), problem };
        let trimmed = text.trim();
        let (head, repeated) = match trimmed.split_once('[') {
            None => (trimmed, None),
            Some((head, rest)) => {
                let inner = rest.strip_suffix(']').ok_or_else(|| wrong("a part in brackets ends it, with `]`"))?;
                (head, Some(inner.trim()))
            }
        };
        let head = pieces(head).map_err(wrong)?;
        let repeated = repeated.map(pieces).transpose().map_err(wrong)?;
        if head.is_empty() {
            return Err(wrong("it begins with words, such as `go to {place}`"));
        }
        if repeated.as_ref().is_some_and(|inner| !inner.iter().any(|piece| matches!(piece, Piece::Name(_)))) {
            return Err(wrong("a part in brackets has a name in braces"));
        }
        if repeated.is_some() && matches!(head.last(), Some(Piece::Name(_))) {
            return Err(wrong("words must be between a name in braces and the part in brackets"));
        }
        let form = Self { text: trimmed.to_owned(), head, repeated: repeated.unwrap_or_default() };
        let names: Vec<&str> = form.names().collect();
        if names.iter().enumerate().any(|(place, name)| names[..place].contains(name)) {
            return Err(wrong("a name in braces is there once"));
        }
        Ok(form)
    }
}

fn pieces(text: &str) -> Result<Vec<Piece>, &'static str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((words, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}').ok_or("a brace is not closed; write `{name}`")?;
        if words.is_empty() && matches!(pieces.last(), Some(Piece::Name(_))) {
            return Err("words or a blank must be between two names in braces");
        }
        let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if !is_name {
            return Err("a name in braces has letters, digits and `_`, and at least one of them");
        }
        words_of(words, &mut pieces)?;
        pieces.push(Piece::Name(name.to_owned()));
        rest = behind;
    }
    words_of(rest, &mut pieces)?;
    Ok(pieces)
}

fn words_of(words: &str, pieces: &mut Vec<Piece>) -> Result<(), &'static str> {
    if words.contains(['}', '[', ']']) {
        return Err("there is a `}`, `[` or `]` too many");
    }
    if !words.is_empty() {
        pieces.push(Piece::Words(words.to_owned()));
    }
    Ok(())
}

impl TryFrom<String> for CommandForm {
    type Error = NotAForm;

    fn try_from(text: String) -> Result<Self, NotAForm> {
        text.parse()
    }
}

impl From<CommandForm> for String {
    fn from(form: CommandForm) -> Self {
        form.text
    }
}

impl fmt::Display for CommandForm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{CommandForm, Parts};

    fn form(text: &str) -> CommandForm {
        text.parse().unwrap()
    }

    fn once(form_text: &str, command: &str) -> Option<Vec<(String, String)>> {
        form(form_text).read(command).map(|parts| parts.once)
    }

    fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_command_is_read_by_its_form() {
        let taken = once("take {object} from {receptacle}", "Take soap bar 1 FROM sink 2");
        assert_eq!(taken, Some(named(&[("object", "soap bar 1"), ("receptacle", "sink 2")])));
        assert_eq!(once("look", " look "), Some(Vec::new()));
        assert_eq!(once("turn {lamp} on", "turn lamp on on"), Some(named(&[("lamp", "lamp on")])));
        for (form, command) in [
            ("look", "look around"),
            ("go to {place}", "go to "),
            ("go to {place}", "go"),
            ("take {object} from {receptacle}", "take from sink"),
            ("turn {lamp} on", "turn on"),
            ("turn {lamp} on", "turn é"),
        ] {
            assert_eq!(once(form, command), None, "{form}: {command}");
        }
    }

    #[test]
    fn a_part_in_brackets_is_repeated() {
        let craft = form("craft {made} {output} using [{number} {input}]");
        assert_eq!(craft.names().collect::<Vec<_>>(), ["made", "output", "number", "input"]);
        let parts = craft.read("craft 1 oak sign using 6 oak planks, 1 stick").unwrap();
        let rows =
            vec![named(&[("number", "6"), ("input", "oak planks")]), named(&[("number", "1"), ("input", "stick")])];
        assert_eq!(parts, Parts { once: named(&[("made", "1"), ("output", "oak sign")]), rows });
        assert_eq!(craft.read("craft 1 oak sign using 6 oak planks, stick"), None);
        assert_eq!(craft.read("craft 1 oak sign using "), None);
    }

    #[test]
    fn a_text_that_is_no_form_is_refused_with_its_reason() {
        for text in
            ["", "{a}{b}", "go {", "go {}", "go {a b}", "go }", "go [x]", "go {a}[{b}]", "go {a} [{b}", "a {x} b {x}"]
        {
            let error = text.parse::<CommandForm>().unwrap_err();
            assert!(error.to_string().starts_with(&format!("`{text}` is not a form of a command: ")), "{error}");
        }
        assert!(form("{words}").read("anything at all").is_some());
    }

    proptest! {
        #[test]
        fn what_was_put_in_is_read_out(object in "[a-z]{1,6}( [a-z0-9]{1,4})?", place in "[a-z]{1,6} [0-9]") {
            prop_assume!(!object.contains(" from "));
            let command = format!("take {object} from {place}");
            let found = once("take {object} from {place}", &command);
            prop_assert_eq!(found, Some(named(&[("object", &object), ("place", &place)])));
        }

        #[test]
        fn nothing_breaks_a_reader(text in "[a-c{}\\[\\], é]{0,16}", command in "[a-c, é]{0,16}") {
            if let Ok(form) = text.parse::<CommandForm>() {
                let _ = form.read(&command);
                let again = form.as_str().parse::<CommandForm>();
                prop_assert_eq!(again.as_ref(), Ok(&form));
            }
        }
    }
}
