//! A small JSON reader that keeps the order of keys and every digit, for recordings.
//!
//! `serde_json` cannot replace it, not even with a tree of our own behind `Deserialize`, because recordings are compared
//! number by number. Without its feature `float_roundtrip` the last bit of a real number may differ from the one that was written; without
//! `arbitrary_precision` whole numbers above 64 bits become real ones. Cargo turns a feature on for the whole program, where
//! the first makes all reading of numbers slower and the second changes what `Value` is. [`fields`] cuts a line into the
//! texts of its members without building them, which replays depend on for their speed (`raw_value` there), and half a surrogate
//! pair, which Python writes, is read here and refused there.

use std::fmt;

/// How deeply values may be nested.
const DEPTH: usize = 64;

/// A JSON value; objects keep the order of their keys.
#[derive(Clone, Debug)]
pub enum Json {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Whole(i128),
    /// Any other number.
    Real(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Map(Vec<(String, Json)>),
}

/// Where and why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The byte of the line, from one.
    pub column: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.what)
    }
}

impl fmt::Display for Json {
    /// As JSON text; reals in the shortest form that reads back as the same.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Whole(value) => write!(f, "{value}"),
            Self::Real(value) => write!(f, "{value:?}"),
            Self::Text(text) => quoted(f, text),
            Self::List(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if at > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Self::Map(members) => {
                f.write_str("{")?;
                for (at, (key, value)) in members.iter().enumerate() {
                    f.write_str(if at > 0 { ", " } else { "" })?;
                    quoted(f, key)?;
                    write!(f, ": {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(f, "\\{letter}")?,
            letter if letter.is_control() => write!(f, "\\u{:04x}", u32::from(letter))?,
            letter => write!(f, "{letter}")?,
        }
    }
    f.write_str("\"")
}

impl PartialEq for Json {
    /// Equal with the order of keys; numbers are equal by value, however they are written.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(two)) => one == two,
            (Self::Whole(one), Self::Whole(two)) => one == two,
            (Self::Real(one), Self::Real(two)) => one == two,
            (Self::Whole(whole), Self::Real(real)) | (Self::Real(real), Self::Whole(whole)) => *whole as f64 == *real,
            (Self::Text(one), Self::Text(two)) => one == two,
            (Self::List(one), Self::List(two)) => one == two,
            (Self::Map(one), Self::Map(two)) => one == two,
            _ => false,
        }
    }
}

