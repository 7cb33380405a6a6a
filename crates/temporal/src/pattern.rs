//! Patterns over calls: what policies forbid and what directives allow.

use gimbal_core::ToolCall;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A pattern over calls. Letters of either case are the same; `*` is any text. The pattern is compared with the tool's name alone, and with
/// the name followed by the values of the arguments, in the order of their names, with a blank before each: `restore`, `restore user1`,
/// `* op_server0`. A pattern without a letter, digit or `*` matches nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Pattern(String);

/// A call as patterns see it.
#[must_use]
pub fn shown(call: &ToolCall) -> String {
    let mut text = call.tool.clone();
    for value in call.arguments.values() {
        text.push(' ');
        match value {
            Value::String(value) => text.push_str(value),
            other => text.push_str(&other.to_string()),
        }
    }
    text
}

impl Pattern {
    /// A pattern.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase())
    }

    /// The pattern as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it matches a call.
    #[must_use]
    pub fn matches(&self, call: &ToolCall) -> bool {
        if self.is_empty() {
            return false;
        }
        // Most patterns begin with the letters of another tool.
        let begin = self.0.split('*').next().unwrap_or_default();
        let shown = shown(call).to_lowercase();
        shown.starts_with(begin) && (glob(&self.0, &call.tool.to_lowercase()) || glob(&self.0, &shown))
    }

    /// Whether a text holds it as whole words: `restore user1` is in `first restore User1, then wait`.
    #[must_use]
    pub fn is_named_in(&self, text: &str) -> bool {
        let words = words(text);
        let wanted = self::words(&self.0);
        !wanted.is_empty()
            && words.windows(wanted.len()).any(|window| wanted.iter().zip(window).all(|(one, other)| glob(one, other)))
    }

    fn is_empty(&self) -> bool {
        !self.0.contains(|letter: char| letter.is_alphanumeric() || letter == '*')
    }
}

impl From<String> for Pattern {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0
    }
}

/// The words of a text in small letters, without punctuation at their ends.
fn words(text: &str) -> Vec<String> {
    let bare = |word: &str| {
        word.trim_matches(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '*' | '_')).to_lowercase()
    };
    text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

/// Whether a text is what a pattern with `*` says. In time proportional to the product of the lengths.
fn glob(pattern: &str, text: &str) -> bool {
    // Bytes do as well as letters: none begins within another.
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut place) = (0, 0);
    // Where the last `*` is, and how far it reaches.
    let mut star: Option<(usize, usize)> = None;
    while place < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(letter) if *letter == text[place] => {
                at += 1;
                place += 1;
            }
            _ => {
                let Some((begin, reach)) = star else { return false };
                star = Some((begin, reach + 1));
                at = begin + 1;
                place = reach + 1;
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == b'*')
}

#[cfg(test)]
mod tests {
    use gimbal_core::ToolCall;
    use proptest::prelude::*;

    use super::Pattern;

    #[test]
    fn a_pattern_matches_a_tool_or_a_whole_call() {
        let call = ToolCall::with("Restore", &[("host", "Op_Server0")]);
        for text in ["restore", "RESTORE op_server0", "restore *", "*server0", "*", "re*e"] {
            assert!(Pattern::new(text).matches(&call), "{text}");
        }
        for text in ["", " ", "-", "rest", "op_server0", "restore user1", "restore op_server0 now"] {
            assert!(!Pattern::new(text).matches(&call), "{text}");
        }
    }

    #[test]
    fn a_pattern_is_named_by_whole_words() {
        let pattern = Pattern::new("restore user*");
        assert!(pattern.is_named_in("First RESTORE User1, then wait."));
        assert!(!pattern.is_named_in("restored user1") && !Pattern::new("").is_named_in("any"));
    }

    proptest! {
        #[test]
        fn a_call_matches_its_own_text(tool in "[a-z]{1,8}", value in "[a-z0-9]{0,8}") {
            let call = ToolCall::with(&tool, &[("host", &value)]);
            prop_assert!(Pattern::new(&super::shown(&call)).matches(&call));
            let starred = format!("{}*", &tool[..1]);
            prop_assert!(Pattern::new(&starred).matches(&call));
        }
    }
}
