//! Rules that bring a value into the shape of a schema, each change counted.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

/// What a rule did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A value of another type was read as the type that is asked for, such as the text `0.7` as a number.
    Coerced,
    /// A text or a list was cut to its bound, or a number moved to the end of its range.
    Clipped,
    /// A member that the schema does not have was left out.
    Dropped,
    /// A missing member was filled in with its default.
    Filled,
}

/// One change, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What was done.
    pub kind: ChangeKind,
    /// JSON pointer into the value.
    pub place: String,
}

/// Deepest value that is followed; a schema of ours is never as deep.
const DEPTH: usize = 16;

/// Applies the rules of a schema to a value.
pub(super) fn apply(schema: &Value, value: &mut Value) -> Vec<Change> {
    let mut changes = Vec::new();
    walk(schema, value, &mut String::new(), &mut changes, 0);
    changes
}

fn walk(schema: &Value, value: &mut Value, place: &mut String, changes: &mut Vec<Change>, depth: usize) {
    if depth > DEPTH {
        return;
    }
    if let Some(coerced) = coerced(schema, value) {
        *value = coerced;
        changes.push(Change { kind: ChangeKind::Coerced, place: place.clone() });
    }
    match value {
        Value::Object(members) => object(schema, members, place, changes, depth),
        Value::Array(items) => {
            let most = schema.get("maxItems").and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
            if let Some(most) = most
                && items.len() > most
            {
                items.truncate(most);
                changes.push(Change { kind: ChangeKind::Clipped, place: place.clone() });
            }
            if let Some(of) = schema.get("items") {
                for (index, item) in items.iter_mut().enumerate() {
                    within(place, &index.to_string(), |place| walk(of, item, place, changes, depth + 1));
                }
            }
        }
        Value::String(text) => {
            let most = schema.get("maxLength").and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
            if let Some(most) = most
                && let Some((end, _)) = text.char_indices().nth(most)
            {
                text.truncate(end);
                changes.push(Change { kind: ChangeKind::Clipped, place: place.clone() });
            }
        }
        Value::Number(number) => {
            if let Some(clipped) = clipped(schema, number) {
                *number = clipped;
                changes.push(Change { kind: ChangeKind::Clipped, place: place.clone() });
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn object(
    schema: &Value,
    members: &mut Map<String, Value>,
    place: &mut String,
    changes: &mut Vec<Change>,
    depth: usize,
) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        // Names are open: one schema holds for all values.
        if let Some(of) = schema.get("additionalProperties").filter(|of| of.is_object()) {
            for (key, member) in members.iter_mut() {
                within(place, key, |place| walk(of, member, place, changes, depth + 1));
            }
        }
        return;
    };
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        let extra: Vec<String> = members.keys().filter(|key| !properties.contains_key(*key)).cloned().collect();
        for key in extra {
            members.shift_remove(&key);
            within(place, &key, |place| changes.push(Change { kind: ChangeKind::Dropped, place: place.clone() }));
        }
    }
    for (key, of) in properties {
        within(place, key, |place| match members.get_mut(key) {
            Some(member) => walk(of, member, place, changes, depth + 1),
            None => {
                if let Some(default) = of.get("default") {
                    members.insert(key.clone(), default.clone());
                    changes.push(Change { kind: ChangeKind::Filled, place: place.clone() });
                }
            }
        });
    }
}

/// Runs `then` with the place of a member.
pub(super) fn within(place: &mut String, key: &str, then: impl FnOnce(&mut String)) {
    let length = place.len();
    place.push('/');
    place.push_str(&key.replace('~', "~0").replace('/', "~1"));
    then(place);
    place.truncate(length);
}

/// The value as a type that the schema asks for, where it is of none of them and the reading is beyond doubt.
fn coerced(schema: &Value, value: &Value) -> Option<Value> {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        // Words of an enumeration are texts, also where the schema does not say so.
        None if schema.get("enum").is_some() => vec!["string"],
        _ => return None,
    };
    let is = |kind: &str| match (kind, value) {
        ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_))
        | ("null", Value::Null) => true,
        ("integer", Value::Number(number)) => number.is_i64() || number.is_u64() || whole(number).is_some(),
        _ => false,
    };
    if types.iter().any(|kind| is(kind)) {
        // A word of an enumeration in other letters.
        let words = schema.get("enum")?.as_array()?;
        let text = value.as_str()?;
        let mut same =
            words.iter().filter(|word| word.as_str().is_some_and(|word| word.eq_ignore_ascii_case(text.trim())));
        let word = same.next().filter(|word| *word != value)?;
        return same.next().is_none().then(|| word.clone());
    }
    types.into_iter().find_map(|kind| match (kind, value) {
        ("number", Value::String(text)) => number_in(text).map(Value::Number),
        ("integer", Value::String(text)) => number_in(text).and_then(|number| whole(&number)).map(Value::from),
        ("string", Value::Number(_) | Value::Bool(_)) => Some(Value::from(value.to_string())),
        ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" => Some(Value::Bool(true)),
            "false" | "no" => Some(Value::Bool(false)),
            _ => None,
        },
        ("array", Value::String(_) | Value::Number(_) | Value::Object(_)) => Some(Value::Array(vec![value.clone()])),
        ("null", Value::String(text)) if matches!(text.trim(), "" | "null" | "none") => Some(Value::Null),
        _ => None,
    })
}

/// A number that a text is: decimals, or a percentage, which is a hundredth of its number.
fn number_in(text: &str) -> Option<Number> {
    let text = text.trim();
    let (digits, percent) = text.strip_suffix('%').map_or((text, false), |digits| (digits.trim_end(), true));
    let sound =
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+'));
    let number: f64 = digits.parse().ok().filter(|_| sound)?;
    if percent {
        return Number::from_f64(number / 100.0);
    }
    match digits.parse::<i64>() {
        Ok(whole) => Some(whole.into()),
        Err(_) => Number::from_f64(number),
    }
}

fn whole(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let float = number.as_f64()?;
        (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64)
    })
}

/// The end of the range that a number lies beyond.
fn clipped(schema: &Value, number: &Number) -> Option<Number> {
    let value = number.as_f64()?;
    let bound = |key: &str| schema.get(key).and_then(Value::as_number);
    let least = bound("minimum").filter(|least| least.as_f64().is_some_and(|least| value < least));
    let most = bound("maximum").filter(|most| most.as_f64().is_some_and(|most| value > most));
    least.or(most).cloned()
}
