//! What a text says of a figure of it: for which period, which way it went, whether it is denied, whether it is one of
//! several that are offered.

use std::ops::Range;

use super::words::{Read, tokens};
use crate::number::Figure;

/// Words before a figure among which one may give its direction, and words behind it.
const BEFORE: usize = 5;
const BEHIND: usize = 2;
/// Words before something among which a `not` denies it.
const DENIES: usize = 3;

/// A year, a quarter, or both.
#[derive(Clone, Debug)]
struct Mark {
    place: Range<usize>,
    year: Option<u16>,
    quarter: Option<u8>,
    /// Part of a date with its month, which tells when something ended and not what it is about.
    dated: bool,
}

impl Mark {
    fn fits(&self, other: &Self) -> bool {
        let same = |one: Option<u16>, two: Option<u16>| one.is_none() || two.is_none() || one == two;
        same(self.year, other.year) && same(self.quarter.map(u16::from), other.quarter.map(u16::from))
    }
}

/// The bytes of the line or clause around a place.
fn clause(text: &str, place: &Range<usize>) -> Range<usize> {
    let before = text.get(..place.start).unwrap_or_default();
    let behind = text.get(place.end..).unwrap_or_default();
    let start = [("\n", 1), (";", 1), (". ", 2)]
        .into_iter()
        .filter_map(|(end, length)| before.rfind(end).map(|at| at + length))
        .max()
        .unwrap_or(0);
    let end = ["\n", ";", ". "].into_iter().filter_map(|end| behind.find(end)).min().unwrap_or(behind.len());
    start..place.end + end
}

fn is_month(word: &str) -> bool {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    MONTHS.iter().any(|month| word.starts_with(month)) && word.len() <= 9
}

/// Years and quarters in part of a text, outside of its figures.
fn marks(read: &Read<'_>, part: &Range<usize>) -> Vec<Mark> {
    let bytes = read.text.as_bytes();
    let mut found: Vec<Mark> = Vec::new();
    let mut at = part.start;
    while at < part.end {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        at += bytes[at..part.end].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if read.figures.iter().any(|figure| figure.place.contains(&start)) {
            continue;
        }
        let before = &read.text[part.start..start];
        let digits = &read.text[start..at];
        let tail: String =
            before.chars().rev().skip_while(|letter| *letter == ' ').take_while(char::is_ascii_alphabetic).collect();
        let tail: String = tail.chars().rev().collect::<String>().to_ascii_lowercase();
        let value = digits.parse::<u16>().unwrap_or_default();
        let short = digits.len() == 2 && (tail == "fy" || before.ends_with(['\'', '\u{2019}']));
        let mut mark = Mark { place: start..at, year: None, quarter: None, dated: false };
        match digits.len() {
            4 if (1900..2100).contains(&value) => mark.year = Some(value),
            2 if short => mark.year = Some(2000 + value),
            1 if tail == "q" && before.ends_with(['q', 'Q']) => mark.quarter = Some(value as u8),
            _ => continue,
        }
        let words: Vec<String> = tokens(before).collect();
        mark.dated = mark.year.is_some() && words.iter().rev().take(2).any(|word| is_month(word));
        // `Q4 2024`, `Q4'24`, `Q4 FY 2025`, `2024 Q4`
        if let Some(last) = found.last_mut() {
            let between = read.text[last.place.end..start].to_ascii_lowercase();
            let joined = matches!(
                between.trim_matches([' ', '\'', '\u{2019}', ',']),
                "" | "fy" | "of" | "of fy" | "fiscal" | "q"
            );
            if joined && last.year.is_none() && mark.year.is_some() {
                (last.year, last.place.end) = (mark.year, at);
                continue;
            }
            if joined && last.quarter.is_none() && mark.quarter.is_some() && between.trim_end().ends_with('q') {
                (last.quarter, last.place.end) = (mark.quarter, at);
                continue;
            }
        }
        found.push(mark);
    }
    found
}

/// Whether a text holds nothing but these words and signs.
fn only(text: &str, words: &[&str], signs: &[char]) -> bool {
    let free = |letter: char| letter.is_alphanumeric() || letter.is_whitespace() || signs.contains(&letter);
    text.chars().all(free) && tokens(text).all(|token| words.contains(&token.as_str()))
}

