//! Finding a JSON array or object in what a model wrote. JSON is read as models write it: [`lenient`]. Keys are read without
//! regard to case, and what parts words in them as `_`.

use gimbal_messages::Tier;
use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::{bare, key, lenient, unfenced};

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

/// The array that `text` holds and how it was found: as it is; else without thoughts, an answer prefix, code fences or an
/// object around it, or as the first array anywhere in the text. None if it holds none, or names a key twice.
#[must_use]
pub fn array(text: &str) -> Option<(Vec<Value>, Tier)> {
    let text = text.trim();
    if let Ok(Value::Array(items)) = serde_json::from_str(text) {
        return listed(items, is_clear(text)?);
    }
    let bare = bare(text);
    let bare = unfenced(without_prefix(bare.trim()));
    match lenient::whole(bare) {
        Some(found) if found.ambiguous => return None,
        Some(found) => {
            if let Some(items) = unwrapped(found.value) {
                return listed(items, Tier::Normalised);
            }
        }
        None => {}
    }
    let words = || match lenient::whole_with_words(bare).filter(|found| !found.ambiguous)?.value {
        Value::Array(items) => Some(items),
        _ => None,
    };
    let found = first_array(bare, lenient::value).or_else(words).or_else(|| objects(bare, lenient::value));
    // Texts without quotes are the last that is tried: what is read without them is read as before.
    let with_words = || {
        let listed = first_array(bare, lenient::value_with_words).filter(|items| items.iter().any(Value::is_object));
        listed.or_else(|| objects(bare, lenient::value_with_words))
    };
    found.or_else(with_words).and_then(|items| listed(items, Tier::Normalised))
}

/// How a value at the beginning of a text is read.
type Read = fn(&str) -> Option<lenient::Found>;

/// The JSON object that `text` holds and how it was found: as it is; else without thoughts, an answer prefix or code fences,
/// or as the first object with members anywhere in the text. None if it holds none, names a key twice, or holds another
/// object that says otherwise of the same key.
#[must_use]
pub fn object(text: &str) -> Option<(Map<String, Value>, Tier)> {
    let text = text.trim();
    if let Ok(Value::Object(members)) = serde_json::from_str(text) {
        return known(members, is_clear(text)?);
    }
    let bare = bare(text);
    let bare = unfenced(without_prefix(bare.trim()));
    if let Some(found) = lenient::whole(bare)
        && let Value::Object(members) = found.value
    {
        return if found.ambiguous { None } else { known(members, Tier::Normalised) };
    }
    let mut all = apart(bare, '{').filter(|found| !found.ambiguous).filter_map(|found| match found.value {
        Value::Object(members) if !members.is_empty() => known(members, Tier::Normalised),
        _ => None,
    });
    let (first, tier) = all.next()?;
    let contradicts =
        |other: &Map<String, Value>| other.iter().any(|(key, value)| first.get(key).is_some_and(|own| own != value));
    (!all.any(|(other, _)| contradicts(&other))).then_some((first, tier))
}

/// A value with every key in it as keys are compared; none if an object then names one twice with different values.
#[must_use]
pub fn keyed(value: Value) -> Option<Value> {
    match value {
        Value::Array(items) => items.into_iter().map(keyed).collect(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| Some((name, keyed(value)?)));
            let members = members.collect::<Option<Map<String, Value>>>()?;
            Some(Value::Object(known(members, Tier::Direct)?.0))
        }
        other => Some(other),
    }
}

/// The members by their keys as they are compared, not those within them: there a key may be a name.
fn known(members: Map<String, Value>, tier: Tier) -> Option<(Map<String, Value>, Tier)> {
    if members.keys().all(|written| key(written) == *written) {
        return Some((members, tier));
    }
    let mut all = Map::new();
    for (written, value) in members {
        match all.entry(key(&written)) {
            Entry::Vacant(place) => {
                place.insert(value);
            }
            Entry::Occupied(place) if *place.get() != value => return None,
            Entry::Occupied(_) => {}
        }
    }
    Some((all, tier.max(Tier::Normalised)))
}

/// The items, each object of them with its keys as they are compared.
fn listed(items: Vec<Value>, mut tier: Tier) -> Option<(Vec<Value>, Tier)> {
    let mut all = Vec::with_capacity(items.len());
    for item in items {
        all.push(match item {
            Value::Object(members) => {
                let (members, read) = known(members, tier)?;
                tier = read;
                Value::Object(members)
            }
            other => other,
        });
    }
    Some((all, tier))
}

/// A strict text is taken as it is, unless it names a key twice with different values.
fn is_clear(text: &str) -> Option<Tier> {
    lenient::whole(text).is_none_or(|found| !found.ambiguous).then_some(Tier::Direct)
}

/// The values that begin with this bracket.
fn places(text: &str, bracket: char, read: Read) -> impl Iterator<Item = lenient::Found> + '_ {
    text.match_indices(bracket).take(CANDIDATES).filter_map(move |(at, _)| read(&text[at..]))
}

