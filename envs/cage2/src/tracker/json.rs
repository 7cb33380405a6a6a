//! Small writers of JSON, so that the order of keys is ours and not that of a map.

use std::fmt::Write as _;

use serde_json::Value;

/// Appends a string with its quotes.
pub(super) fn quote(out: &mut String, text: &str) {
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
pub(super) fn key(out: &mut String, key: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    quote(out, key);
    out.push(':');
}

/// Appends a member whose value is a string.
pub(super) fn member(out: &mut String, name: &str, value: &str) {
    key(out, name);
    quote(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;

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
