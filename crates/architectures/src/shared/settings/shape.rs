//! Which setting does not have the form that the schema describes, and what would have it, in the words of the options of environments.

use gimbal_core::nearest;
use serde_json::Value;

/// Longest value that an error quotes, in characters.
const QUOTED: usize = 80;

/// A value that does not fit its schema.
pub(super) struct Misfit {
    /// Path of the setting, such as `planner.turns` or `context[1]`; empty for the settings themselves.
    pub(super) path: String,
    /// What the value is, and what to give instead.
    pub(super) words: String,
}

/// The first value below `value` that does not fit; `None` if the schema takes all of it. What a schema cannot say (a text that must
/// have a form of its own) is not looked at.
pub(super) fn misfit(path: &str, value: &Value, schema: &Value, root: &Value) -> Option<Misfit> {
    let forms = forms(schema, root);
    if forms.is_empty() || forms.iter().any(|form| form.takes(value) && form.inner(path, value, root).is_none()) {
        return None;
    }
    let inner = forms.iter().filter(|form| form.takes(value)).find_map(|form| form.inner(path, value, root));
    Some(inner.unwrap_or_else(|| Misfit::new(path, value, &forms)))
}

/// Follows a reference into `$defs`.
pub(super) fn referred<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix("#/$defs/"));
    name.and_then(|name| root.get("$defs")?.get(name)).unwrap_or(schema)
}

/// One of the alternatives that a schema consists of.
struct Form<'a> {
    /// The name of a type, as JSON Schema has it.
    kind: Option<&'a str>,
    schema: &'a Value,
}

/// The alternatives of a schema: its branches, and each of its types.
fn forms<'a>(schema: &'a Value, root: &'a Value) -> Vec<Form<'a>> {
    let schema = referred(schema, root);
    match schema.get("type") {
        Some(Value::String(kind)) => vec![Form { kind: Some(kind), schema }],
        Some(Value::Array(kinds)) => kinds.iter().map(|kind| Form { kind: kind.as_str(), schema }).collect(),
        _ if schema.get("const").is_some() || schema.get("enum").is_some() => vec![Form { kind: None, schema }],
        _ => {
            let branches = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
            branches.into_iter().flatten().flat_map(|branch| forms(branch, root)).collect()
        }
    }
}

impl Form<'_> {
    /// The values that are listed one by one.
    fn listed(&self) -> Option<Vec<&Value>> {
        let one = self.schema.get("const").map(|value| vec![value]);
        one.or_else(|| Some(self.schema.get("enum")?.as_array()?.iter().collect()))
    }

    /// Whether a value is of this type, or one of the listed values.
    fn takes(&self, value: &Value) -> bool {
        if let Some(listed) = self.listed() {
            return listed.contains(&value);
        }
        match self.kind {
            Some("null") => value.is_null(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("number") => value.is_number(),
            Some("string") => value.is_string(),
            Some("array") => value.is_array(),
            Some("object") => value.is_object(),
            _ => true,
        }
    }

    /// What does not fit in a value of this type: a number out of its bounds, an item, a member.
    fn inner(&self, path: &str, value: &Value, root: &Value) -> Option<Misfit> {
        match value {
            Value::Number(number) => {
                let (least, most) = self.bounds();
                let number = number.as_f64()?;
                let fits = least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most);
                (!fits).then(|| Misfit::new(path, value, std::slice::from_ref(self)))
            }
            Value::Array(items) => {
                let size = |key: &str| self.schema.get(key).and_then(Value::as_u64);
                let length = items.len() as u64;
                if size("minItems").is_some_and(|least| length < least)
                    || size("maxItems").is_some_and(|most| length > most)
                {
                    return Some(Misfit::new(path, value, std::slice::from_ref(self)));
                }
                let first = self.schema.get("prefixItems").and_then(Value::as_array);
                items.iter().enumerate().find_map(|(at, item)| {
                    let schema = first.and_then(|first| first.get(at)).or_else(|| self.schema.get("items"))?;
                    misfit(&format!("{path}[{at}]"), item, schema, root)
                })
            }
            Value::Object(members) => members.iter().find_map(|(key, member)| {
                let named = self.schema.get("properties").and_then(|properties| properties.get(key));
                let schema =
                    named.or_else(|| self.schema.get("additionalProperties").filter(|other| other.is_object()))?;
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                misfit(&path, member, schema, root)
            }),
            _ => None,
        }
    }

    /// The least and the greatest number; a type of 32 bits has bounds that its schema does not state.
    fn bounds(&self) -> (Option<f64>, Option<f64>) {
        let stated = |key: &str| self.schema.get(key).and_then(Value::as_f64);
        let (least, most) = match self.schema.get("format").and_then(Value::as_str) {
            Some("uint32") => (Some(0.0), Some(f64::from(u32::MAX))),
            Some("int32") => (Some(f64::from(i32::MIN)), Some(f64::from(i32::MAX))),
            _ => (None, None),
        };
        (stated("minimum").or(least), stated("maximum").or(most))
    }

    /// What to write: `a whole number from 1 to 5`.
    fn give(&self) -> String {
        let stated = |key: &str| self.schema.get(key).filter(|value| value.is_number()).map(shown);
        let range = |noun: &str| match (stated("minimum"), stated("maximum")) {
            (Some(least), Some(most)) => format!("{noun} from {least} to {most}"),
            (Some(least), None) => format!("{noun} of at least {least}"),
            (None, Some(most)) => format!("{noun} of at most {most}"),
            (None, None) => noun.to_owned(),
        };
        let items = |key: &str| self.schema.get(key).and_then(Value::as_u64);
        let size = match (items("minItems"), items("maxItems")) {
            (Some(least), Some(most)) if least == most => format!("a list of {least} items"),
            (Some(least), Some(most)) => format!("a list of {least} to {most} items"),
            (Some(least), None) => format!("a list of at least {least} items"),
            (None, Some(most)) => format!("a list of at most {most} items"),
            (None, None) => "a list".to_owned(),
        };
        match self.kind {
            Some("null") => "null".to_owned(),
            Some("boolean") => "true or false".to_owned(),
            Some("integer") => range("a whole number"),
            Some("number") => range("a number"),
            Some("string") => "a text".to_owned(),
            Some("array") => size,
            Some("object") => match self.schema.get("properties").and_then(Value::as_object) {
                Some(known) => format!("a map of {}", known.keys().map(String::as_str).collect::<Vec<_>>().join(", ")),
                None => "a map".to_owned(),
            },
            _ => "another value".to_owned(),
        }
    }
}

