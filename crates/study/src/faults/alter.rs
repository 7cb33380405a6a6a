//! The ways in which faults spoil texts and messages. What comes back always differs from what went in.

use gimbal_core::{Answering, Rng};
use serde_json::{Map, Value};

/// A text without its end: some, all or none of its beginning is left. None of an empty text.
#[must_use]
pub fn cut(text: &str, draws: &mut Rng) -> Option<String> {
    let letters = text.chars().count() as u64;
    (letters > 0).then(|| text.chars().take(draws.below(letters) as usize).collect())
}

/// A text that is broken in its latter half, where answers are: cut off, with a piece torn out, or with every second
/// letter illegible. None of an empty text.
#[must_use]
pub fn broken(text: &str, draws: &mut Rng) -> Option<String> {
    let letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return None;
    }
    let (length, half) = (letters.len(), letters.len() / 2);
    let within = |from: usize, to: usize, draws: &mut Rng| from + draws.below((to - from) as u64) as usize;
    let from = within(half, length, draws);
    let spoilt: String = match draws.below(3) {
        0 => letters[..from].iter().collect(),
        1 => {
            let to = within(from, length, draws) + 1;
            letters[..from].iter().chain(&letters[to..]).collect()
        }
        _ => {
            let odd = draws.below(2) as usize;
            let smear = |(place, letter): (usize, &char)| match place {
                // The last letter always, so that something is changed.
                place if place >= half && (place % 2 == odd || place + 1 == length) => illegible(*letter),
                _ => *letter,
            };
            letters.iter().enumerate().map(smear).collect()
        }
    };
    // A piece torn out of equal letters is shorter; all ways change the text.
    Some(spoilt)
}

fn illegible(letter: char) -> char {
    if letter == '#' { '%' } else { '#' }
}

/// A rendered text with one line dropped or two neighbouring ones swapped; of a single line, a word. None of an empty text.
#[must_use]
pub fn corrupted(text: &str, draws: &mut Rng) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    for separator in ['\n', ' '] {
        let mut parts: Vec<&str> = text.split(separator).collect();
        if parts.len() < 2 {
            continue;
        }
        let filled: Vec<usize> = (0..parts.len()).filter(|place| !parts[*place].trim().is_empty()).collect();
        let pairs: Vec<usize> = (1..filled.len()).filter(|at| parts[filled[at - 1]] != parts[filled[*at]]).collect();
        let swap = draws.below(2) == 0;
        match (draws.choose(&pairs), draws.choose(&filled)) {
            (Some(at), _) if swap => parts.swap(filled[at - 1], filled[*at]),
            (_, Some(place)) => drop(parts.remove(*place)),
            (_, None) => continue,
        }
        return Some(parts.join(&separator.to_string()));
    }
    broken(text, draws)
}

/// A text in which the answer that `answering` describes is another one: it cites another fact of `facts`, the ids of the evidence at
/// hand, or states another figure. `None` where it gives no such answer, or one without either. Years, bare digits and the names of things
/// (`10-K`) stay as they are.
#[must_use]
pub fn misstated(text: &str, answering: &Answering, facts: &[String], draws: &mut Rng) -> Option<String> {
    let after = text.rfind(&answering.tool)? + answering.tool.len();
    let argument = after + text.get(after..)?.find(&answering.argument)? + answering.argument.len();
    let rest = text.get(argument..)?;
    // The quotation mark that ends the name of a JSON member is not the one that begins the value.
    let ends_name = usize::from(rest.starts_with('"'));
    let (start, end) = match listed(rest.get(ends_name..)?) {
        // Facts are cited in a list, of which a figure is in the first text at most.
        Some((open, close)) if !facts.is_empty() => (argument + ends_name + open, argument + ends_name + close),
        _ => value_in(text, argument, ends_name)?,
    };
    let value = text.get(start..end)?;
    let other = another_fact(value, facts, draws).or_else(|| another_figure(value, draws))?;
    Some([&text[..start], &other, &text[end..]].concat())
}

/// Where a list directly follows the sign of an argument, without its brackets.
fn listed(rest: &str) -> Option<(usize, usize)> {
    let open = rest.find(|letter: char| !(letter.is_whitespace() || matches!(letter, '=' | ':')))?;
    let inside = rest.get(open..)?.strip_prefix('[')?;
    Some((open + 1, open + 1 + inside.find(']').unwrap_or(inside.len())))
}

