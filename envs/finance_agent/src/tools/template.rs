//! Filling a prompt: keys in double braces become the stored texts, by the rules of Python's `str.format`.

use serde_json::Value;

use super::{Version, python, texts};
use crate::store::Store;

/// Parts of documents by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Vec<(String, Vec<i64>)>);

impl Ranges {
    /// Reads the argument: `{key: [start, end] or []}` in version 1.0, `[{key, start, end}]` in 1.1. The text of either
    /// is taken too.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(value: Option<&Value>, version: Version) -> Result<Self, String> {
        let decoded;
        let value = match value {
            Some(Value::String(text)) if text.trim().is_empty() => None,
            Some(Value::String(text)) => {
                decoded =
                    serde_json::from_str::<Value>(text).map_err(|_| "it is a text that holds no JSON".to_owned())?;
                Some(&decoded)
            }
            other => other,
        };
        let whole = |value: &Value| value.as_i64().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()));
        match (value, version) {
            (None | Some(Value::Null), _) => Ok(Self::default()),
            (Some(Value::Object(map)), Version::V10) => {
                let mut ranges = Vec::with_capacity(map.len());
                for (key, range) in map {
                    let numbers = range.as_array().ok_or("each range must be a list of whole numbers")?;
                    let numbers: Option<Vec<i64>> = numbers.iter().map(whole).collect();
                    ranges.push((key.clone(), numbers.ok_or("each range must be a list of whole numbers")?));
                }
                Ok(Self(ranges))
            }
            (Some(Value::Array(items)), Version::V11) => {
                let mut ranges: Vec<(String, Vec<i64>)> = Vec::with_capacity(items.len());
                for item in items {
                    let key = item.get("key").and_then(Value::as_str);
                    let place = |name: &str| item.get(name).and_then(whole);
                    let (Some(key), Some(start), Some(end)) = (key, place("start"), place("end")) else {
                        return Err("Each range specification must have 'key', 'start', and 'end' fields.".to_owned());
                    };
                    ranges.retain(|(known, _)| known != key);
                    ranges.push((key.to_owned(), vec![start, end]));
                }
                Ok(Self(ranges))
            }
            (Some(_), Version::V10) => Err("it must be an object of key and [start, end]".to_owned()),
            (Some(_), Version::V11) => Err("it must be a list of {\"key\", \"start\", \"end\"}".to_owned()),
        }
    }

    fn of(&self, key: &str) -> Option<&[i64]> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, range)| range.as_slice())
    }
}

/// A piece of a filled prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words of the prompt itself.
    Words(String),
    /// A stored text, or the part of it that was asked for.
    Document {
        /// Its key.
        key: String,
        /// The text.
        text: String,
    },
}

/// The keys of a prompt, in order: what is between double braces and holds no brace.
#[must_use]
pub fn keys(prompt: &str) -> Vec<String> {
    placeholders(prompt).map(|(start, end)| prompt[start + 2..end - 2].to_owned()).collect()
}

/// Where placeholders stand, with their braces.
fn placeholders(prompt: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(offset) = prompt.get(at..)?.find("{{") {
            let start = at + offset;
            let inside = &prompt[start + 2..];
            let length = inside.find(['{', '}']).unwrap_or(inside.len());
            if length > 0 && inside[length..].starts_with("}}") {
                at = start + length + 4;
                return Some((start, at));
            }
            at = start + 1;
        }
        None
    })
}

/// Fills a prompt.
///
/// # Errors
/// The text of the tool's error: no key, a key that is not stored, a range that is none, a brace that is alone.
pub fn fill(prompt: &str, ranges: &Ranges, store: &Store, version: Version) -> Result<Vec<Piece>, String> {
    let keys = keys(prompt);
    if keys.is_empty() {
        return Err(texts::no_key(version));
    }
    if version == Version::V11
        && let Some((idle, _)) = ranges.0.iter().find(|(key, _)| !keys.contains(key))
    {
        let mut named = keys.clone();
        named.dedup();
        return Err(texts::idle_range(idle, &named));
    }
    let mut documents: Vec<(String, String)> = Vec::new();
    for key in &keys {
        let document = store.get(key).ok_or_else(|| texts::unknown_key(key, store, version))?;
        let text = match ranges.of(key) {
            None | Some([]) => document.text.to_string(),
            Some([start, end]) => python::slice(&document.text, *start, *end),
            Some(_) => return Err(texts::bad_range(key)),
        };
        documents.retain(|(known, _)| known != key);
        documents.push((key.clone(), text));
    }
    // Double braces become single ones, and the rest is a format string.
    let mut single = String::with_capacity(prompt.len());
    let mut at = 0;
    for (start, end) in placeholders(prompt) {
        single.push_str(&prompt[at..start]);
        single.push_str(&prompt[start + 1..end - 1]);
        at = end;
    }
    single.push_str(&prompt[at..]);
    format(&single, &documents, store)
}

