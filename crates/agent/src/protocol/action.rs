//! An action of the environment as a text within a message, under a mask: what an agent that acts itself may write, as a JSON string.

use gimbal_core::ToolCall;
use gimbal_messages::{Bound, Form, within_json};
use serde_json::json;

use super::grammar::OpenTool;
use super::numbers::{Counted, Numbers, counted};
use super::open;

/// Longest action where nothing is known of the legal ones, in characters.
const FREE: usize = 400;
/// Longest text of an argument that a call needs, in characters: an expression of a message holds each letter in the two ways in which a JSON string
/// may write it, and must stay small enough to be compiled.
const TEXT: usize = 300;

/// One of the listed calls, with any number where `numbers` says so; and any call of a tool whose
/// arguments hold free text, of which the list has examples alone. Any text where neither says anything.
pub(crate) fn form(calls: &[ToolCall], texts: &[String], numbers: Numbers<'_>, open: &[OpenTool]) -> Form {
    let is_open = |call: &ToolCall| open.iter().any(|tool| tool.spec.name == call.tool);
    let closed = calls.iter().zip(texts).filter(|(call, _)| !is_open(call));
    let (calls, texts): (Vec<ToolCall>, Vec<String>) = closed.map(|(call, text)| (call.clone(), text.clone())).unzip();
    let Counted { texts: words, forms, .. } = counted(&calls, &texts, numbers);
    let mut free: Vec<Form> = forms.into_iter().map(|(_, form)| form).collect();
    free.extend(open.iter().map(|tool| open::call_within(&tool.spec, tool.usage.as_deref(), TEXT)));
    if free.is_empty() {
        return if words.is_empty() { Form::text(1, FREE) } else { Form::word(&words) };
    }
    let listed = (!words.is_empty()).then(|| Form::word(&words));
    let plain = free.iter().map(|form| form.regex.as_str()).collect::<Vec<_>>().join("|");
    let pattern = json!({ "type": "string", "pattern": format!("^({plain})$") });
    let quoted = format!("\"({})\"", within_json(&plain));
    // A letter that is escaped takes two.
    let longest = free.iter().map(|form| 2 * form.longest + 2).max().unwrap_or(0);
    let bounds =
        if open.is_empty() { Vec::new() } else { vec![Bound { key: String::new(), characters: TEXT, entries: 0 }] };
    match listed {
        Some(listed) => Form {
            regex: format!("({}|{quoted})", listed.regex),
            schema: json!({ "anyOf": [listed.schema, pattern] }),
            longest: longest.max(listed.longest),
            bounds,
        },
        None => Form { regex: quoted, schema: pattern, longest, bounds },
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::{Manifest, ToolCall, ToolSpec};
    use gimbal_messages::Form;
    use regex::Regex;
    use serde_json::{Value, json};

    use super::form;
    use crate::protocol::grammar::OpenTool;
    use crate::protocol::numbers::Numbers;

    fn spec(name: &str, properties: &Value) -> ToolSpec {
        let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
        let parameters = json!({ "type": "object", "required": required, "properties": properties });
        ToolSpec { name: name.to_owned(), description: String::new(), parameters }
    }

    fn get(number: u64) -> (ToolCall, String) {
        let mut call = ToolCall::with("get", &[("item", "oak")]);
        call.arguments.insert("number".to_owned(), json!(number));
        (call, format!("get {number} oak"))
    }

    /// Mask and schema agree on each text, and what they let through is within the bound.
    fn lets_through(form: &Form, texts: &[(&str, bool)]) {
        let regex = Regex::new(&format!("^{}$", form.regex)).unwrap();
        let schema = jsonschema::validator_for(&form.schema).unwrap();
        for (text, fits) in texts {
            let written = Value::from(*text);
            assert_eq!((regex.is_match(&written.to_string()), schema.is_valid(&written)), (*fits, *fits), "{text}");
            assert!(!fits || written.to_string().len() <= form.longest, "{text}");
        }
    }

    // covers: CTHA-063
    #[test]
    fn a_message_may_write_any_amount_that_the_schema_of_the_tool_lets_through() {
        let specs = [spec(
            "get",
            &json!({ "item": { "type": "string" }, "number": { "type": "integer", "minimum": 1, "maximum": 64 } }),
        )];
        let (calls, texts): (Vec<_>, Vec<_>) =
            [get(1), get(4), (ToolCall::bare("wait"), "wait".to_owned())].into_iter().unzip();
        let form = form(&calls, &texts, Numbers { specs: &specs, manifest: &Manifest::default() }, &[]);
        lets_through(
            &form,
            &[
                ("get 7 oak", true),
                ("get 64 oak", true),
                ("wait", true),
                ("get 65 oak", false),
                ("get 07 oak", false),
                ("get 7 elm", false),
            ],
        );
    }

    // covers: CTHA-063
    #[test]
    fn a_message_may_write_free_text_where_a_tool_takes_it() {
        let search = spec("search", &json!({ "query": { "type": "string" } }));
        let open = [OpenTool { spec: search.clone(), usage: None }];
        let listed = [ToolCall::with("search", &[("query", "an example")]), ToolCall::bare("stop")];
        let texts = ["search query=\"an example\"".to_owned(), "stop".to_owned()];
        let form = form(&listed, &texts, Numbers { specs: &[search], manifest: &Manifest::default() }, &open);
        lets_through(
            &form,
            &[
                ("search query=\"net sales\"", true),
                ("search query=\"the \\\"Fenwick\\\" group\"", true),
                ("stop", true),
                ("search query=net", false),
                ("search", false),
                ("stop now", false),
            ],
        );
    }

    #[test]
    fn where_nothing_is_known_any_text_may_be_written_and_a_list_alone_is_a_list() {
        let manifest = Manifest::default();
        let numbers = Numbers { specs: &[], manifest: &manifest };
        assert!(form(&[], &[], numbers, &[]).regex.starts_with('"'));
        let listed = form(&[ToolCall::bare("wait")], &["wait".to_owned()], numbers, &[]);
        assert_eq!(listed, gimbal_messages::Form::word(&["wait"]));
    }
}
