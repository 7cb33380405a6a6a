//! The first thing that a grammar or a tool allows.

use gimbal_core::{Grammar, RequestedCall, ToolSpec};
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Map, Value};

/// Nesting at which schemas that refer to themselves are abandoned.
const DEEPEST: usize = 16;
/// Bytes at which nested repetitions are abandoned.
const LONGEST: usize = 1 << 20;

/// The first text that `grammar` allows; `None` if it cannot be determined.
pub(crate) fn first(grammar: &Grammar) -> Option<String> {
    match grammar {
        Grammar::Choice(choices) => choices.first().cloned(),
        Grammar::JsonSchema(schema) => instance(schema, schema, 0).map(|value| value.to_string()),
        Grammar::Regex(pattern) => {
            let hir = regex_syntax::Parser::new().parse(pattern).ok()?;
            let mut out = Vec::new();
            shortest(&hir, &mut out)?;
            String::from_utf8(out).ok()
        }
    }
}

/// A call of `tool` with the first value that each required argument may take.
pub(crate) fn first_call(tool: &ToolSpec) -> Option<RequestedCall> {
    let arguments = instance(&tool.parameters, &tool.parameters, 0)?;
    Some(RequestedCall { id: "call-0".to_owned(), tool: tool.name.clone(), arguments })
}

/// A value that `schema` allows: constants and enumerations first, required members only, the shortest of the rest.
fn instance(schema: &Value, root: &Value, depth: usize) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    let Some(object) = schema.as_object() else { return (schema != &Value::Bool(false)).then_some(Value::Null) };
    if let Some(pointer) = object.get("$ref").and_then(Value::as_str) {
        return instance(root.pointer(pointer.strip_prefix('#')?)?, root, depth + 1);
    }
    if let Some(value) = object.get("const") {
        return Some(value.clone());
    }
    if let Some(values) = object.get("enum").and_then(Value::as_array) {
        return values.first().cloned();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(branches) = object.get(key).and_then(Value::as_array) {
            return branches.iter().find_map(|branch| instance(branch, root, depth + 1));
        }
    }
    let kind = match object.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str)?,
        _ if object.contains_key("properties") => "object",
        _ => "null",
    };
    let number = |key: &str| object.get(key).and_then(Value::as_u64).unwrap_or(0);
    match kind {
        "object" => {
            let properties = object.get("properties").and_then(Value::as_object);
            let required = object.get("required").and_then(Value::as_array).into_iter().flatten();
            let mut members = Map::new();
            for name in required.filter_map(Value::as_str) {
                let schema = properties.and_then(|properties| properties.get(name)).unwrap_or(&Value::Null);
                members.insert(name.to_owned(), instance(schema, root, depth + 1)?);
            }
            Some(Value::Object(members))
        }
        "array" => {
            let item = object.get("items").unwrap_or(&Value::Null);
            (0..number("minItems").min(1000))
                .map(|_| instance(item, root, depth + 1))
                .collect::<Option<Vec<_>>>()
                .map(Value::from)
        }
        "string" => match object.get("pattern").and_then(Value::as_str) {
            Some(pattern) => first(&Grammar::Regex(pattern.to_owned())).map(Value::from),
            None => Some("x".repeat(number("minLength").min(10_000) as usize).into()),
        },
        "integer" | "number" => Some(object.get("minimum").cloned().unwrap_or_else(|| Value::from(0))),
        "boolean" => Some(Value::Bool(false)),
        _ => Some(Value::Null),
    }
}

/// Appends the shortest text that `hir` matches, the first alternative and the lowest letter where several are.
fn shortest(hir: &Hir, out: &mut Vec<u8>) -> Option<()> {
    if out.len() > LONGEST {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(()),
        HirKind::Literal(literal) => {
            out.extend_from_slice(&literal.0);
            Some(())
        }
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges();
            // A visible letter where the class has one.
            let visible = ranges.iter().find(|range| range.end() >= '!').map(|range| range.start().max('!'));
            let letter = visible.or_else(|| ranges.first().map(|range| range.start()))?;
            out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            Some(())
        }
        HirKind::Class(Class::Bytes(class)) => {
            out.push(class.ranges().first()?.start());
            Some(())
        }
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition.min {
                shortest(&repetition.sub, out)?;
            }
            Some(())
        }
        HirKind::Capture(capture) => shortest(&capture.sub, out),
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| shortest(part, out)),
        HirKind::Alternation(parts) => parts.first().and_then(|part| shortest(part, out)),
    }
}
