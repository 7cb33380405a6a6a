//! The knowledge-free audit (BOG-025): nothing that an agent is sent may give away which environment this is.

mod shown;

use gimbal_core::{Brief, ToolSpec};
use serde::Serialize;
use serde_json::Value;

use crate::{Origin, Part, Persona};

pub use shown::{AuditedAgent, AuditedEnvironment, agents};

/// A word in a text that must not be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The word, as the brief that forbids it writes it.
    pub word: String,
    /// Name of the part that holds it.
    pub part: &'static str,
    /// Where the part comes from.
    pub origins: Vec<crate::Origin>,
}

/// Words that no text may hold, however they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forbidden {
    /// As written, and by letters and digits alone.
    words: Vec<(String, String)>,
    /// Places among the words, in the order of their letters and digits.
    sorted: Vec<usize>,
}

impl Forbidden {
    /// The names of environments and the words that their briefs forbid.
    #[must_use]
    pub fn of<'a>(briefs: impl IntoIterator<Item = &'a Brief>) -> Self {
        let mut words: Vec<(String, String)> = Vec::new();
        for brief in briefs {
            for word in std::iter::once(&brief.environment).chain(&brief.forbidden_words) {
                let plain: String = pieces(word).into_iter().map(|piece| piece.text).collect();
                // Of several ways to write a word, the first is named.
                if !plain.is_empty() && !words.iter().any(|(_, known)| *known == plain) {
                    words.push((word.to_lowercase(), plain));
                }
            }
        }
        let mut sorted: Vec<usize> = (0..words.len()).collect();
        sorted.sort_by(|left, right| words[*left].1.cmp(&words[*right].1));
        Self { words, sorted }
    }

    /// Those that are in `text`, in any case, in one word or in several (`CybORG`, `cyb-org`, `cage 2`, `BLine`), in the
    /// singular or the plural. Parts of longer words do not count: `package` holds no cage.
    pub fn within<'a>(&'a self, text: &str) -> impl Iterator<Item = &'a str> {
        let pieces = pieces(text);
        let mut found = vec![false; self.words.len()];
        for first in 0..pieces.len() {
            let piece = pieces[first].text.as_str();
            // All that begin with the first piece, and the word of which it is the plural.
            let singular = piece.strip_suffix('s').into_iter().flat_map(|word| self.beginning(word)).take(1);
            for at in self.beginning(piece).iter().chain(singular) {
                found[*at] = found[*at] || stands(&pieces[first..], &self.words[*at].1);
            }
        }
        self.words.iter().zip(found).filter(|(_, found)| *found).map(|((word, _), _)| word.as_str())
    }

    /// Places of the words that begin with these letters; the word of these letters alone is the first of them.
    fn beginning(&self, letters: &str) -> &[usize] {
        let plain = |at: &usize| self.words[*at].1.as_str();
        let from = &self.sorted[self.sorted.partition_point(|at| plain(at) < letters)..];
        &from[..from.partition_point(|at| plain(at).starts_with(letters))]
    }
}

/// Forbidden words in `parts`, each once for a part. Context blocks are not looked at: they hold what the agent itself
/// has seen.
#[must_use]
pub fn audit(parts: &[Part], forbidden: &Forbidden) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for part in parts.iter().filter(|part| part.name != "block") {
        for word in forbidden.within(&part.text) {
            let known = |other: &Finding| {
                other.word == word && other.part == part.name && other.origins.first() == part.origins.first()
            };
            if !findings.iter().any(known) {
                findings.push(Finding { word: word.to_owned(), part: part.name, origins: part.origins.clone() });
            }
        }
    }
    findings
}

