//! What replays of recordings report in the same way.

use std::fmt::Display;
use std::path::Path;

use serde::Serialize;

/// A file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// The file.
    pub file: String,
    /// Where and why, and what would be right.
    pub message: String,
}

impl Unreadable {
    /// The file and the error that its reader gave.
    #[must_use]
    pub fn new(file: &Path, error: &impl Display) -> Self {
        Self { file: file.display().to_string(), message: error.to_string() }
    }
}

/// The longest piece of a value that is shown, in bytes.
const SHOWN: usize = 400;

/// Both texts; long ones are cut around the place where they differ first.
#[must_use]
pub fn around_difference(expected: &str, got: &str) -> (String, String) {
    let common = expected.bytes().zip(got.bytes()).take_while(|(one, two)| one == two).count();
    let cut = |text: &str| {
        if text.len() <= SHOWN {
            return text.to_owned();
        }
        let mut from = common.saturating_sub(SHOWN / 2).min(text.len());
        while !text.is_char_boundary(from) {
            from -= 1;
        }
        let mut to = (from + SHOWN).min(text.len());
        while !text.is_char_boundary(to) {
            to -= 1;
        }
        let before = if from > 0 { "…" } else { "" };
        let after = if to < text.len() { "…" } else { "" };
        format!("{before}{}{after}", &text[from..to])
    };
    (cut(expected), cut(got))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_around_their_first_difference() {
        assert_eq!(around_difference("1", "2"), ("1".to_owned(), "2".to_owned()));
        let (one, other) = ("é".repeat(500) + "a", "é".repeat(500) + "b");
        let (one, other) = around_difference(&one, &other);
        assert!(one.starts_with('…') && one.ends_with('a') && one.len() < 500, "{one}");
        assert!(other.ends_with('b'), "{other}");
    }
}
