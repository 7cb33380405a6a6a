//! Replies that are one JSON object: the protocol `json`, and native calls that a model writes as text.
//!
//! | object | read as |
//! |---|---|
//! | `{"thought", "action": "text"}` (or `answer`) | the answer |
//! | `{"thought", "action": {"tool", "arguments"}}` | a call |
//! | `{"thought", "tool", "input"}` or `{"reasoning", "tool", "arguments"}` | a call |
//! | `{"action": "Tool", "parameter": "value"}`, `{"Tool": {"parameter": "value"}}` | a call |
//! | `{"function": {"name", "arguments"}}`, `{"tool_calls": [...]}`, `{"name", "parameters"}` | a call |
//!
//! Where the answer is a message to another agent, only `answer` and the plain use of a tool are read: the message's own
//! members may bear any name. Keys count in any case, with blanks for `_`. Text around the object, such as code fences, does not
//! count. Objects that say none of this are passed over with all that they hold, and so is an object in the middle of a
//! sentence: what is quoted, rejected or past is not an answer. Two objects that answer differently are not read. At most
//! [`CANDIDATES`] places are tried.

use serde_json::{Map, Value};

use super::{Expects, Input, Reply, ReplyContent, ToolUse, action_text, plain};
use crate::reading::{self, bare, lenient};
use gimbal_messages::Tier;

/// How many opening braces are tried.
pub const CANDIDATES: usize = 16;

const THOUGHTS: [&str; 6] = ["thought", "reasoning", "thoughts", "rationale", "explanation", "analysis"];
const ANSWERS: [&str; 8] =
    ["action", "answer", "final_answer", "next_action", "chosen_action", "selected_action", "final_action", "actions"];
/// Members that only wrap what is said.
const WRAPPERS: [&str; 10] =
    ["response", "output", "result", "answer", "final", "decision", "reply", "content", "message", "json"];
const INPUTS: [&str; 11] = [
    "arguments",
    "input",
    "parameters",
    "args",
    "params",
    "tool_input",
    "action_input",
    "inputs",
    "kwargs",
    "action_args",
    "tool_args",
];
const NAMES: [&str; 7] = ["tool", "tool_name", "name", "recipient_name", "function_name", "tool_call", "function"];
/// Members that hold a call.
const HOLDERS: [&str; 6] = ["function_call", "tool_calls", "tool_call", "function", "call", "calls"];
/// Words in the place of an action that say that a tool is used.
const USES: [&str; 5] = ["use_tool", "call_tool", "tool", "tool_call", "function_call"];
/// Words in the place of an action that say that its input is the answer.
const ENDINGS: [&str; 3] = ["final_answer", "answer", "final answer"];

/// Reads the text of a reply. `otherwise` reads a text without objects that say something: the form of another protocol is as
/// clear.
#[must_use]
pub fn read(text: &str, expects: Expects, otherwise: fn(&str, Expects) -> Reply) -> Reply {
    if let Some(found) = lenient::whole(text.trim())
        && found.strict
        && !found.ambiguous
        && let Value::Object(object) = found.value
        && let Some(reply) = reply(object, expects)
    {
        return Reply { tier: Tier::Direct, ..reply };
    }
    let body = bare(text);
    objects(&body, expects).unwrap_or_else(|| {
        let other = otherwise(&body, expects);
        match (&other.content, expects) {
            (ReplyContent::Raw(_), _) => Reply::raw(&body, expects),
            // A message may hold lines of any kind.
            (_, Expects::Message) if body.contains(['{', '[']) && !body.contains("nswer") => Reply::raw(&body, expects),
            _ => Reply { tier: Tier::Normalised, ..other },
        }
    })
}

/// What the JSON objects of a text say; `None` if they say nothing, or not all the same.
pub(super) fn objects(text: &str, expects: Expects) -> Option<Reply> {
    let (mut found, mut more): (Option<Reply>, bool) = (None, false);
    let (mut tried, mut from) = (0, 0);
    while let Some(at) = text[from..].find('{').map(|at| from + at).filter(|_| tried < CANDIDATES) {
        // The host's line begins another turn.
        if found.is_some() && text[from..at].to_ascii_lowercase().contains("\nobservation:") {
            break;
        }
        if !text[at + 1..].trim_start().starts_with(|next: char| {
            next == '}' || next.is_alphabetic() || "\"'`\u{201c}\u{2018}\u{201e}/#".contains(next)
        }) {
            from = at + 1;
            continue;
        }
        tried += 1;
        let Some(value) = lenient::value(&text[at..]) else {
            from = at + 1;
            continue;
        };
        from = at + value.length.max(1);
        let read = match value.value {
            Value::Object(object) if !is_in_a_sentence(text, at, from) => reply(object, expects),
            _ => None,
        };
        let Some(read) = read else { continue };
        if value.ambiguous {
            return None;
        }
        match &found {
            Some(first) => more |= first.content != read.content,
            None => found = Some(read),
        }
    }
    let found = found.filter(|first| !more || matches!(first.content, ReplyContent::Use(_)))?;
    Some(Reply { more: found.more || more, tier: Tier::Normalised, ..found })
}

