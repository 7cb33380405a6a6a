//! A record as the last line of an observation: what an environment tells whoever reads the journal, behind what an agent reads.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A text with the record as its last line; the line alone for an empty text.
#[must_use]
pub fn behind<T: Serialize>(text: &str, record: &T) -> String {
    // A record holds strings, numbers and lists, which always have a JSON form.
    let line = serde_json::to_string(record).unwrap_or_default();
    if text.is_empty() { line } else { format!("{text}\n{line}") }
}

/// The record in the last line of a text; `None` where there is none.
#[must_use]
pub fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text.trim_end().lines().next_back()?).ok()
}

#[cfg(test)]
mod tests {
    use super::{behind, read};

    #[test]
    fn a_record_behind_a_text_is_read_from_its_last_line() {
        for (text, whole) in [("", "[1,2]"), ("It is over.", "It is over.\n[1,2]")] {
            assert_eq!(behind(text, &[1, 2]), whole);
            assert_eq!(read::<Vec<u32>>(whole), Some(vec![1, 2]));
        }
        assert_eq!(read::<Vec<u32>>("[1,2]\nIt is over."), None);
        assert_eq!(read::<Vec<u32>>(""), None);
    }
}