/// What `str.format` makes of a format string.
fn format(text: &str, documents: &[(String, String)], store: &Store) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut words = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        words.push_str(&rest[..at]);
        let brace = if rest[at..].starts_with('{') { '{' } else { '}' };
        let after = &rest[at + 1..];
        if after.starts_with(brace) {
            words.push(brace);
            rest = &after[1..];
            continue;
        }
        if brace == '}' || after.is_empty() {
            return Err(format!("Single '{brace}' encountered in format string"));
        }
        let end = closing(after).ok_or("expected '}' before end of string")?;
        let document = field(&after[..end], documents, store)?;
        if !words.is_empty() {
            pieces.push(Piece::Words(std::mem::take(&mut words)));
        }
        pieces.push(Piece::Document { key: document.0.clone(), text: document.1.clone() });
        rest = &after[end + 1..];
    }
    words.push_str(rest);
    if !words.is_empty() {
        pieces.push(Piece::Words(words));
    }
    Ok(pieces)
}

/// The brace that closes a field; fields may hold others.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The document of a replacement field, or the error of Python for a name that is none of a plain one.
fn field<'a>(text: &str, documents: &'a [(String, String)], store: &Store) -> Result<&'a (String, String), String> {
    let end = text.find([':', '!']).unwrap_or(text.len());
    let (name, specification) = text.split_at(end);
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (first, path) = name.split_at(end);
    if first.is_empty() || first.bytes().all(|byte| byte.is_ascii_digit()) {
        let place: u64 = first.parse().unwrap_or(0);
        return Err(format!("Replacement index {place} out of range for positional args tuple"));
    }
    let document = documents.iter().find(|(key, _)| key == first).ok_or_else(|| texts::unknown_field(first, store))?;
    if let Some(attribute) = path.strip_prefix('.') {
        return Err(format!("'str' object has no attribute {}", python::quote(attribute)));
    }
    if path.starts_with('[') {
        return Err("string indices must be integers, not 'str'".to_owned());
    }
    match specification {
        "" | ":" | "!s" => Ok(document),
        other => Err(format!("Invalid format specifier {} for object of type 'str'", python::quote(&other[1..]))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn store() -> Store {
        let mut store = Store::default();
        store.put("a", "Annual Report 2023", "https://a.example/");
        store.put("b", "with {braces}", "https://b.example/");
        store
    }

    fn filled(prompt: &str) -> Result<String, String> {
        let pieces = fill(prompt, &Ranges::default(), &store(), Version::V10)?;
        Ok(pieces
            .into_iter()
            .map(|piece| match piece {
                Piece::Words(words) => words,
                Piece::Document { text, .. } => text,
            })
            .collect())
    }

    // covers: CYC-038
    #[test]
    fn keys_become_texts_and_every_error_has_its_text() {
        assert_eq!(
            filled("Sum up: {{a}} and {{b}}, {{a}}").unwrap(),
            "Sum up: Annual Report 2023 and with {braces}, Annual Report 2023"
        );
        assert_eq!(filled("{{{a}}}").unwrap(), "{a}");
        for (prompt, error) in [
            (
                "no key",
                "ERROR: Your prompt must include at least one key from data storage in the format {{key_name}}. Please try again with the correct format.",
            ),
            (
                "{a} {{}}",
                "ERROR: Your prompt must include at least one key from data storage in the format {{key_name}}. Please try again with the correct format.",
            ),
            ("{{c}}", "\"ERROR: The key 'c' was not found in the data storage. Available keys are: a, b\""),
            ("{{a}} {x}", "\"ERROR: The key 'x' was not found in the data storage. Available keys are: a, b\""),
            ("{{a}} }", "Single '}' encountered in format string"),
            ("{{a}} {", "Single '{' encountered in format string"),
            ("{{a}} {x", "expected '}' before end of string"),
            ("{{a}} {}", "Replacement index 0 out of range for positional args tuple"),
            (
                "{\"k\": {{a}}}",
                "'ERROR: The key \\'\"k\"\\' was not found in the data storage. Available keys are: a, b'",
            ),
        ] {
            assert_eq!(filled(prompt), Err(error.to_owned()), "{prompt}");
        }
    }

    // covers: CYC-038
    #[test]
    fn ranges_are_those_of_either_version() {
        let part = |value: Value, version| {
            let ranges = Ranges::read(Some(&value), version).unwrap();
            fill("{{a}}", &ranges, &store(), version).map(|pieces| match &pieces[0] {
                Piece::Document { text, .. } => text.clone(),
                Piece::Words(words) => words.clone(),
            })
        };
        assert_eq!(part(serde_json::json!({ "a": [1, 6] }), Version::V10).unwrap(), "nnual");
        assert_eq!(part(serde_json::json!({ "a": [] }), Version::V10).unwrap(), "Annual Report 2023");
        assert_eq!(part(serde_json::json!("{\"a\": [-4, 100]}"), Version::V10).unwrap(), "2023");
        assert!(
            part(serde_json::json!({ "a": [1] }), Version::V10)
                .unwrap_err()
                .contains("must be an list with two elements")
        );
        assert_eq!(part(serde_json::json!([{ "key": "a", "start": 1, "end": 6 }]), Version::V11).unwrap(), "nnual");
        assert!(
            part(serde_json::json!([{ "key": "z", "start": 1, "end": 6 }]), Version::V11)
                .unwrap_err()
                .contains("Keys in prompt: a")
        );
        assert!(Ranges::read(Some(&serde_json::json!([1])), Version::V10).is_err());
        assert!(Ranges::read(Some(&serde_json::json!([{ "key": "a" }])), Version::V11).is_err());
    }

    proptest! {
        #[test]
        fn no_prompt_breaks_it(prompt in "[{}a-b.\\[!: é]{0,40}") {
            let _ = filled(&prompt);
        }
    }
}
