//! What a text says, as far as the deterministic judge looks: figures, periods, directions, words.

use crate::number::{Figure, figures, periods};

/// A text, read.
#[derive(Debug)]
pub struct Read<'a> {
    pub text: &'a str,
    pub figures: Vec<Figure>,
    pub periods: Vec<String>,
    /// Stems of all words.
    pub stems: Vec<String>,
    pub directions: Vec<Direction>,
}

impl<'a> Read<'a> {
    pub fn of(text: &'a str) -> Self {
        let stems = tokens(text).map(|token| stem(&token)).collect();
        Self { text, figures: figures(text), periods: periods(text), stems, directions: directions(text) }
    }

    pub fn says(&self, stem: &str) -> bool {
        self.stems.iter().any(|known| known == stem)
    }
}

/// Which way something went, against guidance or over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Beat,
    Miss,
    Up,
    Down,
}

impl Direction {
    pub const fn opposite(self) -> Self {
        match self {
            Self::Beat => Self::Miss,
            Self::Miss => Self::Beat,
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Beat => "beat",
            Self::Miss => "miss",
            Self::Up => "up",
            Self::Down => "down",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "beat" | "beats" | "beaten" | "exceed" | "exceeded" | "exceeds" | "surpassed" => Self::Beat,
            "miss" | "missed" | "misses" | "shortfall" => Self::Miss,
            "increase" | "increased" | "increases" | "increasing" | "grew" | "rose" | "risen" | "improved"
            | "expanded" | "higher" | "increasingly" | "upward" => Self::Up,
            "decrease" | "decreased" | "decreases" | "decreasing" | "declined" | "decline" | "declines"
            | "declining" | "fell" | "fallen" | "dropped" | "contracted" | "lower" | "shrank" | "downward" => {
                Self::Down
            }
            _ => return None,
        })
    }
}

/// Directions in a text, each once. A negated one (`did not beat`) is its opposite.
pub fn directions(text: &str) -> Vec<Direction> {
    let mut found = Vec::new();
    let mut last: [String; 3] = Default::default();
    let all: Vec<String> = tokens(text).collect();
    let way = |at: Option<usize>| at.and_then(|at| all.get(at)).and_then(|word| Direction::of(word));
    // `beat or missed`, `BEAT/MISS`: both are said, so neither is.
    let either = |at: usize, direction: Direction| {
        let opposite = Some(direction.opposite());
        let or = |at: Option<usize>| at.and_then(|at| all.get(at)).is_some_and(|word| word == "or" || word == "nor");
        (or(at.checked_sub(1)) && way(at.checked_sub(2)) == opposite)
            || (or(Some(at + 1)) && way(Some(at + 2)) == opposite)
            || way(Some(at + 1)) == opposite
            || way(at.checked_sub(1)) == opposite
    };
    for (at, token) in all.iter().enumerate() {
        if let Some(direction) = Direction::of(token).filter(|direction| !either(at, *direction)) {
            let negated =
                last.iter().any(|word| matches!(word.as_str(), "not" | "didn't" | "neither" | "never" | "failed"));
            let direction = match direction {
                // What did not rise need not have fallen.
                Direction::Up | Direction::Down if negated => None,
                _ if negated => Some(direction.opposite()),
                _ => Some(direction),
            };
            found.extend(direction.filter(|direction| !found.contains(direction)));
        }
        last.rotate_left(1);
        last[2].clone_from(token);
    }
    found
}

/// Words in lower case: letters and digits with inner apostrophes, dots of abbreviations and ampersands left out.
pub fn tokens(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '\'' | '\u{2019}' | '.')))
        .map(|word| {
            let word = word.trim_matches(['\'', '\u{2019}', '.']).replace('\u{2019}', "'").to_lowercase();
            let word = word.strip_suffix("'s").unwrap_or(&word).to_owned();
            // `U.S.` is `us`; a decimal keeps its point.
            if word.chars().any(|letter| letter.is_ascii_digit()) { word } else { word.replace('.', "") }
        })
        .filter(|word| !word.is_empty())
}

/// A word without its commonest endings.
pub fn stem(word: &str) -> String {
    let mut stem = word;
    for ending in [
        "ations", "ation", "ments", "ment", "ings", "ing", "ions", "ion", "ied", "ies", "ed", "es", "ly", "s", "e", "y",
    ] {
        if let Some(shorter) = word.strip_suffix(ending)
            && shorter.chars().count() >= 4
        {
            stem = shorter;
            break;
        }
    }
    stem.to_owned()
}

/// Words that say nothing by themselves.
pub fn is_stop(word: &str) -> bool {
    const STOP: [&str; 72] = [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "and",
        "or",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "by",
        "with",
        "from",
        "as",
        "that",
        "this",
        "these",
        "those",
        "it",
        "its",
        "their",
        "which",
        "has",
        "have",
        "had",
        "will",
        "would",
        "not",
        "no",
        "all",
        "any",
        "both",
        "per",
        "than",
        "then",
        "there",
        "into",
        "over",
        "under",
        "up",
        "down",
        "due",
        "such",
        "also",
        "may",
        "can",
        "could",
        "about",
        "approximately",
        "total",
        "respectively",
        "company",
        "fiscal",
        "year",
        "fy",
        "years",
        "include",
        "includes",
        "included",
        "including",
        "current",
        "currently",
        "based",
        "compared",
        "according",
    ];
    STOP.contains(&word)
}
