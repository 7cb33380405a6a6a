//! JSON in texts.

use serde_json::Value;

/// The JSON objects and arrays in a text, outermost ones only, in order. Each is read when it is asked for.
pub fn embedded(text: &str) -> impl Iterator<Item = Value> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while let Some(begin) = rest.bytes().position(|byte| matches!(byte, b'{' | b'[')) {
            let from = &rest[begin..];
            rest = &from[1..];
            if !may_begin(from) {
                continue;
            }
            let mut values = serde_json::Deserializer::from_str(from).into_iter::<Value>();
            if let Some(Ok(value)) = values.next() {
                rest = &from[values.byte_offset().max(1)..];
                return Some(value);
            }
        }
        None
    })
}

/// Whether an object or array may begin here: in an object a key or the end follows. Most braces of prose end here.
fn may_begin(text: &str) -> bool {
    let inner = text.strip_prefix('{').map(str::trim_start);
    inner.is_none_or(|inner| inner.starts_with(['"', '}']))
}

/// A value as JSON with one blank after each colon and comma: the spacing that grammars for lines of text let through.
#[must_use]
pub fn spaced(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), spaced(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        other => other.to_string(),
    }
}

/// A text in printable ASCII without quotation marks and backslashes, cut to a length: what every grammar lets through.
#[must_use]
pub fn plain(text: &str, most: usize) -> String {
    let kept = |letter: char| if letter.is_ascii_graphic() && !"\"\\".contains(letter) { letter } else { ' ' };
    let text: String = text.chars().map(kept).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(most).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{embedded, plain, spaced};

    #[test]
    fn json_is_found_in_prose() {
        let text = "ACTIONS\n{\"a\": [1]}\nand {not json} and [2, 3].";
        assert_eq!(embedded(text).collect::<Vec<_>>(), [json!({ "a": [1] }), json!([2, 3])]);
        assert_eq!(embedded("{{{{ [").next(), None);
        let text = "{ } {\n\t\"é\": {\"b\": []}} {\"c\" [ ]";
        assert_eq!(embedded(text).collect::<Vec<_>>(), [json!({}), json!({ "é": { "b": [] } }), json!([])]);
    }

    #[test]
    fn texts_fit_the_grammars_of_lines() {
        assert_eq!(spaced(&json!({ "a": ["b", 0.5], "c": {} })), r#"{"a": ["b", 0.5], "c": {}}"#);
        assert_eq!(plain("say \"hé\"\nnow", 7), "say h n");
    }
}
