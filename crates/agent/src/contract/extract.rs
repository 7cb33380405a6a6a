//! Finding a JSON array or object in what a model wrote. JSON is read as models write it: [`lenient`].

use serde_json::{Map, Value};

use super::Tier;
use crate::reading::{bare, lenient, unfenced};

/// How many opening brackets are tried before a text is given up: reading stays linear in its length.
const CANDIDATES: usize = 16;

/// Keys under which models like to wrap a list.
const WRAPPERS: [&str; 13] = [
    "answer",
    "suggestions",
    "suggested_actions",
    "actions",
    "analysis",
    "findings",
    "results",
    "result",
    "output",
    "data",
    "subtasks",
    "list",
    "items",
];

/// The array that `text` holds and how it was found: as it stands; else without thoughts, an answer prefix, code fences or an
/// object around it, or as the first array anywhere in the text. None if it holds none, or names a key twice.
#[must_use]
pub fn array(text: &str) -> Option<(Vec<Value>, Tier)> {
    let text = text.trim();
    if let Ok(Value::Array(items)) = serde_json::from_str(text) {
        return Some((items, Tier::Direct));
    }
    let bare = bare(text);
    let bare = unfenced(without_prefix(bare.trim()));
    if let Some(found) = lenient::whole(bare)
        && !found.ambiguous
        && let Some(items) = unwrapped(found.value)
    {
        return Some((items, Tier::Normalised));
    }
    first_array(bare).or_else(|| objects(bare)).map(|items| (items, Tier::Normalised))
}

/// The JSON object that `text` holds and how it was found: as it stands; else without thoughts, an answer prefix or code fences,
/// or as the first object with members anywhere in the text. None if it holds none, or names a key twice.
#[must_use]
pub fn object(text: &str) -> Option<(Map<String, Value>, Tier)> {
    let text = text.trim();
    if let Ok(Value::Object(members)) = serde_json::from_str(text) {
        return Some((members, Tier::Direct));
    }
    let bare = bare(text);
    let bare = unfenced(without_prefix(bare.trim()));
    if let Some(found) = lenient::whole(bare)
        && let Value::Object(members) = found.value
    {
        return (!found.ambiguous).then_some((members, Tier::Normalised));
    }
    places(bare, '{').find_map(|found| match found.value {
        Value::Object(members) if !members.is_empty() && !found.ambiguous => Some((members, Tier::Normalised)),
        _ => None,
    })
}

/// The values that begin with this bracket.
fn places(text: &str, bracket: char) -> impl Iterator<Item = lenient::Found> + '_ {
    text.match_indices(bracket).take(CANDIDATES).filter_map(|(at, _)| lenient::value(&text[at..]))
}

/// Objects that stand one behind the other without brackets around them.
fn objects(text: &str) -> Option<Vec<Value>> {
    let mut items = Vec::new();
    let mut from = 0;
    for _ in 0..CANDIDATES {
        let Some(at) = text[from..].find('{').map(|at| from + at) else { break };
        match lenient::value(&text[at..]) {
            Some(found) if !found.ambiguous => {
                from = at + found.length;
                items.push(found.value);
            }
            _ => from = at + 1,
        }
    }
    items.retain(|item| item.as_object().is_some_and(|members| !members.is_empty()));
    (!items.is_empty()).then_some(items)
}

/// Without the word that a protocol puts before an answer.
fn without_prefix(text: &str) -> &str {
    for prefix in ["answer:", "final answer:", "output:"] {
        if text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix)) {
            return text[prefix.len()..].trim();
        }
    }
    text
}

/// A list as it is, the list under a key of an object, or one object as a list of one.
fn unwrapped(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(items) => Some(items),
        Value::Object(mut members) => {
            for key in WRAPPERS {
                match members.get_mut(key).map(Value::take) {
                    Some(Value::Array(items)) => return Some(items),
                    Some(Value::Object(inner)) => return Some(vec![Value::Object(inner)]),
                    _ => {}
                }
            }
            Some(vec![Value::Object(members)])
        }
        _ => None,
    }
}

/// The first array anywhere; one of objects goes before any other, since words in brackets are no message.
fn first_array(text: &str) -> Option<Vec<Value>> {
    let mut other = None;
    for found in places(text, '[').filter(|found| !found.ambiguous) {
        match found.value {
            Value::Array(items) if items.iter().any(Value::is_object) => return Some(items),
            Value::Array(items) => other = other.or(Some(items)),
            _ => {}
        }
    }
    other
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Tier, array, object};

    // covers: BOG-070
    #[test]
    fn finds_the_array_in_what_models_write() {
        let wanted = vec![json!({ "action": "Wait", "confidence": 0.5 })];
        let text = r#"[{"action": "Wait", "confidence": 0.5}]"#;
        assert_eq!(array(&format!(" {text}\n")), Some((wanted.clone(), Tier::Direct)));
        for written in [
            format!("Answer: {text}"),
            format!("```json\n{text}\n```"),
            format!("```\n{text}"),
            format!("{{\"suggestions\": {text}}}"),
            r#"{"action": "Wait", "confidence": 0.5}"#.to_owned(),
            format!("I think [sic] that these are best: {text} and [nothing] else"),
            format!("FINAL ANSWER: ```json\n{text}```"),
            "[{'action': 'Wait', 'confidence': 0.5,},]".to_owned(),
            format!("<think>[{{}}]</think>{text}"),
            "Here: {action: \"Wait\", confidence: .5} // that is all".to_owned(),
        ] {
            assert_eq!(array(&written), Some((wanted.clone(), Tier::Normalised)), "{written}");
        }
        for written in ["", "no list", "[", "{\"a\": ", "[[[[", "```", "\"[1]\"x"] {
            assert!(
                array(written).is_none_or(|(items, _)| !items.iter().any(serde_json::Value::is_object)),
                "{written}"
            );
        }
    }

    // covers: CYC-013
    #[test]
    fn finds_the_object_in_what_models_write() {
        let text = r#"{"next": "craft", "memory": {}}"#;
        assert_eq!(object(text).unwrap().1, Tier::Direct);
        for written in
            [format!("Answer: {text}"), format!("```json\n{text}\n```"), format!("I go {{on}} to {text}, as said")]
        {
            let (members, tier) = object(&written).unwrap();
            assert_eq!((members["next"].as_str(), tier), (Some("craft"), Tier::Normalised), "{written}");
        }
        for written in ["", "{}x{}", "{", "[1]", "next: craft"] {
            assert_eq!(object(written), None, "{written}");
        }
        assert_eq!(object(&"{".repeat(1_000_000)), None);
    }

    #[test]
    fn a_long_text_is_given_up_in_time() {
        assert_eq!(array(&"[".repeat(1_000_000)), None);
        assert_eq!(array(&"{\"a\":".repeat(200_000)), None);
    }
}