/// Whether a sentence goes on on both sides of what is between `at` and `end`: then it is spoken of.
fn is_in_a_sentence(text: &str, at: usize, end: usize) -> bool {
    let before = text[..at].rsplit('\n').next().unwrap_or_default().trim_end();
    let after = text[end..].split('\n').next().unwrap_or_default();
    let has_words = |part: &str| part.chars().any(char::is_alphabetic);
    has_words(before)
        && !before.ends_with([':', '\u{ff1a}', '>', '[', ']', '(', '|', '='])
        && !before.ends_with("},")
        && has_words(after)
}

/// The keys that are known, in small letters and with `_` for blanks.
fn known_keys(object: Map<String, Value>) -> Map<String, Value> {
    let known = |written: &String| {
        let plain = reading::key(written);
        let lists: [&[&str]; 6] = [&THOUGHTS, &ANSWERS, &INPUTS, &NAMES, &HOLDERS, &["command"]];
        lists.iter().any(|list| list.contains(&plain.as_str())).then_some(plain)
    };
    if object.keys().all(|key| known(key).is_none_or(|plain| plain == *key)) {
        return object;
    }
    let mut plain = Map::new();
    for (key, value) in object {
        plain.entry(known(&key).unwrap_or(key)).or_insert(value);
    }
    plain
}

fn reply(object: Map<String, Value>, expects: Expects) -> Option<Reply> {
    let mut object = known_keys(object);
    let thought = THOUGHTS.iter().find_map(|key| object.get(*key).map(plain)).unwrap_or_default().trim().to_owned();
    let read = match expects {
        Expects::Action => action(&mut object),
        Expects::Message => message(&mut object),
    }?;
    // Of two answers none is read; of two calls the engine says so.
    let is_clear = !read.more || matches!(read.content, ReplyContent::Use(_));
    is_clear.then(|| Reply { more: read.more, ..Reply::new(thought, read.content, Tier::Normalised) })
}

/// What an object says, and whether it says more than that.
struct ReadObject {
    content: ReplyContent,
    more: bool,
}

impl ReadObject {
    fn one(content: ReplyContent) -> Option<Self> {
        Some(Self { content, more: false })
    }
}

fn message(object: &mut Map<String, Value>) -> Option<ReadObject> {
    match object.shift_remove("answer").or_else(|| object.shift_remove("final_answer")) {
        Some(Value::Null) | None => {}
        Some(Value::String(text)) => return ReadObject::one(ReplyContent::Answer(text.trim().to_owned())),
        Some(answer) => return ReadObject::one(ReplyContent::Answer(answer.to_string())),
    }
    if let Some(answer) = object.get("action").filter(|answer| answer.is_array() || answer.is_object()) {
        return ReadObject::one(ReplyContent::Answer(answer.to_string()));
    }
    let named = object.contains_key("tool") || object.contains_key("tool_name");
    let given = INPUTS.iter().any(|key| object.contains_key(*key));
    if named || (given && object.contains_key("name")) {
        return tool_use(std::mem::take(object))
            .map(|used| ReadObject { content: ReplyContent::Use(used), more: false });
    }
    None
}

fn action(object: &mut Map<String, Value>) -> Option<ReadObject> {
    let key = ANSWERS.into_iter().find(|key| object.get(*key).is_some_and(|value| !is_nothing(value)));
    let Some(key) = key else {
        let command = object.get("command").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        return match command.filter(|_| !NAMES.iter().any(|name| object.contains_key(*name))) {
            Some(command) => ReadObject::one(ReplyContent::Answer(action_text(command))),
            None => called(object),
        };
    };
    let beside = object.clone();
    let said = said_by(key, object)?;
    // `{"answer": "Monitor", "action": "Restore hostname=User1"}`: which of the two is meant cannot be known.
    let differ = |other: &&str| {
        matches!((&beside[key], beside.get(*other)), (Value::String(one), Some(Value::String(two)))
            if !two.trim().is_empty() && !action_text(one).eq_ignore_ascii_case(&action_text(two)))
    };
    let is_named = |word: &str| USES.contains(&word) || ENDINGS.contains(&word);
    let names_a_use = beside[key].as_str().is_some_and(|word| is_named(word.trim().to_lowercase().as_str()));
    let differs = !names_a_use && ANSWERS.iter().any(differ);
    Some(ReadObject { more: said.more || differs, ..said })
}