/// The run of things around `at` between which only such words and signs stand: its first and last.
fn run(text: &str, places: &[Range<usize>], at: usize, words: &[&str], signs: &[char]) -> Range<usize> {
    let joined = |one: usize| {
        text.get(places[one].end..places[one + 1].start).is_some_and(|between| only(between, words, signs))
    };
    let (mut first, mut last) = (at, at);
    while first > 0 && joined(first - 1) {
        first -= 1;
    }
    while last + 1 < places.len() && joined(last) {
        last += 1;
    }
    first..last + 1
}

/// The periods that a figure is given for: several where it is of a span, none if nothing is said.
fn periods_of(read: &Read<'_>, figure: &Figure) -> Vec<Mark> {
    const SPAN: [&str; 10] = ["to", "and", "through", "vs", "from", "fy", "fiscal", "versus", "q", "or"];
    const SIGNS: [char; 7] = ['-', '\u{2013}', ',', '&', '/', '\'', '\u{2019}'];
    const BEHIND: [&str; 13] =
        ["in", "for", "during", "of", "fy", "fiscal", "year", "the", "at", "end", "as", "q", "quarter"];
    let part = clause(read.text, &figure.place);
    let mut all = marks(read, &part);
    if all.iter().any(|mark| !mark.dated) {
        all.retain(|mark| !mark.dated);
    }
    let places: Vec<Range<usize>> = all.iter().map(|mark| mark.place.clone()).collect();
    let text = |range: Range<usize>| read.text.get(range).unwrap_or_default();
    let mut chosen = None;
    // `$5.00 billion in 2023`, not `$5.00 billion, 2023: ...`
    if let Some(at) = all.iter().position(|mark| mark.place.start >= figure.place.end) {
        let whole = run(read.text, &places, at, &SPAN, &SIGNS);
        let ends = places[whole.end - 1].end;
        let label = text(ends..part.end).trim_start().starts_with([':', '=']);
        if !label && only(text(figure.place.end..places[at].start), &BEHIND, &['(', '\'', '\u{2019}']) {
            chosen = Some(at);
        }
    }
    if chosen.is_none() {
        chosen = all.iter().rposition(|mark| {
            let between = text(mark.place.end..figure.place.start);
            // In brackets that are closed before the figure it is said of something else, unless it is the label.
            let aside = between.contains(')') && !between.contains('(');
            mark.place.end <= figure.place.start
                && (!aside || between.trim_start_matches(')').trim_start().starts_with(':'))
        });
    }
    let Some(at) = chosen else { return Vec::new() };
    let group = run(read.text, &places, at, &SPAN, &SIGNS);
    if group.len() == 1 {
        let before: Vec<String> = tokens(text(part.start..places[at].start)).collect();
        let last = before.iter().rev().find(|word| !matches!(word.as_str(), "fy" | "fiscal" | "q"));
        // What it is compared with is not what it is of.
        if last.is_some_and(|word| {
            matches!(word.as_str(), "from" | "since" | "than" | "versus" | "vs" | "against" | "with")
        }) {
            return Vec::new();
        }
        return vec![all[at].clone()];
    }
    // `2022 and 2023: $5.00 billion and $6.00 billion`
    let beside = alternatives(read, figure, &["and", "to", "or", "from", "respectively"]);
    let own = beside.iter().position(|other| other.place == figure.place);
    if beside.len() == group.len()
        && let Some(own) = own
    {
        return vec![all[group.start + own].clone()];
    }
    let mut span: Vec<Mark> = all[group].to_vec();
    if let (Some(first), Some(last)) =
        (span.iter().filter_map(|mark| mark.year).min(), span.iter().filter_map(|mark| mark.year).max())
    {
        let inner = |year| Mark { place: 0..0, year: Some(year), quarter: None, dated: false };
        span.extend((first + 1..last).map(inner));
    }
    span
}

