//! The words of `words.yaml`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use gimbal_core::remark::plain;
use serde::Deserialize;

/// What a marker at the head of a line says of what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Marker {
    /// The answer.
    Answer,
    /// An action: the answer where none is marked.
    Action,
    /// The use of a tool.
    Tool,
    /// The input of a tool.
    Input,
    /// A thought.
    Thought,
    /// What a tool said: the host writes that line, and nobody else.
    Observation,
    /// The end of a turn.
    Pause,
}

/// The words, by what they are for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    markers: BTreeMap<Marker, Vec<String>>,
    leads: Vec<String>,
    severity: BTreeMap<String, Vec<String>>,
    status: BTreeMap<String, Vec<String>>,
    focus: BTreeMap<String, Vec<String>>,
    confidence: BTreeMap<String, u16>,
    /// Markers as characters in small letters, the longest first.
    #[serde(skip)]
    ordered: Vec<(Vec<char>, Marker)>,
}

/// The shipped words.
#[must_use]
pub fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| {
        // A test reads the file strictly.
        let mut words: Words = gimbal_core::yaml::read(include_str!("words.yaml"), "words.yaml").unwrap_or_default();
        words.ordered = words
            .markers
            .iter()
            .flat_map(|(marker, texts)| texts.iter().map(|text| (text.to_lowercase().chars().collect(), *marker)))
            .collect();
        words.ordered.sort_by_key(|(text, _): &(Vec<char>, Marker)| std::cmp::Reverse(text.len()));
        words
    })
}

/// What may stand before a marker on its line.
const BEFORE: [char; 11] = ['*', '_', '`', '#', '>', '-', '+', '\u{2022}', '~', '\u{feff}', '\u{200b}'];
/// What may stand between a marker and its colon, and behind the colon.
const AROUND: [char; 5] = [' ', '\t', '*', '_', '`'];

impl Words {
    /// The marker at the head of a line and what follows its colon.
    #[must_use]
    pub fn marker<'a>(&self, line: &'a str) -> Option<(Marker, &'a str)> {
        let head = head_of(line);
        let colon = head.char_indices().take(40).find(|(_, letter)| matches!(letter, ':' | '\u{ff1a}'))?;
        let written = head[..colon.0].trim_end_matches(AROUND);
        let (marker, _) =
            self.ordered.iter().find(|(text, _)| same(written, text)).map(|(text, marker)| (*marker, text))?;
        let rest = &head[colon.0 + colon.1.len_utf8()..];
        // `**Answer:** x`: what closes the emphasis of the marker.
        let emphasised = line.len() > head.len() && line[..line.len() - head.len()].contains(['*', '_', '`']);
        Some((marker, if emphasised { rest.trim_start_matches(AROUND) } else { rest.trim_start() }))
    }

    /// Whether a line is the word that ends a turn.
    #[must_use]
    pub fn is_pause(&self, line: &str) -> bool {
        let word = line.trim().trim_matches(['*', '_', '`', '.', '[', ']', '(', ')', '<', '>', '/', ' ']);
        self.markers.get(&Marker::Pause).is_some_and(|texts| texts.iter().any(|text| text.eq_ignore_ascii_case(word)))
    }

    /// `text` without the beginning of a sentence that names the answer; `None` if it has none.
    #[must_use]
    pub fn after_lead<'a>(&self, text: &'a str) -> Option<&'a str> {
        let text = text.trim_start();
        let mut best: Option<&str> = None;
        for lead in &self.leads {
            let Some(head) = text.get(..lead.len()).filter(|head| head.eq_ignore_ascii_case(lead)) else { continue };
            let rest = &text[head.len()..];
            let apart = rest.starts_with(|next: char| next.is_whitespace() || matches!(next, ':' | '\u{ff1a}'));
            let rest = rest.trim_start_matches([' ', '\t', ':', '\u{ff1a}', '*']);
            if apart && !rest.is_empty() && best.is_none_or(|known| rest.len() < known.len()) {
                best = Some(rest);
            }
        }
        best
    }

    /// The severity that a word means.
    #[must_use]
    pub fn severity(&self, word: &str) -> Option<&str> {
        of(&self.severity, word)
    }

    /// The status that a word means.
    #[must_use]
    pub fn status(&self, word: &str) -> Option<&str> {
        of(&self.status, word)
    }

    /// The focus that a word means.
    #[must_use]
    pub fn focus(&self, word: &str) -> Option<&str> {
        of(&self.focus, word)
    }

    /// The confidence that a word means, in thousandths.
    #[must_use]
    pub fn confidence(&self, word: &str) -> Option<u16> {
        let wanted = plain(word);
        self.confidence.iter().find(|(known, _)| plain(known) == wanted).map(|(_, share)| *share)
    }
}

