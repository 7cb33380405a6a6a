//! Reading YAML with errors that say where, what and how to fix it.

mod node;

use serde::de::DeserializeOwned;
use thiserror::Error;

pub use node::{Kind, Location, Member, Node};

use crate::nearest;

/// A YAML file that cannot be read as what it should be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{place}:{line}:{column}: {message}")]
pub struct YamlError {
    /// Name of the file in messages.
    pub place: String,
    /// Line, from 1; 0 where it is not known.
    pub line: u64,
    /// Column, from 1; 0 where it is not known.
    pub column: u64,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Most keys, values, lists and maps of a file: the largest task graph has 40,000 ways of four keys each.
const NODES: usize = 500_000;

/// Reads `text` as a `T`; `place` names the file in messages.
///
/// # Errors
/// With line and column; for a misspelt key also the nearest known key and all known keys.
pub fn read<T: DeserializeOwned>(text: &str, place: &str) -> Result<T, YamlError> {
    // `n`, `no` and `off` are texts, as in YAML 1.2.
    let options = serde_saphyr::options! {
        strict_booleans: true,
        budget: serde_saphyr::budget! { max_nodes: NODES },
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        if is_blank(text) {
            let message = "the file is empty".to_owned();
            return YamlError { place: place.to_owned(), line: 1, column: 1, message };
        }
        let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
        YamlError { place: place.to_owned(), line, column, message: message(error.without_snippet()) }
    })
}

/// Whether a text holds nothing but blanks and comments.
fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#'))
}

/// The message for files that would exhaust memory or stack.
const TOO_MUCH: &str =
    "the file is too large, too deeply nested, or repeats itself too often through anchors (`&`, `*`)";

/// The message of an error of the library; in other words where its own address programmers.
fn message(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error;
    match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("duplicate key `{key}`; drop one"),
        Error::DuplicateMappingKey { key: None, .. } => "duplicate key; drop one".to_owned(),
        Error::MultipleDocuments { .. } => {
            "a second document begins here (`---`): write each into a file of its own".to_owned()
        }
        Error::Budget { .. }
        | Error::AliasReplayCounterOverflow { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => TOO_MUCH.to_owned(),
        Error::NonFiniteFloat { value, .. } => format!("`{value}` cannot be used as a number here"),
        Error::SerdeInvalidType { unexpected, expected, .. }
        | Error::SerdeInvalidValue { unexpected, expected, .. } => {
            format!("{expected} is expected here, and this is {unexpected}")
        }
        Error::UnknownAnchor { .. } => {
            "there is no anchor (`&`) of this name before this place: put texts that begin with `*` in quotation marks"
                .to_owned()
        }
        Error::AliasError { error, .. } => message(error.without_snippet()),
        Error::Eof { .. } => "the file ends too early".to_owned(),
        serde_saphyr::Error::SerdeUnknownField { field, expected, .. } => unknown("key", field, expected),
        serde_saphyr::Error::SerdeUnknownVariant { variant, expected, .. } => unknown("value", variant, expected),
        serde_saphyr::Error::SerdeMissingField { field, .. } => format!("the key `{field}` is missing"),
        // The library appends the place in its own words; ours is in front already.
        other => {
            let text = other.to_string();
            let words = text.split(" at line ").next().unwrap_or(&text);
            // Some of these bounds are reported as plain text.
            let bound = words.starts_with("budget breached") || words == "recursion limit exceeded";
            if bound { TOO_MUCH.to_owned() } else { words.to_owned() }
        }
    }
}

fn unknown(what: &str, name: &str, known: &[&'static str]) -> String {
    let hint = nearest::hint(name, known.iter().copied());
    format!("unknown {what} `{name}`{hint} (known: {})", known.join(", "))
}

/// The line, from 1, of the key or item at `path` in a text that has been read, such as `tools[1].query`; of the last part of
/// the path that exists.
#[must_use]
pub fn line_of(text: &str, path: &str) -> u64 {
    Node::parse(text, "").map_or(1, |node| node.place_of(path).line)
}

/// The line, from 1, of the character at byte `offset` of the value at `path` in a text that has been read.
#[must_use]
pub fn line_within(text: &str, path: &str, offset: usize) -> u64 {
    Node::parse(text, "").map_or(1, |node| node.line_of(text, path, offset))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Form {
        ReactText,
        Json,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[serde(default)]
        #[expect(dead_code, reason = "only its reading is tested")]
        turns: u32,
        #[serde(default)]
        #[expect(dead_code, reason = "only its reading is tested")]
        protocol: Option<Form>,
    }

    fn message(text: &str) -> String {
        super::read::<Sample>(text, "core.yaml").unwrap_err().to_string()
    }

    #[test]
    fn only_true_and_false_are_booleans() {
        let read = |text: &str| super::read::<Vec<serde_json::Value>>(text, "list.yaml").unwrap();
        assert_eq!(
            serde_json::Value::from(read("[n, y, no, yes, off, on, true, false, 'true']")).to_string(),
            r#"["n","y","no","yes","off","on",true,false,"true"]"#
        );
    }

    #[test]
    fn errors_use_the_words_of_the_file() {
        assert_eq!(message("turns: 1\nturns: 2\n"), "core.yaml:2:1: duplicate key `turns`; drop one");
        assert!(message("turns: 1\n---\nturns: 2\n").contains("a second document begins here"));
        let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
        let mut bomb = "a0: &a0 [x, x]\n".to_owned();
        for step in 1..40 {
            let before = step - 1;
            bomb.push_str(&format!("a{step}: &a{step} [*a{before}, *a{before}]\n"));
        }
        for text in [deep, bomb] {
            let said = super::read::<serde_json::Value>(&text, "core.yaml").unwrap_err().to_string();
            assert!(said.contains("too deeply nested"), "{said}");
        }
        #[derive(Debug, Deserialize)]
        struct Needy {
            #[expect(dead_code, reason = "only its reading is tested")]
            turns: u32,
        }
        for empty in ["", "# nothing\n\n"] {
            let said = super::read::<Needy>(empty, "core.yaml").unwrap_err().to_string();
            assert_eq!(said, "core.yaml:1:1: the file is empty");
        }
    }

    #[test]
    fn says_where_and_what_and_the_nearest_name() {
        assert_eq!(
            message("turns: 3\nprotocl: json\n"),
            "core.yaml:2:1: unknown key `protocl`; did you mean `protocol`? (known: turns, protocol)"
        );
        assert_eq!(
            message("protocol: jsn\n"),
            "core.yaml:1:11: unknown value `jsn`; did you mean `json`? (known: react-text, json)"
        );
        assert!(message("turns: many\n").starts_with("core.yaml:1:8: "), "{}", message("turns: many\n"));
        assert!(message("turns: [1\n").starts_with("core.yaml:"), "{}", message("turns: [1\n"));
        assert!(message("turns: 1\nturns: 2\n").starts_with("core.yaml:2:1: "), "{}", message("turns: 1\nturns: 2\n"));
    }
}