/// The figures of the same measure that are in a row with this one, itself among them.
fn alternatives<'a>(read: &'a Read<'_>, figure: &Figure, words: &[&str]) -> Vec<&'a Figure> {
    let part = clause(read.text, &figure.place);
    let inside: Vec<&Figure> = read.figures.iter().filter(|other| part.contains(&other.place.start)).collect();
    let places: Vec<Range<usize>> = inside.iter().map(|other| other.place.clone()).collect();
    let Some(at) = places.iter().position(|place| *place == figure.place) else { return Vec::new() };
    let row = run(read.text, &places, at, words, &[',']);
    inside[row].iter().filter(|other| other.measure == figure.measure).copied().collect()
}

/// Whether the figure is one of several different ones that are offered (`$1 billion, $2 billion or $3 billion`), and
/// the criterion does not offer them too.
pub fn hedged(wanted: &Read<'_>, answer: &Read<'_>, given: &Figure) -> bool {
    const OFFERS: [&str; 7] = ["or", "and", "either", "perhaps", "maybe", "possibly", "alternatively"];
    let row = alternatives(answer, given, &OFFERS);
    let others = row
        .iter()
        .filter(|other| !given.stated_by(other) && !wanted.figures.iter().any(|figure| figure.stated_by(other)));
    let (Some(first), Some(last)) = (row.first(), row.last()) else { return false };
    let between = answer.text.get(first.place.start..last.place.end).unwrap_or_default();
    others.count() > 0 && tokens(between).any(|token| token == "or")
}

/// Figures of the answer that are only listed together with one, each value once, without those of the question.
pub fn listed(answer: &Read<'_>, given: &Figure) -> usize {
    let mut seen: Vec<&Figure> = Vec::new();
    for other in alternatives(answer, given, &["or", "and"]) {
        if !seen.iter().any(|known| known.stated_by(other)) {
            seen.push(other);
        }
    }
    seen.len()
}

/// Whether the answer gives the figure for another period than the criterion.
pub fn other_period(wanted: &Read<'_>, figure: &Figure, answer: &Read<'_>, given: &Figure) -> bool {
    let (asked, said) = (periods_of(wanted, figure), periods_of(answer, given));
    !asked.is_empty() && !said.is_empty() && !asked.iter().any(|one| said.iter().any(|two| one.fits(two)))
}

/// Which way something went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    Up,
    Down,
    Beat,
    Miss,
    Profit,
    Loss,
}

impl Sense {
    const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::Beat => Self::Miss,
            Self::Miss => Self::Beat,
            Self::Profit => Self::Loss,
            Self::Loss => Self::Profit,
        }
    }

    /// Whether it means a minus.
    pub const fn lowers(self) -> bool {
        matches!(self, Self::Down | Self::Miss | Self::Loss)
    }

    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "beat" | "beats" | "beating" | "exceeded" | "exceeds" | "surpassed" => Self::Beat,
            "miss" | "missed" | "misses" | "missing" | "shortfall" => Self::Miss,
            "increase" | "increased" | "increases" | "increasing" | "grew" | "grow" | "growth" | "grown" | "rose"
            | "rise" | "risen" | "rising" | "higher" | "gained" | "improved" | "expanded" | "climbed" => Self::Up,
            "decrease" | "decreased" | "decreases" | "decreasing" | "declined" | "decline" | "declines"
            | "declining" | "fell" | "fall" | "fallen" | "dropped" | "drop" | "lower" | "shrank" | "shrunk"
            | "contracted" | "reduced" | "reduction" | "down" => Self::Down,
            "profit" | "profits" | "earned" | "gain" => Self::Profit,
            "loss" | "losses" | "lost" | "deficit" | "negative" | "minus" => Self::Loss,
            _ => return None,
        })
    }
}

/// Whether a text mentions losses at all.
pub fn speaks_of_loss(read: &Read<'_>) -> bool {
    tokens(read.text).any(|word| Sense::of(&word).is_some_and(Sense::lowers))
}

/// Where a statement goes on with something else.
fn is_turn(word: &str) -> bool {
    matches!(word, "while" | "whereas" | "but" | "and" | "although" | "though" | "despite" | "or")
}

