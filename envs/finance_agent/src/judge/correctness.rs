//! Whether an answer states a fact.

use super::claims::{self, Sense};
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

/// What the answer lacks; none if it states the fact.
pub fn missing(criterion: &str, question: &Read<'_>, answer: &Read<'_>) -> Option<String> {
    let wanted = Read::of(criterion);
    for figure in &wanted.figures {
        // A small count that the question names (`the 3 year growth`) is part of the question.
        let asked = figure.measure == Measure::Plain
            && figure.digits() < 3
            && question.figures.iter().any(|asked| figure.close(asked));
        if asked {
            continue;
        }
        if let Some(why) = unstated(figure, &wanted, question, answer) {
            return Some(why);
        }
    }
    let telling = wanted.figures.iter().any(|figure| figure.digits() >= TELLING);
    for period in wanted.periods.iter().filter(|_| !telling) {
        // `1987 stores` is a count, however it is written.
        let counted = answer.figures.iter().any(|figure| figure.measure == Measure::Plain && figure.text() == *period);
        if !answer.periods.contains(period) && !question.periods.contains(period) && !counted {
            return Some(format!("the answer does not name {period}"));
        }
    }
    if let Some(direction) = lacking_direction(&wanted, answer) {
        return Some(format!("the answer does not say {}", direction.name()));
    }
    if let Some(why) = other_name(criterion, &wanted, question, answer) {
        return Some(why);
    }
    let placed = placed(criterion);
    let mut words: Vec<String> = tokens(&placed).filter(|word| counts(word)).map(|word| stem(&word)).collect();
    words.sort_unstable();
    words.dedup();
    let new: Vec<&String> = words.iter().filter(|word| !question.says(word)).collect();
    // Where the question holds every word, it is they that the answer must confirm.
    let beside = !wanted.figures.is_empty();
    let asked: Vec<&String> = if new.is_empty() && !beside { words.iter().collect() } else { new };
    if let Some(word) = words.iter().find(|word| only_denied(word, criterion, answer)) {
        return Some(format!("the answer denies {word}"));
    }
    let held = asked.iter().filter(|word| holds(word, answer)).count();
    let needed = match (beside, asked.len()) {
        (false, few) if few <= SHORT => few,
        (false, all) => (all * ALONE).div_ceil(100),
        (true, all) => (all * BESIDE_FIGURES) / 100,
    };
    if held < needed {
        let lost: Vec<&str> =
            asked.iter().filter(|word| !holds(word, answer)).map(|word| word.as_str()).take(6).collect();
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

/// What keeps a figure of the criterion from being stated; none if it is.
fn unstated(figure: &Figure, wanted: &Read<'_>, question: &Read<'_>, answer: &Read<'_>) -> Option<String> {
    let text = wanted.text.get(figure.place.clone()).unwrap_or_default();
    let mut why = format!("the figure {text} is not in the answer");
    // A difference in points is not a rate.
    let points = |given: &Figure| {
        let behind = answer.text.get(given.place.end..).unwrap_or_default();
        given.measure == Measure::Plain && tokens(behind).next().is_some_and(|word| word == "points" || word == "pts")
    };
    let rate = figure.measure == Measure::Percent;
    for given in answer.figures.iter().filter(|given| figure.stated_by(given) && !(rate && points(given))) {
        why = if !signs_agree(figure, wanted, given, answer) {
            format!("the figure {text} has the other sign in the answer")
        } else if claims::opposed(wanted, figure, question, answer, given) {
            format!("the answer sends the figure {text} the other way")
        } else if claims::other_period(wanted, figure, answer, given) {
            format!("the answer gives the figure {text} for another period")
        } else if !claims::denies(wanted.text) && claims::denied(answer.text, given.place.start) {
            format!("the answer denies the figure {text}")
        } else if claims::hedged(wanted, answer, given) {
            format!("the figure {text} is one of several that the answer offers")
        } else {
            return None;
        };
    }
    (!counted(figure, wanted, answer)).then_some(why)
}

/// Counts up to twenty, in words.
const COUNTS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// Whether the answer has a bare count in a form that is not a figure: `five segments`, or `1987 stores`, which looks like
/// a year. The word behind it must be the same.
fn counted(figure: &Figure, wanted: &Read<'_>, answer: &Read<'_>) -> bool {
    if figure.measure != Measure::Plain || figure.mantissa < 0 {
        return false;
    }
    let digits = figure.text();
    let word = usize::try_from(figure.mantissa).ok().filter(|_| figure.exponent == 0).and_then(|at| COUNTS.get(at));
    let behind = wanted.text.get(figure.place.end..).unwrap_or_default();
    let Some(thing) = tokens(behind).next().map(|thing| stem(&thing)) else { return false };
    let all: Vec<String> = tokens(answer.text).collect();
    all.windows(2).enumerate().any(|(at, pair)| {
        let said = pair[0] == digits || word.is_some_and(|word| pair[0] == *word);
        let denied = at > 0 && matches!(all[at - 1].as_str(), "not" | "never");
        said && !denied && stem(&pair[1]) == thing
    })
}

/// Whether the answer has a key word; a count in words is met by its figure.
fn holds(word: &str, answer: &Read<'_>) -> bool {
    let count = COUNTS.iter().position(|known| *known == word);
    let figure = |count: usize| answer.figures.iter().any(|figure| figure.text() == count.to_string());
    answer.says(word) || count.is_some_and(figure)
}

/// Whether the answer has a key word only where it denies it, and the criterion denies nothing.
fn only_denied(word: &str, criterion: &str, answer: &Read<'_>) -> bool {
    if claims::denies(criterion) {
        return false;
    }
    let mut places = places(answer.text).filter(|(token, _)| stem(token) == *word).map(|(_, at)| at).peekable();
    places.peek().is_some() && places.all(|at| claims::denied(answer.text, at))
}

/// The words of a text and where they begin.
fn places(text: &str) -> impl Iterator<Item = (String, usize)> + '_ {
    let inner = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '\u{2019}' | '.');
    text.split(move |letter: char| !inner(letter)).filter_map(move |word| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        tokens(word).next().map(|token| (token, at))
    })
}