/// A line without what may stand before a marker.
fn head_of(line: &str) -> &str {
    let mut head = line.trim_start();
    loop {
        let shorter = head.trim_start_matches(BEFORE).trim_start();
        let digits = shorter.bytes().take_while(u8::is_ascii_digit).count();
        let shorter = match shorter[digits..].strip_prefix(['.', ')']) {
            Some(rest) if (1..=2).contains(&digits) => rest.trim_start(),
            _ => shorter,
        };
        if shorter.len() == head.len() {
            return head;
        }
        head = shorter;
    }
}

/// Whether a marker was written so: in any case, words parted by blanks or `_`.
fn same(written: &str, marker: &[char]) -> bool {
    let mut letters =
        written.chars().flat_map(char::to_lowercase).map(|letter| if letter == '_' { ' ' } else { letter });
    marker.iter().all(|wanted| letters.next() == Some(*wanted)) && letters.next().is_none()
}

fn of<'a>(words: &'a BTreeMap<String, Vec<String>>, word: &str) -> Option<&'a str> {
    let wanted = plain(word);
    let is = |known: &String| plain(known) == wanted;
    let found = words.iter().find(|(name, others)| is(name) || others.iter().any(is));
    found.map(|(name, _)| name.as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Marker, Words, plain, words};

    #[test]
    fn the_file_is_read_and_holds_no_word_twice() {
        let read: Words = gimbal_core::yaml::read(include_str!("words.yaml"), "words.yaml").unwrap();
        let mut seen = BTreeSet::new();
        for text in read.markers.values().flatten() {
            assert!(seen.insert(plain(text)), "marker {text}");
        }
        for group in [&read.severity, &read.status, &read.focus] {
            let mut seen = BTreeSet::new();
            for (name, others) in group {
                for word in std::iter::once(name).chain(others) {
                    assert!(seen.insert(plain(word)), "{word}");
                }
            }
        }
        assert_eq!(words().severity("Very-High"), Some("critical"));
        assert_eq!(words().status("N/A"), Some("unknown"));
        assert_eq!(words().confidence("VERY high"), Some(900));
        assert_eq!(words().focus("purple"), None);
    }

    #[test]
    fn markers_are_found_at_the_head_of_a_line() {
        for line in [
            "Answer: x",
            "**Answer:** x",
            "**Answer**: x",
            "### answer : x",
            "> - Final Answer: x",
            "2. ANSWER:x",
            "_Answer_: x",
            "\u{7b54}\u{6848}\u{ff1a}x",
            "R\u{c9}PONSE: x",
            "final_answer: x",
        ] {
            assert_eq!(words().marker(line), Some((Marker::Answer, "x")), "{line}");
        }
        for line in
            ["My answer is: x", "critique_the_answer: x", "Answer x", "the thought: x y answer: z", "answers: x", ""]
        {
            assert_eq!(words().marker(line).filter(|(marker, _)| *marker == Marker::Answer), None, "{line}");
        }
        assert_eq!(words().marker("Tool: look: x"), Some((Marker::Tool, "look: x")));
        assert_eq!(words().marker("Action Input: x"), Some((Marker::Input, "x")));
        assert!(words().is_pause("**PAUSE**") && !words().is_pause("pauses"));
    }

    #[test]
    fn a_lead_must_be_followed_by_something_of_its_own() {
        assert_eq!(words().after_lead("The best action is to Wait"), Some("Wait"));
        assert_eq!(words().after_lead("I will: Wait"), Some("Wait"));
        assert_eq!(words().after_lead("I willingly wait"), None);
        assert_eq!(words().after_lead("Wait"), None);
    }
}
