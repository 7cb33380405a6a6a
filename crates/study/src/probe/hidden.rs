//! What was hidden from the agent of what decides success: the calls of the expert that it could not have known before it
//! acted at all (CYC-090).
//!
//! A *thing* is a word, or a word with the number behind it (`egg 2`). It was hidden where neither the first observation
//! nor the brief nor a tool tells it, the agent has not named it by itself, and the observation of one call tells it before
//! a later call names it. Then several calls depend on it: the one that tells it, those without which that one does not
//! tell it, and those that name it.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::{Environment, ToolCall};
use serde_json::Value;

use super::{Made, step};

/// Of the calls, those that nothing was hidden from.
pub(super) async fn told(start: &dyn Environment, first: &str, seed: u64, way: &[Made]) -> u64 {
    let mut known = beforehand(start, first);
    let mut told_by: BTreeMap<String, usize> = BTreeMap::new();
    let mut hidden = vec![false; way.len()];
    // What is found out by which call, as far as a later call names it.
    let mut found: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for (place, made) in way.iter().enumerate() {
        for thing in things_of(&made.call) {
            if let Some(by) = told_by.get(&thing) {
                hidden[place] = true;
                found.entry(*by).or_default().insert(thing);
            } else {
                // The agent's own word: a later text that contains it shows nothing new.
                known.insert(thing);
            }
        }
        for thing in things(&made.text) {
            if !known.contains(&thing) {
                told_by.entry(thing).or_insert(place);
            }
        }
    }
    for (by, wanted) in &found {
        hidden[*by] = true;
        for (left_out, hidden) in hidden.iter_mut().enumerate().take(*by) {
            *hidden = *hidden || !is_told_without(start, seed, &way[..=*by], left_out, wanted).await;
        }
    }
    way.iter().zip(hidden).filter(|(made, hidden)| made.seen && !hidden).count() as u64
}

/// What the agent has seen before its first call.
fn beforehand(start: &dyn Environment, first: &str) -> BTreeSet<String> {
    let brief = start.brief();
    let mut texts: Vec<&str> = vec![first, &brief.goal, &brief.role, &brief.subject];
    texts.extend(brief.subjects.iter().map(String::as_str));
    texts.extend(brief.glossary.iter().flat_map(|entry| [&*entry.name, &*entry.description, &*entry.usage]));
    texts.extend(brief.materials.iter().map(|material| &*material.text));
    let mut known: BTreeSet<String> = texts.into_iter().flat_map(things).collect();
    for tool in start.tools().iter() {
        known.extend(things(&tool.name).into_iter().chain(things(&tool.description)));
        known.extend(things(&tool.parameters.to_string()));
    }
    known
}

/// Whether the last of these calls tells the wanted things also if another one before it is not made.
async fn is_told_without(
    start: &dyn Environment,
    seed: u64,
    way: &[Made],
    left_out: usize,
    wanted: &BTreeSet<String>,
) -> bool {
    let Some(mut environment) = start.simulator().map(|simulator| simulator.fork(seed)) else { return false };
    let mut last = None;
    for (_, made) in way.iter().enumerate().filter(|(place, _)| *place != left_out) {
        last = step(&mut *environment, &made.call, &mut 0).await;
    }
    last.is_some_and(|last| wanted.is_subset(&things(&last.text)))
}

/// The things that the arguments of a call name.
fn things_of(call: &ToolCall) -> BTreeSet<String> {
    call.arguments.values().filter_map(Value::as_str).flat_map(things).collect()
}

/// Words of a text in small letters, and words with the number behind them.
fn things(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut before: Option<String> = None;
    for part in text.split(|letter: char| !(letter.is_alphanumeric() || letter == '.')) {
        let word = part.trim_matches('.').to_lowercase();
        if word.is_empty() {
            continue;
        }
        let is_number = word.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        if let (true, Some(named)) = (is_number, before.take()) {
            found.insert(format!("{named} {word}"));
        } else if !is_number {
            found.insert(word.clone());
            before = Some(word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::things;

    #[test]
    fn a_thing_is_a_word_or_a_word_with_its_number() {
        let found: Vec<String> = things("You see an Egg 2, a mug_1 and 3.5 of it.").into_iter().collect();
        assert_eq!(found, ["a", "an", "and", "and 3.5", "egg", "egg 2", "it", "mug", "mug 1", "of", "see", "you"]);
    }
}
