//! Texts of messages: their bounds, and the one spacing in which agents see JSON.

use std::io;

use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

/// A text without what is beyond its bound, cut between characters.
#[must_use]
pub fn bounded(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => text[..end].to_owned(),
        None => text.to_owned(),
    }
}

/// A message as JSON text with a blank after every comma and colon: the one spacing in which agents see messages and
/// in which grammars expect them.
#[must_use]
pub fn spaced(message: &Value) -> String {
    let mut text = Vec::new();
    // Writing a value into memory does not fail, and JSON is UTF-8.
    let _ = message.serialize(&mut Serializer::with_formatter(&mut text, Spaced));
    String::from_utf8(text).unwrap_or_default()
}

/// JSON on one line with a blank after every comma and colon.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::spaced;

    #[test]
    fn a_blank_follows_every_comma_and_colon_and_no_other_place() {
        let message = json!({ "a": [1, -2.5, []], "b \"c\"": { "d": null, "e": "x,y: z\n" }, "f": {} });
        assert_eq!(spaced(&message), r#"{"a": [1, -2.5, []], "b \"c\"": {"d": null, "e": "x,y: z\n"}, "f": {}}"#);
    }
}
