//! What stored documents say, for whoever checks an answer against them: passages, and whether words are there at all.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::SourceBelief;
use crate::number::figures;

/// Passages of all documents together.
const MOST: usize = 24;
/// Lines of a passage: a table's label is above its figures.
const LINES: usize = 4;
/// Characters of a passage.
const LONGEST: usize = 400;
/// Characters that a quotation must have beside blanks.
const SHORTEST: usize = 3;
/// Numbers that are written as words.
const NUMBER_WORDS: [&str; 25] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty",
    "thirty", "forty", "fifty", "half", "third", "quarter", "fifth", "tenth", "dozen", "double", "twice", "hundred",
];

fn words(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.len() > 3 || word.bytes().any(|byte| byte.is_ascii_digit()))
        .map(str::to_lowercase)
        .collect()
}

/// The documents, and the passages that share most words with a text; in the order of the documents.
pub(super) fn about(tracker: &SourceBelief, about: &str) -> Value {
    let wanted = words(about);
    let documents: Vec<(&str, Arc<str>)> = tracker.texts().collect();
    let mut scored: Vec<(Reverse<usize>, usize, usize)> = Vec::new();
    let lines: Vec<Vec<&str>> = documents.iter().map(|(_, text)| text.lines().collect()).collect();
    for (document, lines) in lines.iter().enumerate() {
        for (at, line) in lines.iter().enumerate() {
            let shared = words(line).intersection(&wanted).count();
            if shared > 0 {
                scored.push((Reverse(shared), document, at));
            }
        }
    }
    scored.sort_unstable();
    let kept: BTreeSet<(usize, usize)> =
        scored.into_iter().take(MOST).map(|(_, document, at)| (document, at)).collect();
    let passages: Vec<Value> = kept
        .iter()
        // What the passage before it shows already.
        .filter(|(document, at)| at.checked_sub(1).is_none_or(|before| !kept.contains(&(*document, before))))
        .filter_map(|(document, at)| {
            let until = (*at..).find(|next| !kept.contains(&(*document, *next))).unwrap_or(*at);
            let shown = lines.get(*document)?.get(*at..)?;
            let shown = &shown[..shown.len().min(until - at + LINES)];
            let text: String = shown.join("\n").chars().take(LONGEST).collect();
            Some(json!({ "key": documents.get(*document)?.0, "text": text }))
        })
        .collect();
    let known: Vec<Value> =
        documents.iter().map(|(key, text)| json!({ "key": key, "characters": text.chars().count() })).collect();
    json!({ "documents": known, "passages": passages })
}

/// Whether the document under a key holds these words, blanks and line ends alike, and where.
pub(super) fn quoted(tracker: &SourceBelief, key: &str, quote: &str) -> Value {
    let quote = quote.split_whitespace().collect::<Vec<_>>().join(" ");
    let long_enough = quote.chars().filter(|letter| !letter.is_whitespace()).count() >= SHORTEST;
    let document = tracker.texts().find(|(known, _)| *known == key);
    let place = document.filter(|_| long_enough).and_then(|(_, text)| find(&text, &quote));
    let numbers = figures(&quote).len()
        + quote
            .split(|letter: char| !letter.is_alphabetic())
            .filter(|word| NUMBER_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)))
            .count();
    match place {
        Some((start, end)) => json!({ "found": true, "start": start, "end": end, "figures": numbers }),
        None => json!({ "found": false, "figures": numbers }),
    }
}

/// The characters of a text at which words stand; every run of blanks is one blank.
fn find(text: &str, quote: &str) -> Option<(usize, usize)> {
    let (mut plain, mut places) = (String::with_capacity(text.len()), Vec::new());
    for (at, letter) in text.chars().enumerate() {
        if letter.is_whitespace() {
            if !plain.is_empty() && !plain.ends_with(' ') {
                plain.push(' ');
                places.push(at);
            }
        } else {
            plain.push(letter);
            places.push(at);
        }
    }
    let byte = plain.find(quote)?;
    let first = plain.get(..byte)?.chars().count();
    let last = first + quote.chars().count() - 1;
    Some((*places.get(first)?, places.get(last)? + 1))
}

#[cfg(test)]
mod tests {
    use super::find;

    // covers: CYC-095
    #[test]
    fn a_quotation_is_found_across_lines_and_only_where_it_stands() {
        let text = "  Net  sales\n(in millions)\n\u{a0}1,234.5\u{e9} end";
        let letters: Vec<char> = text.chars().collect();
        let (start, end) = find(text, "(in millions) 1,234.5").unwrap();
        assert_eq!(letters[start..end].iter().collect::<String>(), "(in millions)\n\u{a0}1,234.5");
        assert_eq!(find(text, "Net sales").map(|(start, _)| start), Some(2));
        assert_eq!(find(text, "Net sales 1,234.5"), None);
    }
}