/// What the words right beside a figure say of it.
pub fn senses(read: &Read<'_>, figure: &Figure) -> Vec<Sense> {
    let part = clause(read.text, &figure.place);
    let edge = |end: usize| read.figures.iter().map(|other| other.place.end).filter(|at| *at <= end).max();
    let start = edge(figure.place.start).unwrap_or(0).max(part.start);
    let next = read.figures.iter().map(|other| other.place.start).find(|at| *at >= figure.place.end);
    let before: Vec<String> = tokens(read.text.get(start..figure.place.start).unwrap_or_default()).collect();
    let behind = read.text.get(figure.place.end..next.unwrap_or(part.end).min(part.end)).unwrap_or_default();
    let behind = behind.split([',', ':']).next().unwrap_or_default();
    let mut found = Vec::new();
    let mut near = before.iter().rev().skip_while(|word| matches!(word.as_str(), "about" | "approximately" | "around"));
    // `fell to 5%` says where it went, not by how much.
    if !near.clone().next().is_some_and(|word| matches!(word.as_str(), "to" | "from" | "at")) {
        let mut taken = near.by_ref().take(BEFORE).take_while(|word| !is_turn(word)).peekable();
        while let Some(word) = taken.next() {
            let Some(sense) = Sense::of(word) else { continue };
            // `negative growth`
            let turned = taken.peek().and_then(|word| Sense::of(word)) == Some(Sense::Loss);
            found.push(if turned && matches!(sense, Sense::Up | Sense::Profit) { sense.opposite() } else { sense });
            break;
        }
    }
    let between = ["year", "over", "yoy", "annual", "net", "sequential", "organic", "in", "a", "the"];
    let mut left = BEHIND;
    for word in tokens(behind) {
        if is_turn(&word) || left == 0 {
            break;
        }
        found.extend(Sense::of(&word));
        left -= usize::from(!between.contains(&word.as_str()));
    }
    // `a 4.5% increase in losses` is an increase: what comes first counts within a kind.
    let first = |at: usize| !found[..at].iter().any(|sense| *sense == found[at].opposite());
    (0..found.len()).filter(|at| first(*at)).map(|at| found[at]).collect()
}

/// Whether the two texts send the figure opposite ways. `grows` where the question asks for a growth.
pub fn opposed(wanted: &Read<'_>, figure: &Figure, question: &Read<'_>, answer: &Read<'_>, given: &Figure) -> bool {
    let (mut asked, said) = (senses(wanted, figure), senses(answer, given));
    let rate = figure.measure == crate::number::Measure::Percent && figure.mantissa >= 0;
    if asked.is_empty() && rate && said.contains(&Sense::Down) {
        let growth = |word: &str| matches!(word, "growth" | "grow" | "grew" | "increase");
        let both = tokens(question.text).any(|word| Sense::of(&word).is_some_and(Sense::lowers));
        if !both && tokens(question.text).any(|word| growth(&word)) && !speaks_of_loss(wanted) {
            asked.push(Sense::Up);
        }
    }
    if asked.iter().any(|sense| said.contains(&sense.opposite()) && !said.contains(sense)) {
        return true;
    }
    let plus = figure.mantissa >= 0 && given.mantissa >= 0;
    plus && said.contains(&Sense::Loss) && !speaks_of_loss(wanted) && !speaks_of_loss(question)
}

fn is_no(word: &str) -> bool {
    matches!(word, "not" | "never" | "neither" | "nor" | "cannot") || word.ends_with("n't")
}

/// Whether the words before a place deny what is there.
pub fn denied(text: &str, at: usize) -> bool {
    let part = clause(text, &(at..at));
    let before = text.get(part.start..at).unwrap_or_default();
    let before = before.rsplit([',', ':']).next().unwrap_or_default();
    let words: Vec<String> = tokens(before).collect();
    let near = &words[words.len().saturating_sub(DENIES)..];
    let joint = |one: &str, two: &str| near.windows(2).any(|pair| pair[0] == one && pair[1] == two);
    let kept = |word: &String| {
        matches!(word.as_str(), "only" | "including" | "counting" | "less" | "more" | "just" | "and" | "but" | "merely")
    };
    let no = near.iter().rposition(|word| is_no(word));
    no.is_some_and(|no| !near[no + 1..].iter().any(kept)) || joint("rather", "than") || joint("instead", "of")
}

/// Whether a text denies anything.
pub fn denies(text: &str) -> bool {
    tokens(text).any(|word| is_no(&word) || word == "no" || word == "without" || word == "none")
}
