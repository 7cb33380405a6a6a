//! What the tools reply.

use super::Version;
use super::python::quote;
use crate::store::Store;

/// A prompt without a key.
#[must_use]
pub fn no_key(version: Version) -> String {
    let tail = match version {
        Version::V10 => "",
        Version::V11 => " You can add documents to the data storage with parse_html_page.",
    };
    format!(
        "ERROR: Your prompt must include at least one key from data storage in the format {{{{key_name}}}}. Please try again with the \
         correct format.{tail}"
    )
}

/// A key that is not stored; the whole message is in quotes, as the error that carries it is shown so.
#[must_use]
pub fn unknown_key(key: &str, store: &Store, version: Version) -> String {
    let tail = match version {
        Version::V10 => "",
        Version::V11 => ". Use the retrieve_information tool to add keys to the data storage.",
    };
    quote(&format!(
        "ERROR: The key '{key}' was not found in the data storage. Available keys are: {}{tail}",
        store.keys(", ")
    ))
}

/// A name in single braces that is not a key.
#[must_use]
pub fn unknown_field(field: &str, store: &Store) -> String {
    let field = quote(field);
    quote(&format!(
        "ERROR: The key {field} was not found in the data storage. Available keys are: {}",
        store.keys(", ")
    ))
}

/// A range that is none.
#[must_use]
pub fn bad_range(key: &str) -> String {
    format!(
        "ERROR: The character range for key '{key}' must be an list with two elements or an empty list. Please try again with the \
         correct format."
    )
}

/// A range for a key that the prompt does not name (version 1.1).
#[must_use]
pub fn idle_range(key: &str, keys: &[String]) -> String {
    format!(
        "ERROR: The key '{key}' is specified in input_character_ranges but is not referenced in the prompt. Keys in prompt: {}",
        keys.join(", ")
    )
}

/// A page was stored; `overwrote` says whether its key held another.
#[must_use]
pub fn stored(key: &str, store: &Store, overwrote: bool) -> String {
    let warning = if overwrote {
        "WARNING: The key already exists in the data storage. The new result overwrites the old one.\n"
    } else {
        ""
    };
    let listed = format!("The data_storage currently contains the following keys:\n        {}", store.keys("\n"));
    let success = "SUCCESS: The result has been saved to the data storage under the key:";
    format!("{warning}{success} {key}.\n{}\n", listed.trim_end())
}

/// Behind the reply about a page that was longer than is taken. The original cuts nothing and has no text for it.
#[must_use]
pub fn cut_note(bytes: u32) -> String {
    format!("NOTE: The page is longer than {bytes} bytes and was cut there; what comes after is not stored.\n")
}

/// A body that is not a text. The original fails on the bytes that it cannot decode, without a text of its own.
#[must_use]
pub fn not_text(url: &str, what: &str) -> String {
    format!(
        "ERROR: {url} is {what} and not a page of text; nothing was stored. Give the address of a page in HTML or text."
    )
}

/// A page without text.
#[must_use]
pub const fn empty_page(version: Version) -> &'static str {
    match version {
        Version::V10 => "null",
        Version::V11 => "HTML output was empty",
    }
}

/// An answer without text.
pub const EMPTY_ANSWER: &str = "Final result must not be empty";

/// The answer was taken.
pub const SUBMITTED: &str = "The final answer has been submitted.";

/// A day that is none (version 1.1).
#[must_use]
pub fn bad_day(name: &str, day: &str) -> String {
    format!("{name} '{day}' is not in yyyy-mm-dd format")
}

/// Days in the wrong order (version 1.1).
#[must_use]
pub fn days_reversed(start: &str, end: &str) -> String {
    format!("Parameter start_date '{start}' was set to a date that is later than end_date '{end}'")
}

/// Whether a text is written as yyyy-mm-dd; the day need not exist, as the tool does not look.
#[must_use]
pub fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() })
}
