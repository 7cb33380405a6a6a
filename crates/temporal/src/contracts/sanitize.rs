//! Sanitize, the first step of projection: takes out what a reader does not see, marks of chat formats, spans that tell the reader to leave
//! its instructions, and members that the sender may not send (CTHA-052).

use serde_json::{Map, Value};

use super::note::{Cause, Note};

/// Most characters between the ends of a mark.
const NAME: usize = 24;
/// Most words between a verb and what it is about.
const REACH: usize = 6;

/// Takes out of a message what no message may hold. `fields` are the members that its sender may send.
pub(super) fn sanitize(value: &mut Value, fields: &[&str], notes: &mut Vec<Note>) {
    if let Value::Object(members) = value {
        keep(members, "", Cause::Field, notes, |key| fields.contains(&key));
    }
    walk(value, &mut String::new(), notes);
}

fn walk(value: &mut Value, place: &mut String, notes: &mut Vec<Note>) {
    match value {
        Value::String(text) => clean(text, place, notes),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                within(place, &index.to_string(), |place| walk(item, place, notes));
            }
        }
        Value::Object(members) => {
            // A name that must be cleaned names nothing that anyone asks for.
            keep(members, place, Cause::Hidden, notes, |key| {
                let mut name = key.to_owned();
                clean(&mut name, "", &mut Vec::new());
                name == key
            });
            for (key, member) in members.iter_mut() {
                within(place, key, |place| walk(member, place, notes));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn keep(
    members: &mut Map<String, Value>,
    place: &str,
    cause: Cause,
    notes: &mut Vec<Note>,
    stays: impl Fn(&str) -> bool,
) {
    members.retain(|key, _| {
        let stays = stays(key);
        if !stays {
            notes.push(Note { cause, place: format!("{place}/{}", escaped(key)) });
        }
        stays
    });
}

fn within(place: &mut String, key: &str, then: impl FnOnce(&mut String)) {
    let length = place.len();
    place.push('/');
    place.push_str(&escaped(key));
    then(place);
    place.truncate(length);
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Cleans a text. What is left when something is taken out may be such a thing again, so this goes on until nothing is found; every round
/// makes the text shorter.
fn clean(text: &mut String, place: &str, notes: &mut Vec<Note>) {
    let mut note = |cause: Cause| notes.push(Note { cause, place: place.to_owned() });
    if text.contains(is_hidden) || text.contains(is_break) {
        let hidden = text.contains(is_hidden);
        *text = text.chars().filter(|c| !is_hidden(*c)).map(|c| if is_break(c) { ' ' } else { c }).collect();
        if hidden {
            note(Cause::Hidden);
        }
    }
    loop {
        if let Some((begin, end)) = markup(text) {
            text.replace_range(begin..end, "");
            note(Cause::Markup);
        } else if let Some((begin, end)) = instruction(text) {
            text.replace_range(begin..end, "");
            note(Cause::Instruction);
        } else {
            return;
        }
    }
}

/// Line breaks and tabs, which become blanks.
const fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\t')
}

/// Control characters, and characters without a width of their own that change what is read.
fn is_hidden(character: char) -> bool {
    (character.is_control() && !is_break(character))
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Names of the marks with which chat formats begin and end what someone says.
const ROLES: [&str; 8] = ["system", "user", "assistant", "tool", "instruction", "instructions", "inst", "sys"];

/// The first mark of a chat format: `<|...|>`, `<system>`, `</user>`, `[INST]`, `<<SYS>>`.
fn markup(text: &str) -> Option<(usize, usize)> {
    text.char_indices().filter(|(_, c)| matches!(c, '<' | '[')).find_map(|(begin, opening)| {
        let rest = &text[begin..];
        if let Some(inner) = rest.strip_prefix("<|") {
            return inner.find("|>").map(|end| (begin, begin + 2 + end + 2));
        }
        let (open, close) = match opening {
            '[' => ("[", "]"),
            _ if rest.starts_with("<<") => ("<<", ">>"),
            _ => ("<", ">"),
        };
        let inner = rest.strip_prefix(open)?;
        let end = inner.char_indices().take(NAME).find(|(_, c)| close.starts_with(*c)).map(|(end, _)| end)?;
        if !inner[end..].starts_with(close) {
            return None;
        }
        let name = inner[..end].trim().trim_start_matches('/').trim();
        let is_role = ROLES.iter().any(|role| role.eq_ignore_ascii_case(name));
        is_role.then(|| (begin, begin + open.len() + end + close.len()))
    })
}

const VERBS: [&str; 5] = ["ignore", "disregard", "forget", "bypass", "override"];
const OBJECTS: [&str; 8] =
    ["instruction", "instructions", "prompt", "prompts", "guidelines", "guardrails", "directives", "constraints"];

/// The first span that tells the reader to leave its instructions: a verb with its object at most [`REACH`] words behind it, or `you are now`.
fn instruction(text: &str) -> Option<(usize, usize)> {
    let words = words(text);
    let is = |at: usize, known: &[&str]| {
        words.get(at).is_some_and(|(_, _, word)| known.iter().any(|known| known.eq_ignore_ascii_case(word)))
    };
    (0..words.len()).find_map(|at| {
        if is(at, &VERBS) {
            let object = (at + 1..=at + REACH).find(|object| is(*object, &OBJECTS))?;
            return Some((words[at].0, words[object].1));
        }
        let again = is(at, &["you"]) && is(at + 1, &["are"]) && is(at + 2, &["now"]);
        again.then(|| (words[at].0, words[at + 2].1))
    })
}

/// Runs of letters with their begin and end.
fn words(text: &str) -> Vec<(usize, usize, &str)> {
    let mut words = Vec::new();
    let mut begin = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (character.is_alphabetic(), begin) {
            (true, None) => begin = Some(at),
            (false, Some(from)) => {
                words.push((from, at, &text[from..at]));
                begin = None;
            }
            _ => {}
        }
    }
    words
}
