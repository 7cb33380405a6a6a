//! A question's rubric: a list of criteria, written as JSON (edition 2026-02) or as a Python literal (2025-09).

pub use gimbal_messages::records::filings::Operator;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

/// One item of a rubric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// How it is applied.
    pub operator: Operator,
    /// The fact, or the reference answer.
    pub criteria: String,
}

/// A rubric that cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("character {at}: {why}")]
pub struct RubricError {
    /// Characters before the fault, counted from 1.
    pub at: usize,
    /// What is wrong and what would be right.
    pub why: String,
}

/// Longest rubric: the public ones have at most 17 items.
const MOST_ITEMS: usize = 60;

/// Reads a rubric in either notation.
///
/// # Errors
/// Where it is not a list of objects with `operator` and `criteria`.
///
/// # Examples
/// ```
/// use gimbal_finance_agent::rubric::read;
///
/// let python = read("[{'operator': 'correctness', 'criteria': \"Oak's margin: 4.5%\"}]")?;
/// let json = read(r#"[{"operator": "correctness", "criteria": "Oak's margin: 4.5%"}]"#)?;
/// assert_eq!(python, json);
/// # Ok::<(), gimbal_finance_agent::rubric::RubricError>(())
/// ```
pub fn read(text: &str) -> Result<Vec<Item>, RubricError> {
    let items = match serde_json::from_str::<Value>(text) {
        Ok(value) => of_json(&value)?,
        Err(_) => Literal { text, at: 0 }.list()?,
    };
    if items.is_empty() {
        return Err(RubricError { at: 1, why: "the list is empty; give at least one item".to_owned() });
    }
    if items.len() > MOST_ITEMS {
        let why = format!("there are {} items; a rubric has at most {MOST_ITEMS}", items.len());
        return Err(RubricError { at: 1, why });
    }
    Ok(items)
}

/// Writes a rubric as JSON.
#[must_use]
pub fn write(items: &[Item]) -> String {
    serde_json::to_string(items).unwrap_or_default()
}

fn item(at: usize, pairs: Vec<(String, String)>) -> Result<Item, RubricError> {
    let fail = |why: String| RubricError { at, why };
    let (mut operator, mut criteria) = (None, None);
    for (key, value) in pairs {
        match key.as_str() {
            "operator" => {
                operator = Some(match value.as_str() {
                    "correctness" => Operator::Correctness,
                    "contradiction" => Operator::Contradiction,
                    _ => {
                        return Err(fail(format!(
                            "there is no operator `{value}` (known: correctness, contradiction)"
                        )));
                    }
                });
            }
            "criteria" => criteria = Some(value),
            _ => return Err(fail(format!("unknown key `{key}` (known: operator, criteria)"))),
        }
    }
    match (operator, criteria) {
        (Some(operator), Some(criteria)) => Ok(Item { operator, criteria }),
        (None, _) => Err(fail("an item has no `operator`".to_owned())),
        (_, None) => Err(fail("an item has no `criteria`".to_owned())),
    }
}

fn of_json(value: &Value) -> Result<Vec<Item>, RubricError> {
    let fail = |why: &str| RubricError { at: 1, why: why.to_owned() };
    let list = value.as_array().ok_or_else(|| fail("a rubric is a list of items"))?;
    let mut items = Vec::with_capacity(list.len());
    for entry in list {
        let entry = entry.as_object().ok_or_else(|| fail("an item is an object with `operator` and `criteria`"))?;
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| fail("an item holds texts only"));
        let pairs: Result<Vec<(String, String)>, RubricError> =
            entry.iter().map(|(key, value)| Ok((key.clone(), text(value)?))).collect();
        items.push(item(1, pairs?)?);
    }
    Ok(items)
}

/// A reader of Python's notation for lists, dictionaries and strings.
struct Literal<'a> {
    text: &'a str,
    at: usize,
}