impl Misfit {
    fn new(path: &str, value: &Value, forms: &[Form<'_>]) -> Self {
        let known: Vec<&Value> = forms.iter().filter_map(Form::listed).flatten().collect();
        let names = || known.iter().filter_map(|name| name.as_str());
        let hint = value.as_str().map(|text| nearest::hint(text, names())).unwrap_or_default();
        let mut give: Vec<String> = Vec::new();
        for words in forms.iter().filter(|form| form.listed().is_none()).map(Form::give) {
            if !give.contains(&words) {
                give.push(words);
            }
        }
        let known = known.iter().map(|value| shown(value)).collect::<Vec<_>>().join(", ");
        let words = match (known.is_empty(), give.is_empty()) {
            (true, _) => format!("; give {}", give.join(", or ")),
            (false, true) => format!("{hint} (known: {known})"),
            (false, false) => format!("{hint} (known: {known}; or {})", give.join(", or ")),
        };
        let what = if path.is_empty() { "it".to_owned() } else { format!("`{path}`") };
        Self { path: path.to_owned(), words: format!("{what} is {}{words}", clipped(value)) }
    }
}

/// A listed value or a bound, without quotation marks.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            // Schemas state bounds of whole numbers as `1.0` now and then.
            Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => format!("{whole:.0}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

fn clipped(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words(schema: &Value, value: &Value) -> Option<(String, String)> {
        misfit("", value, schema, schema).map(|misfit| (misfit.path, misfit.words))
    }

    #[test]
    fn a_value_that_fits_has_no_misfit_and_one_that_does_not_is_named_with_what_would_fit() {
        let schema = json!({
            "type": "object",
            "properties": {
                "turns": { "type": ["integer", "null"], "format": "uint32", "minimum": 1 },
                "share": { "type": "number", "minimum": 0, "maximum": 1 },
                "rule": { "anyOf": [{ "$ref": "#/$defs/Rule" }, { "type": "null" }] },
                "context": { "type": "array", "items": { "type": "string" }, "minItems": 1 },
                "weights": { "type": "object", "additionalProperties": { "type": "number" } },
                "pair": { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "minItems": 2, "maxItems": 2 }
            },
            "$defs": { "Rule": { "oneOf": [{ "const": "literal", "type": "string" }, { "enum": ["greedy", "random"], "type": "string" }] } }
        });
        let fits = json!({ "turns": null, "share": 0.5, "rule": "greedy", "context": ["a"], "weights": { "x": 1 }, "pair": ["a", 1] });
        assert_eq!(words(&schema, &fits), None);
        for (value, path, expected) in [
            (json!({ "turns": "many" }), "turns", "`turns` is \"many\"; give a whole number of at least 1, or null"),
            (json!({ "turns": 0 }), "turns", "`turns` is 0; give a whole number of at least 1"),
            (
                json!({ "turns": 5_000_000_000_u64 }),
                "turns",
                "`turns` is 5000000000; give a whole number of at least 1",
            ),
            (json!({ "share": 1.5 }), "share", "`share` is 1.5; give a number from 0 to 1"),
            (
                json!({ "rule": "gredy" }),
                "rule",
                "`rule` is \"gredy\"; did you mean `greedy`? (known: literal, greedy, random; or null)",
            ),
            (json!({ "context": [] }), "context", "`context` is []; give a list of at least 1 items"),
            (json!({ "context": ["a", 4] }), "context[1]", "`context[1]` is 4; give a text"),
            (json!({ "weights": { "x": "y" } }), "weights.x", "`weights.x` is \"y\"; give a number"),
            (json!({ "pair": ["a", "b"] }), "pair[1]", "`pair[1]` is \"b\"; give a whole number"),
            (json!({ "pair": ["a"] }), "pair", "`pair` is [\"a\"]; give a list of 2 items"),
            (json!([1]), "", "it is [1]; give a map of turns, share, rule, context, weights, pair"),
        ] {
            assert_eq!(words(&schema, &value), Some((path.to_owned(), expected.to_owned())), "{value}");
        }
        let long = json!({ "share": "x".repeat(300) });
        assert!(words(&schema, &long).unwrap().1.chars().count() < 140, "a long value is cut");
    }
}
