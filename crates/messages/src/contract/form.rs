//! The form that a schema demands: the subset of JSON Schema that contracts use.

use gimbal_core::TokenCount;
use serde_json::{Value, json};

use super::tokens::{self, Unfollowed};
use crate::range::whole_numbers;
use crate::{Form, Member, escape};

/// Longest text where the schema sets no bound.
const TEXT: usize = 64;
/// Longest name of a member where the schema leaves the names open.
const NAME: usize = 32;
/// Most items where the schema sets no bound.
const ITEMS: usize = 8;
/// Digits of a whole number without bounds.
const DIGITS: &str = "(-?[1-9][0-9]{0,8}|0)";

/// The form of a schema.
pub(super) fn of(schema: &Value) -> Result<Form, Unfollowed> {
    at(schema, "")
}

fn at(schema: &Value, place: &str) -> Result<Form, Unfollowed> {
    let wrong = |what: &str| Unfollowed { place: format!("{place}/"), what: what.to_owned() };
    if let Some(words) = schema.get("enum") {
        let words = words.as_array().into_iter().flatten().map(|word| word.as_str());
        let words: Option<Vec<&str>> = words.collect();
        let words = words.filter(|words| !words.is_empty());
        return words
            .map(|words| Form::word(&words))
            .ok_or_else(|| wrong("an `enum` of a contract holds texts, and at least one"));
    }
    let number = |key: &str| schema.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    match schema.get("type") {
        Some(Value::String(kind)) => match kind.as_str() {
            "string" => match schema.get("pattern").and_then(Value::as_str) {
                Some(pattern) => patterned(pattern).ok_or_else(|| {
                    wrong("a `pattern` of a contract begins with ^, ends with $ and has no quotation mark or backslash")
                }),
                None => {
                    let by_tokens = tokens::bound(schema).and_then(|most| usize::try_from(most).ok());
                    let by_tokens = by_tokens.map(|most| most.saturating_mul(TokenCount::BYTES as usize));
                    let most = number("maxLength").or(by_tokens).unwrap_or(TEXT);
                    Ok(Form::text(number("minLength").unwrap_or(0), most))
                }
            },
            "number" if bounds(schema) == (Some(0.0), Some(1.0)) => Ok(Form::share()),
            "number" => Ok(Form::closed(r"-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,3})?", json!({ "type": "number" }), 14)),
            "integer" => match bounds(schema) {
                (Some(least), Some(most)) if least >= 0.0 && most >= least => {
                    let regex = whole_numbers(least as u64, most as u64).unwrap_or_else(|| DIGITS.to_owned());
                    let bounded = json!({ "type": "integer", "minimum": least as u64, "maximum": most as u64 });
                    Ok(Form::closed(regex, bounded, most.to_string().len()))
                }
                _ => Ok(Form::closed(DIGITS, json!({ "type": "integer" }), 10)),
            },
            "boolean" => Ok(Form::flag()),
            "null" => Ok(Form::closed("null", json!({ "type": "null" }), 4)),
            "array" => {
                let item =
                    schema.get("items").ok_or_else(|| wrong("an array of a contract says what its `items` are"))?;
                let item = at(item, &format!("{place}/items"))?;
                Ok(Form::array(&item, number("minItems").unwrap_or(0), number("maxItems").unwrap_or(ITEMS)))
            }
            "object" => object(schema, place),
            other => Err(wrong(&format!("type `{other}` has no form"))),
        },
        Some(Value::Array(kinds)) => {
            let mut forms = Vec::new();
            for kind in kinds {
                let mut one = schema.clone();
                one["type"] = kind.clone();
                forms.push(at(&one, place)?);
            }
            Form::any_of(&forms).ok_or_else(|| wrong("a list of types has at least one"))
        }
        _ => Err(wrong("a schema of a contract has a `type` or an `enum`")),
    }
}

fn object(schema: &Value, place: &str) -> Result<Form, Unfollowed> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.filter(|properties| !properties.is_empty());
    if properties.is_none()
        && let Some(of) = schema.get("additionalProperties").filter(|of| of.is_object())
    {
        let of = at(of, &format!("{place}/additionalProperties"))?;
        return Ok(Form::map(&of, NAME, ITEMS));
    }
    let wrong = || Unfollowed {
        place: format!("{place}/"),
        what: "an object of a contract has `properties`, or a schema as `additionalProperties`".to_owned(),
    };
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut members = Vec::new();
    for (key, of) in properties.ok_or_else(wrong)? {
        let form = at(of, &format!("{place}/properties/{key}"))?;
        members.push(Member { key: key.clone(), form, optional: !required.contains(&key.as_str()) });
    }
    // Those that must be there come first, so that commas have one rule.
    members.sort_by_key(|member| member.optional);
    Ok(Form::members(&members))
}

fn bounds(schema: &Value) -> (Option<f64>, Option<f64>) {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    (bound("minimum"), bound("maximum"))
}

/// A text by a pattern over plain characters.
fn patterned(pattern: &str) -> Option<Form> {
    let inner = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let plain = !inner.contains(['"', '\\']) && !inner.is_empty();
    let quote = escape("\"");
    plain.then(|| {
        Form::closed(format!("{quote}({inner}){quote}"), json!({ "type": "string", "pattern": pattern }), TEXT)
    })
}