/// Where the value of an argument begins and ends: the first text in quotation marks, or all that is left of the line.
fn value_in(text: &str, argument: usize, ends_name: usize) -> Option<(usize, usize)> {
    let rest = text.get(argument..)?;
    Some(match rest.get(ends_name..)?.find('"') {
        Some(quote) => {
            let start = argument + ends_name + quote + 1;
            (start, start + closing(text.get(start..)?))
        }
        None => (argument, argument + rest.find('\n').unwrap_or(rest.len())),
    })
}

/// A text with another id of `facts` in the place of one that it cites; `None` if it cites none, or all of them.
#[must_use]
pub fn another_fact(text: &str, facts: &[String], draws: &mut Rng) -> Option<String> {
    let is_edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    let places = |fact: &str| -> Vec<usize> {
        let whole =
            |at: &usize| is_edge(text[..*at].chars().next_back()) && is_edge(text[at + fact.len()..].chars().next());
        text.match_indices(fact).map(|(at, _)| at).filter(whole).collect()
    };
    let (cited, others): (Vec<&String>, Vec<&String>) =
        facts.iter().filter(|fact| !fact.is_empty()).partition(|fact| !places(fact).is_empty());
    let gone = *draws.choose(&cited)?;
    let other = draws.choose(&others)?;
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for place in places(gone) {
        out.push_str(&text[at..place]);
        out.push_str(other);
        at = place + gone.len();
    }
    out.push_str(&text[at..]);
    Some(out)
}

/// Where a quoted text ends: its first quotation mark that no backslash goes before.
fn closing(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at,
            _ => {}
        }
    }
    text.len()
}

/// A text with other digits in one of its figures; none without one.
#[must_use]
pub fn another_figure(text: &str, draws: &mut Rng) -> Option<String> {
    let mut figures: Vec<std::ops::Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find(|letter: char| letter.is_ascii_digit())) {
        let start = at + offset;
        let body = text[start..].find(|letter: char| !(letter.is_ascii_digit() || ".,".contains(letter)));
        let end = start + text[start..start + body.unwrap_or(text.len() - start)].trim_end_matches(['.', ',']).len();
        at = end.max(start + 1);
        let (before, behind) = (text[..start].chars().next_back(), text[end..].chars().next());
        let digits = text[start..end].bytes().filter(u8::is_ascii_digit).count();
        let within_word = before.is_some_and(|letter| letter.is_alphanumeric() || "\\-/_".contains(letter));
        let marked = text[start..end].contains(['.', ',']) || before == Some('$') || behind == Some('%');
        if !within_word && behind != Some('-') && (marked && digits > 1 || digits > 4) {
            figures.push(start..end);
        }
    }
    let figure = draws.choose(&figures)?.clone();
    let mut first = true;
    let other: String = text[figure.clone()]
        .chars()
        .map(|letter| match letter.to_digit(10) {
            None => letter,
            Some(digit) => {
                // Another digit, and no zero in front.
                let other = if std::mem::take(&mut first) {
                    1 + (digit.saturating_sub(1) + 1 + draws.below(8) as u32) % 9
                } else {
                    (digit + 1 + draws.below(9) as u32) % 10
                };
                char::from_digit(other, 10).unwrap_or(letter)
            }
        })
        .collect();
    Some([&text[..figure.start], &other, &text[figure.end..]].concat())
}

/// A message in which one thing is altered: another subject in the place of one that is named, a letter or a number
/// changed, or an entry dropped.
#[must_use]
pub fn altered(message: &Value, subjects: &[String], draws: &mut Rng) -> Value {
    let mut places = Vec::new();
    walk(message, &mut Vec::new(), &mut places);
    let mut changed = message.clone();
    let Some(path) = draws.choose(&places).cloned() else {
        // Nothing in it to change.
        return if message.is_null() { Value::from("") } else { Value::Null };
    };
    let Some((last, parents)) = path.split_last() else { return other(message, subjects, draws) };
    let drop_it = draws.below(4) == 0;
    let parent = parents.iter().try_fold(&mut changed, step);
    match (parent, last) {
        (Some(Value::Object(members)), Key::Name(name)) if drop_it => drop(members.remove(name)),
        (Some(Value::Array(items)), Key::Place(place)) if drop_it && *place < items.len() => drop(items.remove(*place)),
        (Some(parent), key) => {
            if let Some(value) = step(parent, key) {
                *value = other(value, subjects, draws);
            }
        }
        (None, _) => {}
    }
    changed
}

