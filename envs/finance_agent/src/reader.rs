//! Reading stored texts: what is put before the reader, in parts of bounded length (CYC-039), and a reader without a
//! model.
//!
//! A filled prompt that fits goes out as one message, as in the original. Where it does not, each long document is cut
//! into parts of at most the bound, the reader sums up each part as far as the prompt asks for it, and the summaries take
//! the document's place; as often as it takes. The number of calls is bounded.

use std::collections::VecDeque;

use crate::tools::template::Piece;

/// Characters that count as a token.
const CHARACTERS_PER_TOKEN: usize = 4;
/// Tokens of a summary; what is longer is cut.
const SUMMARY_TOKENS: usize = 2000;
/// Parts that are read of all documents of one prompt; what is beyond is left unread, and said to be.
pub const MOST_PARTS: usize = 48;

/// A reading under way: asks its questions one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pieces: Vec<Piece>,
    bound: usize,
    /// Parts of the present round that wait for a summary: (piece, text).
    waiting: VecDeque<(usize, String)>,
    /// Parts of the round, for the words of a question.
    parts: usize,
    /// Summaries of the round by piece.
    summaries: Vec<(usize, String)>,
    /// Characters that were left unread.
    unread: usize,
    last: bool,
}

/// Tokens of a text, as the bound counts them.
#[must_use]
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(CHARACTERS_PER_TOKEN)
}

impl Reading {
    /// A reading of a filled prompt with at most `bound` tokens in a call.
    #[must_use]
    pub fn new(pieces: Vec<Piece>, bound: usize) -> Self {
        let bound = bound.max(SUMMARY_TOKENS * 2);
        let mut reading =
            Self { pieces, bound, waiting: VecDeque::new(), parts: 0, summaries: Vec::new(), unread: 0, last: false };
        reading.plan();
        reading
    }

    /// Characters that were left unread, since there was too much.
    #[must_use]
    pub const fn unread(&self) -> usize {
        self.unread
    }

    fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Words(text) | Piece::Document { text, .. } => text.as_str(),
            })
            .collect()
    }

    /// The words of the prompt itself, with the keys where documents stand.
    fn request(&self) -> String {
        let words: String = self
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Words(text) => text.clone(),
                Piece::Document { key, .. } => format!("[{key}]"),
            })
            .collect();
        words.chars().take(4000).collect()
    }

    /// Cuts what does not fit.
    fn plan(&mut self) {
        if tokens(&self.text()) <= self.bound {
            self.last = true;
            return;
        }
        let size = self.bound * CHARACTERS_PER_TOKEN - 6000;
        // What one document alone may take of the last call; shorter ones are left as they are.
        let long = |text: &str| text.chars().count() > SUMMARY_TOKENS * CHARACTERS_PER_TOKEN;
        let mut cut: Vec<(usize, VecDeque<String>)> = Vec::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            if let Piece::Document { text, .. } = piece
                && long(text)
            {
                cut.push((at, parts(text, size).into()));
            }
        }
        // In turn, so that no document is left out because another is long.
        let mut kept: Vec<(usize, String)> = Vec::new();
        while kept.len() < MOST_PARTS && cut.iter().any(|(_, parts)| !parts.is_empty()) {
            for (at, parts) in &mut cut {
                if kept.len() < MOST_PARTS {
                    kept.extend(parts.pop_front().map(|part| (*at, part)));
                }
            }
        }
        for (at, parts) in &cut {
            self.unread += parts.iter().map(|part| part.chars().count()).sum::<usize>();
            if let Some(Piece::Document { text, .. }) = self.pieces.get_mut(*at)
                && kept.iter().all(|(place, _)| place != at)
            {
                text.clear();
            }
        }
        kept.sort_by_key(|(at, _)| *at);
        self.waiting = kept.into();
        self.parts = self.waiting.len();
        if self.parts == 0 {
            // Too many short documents, or too many words: the end is cut.
            self.cut();
            self.last = true;
        }
    }

    fn cut(&mut self) {
        let text = self.text();
        let most = self.bound * CHARACTERS_PER_TOKEN;
        self.unread += text.chars().count().saturating_sub(most);
        self.pieces = vec![Piece::Words(text.chars().take(most).collect())];
    }

    /// The next message for the reader.
    #[must_use]
    pub fn question(&self) -> String {
        match self.waiting.front() {
            Some((at, part)) => {
                let key = match self.pieces.get(*at) {
                    Some(Piece::Document { key, .. }) => key.as_str(),
                    _ => "",
                };
                let number = self.parts - self.waiting.len() + 1;
                format!(
                    "Below is part {number} of {} of stored texts; this part belongs to the text [{key}]. Sum up what it says that \
                     bears on the request. Keep every figure with its unit, its period and what it measures. Write \"nothing\" if \
                     nothing bears on it.\n\nREQUEST:\n{}\n\nPART:\n{part}",
                    self.parts,
                    self.request()
                )
            }
            None => self.text(),
        }
    }

    /// Takes the reader's answer: the reply to the prompt, or none if there is more to ask.
    pub fn answer(&mut self, text: &str) -> Option<String> {
        let Some((at, _)) = self.waiting.pop_front() else { return Some(text.to_owned()) };
        self.summaries.push((at, text.chars().take(SUMMARY_TOKENS * CHARACTERS_PER_TOKEN).collect()));
        if self.waiting.is_empty() {
            let before = tokens(&self.text());
            for (at, piece) in self.pieces.iter_mut().enumerate() {
                let of: Vec<&str> =
                    self.summaries.iter().filter(|(place, _)| *place == at).map(|(_, text)| text.as_str()).collect();
                if let (Piece::Document { text, .. }, false) = (piece, of.is_empty()) {
                    *text = of.join("\n");
                }
            }
            self.summaries.clear();
            // A reader that writes as much as it reads must not be asked forever.
            if tokens(&self.text()) >= before {
                self.cut();
            }
            self.plan();
        }
        None
    }
}