/// Every text of a persona and of the wording that all agents share, as written: whatever an agent may be sent beside its
/// first prompts, such as feedback, results of tools, replies to deliberation, calls that ask for a message again. They
/// are taken from the files whole, so that a text that is added there is looked at as well.
#[must_use]
pub fn written(persona: &Persona) -> Vec<Part> {
    let own = |file: &str| format!("personas/{}/{file}.yaml", persona.name);
    let mut parts = Vec::new();
    texts("text", &own("core"), &persona.core, &mut parts);
    texts("text", &own("prompt"), &persona.prompt, &mut parts);
    texts("wording", "personas/engine.yaml", &persona.wording, &mut parts);
    parts
}

/// What an environment says of itself to any agent: the values that templates may use, names of tools, and specifications
/// of tools as they are sent with native calls.
#[must_use]
pub fn said(brief: &Brief, tools: &[ToolSpec]) -> Vec<Part> {
    let mut parts = Vec::new();
    let told = serde_json::json!({
        "role": brief.role, "goal": brief.goal, "subject": brief.subject, "glossary": brief.glossary,
        "tool_names": brief.tool_names,
    });
    texts("brief", "brief", &told, &mut parts);
    for tool in tools {
        texts("tool", &format!("tool {}", tool.name), tool, &mut parts);
    }
    parts
}

/// All texts of a value, each under its path.
fn texts(name: &'static str, file: &str, value: &impl Serialize, parts: &mut Vec<Part>) {
    // What cannot be written as JSON was not read from a file.
    collect(name, file, String::new(), &serde_json::to_value(value).unwrap_or_default(), parts);
}

fn collect(name: &'static str, file: &str, key: String, value: &Value, parts: &mut Vec<Part>) {
    match value {
        Value::String(text) if !text.is_empty() => {
            parts.push(Part { name, origins: vec![Origin { file: file.to_owned(), key }], text: text.clone() });
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(name, file, format!("{key}[{index}]"), item, parts);
            }
        }
        Value::Object(members) => {
            for (member, value) in members {
                let key = if key.is_empty() { member.clone() } else { format!("{key}.{member}") };
                collect(name, file, key, value, parts);
            }
        }
        _ => {}
    }
}

/// A run of letters or of digits, in small letters.
struct Piece {
    text: String,
    /// Whether nothing but spaces, hyphens and underscores lies between it and the piece before.
    joined: bool,
}

/// Cuts a text where words end: at everything that is neither letter nor digit, where capitals begin a new word, and
/// between letters and digits.
fn pieces(text: &str) -> Vec<Piece> {
    let letters: Vec<char> = text.chars().filter(|letter| !is_invisible(*letter)).collect();
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut open, mut joined) = (false, true);
    for (at, letter) in letters.iter().copied().enumerate() {
        if !letter.is_alphanumeric() {
            open = false;
            joined = joined && is_gap(letter);
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| letters.get(at)).copied().unwrap_or(' ');
        let after = letters.get(at + 1).copied().unwrap_or(' ');
        let begins =
            letter.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && after.is_lowercase()));
        match pieces.last_mut() {
            Some(last) if open && !begins && letter.is_numeric() == before.is_numeric() => {
                last.text.extend(letter.to_lowercase());
            }
            _ => {
                pieces.push(Piece { text: letter.to_lowercase().collect(), joined });
                (open, joined) = (true, true);
            }
        }
    }
    pieces
}

