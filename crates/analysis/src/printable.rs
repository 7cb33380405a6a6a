//! Text from models, files and pages, made safe to show: what moves a cursor, colours a terminal, turns the direction of
//! reading or cannot be seen at all becomes an escape that can be read.
//!
//! Whatever reaches a terminal, a page, a figure or a table passes through here.

use std::borrow::Cow;
use std::io::{self, Write};

/// Whether a character must not be shown as it is: control characters (C0 and C1), marks of direction, invisible
/// characters, and tags.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                // Fillers, which take room and show nothing.
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// One line of text: line ends are shown as escapes too. Escapes are those of [`printable_lines`].
#[must_use]
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            escape(character, &mut safe);
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Text of several lines: line ends and tabs stay. Escapes are JSON's, so that what was JSON still is.
#[must_use]
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let kept = |at: usize, character: char| match character {
        '\n' | '\t' => true,
        '\r' => text[at + 1..].starts_with('\n'),
        _ => !is_hidden(character),
    };
    if text.char_indices().all(|(at, character)| kept(at, character)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for (at, character) in text.char_indices() {
        if kept(at, character) {
            safe.push(character);
        } else {
            escape(character, &mut safe);
        }
    }
    Cow::Owned(safe)
}

/// A character as JSON escapes it: the one form in which hidden characters are shown.
fn escape(character: char, safe: &mut String) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        safe.push_str(&format!("\\u{unit:04x}"));
    }
}

/// A writer for terminals: everything passes through [`printable_lines`]. Meant for formatted text, which comes in whole
/// characters.
#[derive(Debug)]
pub struct Printable<W>(pub W);

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(printable_lines(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::{Printable, is_hidden, printable, printable_lines};

    const HOSTILE: &str = "a\u{202e}b\u{2066}c\u{61c}d\u{2060}e\u{e0041}f\u{1b}[31mg\u{9b}2Jh\u{7f}i\u{feff}j\u{200b}k\u{ad}l\u{3164}m\u{115f}n\u{ffa0}o";

    // covers: SH-09
    #[test]
    fn what_cannot_be_seen_is_shown() {
        let shown = r"a\u202eb\u2066c\u061cd\u2060e\udb40\udc41f\u001b[31mg\u009b2Jh\u007fi\ufeffj\u200bk\u00adl\u3164m\u115fn\uffa0o";
        assert_eq!(printable(HOSTILE), shown);
        assert_eq!(printable_lines(HOSTILE), shown, "one form wherever it is shown");
        let lines = format!("{HOSTILE}\n\tsecond\r\nthird\rfourth");
        let safe = printable_lines(&lines);
        assert!(safe.ends_with("o\n\tsecond\r\nthird\\u000dfourth"), "{safe}");
        for plain in ["", "plain é 日本 한국 ✔️ −5\n", "{\"a\": 1}\r\n"] {
            assert_eq!(printable_lines(plain), plain);
        }
    }

    // covers: SH-09
    #[test]
    fn json_stays_json_with_the_same_content() {
        let value = serde_json::json!({ HOSTILE: [HOSTILE, 1] });
        let line = serde_json::to_string(&value).unwrap();
        assert!(line.chars().any(is_hidden));
        let safe = printable_lines(&line);
        assert!(!safe.chars().any(is_hidden));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
    }

    proptest! {
        #[test]
        fn nothing_hidden_comes_through(text in any::<String>(), cut in 1_usize..5) {
            prop_assert!(!printable(&text).chars().any(is_hidden));
            let seen = |text: &str| text.replace("\r\n", "").chars().all(|c| !is_hidden(c) || c == '\n' || c == '\t');
            prop_assert!(seen(&printable_lines(&text)));
            // A writer that is given its bytes in pieces.
            let mut written = Vec::new();
            let mut writer = Printable(&mut written);
            for piece in text.replace('\r', "").as_bytes().chunks(cut) {
                writer.write_all(piece).unwrap();
            }
            prop_assert!(seen(&String::from_utf8(written).unwrap()));
        }
    }
}