/// The values that begin with this bracket and stand within no other of them.
fn apart(text: &str, bracket: char) -> impl Iterator<Item = lenient::Found> + '_ {
    let mut from = 0;
    let all = text.match_indices(bracket).take(CANDIDATES);
    all.filter_map(move |(at, _)| {
        let found = lenient::value(&text[at..]).filter(|_| at >= from)?;
        from = at + found.length;
        Some(found)
    })
}

/// Objects that stand one behind the other without brackets around them.
fn objects(text: &str, read: Read) -> Option<Vec<Value>> {
    let mut items = Vec::new();
    let mut from = 0;
    for _ in 0..CANDIDATES {
        let Some(at) = text[from..].find('{').map(|at| from + at) else { break };
        match read(&text[at..]) {
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
        Value::Object(members) => {
            let (mut members, _) = known(members, Tier::Normalised)?;
            for key in WRAPPERS {
                match members.get_mut(key).map(Value::take) {
                    Some(Value::Array(items)) => return Some(items),
                    Some(Value::Object(inner)) => return Some(vec![Value::Object(inner)]),
                    Some(other) => {
                        members.insert(key.to_owned(), other);
                    }
                    None => {}
                }
            }
            Some(vec![Value::Object(members)])
        }
        _ => None,
    }
}

/// The first array anywhere; one of objects goes before any other, since words in brackets are not a message.
fn first_array(text: &str, read: Read) -> Option<Vec<Value>> {
    let mut other = None;
    for found in places(text, '[', read).filter(|found| !found.ambiguous) {
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

    use super::{Tier, array, keyed, object};

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
        for written in [
            "[{action: Wait, confidence: 0.5}]",
            "I suggest [{action: Wait, confidence: 0.5}], as said.",
            "{action: Wait, confidence: 0.5}",
        ] {
            assert_eq!(array(written), Some((wanted.clone(), Tier::Normalised)), "{written}");
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

    // covers: BOG-070, CYC-013
    #[test]
    fn keys_are_read_without_regard_to_case() {
        let wanted = json!({ "action": "Wait", "recommended_focus": "monitor" });
        for (written, tier) in [
            (r#"{"action": "Wait", "recommended_focus": "monitor"}"#, Tier::Direct),
            (r#"{"Action": "Wait", "Recommended Focus": "monitor"}"#, Tier::Normalised),
            (r#"{"ACTION": "Wait", "recommended-focus": "monitor", "action": "Wait"}"#, Tier::Normalised),
        ] {
            assert_eq!(array(&format!("[{written}]")), Some((vec![wanted.clone()], tier)), "{written}");
            assert_eq!(object(written), Some((wanted.as_object().unwrap().clone(), tier)), "{written}");
            let wrapped = array(&format!("{{\"Suggestions\": [{written}]}}")).unwrap();
            assert_eq!(wrapped, (vec![wanted.clone()], Tier::Normalised), "{written}");
        }
        // A key at a lower level may be a name, and is left as it is where nobody asks for more.
        let below = r#"{"Usual": {"LOCATE": "TAKE"}}"#;
        assert_eq!(object(below).unwrap().0["usual"], json!({ "LOCATE": "TAKE" }));
        assert_eq!(keyed(json!({ "A": [{ "B c": 1 }] })), Some(json!({ "a": [{ "b_c": 1 }] })));
        assert_eq!(keyed(json!([{ "A": 1, "a": 2 }])), None);
    }

    // covers: CYC-013, BOG-070
    #[test]
    fn what_says_two_things_is_not_read() {
        for written in [
            r#"{"next": "LOCATE", "next": "PLACE"}"#,
            r#"{"next": "LOCATE", "Next": "PLACE"}"#,
            r#"{"next": "LOCATE"} {"next": "PLACE"}"#,
            r#"First {"next": "LOCATE"}, no: {"Next": "PLACE", "memory": {}}"#,
        ] {
            assert_eq!(object(written), None, "{written}");
        }
        assert_eq!(array(r#"[{"action": "Wait", "action": "Oil"}]"#), None);
        assert_eq!(array(r#"[{"action": "Wait", "Action": "Oil"}]"#), None);
        // The same said twice, and what is about something else, contradict nothing.
        for written in [
            r#"{"next": "LOCATE", "next": "LOCATE"}"#,
            r#"{"next": "LOCATE"} that is {"next": "LOCATE"}"#,
            r#"{"next": "LOCATE"} after {"tool": "look"}"#,
        ] {
            assert_eq!(object(written).unwrap().0["next"], "LOCATE", "{written}");
        }
    }

    #[test]
    fn a_long_text_is_given_up_in_time() {
        assert_eq!(array(&"[".repeat(1_000_000)), None);
        assert_eq!(array(&"{\"a\":".repeat(200_000)), None);
    }
}