impl Json {
    /// Reads one value that fills the whole text.
    ///
    /// # Errors
    /// Where and why it is not JSON.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let mut reader = Reader::new(text);
        let value = reader.value(0)?;
        reader.blank();
        if reader.at < text.len() { Err(reader.error("nothing more may follow")) } else { Ok(value) }
    }

    /// The value of a key, if this is an object that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries.iter().find(|(known, _)| known == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, if this is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number, if this is a whole one.
    #[must_use]
    pub fn as_whole(&self) -> Option<i128> {
        match self {
            Self::Whole(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if this is one.
    #[must_use]
    pub fn as_real(&self) -> Option<f64> {
        match self {
            Self::Whole(value) => Some(*value as f64),
            Self::Real(value) => Some(*value),
            _ => None,
        }
    }

    /// The items, if this is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }
}

/// The fields of an object, each as the text of its value; the values are checked but not built.
///
/// # Errors
/// Where and why it is not a JSON object.
pub fn fields(text: &str) -> Result<Vec<(String, &str)>, JsonError> {
    let mut reader = Reader::new(text);
    let mut found = Vec::with_capacity(18);
    reader.blank();
    reader.expect(b'{', "expected an object `{...}`")?;
    reader.blank();
    if !reader.take(b'}') {
        loop {
            reader.blank();
            let key = reader.text()?;
            reader.blank();
            reader.expect(b':', "expected `:` after a key")?;
            reader.blank();
            let from = reader.at;
            reader.skip(1)?;
            found.push((key, &text[from..reader.at]));
            reader.blank();
            if reader.take(b'}') {
                break;
            }
            reader.expect(b',', "expected `,` or `}`")?;
        }
    }
    reader.blank();
    if reader.at < text.len() { Err(reader.error("nothing more may follow")) } else { Ok(found) }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    const fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0 }
    }

    const fn error(&self, what: &'static str) -> JsonError {
        JsonError { column: self.at + 1, what }
    }

    fn blank(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), JsonError> {
        if self.take(byte) { Ok(()) } else { Err(self.error(what)) }
    }

    fn word(&mut self, word: &str) -> Result<(), JsonError> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.error("expected a value"))
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        if depth > DEPTH {
            return Err(self.error("nested too deeply"));
        }
        self.blank();
        match self.bytes.get(self.at) {
            Some(b'{') => {
                self.at += 1;
                let mut entries = Vec::new();
                self.blank();
                if self.take(b'}') {
                    return Ok(Json::Map(entries));
                }
                loop {
                    self.blank();
                    let key = self.text()?;
                    self.blank();
                    self.expect(b':', "expected `:` after a key")?;
                    entries.push((key, self.value(depth + 1)?));
                    self.blank();
                    if self.take(b'}') {
                        return Ok(Json::Map(entries));
                    }
                    self.expect(b',', "expected `,` or `}`")?;
                }
            }
            Some(b'[') => {
                self.at += 1;
                let mut items = Vec::new();
                self.blank();
                if self.take(b']') {
                    return Ok(Json::List(items));
                }
                loop {
                    items.push(self.value(depth + 1)?);
                    self.blank();
                    if self.take(b']') {
                        return Ok(Json::List(items));
                    }
                    self.expect(b',', "expected `,` or `]`")?;
                }
            }
            Some(b'"') => Ok(Json::Text(self.text()?)),
            Some(b't') => self.word("true").map(|()| Json::Bool(true)),
            Some(b'f') => self.word("false").map(|()| Json::Bool(false)),
            Some(b'n') => self.word("null").map(|()| Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.error("expected a value")),
        }
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let from = self.at;
        while let Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
        }
        let digits = &self.text[from..self.at];
        if let Ok(whole) = digits.parse() {
            return Ok(Json::Whole(whole));
        }
        match digits.parse::<f64>() {
            Ok(real) if real.is_finite() => Ok(Json::Real(real)),
            _ => Err(JsonError { column: from + 1, what: "this is not a number" }),
        }
    }

    fn text(&mut self) -> Result<String, JsonError> {
        self.expect(b'"', "expected a text in quotes")?;
        let mut out = String::new();
        loop {
            let from = self.at;
            while self.bytes.get(self.at).is_some_and(|byte| !matches!(byte, b'"' | b'\\')) {
                self.at += 1;
            }
            out.push_str(&self.text[from..self.at]);
            if self.take(b'"') {
                return Ok(out);
            }
            if !self.take(b'\\') {
                return Err(self.error("the text has no end"));
            }
            out.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let byte = self.bytes.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        Ok(match byte {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(plain @ (b'"' | b'\\' | b'/')) => char::from(plain),
            Some(b'u') => {
                let first = self.hex()?;
                let code = if (0xD800..0xDC00).contains(&first) && self.bytes[self.at..].starts_with(b"\\u") {
                    self.at += 2;
                    let second = self.hex()?;
                    0x10000 + ((first - 0xD800) << 10) + (second.wrapping_sub(0xDC00) & 0x3FF)
                } else {
                    first
                };
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(self.error("this escape is unknown")),
        })
    }

    fn hex(&mut self) -> Result<u32, JsonError> {
        let digits = self.bytes.get(self.at..self.at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        code.ok_or(JsonError { column: self.at - 3, what: "expected four hexadecimal digits" })
    }

    /// Goes past a value and checks it.
    fn skip(&mut self, depth: usize) -> Result<(), JsonError> {
        if depth > DEPTH {
            return Err(self.error("nested too deeply"));
        }
        self.blank();
        let open = self.bytes.get(self.at).copied();
        match open {
            Some(b'{' | b'[') => {
                let close = if open == Some(b'{') { b'}' } else { b']' };
                self.at += 1;
                self.blank();
                if self.take(close) {
                    return Ok(());
                }
                loop {
                    if close == b'}' {
                        self.blank();
                        self.skip_text()?;
                        self.blank();
                        self.expect(b':', "expected `:` after a key")?;
                    }
                    self.skip(depth + 1)?;
                    self.blank();
                    if self.take(close) {
                        return Ok(());
                    }
                    self.expect(b',', "expected `,` or a closing bracket")?;
                }
            }
            Some(b'"') => self.skip_text(),
            _ => self.value(depth).map(|_| ()),
        }
    }

    fn skip_text(&mut self) -> Result<(), JsonError> {
        let from = self.at;
        let mut at = self.at + 1;
        while self.bytes.get(at).is_some_and(|byte| !matches!(byte, b'"' | b'\\')) {
            at += 1;
        }
        if self.bytes.get(from) == Some(&b'"') && self.bytes.get(at) == Some(&b'"') {
            self.at = at + 1;
            return Ok(());
        }
        self.text().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_told_as_json_text() {
        for text in [r#"{"b": 19, "a": [0.78, null, true, "x\"\\"]}"#, "[]", "{}", "-0.5", r#""\u0007é""#] {
            let value = Json::parse(text).unwrap();
            assert_eq!(value.to_string(), text);
        }
    }

    #[test]
    fn keeps_order_and_digits() {
        let one = Json::parse(r#"{"b":1,"a":[0.1, -2e3,null,true,"x\"\u00e9\\"]}"#);
        let two = Json::parse(r#" { "b" : 1.0 , "a" : [1e-1,-2000.0,null,true,"x\"é\\"] } "#);
        assert!(one.is_ok());
        assert_eq!(one, two);
        let swapped = Json::parse(r#"{"a":[0.1,-2000,null,true,"x\"é\\"],"b":1}"#);
        assert_ne!(one, swapped);
        assert_eq!(Json::parse("12916240736104286379").map(|n| n.as_whole()), Ok(Some(12_916_240_736_104_286_379)));
    }

    /// What `serde_json` does otherwise, so that it cannot be used here.
    #[test]
    fn reals_are_exact_and_half_a_surrogate_pair_is_read() {
        for text in ["0.4329784741028113", "1.3440675460000000e-26", "2.2250738585072011e-308"] {
            assert_eq!(Json::parse(text).map(|number| number.as_real()), Ok(text.parse().ok()), "{text}");
        }
        let whole = "170141183460469231731687303715884105727";
        assert_eq!(Json::parse(whole).map(|number| number.as_whole()), Ok(Some(i128::MAX)));
        assert_eq!(Json::parse(r#""\ud800""#), Ok(Json::Text(char::REPLACEMENT_CHARACTER.to_string())));
    }

    #[test]
    fn says_where_it_breaks() {
        for (text, column) in [("{\"a\" 1}", 6), ("[1,]", 4), ("", 1), ("{\"a\":1} x", 9), ("\"ab", 4), ("-", 1)] {
            assert_eq!(Json::parse(text).err().map(|error| error.column), Some(column), "{text}");
        }
        assert!(Json::parse(&"[".repeat(1000)).is_err());
        assert!(fields(&format!("{{\"a\":{}}}", "[".repeat(1000))).is_err());
    }

    #[test]
    fn fields_are_cut_out() {
        let cut = fields(r#"{"a": {"x":[1,"}"]} ,"b":"\"q"}"#);
        let cut: Vec<(String, &str)> = cut.unwrap_or_default();
        assert_eq!(cut, [("a".to_owned(), r#"{"x":[1,"}"]}"#), ("b".to_owned(), r#""\"q""#)]);
    }
}
