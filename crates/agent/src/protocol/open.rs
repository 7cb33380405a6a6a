//! Calls whose arguments hold free text, as a grammar: what the schema of a tool lets through, and not a list of calls.

use std::collections::BTreeSet;

use gimbal_core::ToolSpec;
use serde_json::{Map, Value, json};

use gimbal_messages::{Form, escape};

/// Longest text of an argument that a call needs, in characters. Prompts tell it.
pub const TEXT: usize = 600;
/// Longest text of an argument that may be left out, and of a text within a list. Prompts tell it.
pub const SHORT: usize = 120;
/// Most items of a list.
const ITEMS: usize = 3;

/// A call of this tool as a line of text, `tool name="text", list=["a"]`, and the schema of its arguments. The arguments that
/// the tool needs may come first, or all in the order of the alphabet, which is how a call is written by a program. One
/// that may be left out is not offered where its schema does not say what it holds.
#[must_use]
pub fn call(spec: &ToolSpec) -> Form {
    let needed: Vec<&str> = spec.required().collect();
    let empty = Map::new();
    let properties = spec.parameters.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let mut parts: Vec<Part> = Vec::new();
    for (name, schema) in properties {
        let needed = needed.contains(&name.as_str());
        let form = value(schema, if needed { TEXT } else { SHORT });
        match form {
            Some(form) => parts.push(Part { name, form, needed }),
            None if needed => parts.push(Part { name, form: Form::text(0, SHORT), needed }),
            None => {}
        }
    }
    parts.sort_by_key(|part| part.name);
    let alphabetical = sequence(&parts);
    let longest = spec.name.len() + parts.iter().map(|part| part.name.len() + part.form.longest + 4).sum::<usize>();
    let members: Map<String, Value> =
        parts.iter().map(|part| (part.name.to_owned(), part.form.schema.clone())).collect();
    let schema = json!({
        "type": "object", "properties": members, "required": needed, "additionalProperties": false
    });
    parts.sort_by_key(|part| (needed.iter().position(|name| *name == part.name).unwrap_or(usize::MAX), part.name));
    let orders: BTreeSet<String> = [alphabetical, sequence(&parts)].into();
    let arguments = orders.into_iter().collect::<Vec<_>>().join("|");
    let regex = if parts.is_empty() { escape(&spec.name) } else { format!("{}( ({arguments}))", escape(&spec.name)) };
    let regex = if needed.is_empty() && !parts.is_empty() { format!("{regex}?") } else { regex };
    Form { regex, schema, longest }
}

struct Part<'a> {
    name: &'a str,
    form: Form,
    needed: bool,
}

impl Part<'_> {
    fn regex(&self) -> String {
        format!("{}={}", escape(self.name), self.form.regex)
    }
}

/// These arguments in this order, those that may be left out or not, with a comma between any two.
fn sequence(parts: &[Part<'_>]) -> String {
    let behind = |parts: &[Part<'_>]| -> String {
        parts.iter().map(|part| format!("(, {}){}", part.regex(), if part.needed { "" } else { "?" })).collect()
    };
    if let Some(first) = parts.iter().position(|part| part.needed) {
        let before: String = parts[..first].iter().map(|part| format!("({}, )?", part.regex())).collect();
        return format!("{before}{}{}", parts[first].regex(), behind(&parts[first + 1..]));
    }
    let starts = (0..parts.len()).map(|at| format!("{}{}", parts[at].regex(), behind(&parts[at + 1..])));
    starts.collect::<Vec<_>>().join("|")
}

/// The values that a schema describes; none where it does not say.
fn value(schema: &Value, most: usize) -> Option<Form> {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let texts: Vec<String> = words.iter().map(Value::to_string).collect();
        return Some(Form { schema: json!({ "enum": words }), ..Form::one_of(&texts) });
    }
    let named = |key: &str| schema.get(key).and_then(Value::as_u64).and_then(|value| usize::try_from(value).ok());
    Some(match schema.get("type").and_then(Value::as_str)? {
        "string" => quoted(named("maxLength").unwrap_or(most).min(most)),
        "integer" | "number" => {
            Form { regex: "[0-9]{1,9}".to_owned(), schema: json!({ "type": "integer", "minimum": 0 }), longest: 9 }
        }
        "boolean" => Form { regex: "(true|false)".to_owned(), schema: json!({ "type": "boolean" }), longest: 5 },
        "array" => {
            let item = value(schema.get("items")?, SHORT)?;
            let regex = &item.regex;
            Form {
                regex: format!("\\[({regex}(, ?{regex}){{0,{}}})?\\]", ITEMS - 1),
                longest: (item.longest + 2) * ITEMS + 2,
                schema: json!({ "type": "array", "items": item.schema, "maxItems": ITEMS }),
            }
        }
        "object" => {
            let members = schema.get("properties").and_then(Value::as_object)?;
            let forms: Vec<(&str, Form)> = members
                .iter()
                .map(|(name, schema)| Some((name.as_str(), value(schema, SHORT)?)))
                .collect::<Option<_>>()?;
            object(&forms)
        }
        _ => return None,
    })
}