/// What may lie between the parts of a word that is written in several.
fn is_gap(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '-' | '_' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Soft hyphens and marks of no width.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// Whether the first of these pieces, with those that stand together with it, make up `word`, or its plural.
fn stands(pieces: &[Piece], word: &str) -> bool {
    let mut rest = word;
    for (at, piece) in pieces.iter().enumerate() {
        if at > 0 && !piece.joined {
            return false;
        }
        match rest.strip_prefix(piece.text.as_str()) {
            Some("") => return true,
            Some(more) => rest = more,
            None => return piece.text.strip_suffix('s') == Some(rest),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Forbidden, audit, said};
    use crate::{Origin, Part, sample};

    fn forbidden(words: &[&str]) -> Forbidden {
        let mut brief = sample::brief();
        brief.forbidden_words = words.iter().map(|word| (*word).to_owned()).collect();
        Forbidden::of([&brief])
    }

    // covers: BOG-025
    #[test]
    fn finds_words_however_they_are_written() {
        let forbidden =
            forbidden(&["cage", "cage2", "cyborg", "b_line", "yawning", "otservice", "kill chain", "subnet"]);
        for (text, word) in [
            ("as in CAGE-2", "cage"),
            ("the cage 2 challenge", "cage2"),
            ("of Cyb-ORG", "cyborg"),
            ("CybORG", "cyborg"),
            ("CYBORG_ENV", "cyborg"),
            ("c y b o r g", "cyborg"),
            ("Cyb\u{ad}org", "cyborg"),
            ("cyb\u{2011}org", "cyborg"),
            ("red is a BLineAgent", "b_line"),
            ("B-line", "b_line"),
            ("YawningTitan", "yawning"),
            ("the OTService runs", "otservice"),
            ("its killchain", "kill chain"),
            ("a kill\nchain", "kill chain"),
            ("three Sub-nets", "subnet"),
            ("in sample_workshop", "sample-workshop"),
            ("in SampleWorkshop", "sample-workshop"),
        ] {
            assert!(forbidden.within(text).any(|found| found == word), "{text}");
        }
        for text in [
            "a package of public agents, in a specific age",
            "they yawned",
            "Kill it. Chain them",
            "caged",
            "a sample, workshop",
        ] {
            assert_eq!(forbidden.within(text).next(), None, "{text}");
        }
        assert_eq!(forbidden.within("cages").collect::<Vec<_>>(), ["cage"]);
    }

    proptest! {
        #[test]
        fn any_case_and_any_gap_is_seen_through(capitals: u32, gaps: u32, before in "[a-z]{0,6}", after in "[a-z]{0,6}") {
            let mut written = String::new();
            for (at, letter) in "lathework".chars().enumerate() {
                if at > 0 && gaps >> at & 1 == 1 {
                    written.push(['-', '_', ' '][at % 3]);
                }
                let letter = if capitals >> at & 1 == 1 { letter.to_ascii_uppercase() } else { letter };
                written.push(letter);
            }
            let text = format!("{before} {written}, {after}");
            let forbidden = forbidden(&["lathe-work"]);
            prop_assert_eq!(forbidden.within(&text).collect::<Vec<_>>(), ["lathe-work"]);
            let within = format!("x{}x", written.to_lowercase());
            prop_assert_eq!(forbidden.within(&within.replace(['-', '_', ' '], "")).count(), 0);
        }
    }

    // covers: BOG-025
    #[test]
    fn parts_are_looked_at_and_blocks_are_not() {
        let part = |name, text: &str| Part {
            name,
            origins: vec![Origin { file: "f".to_owned(), key: "k".to_owned() }],
            text: text.to_owned(),
        };
        let parts = [part("rules", "You are in Sample-Workshop now"), part("block", "sample-workshop")];
        let findings = audit(&parts, &Forbidden::of([&sample::brief()]));
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].word.as_str(), findings[0].part), ("sample-workshop", "rules"));
    }

    // covers: BOG-025
    #[test]
    fn what_an_environment_says_is_a_text_too() {
        let (brief, tools) = (sample::brief(), sample::queries());
        let keys: Vec<String> = said(&brief, &tools).iter().map(|part| part.origins[0].to_string()).collect();
        for key in ["brief: goal", "brief: glossary[1].usage", "brief: tool_names.subject_state"] {
            assert!(keys.iter().any(|known| known == key), "{key}: {keys:?}");
        }
        assert!(keys.iter().any(|key| key == "tool subject_state: parameters.properties.subject.description"));
        let leaky = gimbal_core::ToolSpec::of_strings("look", "Looks into Sample Workshop.", &[]);
        let findings = audit(&said(&brief, &[leaky]), &Forbidden::of([&brief]));
        assert_eq!(findings[0].origins[0].to_string(), "tool look: description");
    }
}