/// A text in parts of at most `size` characters, cut at line breaks where there are any.
fn parts(text: &str, size: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        let count = line.chars().count();
        if length + count > size && length > 0 {
            parts.push(std::mem::take(&mut part));
            length = 0;
        }
        if count > size {
            let letters: Vec<char> = line.chars().collect();
            parts.extend(letters.chunks(size).map(|chunk| chunk.iter().collect::<String>()));
            continue;
        }
        part.push_str(line);
        length += count;
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// Characters that the reader without a model gives back.
const EXTRACT: usize = 2400;

/// Reads without a model: the lines of the documents that share most words with the prompt, with what is around them,
/// in their order. What a table's rows need to be understood is above them, so the lines before a hit come too.
#[must_use]
pub fn extract(pieces: &[Piece]) -> String {
    let words = |text: &str| -> Vec<String> {
        text.split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| word.len() > 2)
            .map(str::to_lowercase)
            .collect()
    };
    let wanted: Vec<String> = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Words(text) => Some(words(text)),
            Piece::Document { .. } => None,
        })
        .flatten()
        .collect();
    let wanted: std::collections::BTreeSet<String> = wanted.into_iter().collect();
    let mut out = String::new();
    let documents: Vec<(&str, &str)> = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Document { key, text } => Some((key.as_str(), text.as_str())),
            Piece::Words(_) => None,
        })
        .collect();
    let room = EXTRACT / documents.len().max(1);
    for (key, text) in documents {
        let lines: Vec<&str> = text.lines().collect();
        let of_lines: Vec<Vec<String>> = lines.iter().map(|line| words(line)).collect();
        let holds = |word: &String| of_lines.iter().filter(|line| line.contains(word)).count();
        // What is everywhere tells nothing.
        let weights: Vec<(&String, usize)> = wanted.iter().map(|word| (word, 1000 / holds(word).max(1))).collect();
        let mut scored: Vec<(usize, usize)> = of_lines
            .iter()
            .enumerate()
            .map(|(at, line)| {
                (weights.iter().filter(|(word, _)| line.contains(word)).map(|(_, weight)| weight).sum(), at)
            })
            .filter(|(score, _)| *score > 0)
            .collect();
        scored.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        let mut kept = std::collections::BTreeSet::new();
        let mut length = 0;
        for (_, at) in scored {
            for (near, line) in lines.iter().enumerate().take(at + 6).skip(at.saturating_sub(1)) {
                if length + line.len() < room && kept.insert(near) {
                    length += line.len() + 1;
                }
            }
        }
        out.push_str(&format!("[{key}]\n"));
        for at in kept {
            out.push_str(lines[at]);
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(key: &str, text: String) -> Piece {
        Piece::Document { key: key.to_owned(), text }
    }

    // covers: CYC-039
    #[test]
    fn what_fits_is_one_message_as_it_stands() {
        let mut reading =
            Reading::new(vec![Piece::Words("What? ".to_owned()), document("a", "net 5".to_owned())], 24_000);
        assert_eq!(reading.question(), "What? net 5");
        assert_eq!(reading.answer("five"), Some("five".to_owned()));
    }

    // covers: CYC-039
    #[test]
    fn long_texts_are_summed_up_in_bounded_parts_and_again() {
        let long: String = (0..60_000).map(|line| format!("line {line} of the long text\n")).collect();
        let mut reading = Reading::new(
            vec![Piece::Words("What? ".to_owned()), document("a", long.clone()), document("b", "short".to_owned())],
            24_000,
        );
        let (mut calls, mut seen) = (0, String::new());
        loop {
            let question = reading.question();
            assert!(tokens(&question) <= 24_000, "{}", tokens(&question));
            calls += 1;
            if let Some((_, part)) = question.split_once("\nPART:\n") {
                if part.starts_with("line") {
                    seen.push_str(part);
                }
                // A talkative reader.
                assert_eq!(reading.answer(&"word ".repeat(3000)), None);
            } else {
                assert!(question.starts_with("What? word") && question.ends_with("short"));
                assert_eq!(reading.answer("done"), Some("done".to_owned()));
                break;
            }
        }
        assert_eq!((seen, reading.unread()), (long, 0));
        assert!(calls > 17 && calls < 64, "{calls}");
    }

    // covers: CYC-039
    #[test]
    fn the_number_of_calls_is_bounded_whatever_the_length() {
        for (long, reply) in [("x".repeat(12_000_000), "y".repeat(100_000)), ("x y\n".repeat(3_000_000), String::new())]
        {
            let mut reading = Reading::new(
                vec![Piece::Words("Q ".to_owned()), document("a", long.clone()), document("b", long)],
                24_000,
            );
            let mut calls = 1;
            while reading.answer(&reply).is_none() {
                calls += 1;
                assert!(calls < 64);
            }
            assert!(reading.unread() > 0);
        }
        // Words alone that are too long.
        let mut reading = Reading::new(vec![Piece::Words("w".repeat(200_000)), document("a", "d".to_owned())], 24_000);
        assert_eq!(reading.question().len(), 96_000);
        assert!(reading.answer("ok").is_some());
    }

    #[test]
    fn the_extract_holds_the_lines_that_were_asked_for() {
        let text: String =
            (0..500).map(|line| format!("filler {line}\n")).collect::<String>() + "Net income\n1,234.5\n1,100.0\n";
        let found = extract(&[Piece::Words("What was net income?".to_owned()), document("k", text)]);
        assert!(found.starts_with("[k]\n") && found.contains("Net income\n1,234.5\n1,100.0"), "{found}");
        assert!(found.len() <= EXTRACT + 10);
    }
}