/// A JSON object with all these members, in this order or the other way round, with or without spaces.
fn object(forms: &[(&str, Form)]) -> Form {
    let written = |forms: &mut dyn Iterator<Item = &(&str, Form)>| {
        let members: Vec<String> = forms.map(|(key, form)| format!("\"{}\": ?{}", escape(key), form.regex)).collect();
        members.join(", ?")
    };
    let orders: BTreeSet<String> = [written(&mut forms.iter()), written(&mut forms.iter().rev())].into();
    let plain = Form::object(forms);
    Form { regex: format!("\\{{({})\\}}", orders.into_iter().collect::<Vec<_>>().join("|")), ..plain }
}

/// A JSON string of at most so many characters of printable ASCII; quotation marks, backslashes and line ends are escaped.
fn quoted(most: usize) -> Form {
    Form {
        regex: format!("\"([ !#-\\[\\]-~]|\\\\[\"\\\\n]){{0,{most}}}\""),
        schema: json!({ "type": "string", "maxLength": most }),
        longest: 2 * most + 2,
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;
    use serde_json::json;

    use super::*;

    fn search() -> ToolSpec {
        let texts = json!({ "type": "array", "items": { "type": "string" } });
        let source = json!({
            "type": "object", "required": ["url"],
            "properties": { "url": { "type": "string" }, "name": { "type": "string" } }
        });
        ToolSpec {
            name: "search".to_owned(),
            description: String::new(),
            parameters: json!({
                "type": "object", "required": ["query"], "additionalProperties": false,
                "properties": {
                    "query": { "type": "string" }, "ciks": texts, "page": { "type": "integer" },
                    "sources": { "type": "array", "items": source }, "ranges": { "type": "object" },
                }
            }),
        }
    }

    // covers: CYC-036
    #[test]
    fn a_call_is_whatever_its_schema_lets_through_and_nothing_else() {
        let form = call(&search());
        let regex = Regex::new(&format!("^({})$", form.regex)).unwrap();
        for text in [
            r#"search query="net sales""#,
            r#"search query="\"Fenwick Group\" 8-K""#,
            r#"search query="x", ciks=["1", "2"], page=2"#,
            r#"search ciks=["1","2"], page=2, query="x""#,
            r#"search query="x", sources=[{"url":"https://a","name":"b"}]"#,
            r#"search query="x", sources=[{"name": "b", "url": "https://a"}]"#,
            r#"search query="x", ciks=[]"#,
        ] {
            assert!(regex.is_match(text) && text.len() <= form.longest, "{text}");
        }
        for text in [
            "search",
            r#"search ciks=["1"]"#,
            r#"search query="x", query="y""#,
            r#"search query="x", ranges={}"#,
            r#"search query="x" page=2"#,
            r#"search query="un"closed""#,
            r#"Search query="x""#,
        ] {
            assert!(!regex.is_match(text), "{text}");
        }
        assert_eq!(form.schema["required"], json!(["query"]));
        assert!(form.schema["properties"].get("ranges").is_none(), "{}", form.schema);
    }

    #[test]
    fn a_tool_without_needs_may_be_called_alone() {
        let of = |properties: Value| ToolSpec {
            parameters: json!({ "type": "object", "properties": properties, "required": [] }),
            ..search()
        };
        let regex = |spec: &ToolSpec| Regex::new(&format!("^({})$", call(spec).regex)).unwrap();
        let both = regex(&of(json!({ "a": { "type": "integer" }, "b": { "enum": ["x", "y"] } })));
        for text in ["search", "search a=1", "search b=\"y\"", "search a=1, b=\"x\""] {
            assert!(both.is_match(text), "{text}");
        }
        assert!(!both.is_match("search b=\"z\"") && !both.is_match("search , b=\"x\""));
        assert!(regex(&of(json!({}))).is_match("search"));
    }
}
