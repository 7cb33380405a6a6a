//! JSON as models write it.
//!
//! Read beside strict JSON: single, back and typographic quotes, keys without quotes, trailing and missing commas between
//! lines, comments (`//`, `#`, `/* */`), line breaks within strings, `True`, `False`, `None`, numbers with `+` or a
//! missing zero, percentages (as text), brackets that are not closed at the end of the text. A string that is not closed is
//! never read: what is cut off may mean something else. Reading takes one pass; nesting is bounded.

use serde_json::{Map, Number, Value};

/// Deepest nesting.
const DEPTH: usize = 64;

/// A value and how it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// Bytes that it takes, from the beginning.
    pub length: usize,
    /// Whether it was strict JSON.
    pub strict: bool,
    /// Whether some object names a key twice with different values: it does not say which is meant.
    pub ambiguous: bool,
}

/// The value at the beginning of `text`, whatever follows it; none if there is none.
#[must_use]
pub fn value(text: &str) -> Option<Found> {
    value_in(text, false)
}

/// As [`value`], where a member of an object may also be a text without quotes: `{action: Wait}`. It ends at a comma, a line break or the bracket
/// of its object, and holds no quote, colon or bracket. For messages, of which code checks the values; not for calls.
#[must_use]
pub fn value_with_words(text: &str) -> Option<Found> {
    value_in(text, true)
}

fn value_in(text: &str, words: bool) -> Option<Found> {
    let mut reader = Reader { text, at: 0, strict: true, ambiguous: false, words };
    reader.blanks();
    let value = reader.value(0)?;
    Some(Found { value, length: reader.at, strict: reader.strict, ambiguous: reader.ambiguous })
}

/// As [`value`], where nothing but white space, comments and punctuation follows.
#[must_use]
pub fn whole(text: &str) -> Option<Found> {
    alone(text, value(text)?)
}

/// As [`value_with_words`], where nothing but white space, comments and punctuation follows.
#[must_use]
pub fn whole_with_words(text: &str) -> Option<Found> {
    alone(text, value_with_words(text)?)
}

fn alone(text: &str, found: Found) -> Option<Found> {
    let mut reader = Reader { text, at: found.length, strict: found.strict, ambiguous: false, words: false };
    reader.blanks();
    let rest = text.get(reader.at..)?;
    let bare = rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, ';' | '.' | ','));
    bare.is_empty().then_some(Found { strict: reader.strict && rest.is_empty(), ..found })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    strict: bool,
    ambiguous: bool,
    /// Whether a member may be a text without quotes.
    words: bool,
}