#[derive(Clone, Debug)]
enum Key {
    Name(String),
    Place(usize),
}

fn step<'a>(value: &'a mut Value, key: &Key) -> Option<&'a mut Value> {
    match key {
        Key::Name(name) => value.get_mut(name),
        Key::Place(place) => value.get_mut(place),
    }
}

/// The paths of everything that holds nothing else.
fn walk(value: &Value, path: &mut Vec<Key>, places: &mut Vec<Vec<Key>>) {
    match value {
        Value::Object(members) if !members.is_empty() => members.iter().for_each(|(name, value)| {
            path.push(Key::Name(name.clone()));
            walk(value, path, places);
            path.pop();
        }),
        Value::Array(items) if !items.is_empty() => items.iter().enumerate().for_each(|(place, value)| {
            path.push(Key::Place(place));
            walk(value, path, places);
            path.pop();
        }),
        Value::Object(_) | Value::Array(_) => {
            if !path.is_empty() {
                places.push(path.clone());
            }
        }
        _ => places.push(path.clone()),
    }
}

/// Another value in the place of one that holds nothing else.
fn other(value: &Value, subjects: &[String], draws: &mut Rng) -> Value {
    match value {
        Value::Null => Value::from(""),
        Value::Bool(truth) => Value::from(!truth),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::from(whole.checked_add(1).unwrap_or_default()),
            // Shares and confidences become their opposites.
            (None, Some(part)) if (0.0..=1.0).contains(&part) && (1.0 - part - part).abs() > 1e-9 => {
                // In thousandths, so that no trace of binary fractions is left.
                Value::from(((1.0 - part) * 1000.0).round() / 1000.0)
            }
            (None, Some(part)) if (0.0..=1.0).contains(&part) => Value::from(0.0),
            (None, Some(part)) => Value::from(-part),
            (None, None) => Value::from(0),
        },
        Value::String(text) => Value::from(other_text(text, subjects, draws)),
        Value::Array(_) => Value::Object(Map::new()),
        Value::Object(_) => Value::Null,
    }
}