impl Literal<'_> {
    fn fail<T>(&self, why: impl Into<String>) -> Result<T, RubricError> {
        let at = self.text.get(..self.at).unwrap_or(self.text).chars().count() + 1;
        Err(RubricError { at, why: why.into() })
    }

    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> Result<(), RubricError> {
        match self.peek() {
            Some(found) if found == wanted => {
                self.at += found.len_utf8();
                Ok(())
            }
            Some(found) => self.fail(format!("`{wanted}` is missing before `{found}`")),
            None => self.fail(format!("the text ends where `{wanted}` is missing")),
        }
    }

    /// Entries between brackets, with commas between them and perhaps one behind the last.
    fn entries<T>(
        &mut self,
        (open, close): (char, char),
        mut entry: impl FnMut(&mut Self) -> Result<T, RubricError>,
    ) -> Result<Vec<T>, RubricError> {
        self.take(open)?;
        let mut entries = Vec::new();
        loop {
            if self.peek() == Some(close) {
                self.take(close)?;
                return Ok(entries);
            }
            if !entries.is_empty() {
                self.take(',')?;
                if self.peek() == Some(close) {
                    continue;
                }
            }
            entries.push(entry(self)?);
        }
    }

    fn list(mut self) -> Result<Vec<Item>, RubricError> {
        let items = self.entries(('[', ']'), |reader| {
            reader.peek();
            let start = reader.text[..reader.at].chars().count() + 1;
            let pairs = reader.entries(('{', '}'), |reader| {
                let key = reader.string()?;
                reader.take(':')?;
                Ok((key, reader.string()?))
            })?;
            item(start, pairs)
        })?;
        match self.peek() {
            None => Ok(items),
            Some(found) => self.fail(format!("`{found}` follows the end of the list")),
        }
    }

    fn string(&mut self) -> Result<String, RubricError> {
        let quote = match self.peek() {
            Some(quote @ ('\'' | '"')) => quote,
            Some(found) => return self.fail(format!("a text in quotes is missing before `{found}`")),
            None => return self.fail("the text ends where a text in quotes is missing"),
        };
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        while let Some(letter) = self.text[self.at..].chars().next() {
            self.at += letter.len_utf8();
            match letter {
                _ if letter == quote => return Ok(out),
                '\\' => self.escape(&mut out)?,
                _ => out.push(letter),
            }
        }
        self.at = start;
        self.fail("the text that begins here is never closed")
    }

    fn escape(&mut self, out: &mut String) -> Result<(), RubricError> {
        let Some(letter) = self.text[self.at..].chars().next() else { return self.fail("the text ends in a `\\`") };
        self.at += letter.len_utf8();
        let digits = match letter {
            'n' => return push(out, '\n'),
            't' => return push(out, '\t'),
            'r' => return push(out, '\r'),
            '\\' | '\'' | '"' => return push(out, letter),
            '\n' => return Ok(()),
            'x' => 2,
            'u' => 4,
            'U' => 8,
            // Python keeps what it does not know.
            _ => {
                out.push('\\');
                return push(out, letter);
            }
        };
        let code = self.text.get(self.at..self.at + digits).and_then(|code| u32::from_str_radix(code, 16).ok());
        match code.and_then(char::from_u32) {
            Some(named) => {
                self.at += digits;
                push(out, named)
            }
            None => self.fail(format!("`\\{letter}` needs {digits} hexadecimal digits")),
        }
    }
}

fn push(out: &mut String, letter: char) -> Result<(), RubricError> {
    out.push(letter);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_notations_are_read() {
        let python = r#"[{'operator': 'correctness', 'criteria': 'Oak\'s \x41\u2013 1\n2'}, {"criteria": "a 'b' \"c\"", 'operator': 'contradiction'},]"#;
        let items = read(python).unwrap();
        assert_eq!(items[0], Item { operator: Operator::Correctness, criteria: "Oak's A\u{2013} 1\n2".to_owned() });
        assert_eq!(items[1].criteria, "a 'b' \"c\"");
        assert_eq!(read(&write(&items)), Ok(items));
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_place() {
        for (text, at, why) in [
            ("", 1, "the text ends where `[` is missing"),
            ("[]", 1, "the list is empty"),
            ("[{'operator': 'correctness'}]", 2, "no `criteria`"),
            ("[{'operator': 'corectness', 'criteria': 'x'}]", 2, "no operator `corectness`"),
            ("[{'operator': 'correctness', 'criteria': 'x'}", 46, "the text ends where"),
            ("[{'operator': 'correctness', 'criteria': 'x}]", 42, "never closed"),
            ("[{'operator' 'correctness'}]", 14, "`:` is missing before"),
            ("[{'é': 'x'}]", 2, "unknown key `é`"),
            ("[{\"operator\": \"correctness\", \"criteria\": 5}]", 1, "texts only"),
            ("{\"a\": 1}", 1, "a rubric is a list"),
            ("[{'operator': 'correctness', 'criteria': 'x'}] x", 48, "follows the end"),
            ("[{'operator': 'correctness', 'criteria': '\\x4'}]", 45, "hexadecimal"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.at, at, "{text}: {error}");
            assert!(error.why.contains(why), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[\\[\\]{}':,\\\\\"a-cé xu4]{0,60}") {
            let _ = read(&text);
        }

        #[test]
        fn what_is_written_is_read(texts in prop::collection::vec("\\PC{0,20}", 1..5)) {
            let items: Vec<Item> = texts.into_iter().map(|criteria| Item { operator: Operator::Correctness, criteria }).collect();
            prop_assert_eq!(read(&write(&items)), Ok(items));
        }
    }
}
