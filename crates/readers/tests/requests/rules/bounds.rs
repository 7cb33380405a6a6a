//! Bounds that a request states, and those of the mask that is sent with it: one number for one field.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use gimbal_core::Grammar;
use regex::Regex;
use serde_json::Value;

use super::super::letter::Letter;
use super::{Found, Scene, short};

const RULE: &str = "a bound that is not that of the mask";

/// What a bound is about: characters of a text or of each text of a list, or entries of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Characters,
    Entries,
}

type Bounds = BTreeMap<(String, Unit), BTreeSet<u64>>;

/// A member of the request that says how many entries a list of the answer may have.
const TOLD: [(&str, &str); 2] = [("most_actions", "action_sequence"), ("wanted", "actions")];

pub fn check(scene: &Scene, letter: &Letter<'_>, found: &mut Found) {
    let Some(grammar) = letter.request.grammar.as_deref() else { return };
    if !scene.is_new(&format!("bounds of {} {}", letter.grammar(), letter.told)) {
        return;
    }
    let mut held = Bounds::new();
    match grammar {
        Grammar::JsonSchema(schema) => of_schema(schema, "", &mut held),
        Grammar::Regex(regex) => of_expression(regex, &mut held),
        Grammar::Choice(_) => {}
    }
    let mut told = letter.message("request").map(|message| of_request(&message)).unwrap_or_default();
    told.extend(stated(letter.system, &held));
    for (key, unit, number) in told {
        let Some(bounds) = held.get(&(key.clone(), unit)) else { continue };
        if !bounds.contains(&number) {
            found.push((RULE, format!("\"{key}\" has at most {number} ({unit:?}), and {bounds:?} in the mask")));
        }
    }
    unfounded(letter.system, &held, found);
}

/// The bounds that a schema sets, by the key under which they are. Those of the texts of a list are the list's.
fn of_schema(schema: &Value, key: &str, held: &mut Bounds) {
    static LENGTH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\^\[ !#-\\\[\\\]-~\]\{[0-9]+,([0-9]+)\}\$$").unwrap());
    static NAME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\^\[A-Za-z0-9_\\-\]\(\[A-Za-z0-9 _\\-\]\{0,([0-9]+)\}").unwrap());
    let mut put = |unit, number| {
        held.entry((key.to_owned(), unit)).or_default().insert(number);
    };
    let pattern = schema["pattern"].as_str().unwrap_or_default();
    let number = |of: &Regex| of.captures(pattern).and_then(|found| found[1].parse::<u64>().ok());
    if let Some(length) =
        number(&LENGTH).or_else(|| number(&NAME).map(|most| most + 2)).or(schema["maxLength"].as_u64())
    {
        put(Unit::Characters, length);
    }
    if let Some(entries) = schema["maxItems"].as_u64() {
        put(Unit::Entries, entries);
    }
    for (key, of) in schema["properties"].as_object().into_iter().flatten() {
        of_schema(of, key, held);
    }
    let inner = ["anyOf", "oneOf"].into_iter().filter_map(|of| schema[of].as_array()).flatten();
    for of in inner.chain(schema.get("items")) {
        of_schema(of, key, held);
    }
}

/// Those of the texts of an expression: `"key": "[...]{least,most}"`, and those of the texts of a list.
fn of_expression(expression: &str, held: &mut Bounds) {
    static TEXT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#""([a-z_]+)": (?:\\\[\()?"(?:\[ !#-\\\[\\\]-~\]\{[0-9]+,([0-9]+)\}|\[A-Za-z0-9_\\-\]\(\[A-Za-z0-9 _\\-\]\{0,([0-9]+)\})"#).unwrap()
    });
    for found in TEXT.captures_iter(expression) {
        let number = |at: usize| found.get(at).and_then(|digits| digits.as_str().parse::<u64>().ok());
        if let Some(most) = number(2).or_else(|| number(3).map(|most| most + 2)) {
            held.entry((found[1].to_owned(), Unit::Characters)).or_default().insert(most);
        }
    }
}

fn of_request(message: &Value) -> Vec<(String, Unit, u64)> {
    let told =
        TOLD.into_iter().filter_map(|(key, list)| Some((list.to_owned(), Unit::Entries, message[key].as_u64()?)));
    told.collect()
}

/// The bounds that a text states: each `at most N`, of the last field of the mask that is named before it on its line.
fn stated(text: &str, held: &Bounds) -> Vec<(String, Unit, u64)> {
    static BOUND: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:at most|of) ([0-9]+)(?: (?:short )?([a-z]+))?").unwrap());
    static KEY: LazyLock<Regex> = LazyLock::new(|| Regex::new("\"([a-z_0-9]+)\"").unwrap());
    let keys: BTreeSet<&str> = held.keys().map(|(key, _)| key.as_str()).collect();
    let mut all = Vec::new();
    for line in text.lines() {
        let named: Vec<(usize, &str)> = KEY
            .captures_iter(line)
            .filter_map(|found| found.get(1))
            .map(|key| (key.start(), key.as_str()))
            .filter(|(_, key)| keys.contains(key))
            .collect();
        for found in BOUND.captures_iter(line) {
            let whole = found.get(0).unwrap();
            let Some((at, key)) = named.iter().rev().find(|(at, _)| *at < whole.start()) else { continue };
            // What a sentence of its own is about has no key.
            let between = &line[*at..whole.start()];
            if between.contains(". ") && between.rsplit(". ").next().is_some_and(|sentence| !sentence.contains(key)) {
                continue;
            }
            let unit = match found.get(2).map_or("", |unit| unit.as_str()) {
                "characters" => Unit::Characters,
                "entries" | "entry" | "objects" | "texts" | "patterns" | "" | "each" => Unit::Entries,
                _ => continue,
            };
            all.extend(found[1].parse().ok().map(|number| ((*key).to_owned(), unit, number)));
        }
    }
    all
}

/// A bound of all lists, where a list of the mask has another one that is not stated for itself.
fn unfounded(system: &str, held: &Bounds, found: &mut Found) {
    let Some(at) = system.find("ist has at most ") else { return };
    let rest = &system[at + "ist has at most ".len()..];
    let Some(most) = rest.split(' ').next().and_then(|number| number.parse::<u64>().ok()) else { return };
    for ((key, _), numbers) in held.iter().filter(|((_, unit), _)| *unit == Unit::Entries) {
        let own = system.contains(&format!("\"{key}\" has at most ")) || system.contains(&format!("\"{key}\":"));
        if !own && numbers.iter().any(|number| *number > most) {
            found.push((RULE, format!("\"{key}\": {numbers:?} entries in the mask: {}", short(rest))));
        }
    }
}