fn other_text(text: &str, subjects: &[String], draws: &mut Rng) -> String {
    // The longest name first: one may be the beginning of another.
    let named = subjects.iter().filter(|name| !name.is_empty() && text.contains(name.as_str()));
    if let Some(named) = named.max_by_key(|name| name.len()) {
        let others: Vec<&String> = subjects.iter().filter(|name| *name != named).collect();
        if let Some(other) = draws.choose(&others) {
            return text.replace(named.as_str(), other);
        }
    }
    broken(text, draws).unwrap_or_else(|| "?".to_owned())
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Answering, Rng};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{altered, another_fact, another_figure, broken, corrupted, cut, misstated};

    fn messages() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (0..=1000_u32).prop_map(|part| Value::from(f64::from(part) / 1000.0)),
            "[a-cA-B#]{0,4}".prop_map(Value::from),
            Just(Value::from("Remove User1")),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-d]", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn texts_are_spoilt_always_and_alike_by_the_same_draws(text in "[a-c#\n ]{0,30}|\\PC{0,30}", seed: u64) {
            for way in [cut, broken, corrupted] {
                let spoil = || way(&text, &mut Rng::stream(seed, "test"));
                match spoil() {
                    None => prop_assert!(text.is_empty()),
                    Some(spoilt) => {
                        prop_assert_ne!(&spoilt, &text);
                        prop_assert!(spoilt.chars().count() <= text.chars().count());
                        prop_assert_eq!(spoil(), Some(spoilt));
                    }
                }
            }
            if let Some(start) = cut(&text, &mut Rng::stream(seed, "test")) {
                prop_assert!(text.starts_with(&start));
            }
        }

        #[test]
        fn messages_are_altered_always_and_alike_by_the_same_draws(message in messages(), seed: u64) {
            let subjects = ["User1".to_owned(), "User10".to_owned()];
            let alter = || altered(&message, &subjects, &mut Rng::stream(seed, "test"));
            prop_assert_ne!(alter(), message.clone());
            prop_assert_eq!(alter(), alter());
        }
    }

    // covers: CYC-095
    #[test]
    fn a_figure_of_the_answer_becomes_another_one_and_nothing_else_does() {
        let answering = Answering { tool: "give".to_owned(), argument: "answer".to_owned() };
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..40 {
            let text = r#"Thought: $9.99 it is.
Answer: give answer="In 2024 the 10-K says \"$1,234.5\" million.", sources=[{"url":"https://x.example/1,234.5"}]"#;
            let spoilt = misstated(text, &answering, &[], &mut Rng::stream(seed, "test")).unwrap();
            let figure = spoilt.split('$').nth(2).unwrap().split('\\').next().unwrap();
            assert_eq!(spoilt.replacen(figure, "1,234.5", 1), text, "only the figure");
            assert!(figure.bytes().zip(*b"1,234.5").all(|(new, old)| (new == old) != old.is_ascii_digit()), "{figure}");
            assert!(!figure.starts_with('0'));
            seen.insert(spoilt);
        }
        assert!(seen.len() > 20);
        let json = r#"{"tool": "give", "arguments": {"answer": "5.25%"}}"#;
        let spoilt = misstated(json, &answering, &[], &mut Rng::stream(1, "test")).unwrap();
        assert!(serde_json::from_str::<Value>(&spoilt).is_ok() && spoilt != json, "{spoilt}");
        for none in ["look at 5.25%", "give answer=\"In 2024, 5 of 10-K\"", "give", ""] {
            assert_eq!(misstated(none, &answering, &[], &mut Rng::stream(1, "test")), None, "{none}");
        }
        assert_eq!(another_figure("caf\u{e9} 1.", &mut Rng::stream(1, "test")), None);
    }

    // covers: CYC-095
    #[test]
    fn a_cited_fact_becomes_another_one_of_the_evidence() {
        let answering = Answering { tool: "conclude".to_owned(), argument: "facts".to_owned() };
        let facts: Vec<String> = (1..=12).map(|number| format!("F{number:03}")).collect();
        let ids = |text: &str| -> Vec<String> {
            let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.starts_with('F'));
            words.map(str::to_owned).collect()
        };
        for text in [
            r#"Thought: F001 shows it.
Answer: conclude verdict="THREAT_CONFIRMED", confidence="0.9", facts="F001 F002""#,
            r#"Answer: conclude facts=["F001", "F002"], verdict="THREAT_CONFIRMED", confidence="0.95""#,
            r#"{"action": "conclude", "verdict": "X", "facts": ["F001",
"F002"]}"#,
            "Answer: conclude facts=F001, F002",
        ] {
            let (mut seen, mut gone) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
            for seed in 0..60 {
                let spoilt = misstated(text, &answering, &facts, &mut Rng::stream(seed, "test")).unwrap();
                let (before, after) = (ids(text), ids(&spoilt));
                let changed: Vec<usize> = (0..before.len()).filter(|at| before[*at] != after[*at]).collect();
                assert_eq!((before.len(), changed.len()), (after.len(), 1), "{spoilt}");
                let (old, new) = (&before[changed[0]], &after[changed[0]]);
                assert!(facts.contains(new) && new != "F001" && new != "F002", "{spoilt}");
                assert_eq!(spoilt.len(), text.len());
                gone.insert(old.clone());
                seen.insert(new.clone());
            }
            assert_eq!((gone.len(), seen.len()), (2, 10), "{text}");
        }
        // What cites nothing, and what cites all, stays.
        let none = r#"conclude verdict="INCONCLUSIVE", facts="none""#;
        assert_eq!(misstated(none, &answering, &facts, &mut Rng::stream(1, "test")), None);
        assert_eq!(another_fact("F001 F002", &facts[..2], &mut Rng::stream(1, "test")), None);
        assert_eq!(another_fact("F0010", &facts, &mut Rng::stream(1, "test")), None);
    }

    #[test]
    fn a_subject_becomes_another_one() {
        let subjects = ["User1", "User10", "Server"].map(str::to_owned);
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..60 {
            let said = altered(&json!({ "action": "Remove User10" }), &subjects, &mut Rng::stream(seed, "test"));
            seen.insert(said.to_string());
        }
        let all = [r#"{"action":"Remove Server"}"#, r#"{"action":"Remove User1"}"#, "{}"];
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
    }

    #[test]
    fn a_block_loses_a_line_or_has_two_swapped() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..60 {
            seen.insert(corrupted("a\nb\n\nc", &mut Rng::stream(seed, "test")).unwrap());
        }
        let all = ["a\n\nc", "a\nb\n", "a\nc\n\nb", "b\n\nc", "b\na\n\nc"];
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
    }
}
