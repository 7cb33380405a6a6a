//! The knowledge-free audit (BOG-025): prompts must not give away which world this is.

use gimbal_core::Brief;

use crate::Part;

/// A word in a prompt that must not be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The word.
    pub word: String,
    /// Name of the part that holds it.
    pub part: &'static str,
    /// Where the part comes from.
    pub origins: Vec<crate::Origin>,
}

/// The environment's name and the words that its brief forbids, wherever they stand in `parts` as whole words, in
/// any case. Context blocks are not looked at: they hold what the agent itself has seen.
#[must_use]
pub fn audit(parts: &[Part], brief: &Brief) -> Vec<Finding> {
    let words: Vec<String> = std::iter::once(&brief.environment)
        .chain(&brief.forbidden_words)
        .filter(|word| !word.trim().is_empty())
        .map(|word| word.to_lowercase())
        .collect();
    let mut findings: Vec<Finding> = Vec::new();
    for part in parts.iter().filter(|part| part.name != "block") {
        let text = part.text.to_lowercase();
        for word in &words {
            if holds(&text, word) && !findings.iter().any(|other| other.word == *word && other.part == part.name) {
                findings.push(Finding { word: word.clone(), part: part.name, origins: part.origins.clone() });
            }
        }
    }
    findings
}

fn holds(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
            && !text[at + word.len()..].chars().next().is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::{audit, holds};
    use crate::{Origin, Part};

    // covers: BOG-025
    #[test]
    fn finds_whole_words_in_any_case_and_outside_blocks() {
        assert!(holds("the lathe-2 runs", "lathe"));
        assert!(!holds("lathes run", "lathe"));
        let brief = crate::sample::brief();
        let part = |name, text: &str| Part {
            name,
            origins: vec![Origin { file: "f".to_owned(), key: "k".to_owned() }],
            text: text.to_owned(),
        };
        let parts = [part("rules", "You are in Sample-Workshop now"), part("block", "sample-workshop")];
        let findings = audit(&parts, &brief);
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].word.as_str(), findings[0].part), ("sample-workshop", "rules"));
    }
}
