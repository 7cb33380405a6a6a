//! Whether an answer states a fact.

use super::words::{Direction, Read, is_stop, stem, tokens};
use crate::number::{Figure, Measure, figures};

/// Share of a criterion's words, in hundredths, that an answer must hold: beside figures, and alone.
const BESIDE_FIGURES: usize = 50;
const ALONE: usize = 66;
/// Words up to which a criterion without figures must be there as a whole: names, for the most part.
const SHORT: usize = 2;
/// Significant digits from which a figure tells by itself which period it is of.
const TELLING: u32 = 4;
/// Bytes around a figure in which a word may give it its sign.
const NEAR: usize = 60;

/// What the answer lacks; none where it states the fact.
pub fn missing(criterion: &str, question: &Read<'_>, answer: &Read<'_>) -> Option<String> {
    let wanted = Read::of(criterion);
    for figure in &wanted.figures {
        let stated =
            answer.figures.iter().any(|given| figure.stated_by(given) && signs_agree(figure, &wanted, given, answer));
        // A small count that the question names (`the 3 year growth`) is part of the question.
        let asked = figure.measure == Measure::Plain
            && figure.digits() < 3
            && question.figures.iter().any(|asked| figure.close(asked));
        if !stated && !asked {
            let text = criterion.get(figure.place.clone()).unwrap_or_default();
            return Some(format!("the figure {text} is not in the answer"));
        }
    }
    let telling = wanted.figures.iter().any(|figure| figure.digits() >= TELLING);
    for period in wanted.periods.iter().filter(|_| !telling) {
        if !answer.periods.contains(period) && !question.periods.contains(period) {
            return Some(format!("the answer does not name {period}"));
        }
    }
    if let Some(direction) = lacking_direction(&wanted, answer) {
        return Some(format!("the answer does not say {}", direction.name()));
    }
    let placed = placed(criterion);
    let mut words: Vec<String> = tokens(&placed).filter(|word| counts(word)).map(|word| stem(&word)).collect();
    words.sort_unstable();
    words.dedup();
    let new: Vec<&String> = words.iter().filter(|word| !question.says(word)).collect();
    // Where the question holds every word, it is they that the answer must confirm.
    let beside = !wanted.figures.is_empty();
    let asked: Vec<&String> = if new.is_empty() && !beside { words.iter().collect() } else { new };
    let held = asked.iter().filter(|word| answer.says(word)).count();
    let needed = match (beside, asked.len()) {
        (false, few) if few <= SHORT => few,
        (false, all) => (all * ALONE).div_ceil(100),
        (true, all) => (all * BESIDE_FIGURES) / 100,
    };
    if held < needed {
        let lost: Vec<&str> =
            asked.iter().filter(|word| !answer.says(word)).map(|word| word.as_str()).take(6).collect();
        return Some(format!("{held} of {} key words are in the answer; not: {}", asked.len(), lost.join(", ")));
    }
    None
}

/// Words that carry meaning: no figures, periods, directions or fillers.
fn counts(word: &str) -> bool {
    const UNITS: [&str; 15] = [
        "q1",
        "q2",
        "q3",
        "q4",
        "million",
        "billion",
        "thousand",
        "bps",
        "usd",
        "millions",
        "billions",
        "thousands",
        "percent",
        "basis",
        "points",
    ];
    let period =
        word.len() <= 6 && word.strip_prefix("fy").is_some_and(|rest| rest.chars().all(|digit| digit.is_ascii_digit()));
    let empty = is_stop(word) || UNITS.contains(&word) || period || !super::words::directions(word).is_empty();
    !empty && word.chars().any(char::is_alphabetic)
}

/// A text without its figures.
fn placed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for figure in figures(text) {
        out.push_str(text.get(at..figure.place.start).unwrap_or_default());
        out.push(' ');
        at = figure.place.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

fn lacking_direction(wanted: &Read<'_>, answer: &Read<'_>) -> Option<Direction> {
    // A criterion that names both of a pair compares; only one that names one of them says which.
    let said = |direction: &&Direction| !wanted.directions.contains(&direction.opposite());
    let against_guidance = |direction: &&Direction| matches!(direction, Direction::Beat | Direction::Miss);
    wanted
        .directions
        .iter()
        .filter(said)
        // Beside figures a rise shows in them; beat and miss must be said.
        .filter(|direction| wanted.figures.is_empty() || against_guidance(direction))
        .find(|direction| !answer.directions.contains(direction))
        .copied()
}

/// Whether a figure of the answer has the sign of the criterion's: as written, or by a word beside it (`a decline of`).
fn signs_agree(figure: &Figure, wanted: &Read<'_>, given: &Figure, answer: &Read<'_>) -> bool {
    let down = |read: &Read<'_>, figure: &Figure| figure.mantissa < 0 || negative_near(read.text, figure);
    // A minus on one side must have a word or a minus on the other; words on both sides need not be repeated.
    match (figure.mantissa < 0, given.mantissa < 0) {
        (true, false) => down(answer, given),
        (false, true) => down(wanted, figure),
        _ => true,
    }
}

fn negative_near(text: &str, figure: &Figure) -> bool {
    let cut = |mut at: usize, step: isize| {
        while !text.is_char_boundary(at) {
            at = at.saturating_add_signed(step);
        }
        at
    };
    let start = cut(figure.place.start.saturating_sub(NEAR), -1);
    let end = cut((figure.place.end + NEAR).min(text.len()), 1);
    let around = text.get(start..end).unwrap_or_default();
    tokens(around).any(|word| {
        matches!(
            word.as_str(),
            "loss"
                | "losses"
                | "negative"
                | "minus"
                | "decrease"
                | "decreased"
                | "decline"
                | "declined"
                | "fell"
                | "down"
                | "drop"
                | "dropped"
                | "lower"
                | "below"
                | "benefit"
                | "miss"
                | "missed"
                | "outflow"
                | "used"
        )
    })
}