/// What closes a quotation.
const fn closing(quote: char) -> Option<char> {
    match quote {
        '"' | '\'' | '`' => Some(quote),
        '\u{201c}' | '\u{201d}' | '\u{201e}' => Some('\u{201d}'),
        '\u{2018}' | '\u{2019}' => Some('\u{2019}'),
        '\u{ab}' => Some('\u{bb}'),
        _ => None,
    }
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// Passes over white space and comments; whether there was a line break.
    fn blanks(&mut self) -> bool {
        let from = self.at;
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let comment = match rest.get(blank..).unwrap_or_default() {
                line if line.starts_with("//") || line.starts_with('#') => line.find('\n').unwrap_or(line.len()),
                block if block.starts_with("/*") => block.find("*/").map_or(block.len(), |end| end + 2),
                _ => 0,
            };
            self.at += blank + comment;
            self.strict &= comment == 0;
            if comment == 0 {
                return self.text.get(from..self.at).is_some_and(|passed| passed.contains('\n'));
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEPTH {
            return None;
        }
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            quote if closing(quote).is_some() => self.string().map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take('{');
        let mut members = Map::new();
        loop {
            let line = self.blanks();
            if self.closes('}', members.is_empty()) {
                return Some(Value::Object(members));
            }
            if !self.separates(members.is_empty(), line)? {
                continue;
            }
            let key = match self.peek()? {
                quote if closing(quote).is_some() => self.string()?,
                _ => self.bare_key()?,
            };
            self.blanks();
            if !self.take(':') {
                return None;
            }
            self.blanks();
            let value = match self.bare_text() {
                Some(text) => Value::String(text),
                None => self.value(depth + 1)?,
            };
            if members.get(&key).is_some_and(|known| *known != value) {
                self.ambiguous = true;
            }
            members.insert(key, value);
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.take('[');
        let mut items = Vec::new();
        loop {
            let line = self.blanks();
            if self.closes(']', items.is_empty()) {
                return Some(Value::Array(items));
            }
            if !self.separates(items.is_empty(), line)? {
                continue;
            }
            items.push(self.value(depth + 1)?);
        }
    }

    /// Whether the list ends here: at its bracket, or at the end of the text where that is missing and something stood before.
    fn closes(&mut self, bracket: char, empty: bool) -> bool {
        if self.take(bracket) {
            return true;
        }
        let over = self.rest().is_empty() && !empty;
        self.strict &= !over;
        over
    }

    /// Passes over the comma between two items; false where the list may end behind it.
    fn separates(&mut self, first: bool, line: bool) -> Option<bool> {
        if first {
            return Some(true);
        }
        if self.take(',') {
            self.blanks();
            let ends = self.rest().is_empty() || matches!(self.peek(), Some('}' | ']'));
            self.strict &= !ends;
            return Some(!ends);
        }
        // A comma that is missing between two lines, or two objects.
        let apart = line || self.peek() == Some('{');
        self.strict = false;
        apart.then_some(true)
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek()?;
        let end = closing(quote)?;
        let (strict_from, body) = (self.at, self.at + quote.len_utf8());
        self.at = body;
        let mut out = String::new();
        loop {
            let letter = self.peek()?;
            self.at += letter.len_utf8();
            match letter {
                '\\' => self.escape(&mut out)?,
                _ if letter == end && self.is_end(quote) => break,
                _ => {
                    self.strict &= letter >= ' ';
                    out.push(letter);
                }
            }
        }
        if quote == '"' {
            // The text of a strict string is what the strict reader makes of it.
            if let Some(Ok(strict)) = self.text.get(strict_from..self.at).map(serde_json::from_str::<String>) {
                return Some(strict);
            }
        }
        self.strict = false;
        Some(out)
    }

    /// Whether the quotation ends here: an apostrophe within a word does not end it.
    fn is_end(&self, quote: char) -> bool {
        !matches!(quote, '\'' | '\u{2018}' | '\u{2019}') || !self.peek().is_some_and(char::is_alphanumeric)
    }

    fn escape(&mut self, out: &mut String) -> Option<()> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        out.push(match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'u' => {
                let code = self.rest().get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok())?;
                self.at += 4;
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => other,
        });
        Some(())
    }

    fn bare_key(&mut self) -> Option<String> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        let key = rest.get(..end).filter(|key| !key.is_empty())?.to_owned();
        self.at += end;
        self.strict = false;
        Some(key)
    }

    /// A text without quotes as the value of a member, where one may be; a constant is not a text.
    fn bare_text(&mut self) -> Option<String> {
        let rest = self.rest();
        if !self.words || !rest.starts_with(char::is_alphabetic) {
            return None;
        }
        let is_end = |c: char| matches!(c, ',' | '\n' | ':' | '{' | '}' | '[' | ']') || closing(c).is_some();
        let end = rest.find(is_end).filter(|end| rest[*end..].starts_with([',', '\n', '}']))?;
        let text = rest[..end].trim().to_owned();
        if matches!(text.to_lowercase().as_str(), "true" | "false" | "null" | "none" | "nil" | "undefined" | "nan") {
            return None;
        }
        self.at += end;
        self.strict = false;
        Some(text)
    }

    /// A number, a percentage or one of the constants. Any other bare word is not a value.
    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '%' | '_')))
            .unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default().to_owned();
        // A number at the very end of an unfinished text may have lost digits.
        let cut = end == rest.len() && self.at > 0;
        self.at += end;
        match word.as_str() {
            "true" => return Some(Value::Bool(true)),
            "false" => return Some(Value::Bool(false)),
            "null" => return Some(Value::Null),
            _ => {}
        }
        if let Ok(number) = serde_json::from_str::<Number>(&word) {
            self.strict &= !cut;
            return (!cut).then_some(Value::Number(number));
        }
        self.strict = false;
        match word.as_str() {
            "True" | "TRUE" => return Some(Value::Bool(true)),
            "False" | "FALSE" => return Some(Value::Bool(false)),
            "None" | "NULL" | "Null" | "nil" | "undefined" | "NaN" => return Some(Value::Null),
            _ => {}
        }
        if cut {
            return None;
        }
        if let Some(share) = word.strip_suffix('%') {
            return share.parse::<f64>().is_ok().then(|| Value::from(word));
        }
        word.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{value, whole, whole_with_words};

    #[test]
    fn habits_of_models_are_read() {
        let wanted = json!({ "action": "Wait", "confidence": 0.5 });
        for text in [
            r#"{"action": "Wait", "confidence": 0.5}"#,
            "{'action': 'Wait', 'confidence': 0.5}",
            r#"{"action": "Wait", "confidence": 0.5,}"#,
            r#"{action: "Wait", confidence: .5}"#,
            "{\u{201c}action\u{201d}: \u{201c}Wait\u{201d}, \u{201c}confidence\u{201d}: 0.5}",
            "{\"action\": \"Wait\", // the calm way\n \"confidence\": 0.5 /* half */}",
            "{\"action\": \"Wait\"\n \"confidence\": 0.5\n}",
            "{\"action\": \"Wait\", \"confidence\": 0.5 # sure\n}",
            "{`action`: `Wait`, \"confidence\": +0.5}",
        ] {
            let found = whole(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found.value, wanted, "{text}");
            assert_eq!(found.strict, serde_json::from_str::<Value>(text).is_ok(), "{text}");
        }
        assert_eq!(whole("[{\"a\": 1} {\"a\": 2}]").unwrap().value, json!([{ "a": 1 }, { "a": 2 }]));
        assert_eq!(whole("{'why': 'it isn't clear', 'x': None}").unwrap().value["why"], "it isn't clear");
        assert_eq!(whole("{\"a\": 80%}").unwrap().value["a"], "80%");
        assert_eq!(whole("{\"a\": \"two\nlines\"}").unwrap().value["a"], "two\nlines");
        assert_eq!(whole("{\"a\": [\"b\", \"c\"").unwrap().value, json!({ "a": ["b", "c"] }));
    }

    #[test]
    fn what_is_cut_within_a_value_is_not_read() {
        for text in ["{\"a\": \"b", "{\"a\": 1", "{\"a\": tr", "{\"a\":", "[wait]", "", "x", "{a b}", "{\"a\" 1}"] {
            assert_eq!(whole(text), None, "{text}");
        }
        assert!(whole(r#"{"a": 1, "a": 2}"#).unwrap().ambiguous);
        assert!(!whole(r#"{"a": 1, "a": 1}"#).unwrap().ambiguous);
        assert_eq!(value("{\"a\": 1} and more").map(|found| found.length), Some(8));
    }

    #[test]
    fn members_without_quotes_are_read_where_they_may_be() {
        let text = "[{action: Restore hostname=User1, confidence: 0.8}, {action: Wait\n confidence: high}, {a: None}]";
        assert_eq!(whole(text), None);
        let wanted = json!([
            { "action": "Restore hostname=User1", "confidence": 0.8 }, { "action": "Wait", "confidence": "high" }, { "a": null }
        ]);
        let found = whole_with_words(text).unwrap();
        assert_eq!((found.value, found.strict), (wanted, false));
        for text in ["{a: b", "{a: b c: d}", "{a: say \"x\"}", "{a: f(b, c)}", "[wait]", "{a: {b}}", "{a: b]"] {
            assert_eq!(whole_with_words(text), None, "{text}");
        }
    }

    #[test]
    fn hostile_texts_end() {
        for piece in ["{", "[", "{\"a\":", "[{", "/*", "{a:", "//"] {
            assert!(value(&piece.repeat(1_000_000 / piece.len())).is_none(), "{piece}");
        }
    }

    fn trees() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            "(?s).{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(".{0,6}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn strict_json_is_read_as_it_is(wanted in trees(), after in "[ \n]{0,3}") {
            let wrapped = json!([wanted]);
            for text in [wrapped.to_string(), format!("{wrapped:#}")] {
                let found = whole(&format!("{text}{after}")).unwrap();
                prop_assert_eq!(&found.value, &wrapped);
                prop_assert!(found.strict || !after.is_empty());
            }
        }

        #[test]
        fn never_panics(text in "(?s).{0,80}", near in "[{}\\[\\]\"':,a1%/*# \n\\\\]{0,40}") {
            let _ = (value(&text), whole(&near), whole_with_words(&near));
        }
    }
}
