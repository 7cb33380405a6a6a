//! Answers and calls between tags, as models write them that were taught another form.
//!
//! | form | read as |
//! |---|---|
//! | `<answer>x</answer>`, `<final_answer>`, `<action>`, `\boxed{x}` | the answer `x` |
//! | `<tool_call>{"name", "arguments"}</tool_call>`, `<function_call>`, `[TOOL_CALLS] [{...}]`, `<\|python_tag\|>{...}` | a call |
//! | `<function=NAME>{...}</function>`, also with `<parameter=KEY>` within | a call |
//! | `<invoke name="NAME"><parameter name="KEY">x</parameter></invoke>` | a call |
//! | `to=functions.NAME ... <\|message\|>{...}` | a call |

use serde_json::{Map, Value};

use super::lenient;

/// A call between tags: its name and its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Name of the tool.
    pub name: String,
    /// Arguments by name.
    pub arguments: Map<String, Value>,
}

/// What is between tags.
#[derive(Clone, Debug, PartialEq)]
pub enum Tagged {
    /// An answer.
    Answer(String),
    /// A call that names its tool in the tag.
    Call(Call),
    /// JSON that should say which call is meant.
    Json(String),
}

/// How many places are looked at.
const CANDIDATES: usize = 16;

/// What is between tags, in order.
#[must_use]
pub fn read(text: &str) -> Vec<Tagged> {
    let mut found: Vec<(usize, Tagged)> = Vec::new();
    for tag in ["answer", "final_answer", "action"] {
        for (at, inside) in between(text, &format!("<{tag}>"), &format!("</{tag}>")) {
            found.push((at, Tagged::Answer(inside.trim().to_owned())));
        }
    }
    for (at, inside) in between(text, "\\boxed{", "}") {
        let plain = inside.strip_prefix("\\text{").unwrap_or(inside);
        found.push((at, Tagged::Answer(plain.trim().to_owned())));
    }
    for tag in ["tool_call", "function_call", "tool_use", "tool_code"] {
        for (at, inside) in between(text, &format!("<{tag}>"), &format!("</{tag}>")) {
            if !inside.contains("<function=") && !inside.contains("<invoke") {
                found.push((at, Tagged::Json(inside.trim().to_owned())));
            }
        }
    }
    for tag in ["[TOOL_CALLS]", "<|python_tag|>"] {
        if let Some(at) = text.find(tag) {
            found.push((at, Tagged::Json(text[at + tag.len()..].trim().to_owned())));
        }
    }
    found.extend(functions(text).into_iter().chain(invocations(text)).chain(channels(text)));
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, tagged)| tagged).collect()
}

/// What is between `open` and the next `close`, and where; the last may lack its end.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(begin) = text.get(from..).and_then(|rest| rest.find(open)).filter(|_| found.len() < CANDIDATES) {
        let inside = from + begin + open.len();
        let end = match text[inside..].find(close) {
            Some(end) => inside + end,
            // An end that is cut off may take a part of the answer with it.
            None => break,
        };
        found.push((from + begin, &text[inside..end]));
        from = end + close.len();
    }
    found
}

/// `<function=NAME>`.
fn functions(text: &str) -> Vec<(usize, Tagged)> {
    let read = |(at, inside): (usize, &str)| {
        let (name, body) = inside.split_once('>')?;
        let arguments = match lenient::whole(body).map(|found| found.value) {
            Some(Value::Object(arguments)) => arguments,
            _ if body.trim().is_empty() => Map::new(),
            _ => parameters(body, "<parameter=", "</parameter>")?,
        };
        Some((at, Tagged::Call(Call { name: name.trim().trim_matches(['"', '\'']).to_owned(), arguments })))
    };
    between(text, "<function=", "</function>").into_iter().filter_map(read).collect()
}

/// `<invoke name="NAME">`.
fn invocations(text: &str) -> Vec<(usize, Tagged)> {
    let read = |(at, inside): (usize, &str)| {
        let (name, body) = inside.split_once('>')?;
        let arguments =
            if body.trim().is_empty() { Map::new() } else { parameters(body, "<parameter name=", "</parameter>")? };
        Some((at, Tagged::Call(Call { name: name.trim().trim_matches(['"', '\'']).to_owned(), arguments })))
    };
    between(text, "<invoke name=", "</invoke>").into_iter().filter_map(read).collect()
}

fn parameters(body: &str, open: &str, close: &str) -> Option<Map<String, Value>> {
    let found: Option<Map<String, Value>> = between(body, open, close)
        .into_iter()
        .map(|(_, inside)| {
            let (key, value) = inside.split_once('>')?;
            Some((key.trim().trim_matches(['"', '\'']).to_owned(), Value::from(value.trim())))
        })
        .collect();
    found.filter(|arguments| !arguments.is_empty())
}

/// `to=functions.NAME` with a message behind it.
fn channels(text: &str) -> Option<(usize, Tagged)> {
    let at = text.find("to=functions.")?;
    let rest = &text[at + "to=functions.".len()..];
    let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(rest.len());
    let message = rest.split_once("<|message|>")?.1;
    match lenient::value(message)?.value {
        Value::Object(arguments) => Some((at, Tagged::Call(Call { name: rest[..end].to_owned(), arguments }))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Call, Tagged, read};

    #[test]
    fn calls_and_answers_are_found_between_tags() {
        let call = |arguments: serde_json::Value| {
            vec![Tagged::Call(Call { name: "Oil".to_owned(), arguments: arguments.as_object().unwrap().clone() })]
        };
        let lathe = || call(json!({ "machine": "lathe" }));
        for text in [
            r#"<function=Oil>{"machine": "lathe"}</function>"#,
            "<tool_call>\n<function=Oil>\n<parameter=machine>\nlathe\n</parameter>\n</function>\n</tool_call>",
            "<invoke name=\"Oil\">\n<parameter name=\"machine\">lathe</parameter>\n</invoke>",
            r#"<|channel|>commentary to=functions.Oil <|constrain|>json<|message|>{"machine": "lathe"}<|call|>"#,
        ] {
            assert_eq!(read(text), lathe(), "{text}");
        }
        assert_eq!(read("<function=Oil></function>"), call(json!({})));
        assert_eq!(read("I choose <answer> Wait </answer>."), [Tagged::Answer("Wait".to_owned())]);
        assert_eq!(read("so $\\boxed{\\text{Wait}}$"), [Tagged::Answer("Wait".to_owned())]);
        assert_eq!(read("<tool_call>{}</tool_call>"), [Tagged::Json("{}".to_owned())]);
        for text in ["", "<answer>Wait", "<function=Oil", "<invoke name=\"Oil\">x</invoke>", "plain"] {
            assert_eq!(read(text), [], "{text}");
        }
    }

    #[test]
    fn hostile_texts_end() {
        for piece in ["<answer>", "<function=", "<invoke name=", "\\boxed{", "<tool_call>", "to=functions."] {
            let _ = read(&piece.repeat(400_000 / piece.len()));
        }
    }
}