/// Words of a criterion up to which capitals in a row are taken for a name.
const NAMED: usize = 4;

/// A name of which the answer holds the words, and not together.
fn other_name(criterion: &str, wanted: &Read<'_>, question: &Read<'_>, answer: &Read<'_>) -> Option<String> {
    let words: Vec<(String, usize)> = places(criterion).collect();
    if !wanted.figures.is_empty() || words.len() > NAMED {
        return None;
    }
    let is_name = |(token, at): &&(String, usize)| {
        criterion[*at..].starts_with(char::is_uppercase) && !question.says(&stem(token)) && counts(token)
    };
    let name: Vec<String> =
        words.iter().skip_while(|word| !is_name(word)).take_while(is_name).map(|(token, _)| stem(token)).collect();
    if name.len() < 2 {
        return None;
    }
    let said: Vec<(String, usize)> = places(answer.text).map(|(token, at)| (stem(&token), at)).collect();
    // `Jane A. Doe` and `Doe, Jane` are the same person.
    let together = said.windows(name.len() + 1).chain(std::iter::once(&said[said.len().saturating_sub(name.len())..]));
    let held = |part: &[(String, usize)]| name.iter().all(|word| part.iter().any(|(said, _)| said == word));
    let mut seen = false;
    for part in together.filter(|part| held(part)) {
        seen = true;
        let first = part.iter().find(|(said, _)| name.contains(said)).map_or(0, |(_, at)| *at);
        if claims::denies(criterion) || !claims::denied(answer.text, first) {
            return None;
        }
    }
    let all = name.iter().all(|word| answer.says(word));
    let name = name.join(" ");
    Some(match (seen, all) {
        (true, _) => format!("the answer denies {name}"),
        (false, true) => format!("the words of {name} are in the answer, but not together"),
        (false, false) => format!("{name} is not in the answer"),
    })
}

/// Whether a figure of the answer has the sign of the criterion's: as written, or by a word beside it (`a decline of`).
fn signs_agree(figure: &Figure, wanted: &Read<'_>, given: &Figure, answer: &Read<'_>) -> bool {
    let down = |read: &Read<'_>, figure: &Figure| {
        let beside = claims::senses(read, figure);
        match beside.is_empty() {
            false => beside.iter().any(|sense: &Sense| sense.lowers()),
            true => negative_near(read.text, figure),
        }
    };
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
