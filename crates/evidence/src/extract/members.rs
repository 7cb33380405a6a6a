//! Members of a JSON object by the names that agents give them.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::clock;
use crate::Utc;

/// Deepest nesting that is looked into for members of their own.
const MAX_DEPTH: usize = 8;

/// The members of one line.
pub(super) type Members = Map<String, Value>;

/// The first member of these names that holds a text. `a.b` is the member of that name, else `b` in the object `a`.
pub(super) fn first<'a>(members: &'a Members, names: &[&str]) -> Option<Cow<'a, str>> {
    names.iter().find_map(|name| text(find(members, name)?))
}

/// A member by its name, or by its path.
pub(super) fn find<'a>(members: &'a Members, name: &str) -> Option<&'a Value> {
    if let Some(value) = members.get(name) {
        return Some(value);
    }
    let (outer, inner) = name.split_once('.')?;
    find(members.get(outer)?.as_object()?, inner)
}

/// What a value says as a text: texts, numbers, truth values; a list of bytes, as the journal writes what is not plain text; of a list of
/// texts the first. `None` for objects, `null` and everything else.
pub(super) fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(_) | Value::Bool(_) => Some(Cow::Owned(value.to_string())),
        Value::Array(list) => match list.first()? {
            Value::String(text) => Some(Cow::Borrowed(text)),
            Value::Number(_) => {
                let bytes: Option<Vec<u8>> =
                    list.iter().map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok())).collect();
                bytes.map(|bytes| Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
            }
            _ => None,
        },
        Value::Object(_) | Value::Null => None,
    }
}

/// Gives each member that holds a text, number or truth value, those of objects by their paths (`host.name`).
pub(super) fn each(members: &Members, take: &mut dyn FnMut(&str, &str)) {
    below("", members, MAX_DEPTH, take);
}

fn below(above: &str, members: &Members, depth: usize, take: &mut dyn FnMut(&str, &str)) {
    for (name, value) in members {
        let path = if above.is_empty() { Cow::Borrowed(name.as_str()) } else { Cow::Owned(format!("{above}.{name}")) };
        match value {
            Value::Object(inner) if depth > 0 => below(&path, inner, depth - 1, take),
            Value::String(_) | Value::Number(_) | Value::Bool(_) => {
                if let Some(value) = text(value) {
                    take(&path, &value);
                }
            }
            _ => {}
        }
    }
}

/// A time as agents write it: a date and a time of day, seconds since 1970, or milliseconds or microseconds since then as 13 or 16 digits.
pub(super) fn moment(found: &str, zone_minutes: i16) -> Option<Utc> {
    let whole = || -> Option<Utc> {
        let unit = match found.len() {
            13 => 1000,
            16 => 1,
            _ => return None,
        };
        let digits = found.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| found.parse::<i64>().ok()).flatten()?.checked_mul(unit).and_then(Utc::from_micros)
    };
    clock::date_time(found, zone_minutes).or_else(|| clock::epoch(found)).or_else(whole)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Members, each, first, moment};

    fn members(value: serde_json::Value) -> Members {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn members_are_found_by_name_and_by_path() {
        let line =
            members(json!({"host": {"name": "web01", "ip": ["a"]}, "process.name": "sshd", "n": null, "pid": 7}));
        assert_eq!(first(&line, &["host", "host.name"]).unwrap(), "web01");
        assert_eq!(first(&line, &["process.name"]).unwrap(), "sshd");
        assert_eq!(first(&line, &["n", "pid"]).unwrap(), "7");
        assert_eq!(first(&line, &["n", "host", "pid.x"]), None);
        let mut found = Vec::new();
        each(&line, &mut |name, value| found.push(format!("{name}={value}")));
        found.sort_unstable();
        assert_eq!(found, ["host.name=web01", "pid=7", "process.name=sshd"]);
    }

    #[test]
    fn bytes_are_a_text_and_other_lists_of_numbers_are_none() {
        let line = members(json!({"a": [70, 97, 27, 255], "b": [1, 256], "c": [], "d": [{"x": 1}]}));
        assert_eq!(first(&line, &["a"]).unwrap(), "Fa\u{1b}\u{fffd}");
        assert_eq!(first(&line, &["b", "c", "d"]), None);
    }

    #[test]
    fn times_of_agents_are_read() {
        let expected = "2026-03-28T09:00:01.000000Z";
        for found in ["2026-03-28T09:00:01Z", "1774688401", "1774688401000", "1774688401000000"] {
            assert_eq!(moment(found, 0).unwrap().to_string(), expected, "{found}");
        }
        assert!(moment("177468840100", 0).is_none() && moment("", 0).is_none());
    }
}
