//! Small writers of JSON, so that the order of keys is ours and not that of a map, and a reader that builds no tree.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;

/// Appends a string with its quotes.
pub fn quote(out: &mut String, text: &str) {
    let plain = text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
    if plain {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        // A display of a string value is its JSON; writing to a string cannot fail.
        let _ = write!(out, "{}", Value::from(text));
    }
}

/// Appends `"key":`, after a comma unless an object has just begun.
pub fn key(out: &mut String, key: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    quote(out, key);
    out.push(':');
}

/// Appends a member whose value is a string.
pub fn member(out: &mut String, name: &str, value: &str) {
    key(out, name);
    quote(out, value);
}

/// Appends `heading` and the items as a list of JSON objects, one a line; `write` appends the members of one. Without items
/// it appends nothing and returns false.
pub fn objects<T>(
    out: &mut String,
    heading: &str,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) -> bool {
    let mut any = false;
    for item in items {
        if any {
            out.push_str(",\n {");
        } else {
            out.push_str(heading);
            out.push_str("\n[{");
        }
        any = true;
        write(out, item);
        out.push('}');
    }
    if any {
        out.push(']');
    }
    any
}

/// The members of an object: names, and the places of the values. Values are not parsed.
pub fn members(text: &str) -> impl Iterator<Item = (String, Range<usize>)> + '_ {
    let mut at = skip_blanks(text, 0);
    if text.as_bytes().get(at) == Some(&b'{') {
        at += 1;
    } else {
        at = text.len();
    }
    std::iter::from_fn(move || {
        let from = skip_blanks(text, at);
        let colon = skip_blanks(text, value_end(text, from));
        let name = serde_json::from_str(text.get(from..colon)?).ok()?;
        let start = skip_blanks(text, colon + 1);
        let end = value_end(text, start);
        at = skip_blanks(text, end) + 1;
        (end > start).then_some((name, start..end))
    })
}

fn skip_blanks(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The end of the value that begins here: the next `,`, `:` or closing bracket outside of it.
fn value_end(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (from, 0_u32);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while let Some(inner) = bytes.get(at).filter(|inner| **inner != b'"') {
                    at += if *inner == b'\\' { 2 } else { 1 };
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' | b':' if depth == 0 => break,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_without_reading_them() {
        let value = serde_json::json!({
            "success": "TRUE", "a \"b\", {": { "x": [1, { "y": "}]," }], "z": "\\" }, "list": [[], {}], "none": null, "n": -1.5,
        });
        for text in [value.to_string(), format!(" {value:#} ")] {
            let found: Vec<(String, Value)> =
                members(&text).map(|(name, place)| (name, serde_json::from_str(&text[place]).unwrap())).collect();
            let expected: Vec<(String, Value)> =
                value.as_object().unwrap().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
            assert_eq!(found, expected);
        }
        for text in ["", "null", "{", "{}", "[1]", "{\"a\"", "{\"a\":"] {
            assert_eq!(members(text).count(), 0, "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut out = "{".to_owned();
        member(&mut out, "plain", "User1 – ok");
        member(&mut out, "odd", "a \"b\" \\ c\n\u{1}");
        out.push('}');
        assert!(!out.contains('\n'));
        let read: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(read, serde_json::json!({ "plain": "User1 – ok", "odd": "a \"b\" \\ c\n\u{1}" }));
    }
}