/// What the member `key` says.
fn said_by(key: &str, object: &mut Map<String, Value>) -> Option<ReadObject> {
    match object.get(key)? {
        Value::Object(inner) => {
            let mut inner = known_keys(inner.clone());
            if let Some(said) = called(&mut inner) {
                return Some(said);
            }
            if let Some(said) = action(&mut inner) {
                return Some(said);
            }
            ReadObject::one(ReplyContent::Answer(object.get(key)?.to_string()))
        }
        Value::Array(items) => match items.as_slice() {
            [one] => action(&mut Map::from_iter([("action".to_owned(), one.clone())])),
            many => ReadObject::one(ReplyContent::Answer(many.iter().map(plain).collect::<Vec<_>>().join("\n"))),
        },
        Value::String(name) => {
            let name = name.trim().to_owned();
            let word = name.to_lowercase();
            if USES.contains(&word.as_str()) {
                object.shift_remove(key);
                return called(object);
            }
            // `{"action": "final_answer", "action_input": "Monitor"}`.
            if ENDINGS.contains(&word.as_str()) {
                let input =
                    INPUTS.iter().chain(&ANSWERS).filter(|other| **other != key).find_map(|key| object.get(*key));
                return action(&mut Map::from_iter([("action".to_owned(), input?.clone())]));
            }
            let is_word =
                !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
            if is_word && let Some(input) = INPUTS.iter().find_map(|key| object.get(*key)) {
                return ReadObject::one(ReplyContent::Use(ToolUse { name, input: given(input.clone()) }));
            }
            let is_own = |key: &str| ANSWERS.contains(&key) || THOUGHTS.contains(&key);
            let mut beside = object.clone();
            beside.retain(|key, _| !is_own(key));
            if is_word && !beside.is_empty() {
                return ReadObject::one(ReplyContent::Use(ToolUse { name, input: Input::Beside(beside) }));
            }
            ReadObject::one(ReplyContent::Answer(action_text(&name)))
        }
        other => ReadObject::one(ReplyContent::Answer(plain(other))),
    }
}

/// Whether a value means that there is none.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// The call of an object, where it is one.
fn called(object: &mut Map<String, Value>) -> Option<ReadObject> {
    for key in HOLDERS {
        match object.get(key) {
            Some(Value::Object(inner)) => {
                return tool_use(inner.clone())
                    .map(|used| ReadObject { content: ReplyContent::Use(used), more: false });
            }
            Some(Value::Array(items)) => {
                let mut uses = items.iter().filter_map(|item| match item.get("function").unwrap_or(item) {
                    Value::Object(inner) => tool_use(inner.clone()),
                    _ => None,
                });
                let first = uses.next()?;
                let more = uses.any(|other| other != first);
                return Some(ReadObject { content: ReplyContent::Use(first), more });
            }
            _ => {}
        }
    }
    if let Some(used) = tool_use(object.clone()) {
        return ReadObject::one(ReplyContent::Use(used));
    }
    // `{"Tool": {"parameter": "value"}}`, with thoughts beside it.
    object.retain(|key, _| !THOUGHTS.contains(&key.as_str()));
    let mut members = object.iter();
    match (members.next(), members.next()) {
        // What says something by itself is only wrapped, or it is spoken of: `{"rejected": {"action": ...}}`.
        (Some((name, Value::Object(inner))), None) if says_something(inner) => {
            let is_wrapper = WRAPPERS.contains(&reading::key(name).as_str());
            is_wrapper.then(|| action(&mut known_keys(inner.clone()))).flatten()
        }
        (Some((name, Value::Object(arguments))), None) if !INPUTS.contains(&name.as_str()) => {
            ReadObject::one(ReplyContent::Use(ToolUse {
                name: name.clone(),
                input: Input::Arguments(arguments.clone()),
            }))
        }
        _ => None,
    }
}

/// Whether a text holds two members of those that answer.
pub(super) fn answers_twice(text: &str) -> bool {
    ANSWERS.iter().map(|key| text.matches(&format!("\"{key}\"")).count()).sum::<usize>() > 1
}

/// Whether an object has members that say something by themselves.
fn says_something(object: &Map<String, Value>) -> bool {
    let keys = known_keys(object.clone());
    ANSWERS.iter().chain(&NAMES).chain(&THOUGHTS).any(|key| keys.contains_key(*key))
}

/// The use of a tool that an object names.
pub(super) fn tool_use(mut object: Map<String, Value>) -> Option<ToolUse> {
    let name = NAMES.iter().find_map(|key| object.get(*key).and_then(Value::as_str))?.trim();
    let name = name.strip_prefix("functions.").unwrap_or(name).to_owned();
    let input = INPUTS.iter().find_map(|key| object.shift_remove(*key));
    let input = match input {
        Some(input) => given(input),
        None => {
            object.retain(|key, _| {
                !NAMES.contains(&key.as_str())
                    && !THOUGHTS.contains(&key.as_str())
                    && !["type", "id"].contains(&key.as_str())
            });
            if object.is_empty() { Input::Arguments(object) } else { Input::Beside(object) }
        }
    };
    (!name.is_empty()).then_some(ToolUse { name, input })
}

/// An input as it was given; JSON as text counts as JSON.
pub(super) fn given(value: Value) -> Input {
    match value {
        Value::Object(arguments) => Input::Arguments(arguments),
        Value::Null => Input::Arguments(Map::new()),
        Value::String(text) => match lenient::whole(text.trim()).map(|found| found.value) {
            Some(Value::Object(arguments)) => Input::Arguments(arguments),
            _ => Input::Text(text),
        },
        value => Input::Text(plain(&value)),
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
