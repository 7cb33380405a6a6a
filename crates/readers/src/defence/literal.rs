//! Values as prompts write them: JSON, or the notation of Python objects.

use serde_json::{Map, Value};

/// Deepest nesting that is read.
const DEEPEST: usize = 64;

/// The value at the beginning of `text`, whatever follows it; `None` where there is none.
///
/// Enumerations such as `<Outcome.TRUE: 1>` are read as the text between the brackets, calls such as
/// `IPv4Address('10.0.0.1')` as their first argument.
pub fn first(text: &str) -> Option<Value> {
    Reader { rest: text.trim_start() }.value(0)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        match self.rest.chars().next()? {
            '{' => self.object(depth),
            '[' => self.list('[', ']', depth),
            '(' => self.list('(', ')', depth),
            quote @ ('\'' | '"') => self.text(quote).map(Value::String),
            '<' => {
                let (inner, rest) = self.rest[1..].split_once('>')?;
                let inner = inner.to_owned();
                self.rest = rest;
                Some(Value::String(inner))
            }
            _ => self.word(depth),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        self.take('{')?;
        while !self.ends('}')? {
            let key = match self.value(depth + 1)? {
                Value::String(key) => key,
                other => other.to_string(),
            };
            self.take(':')?;
            let value = self.value(depth + 1)?;
            members.insert(key, value);
            self.separator();
        }
        Some(Value::Object(members))
    }

    fn list(&mut self, opening: char, closing: char, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        self.take(opening)?;
        while !self.ends(closing)? {
            items.push(self.value(depth + 1)?);
            self.separator();
        }
        Some(Value::Array(items))
    }

    /// Takes `wanted` and the blanks around it.
    fn take(&mut self, wanted: char) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(wanted)?.trim_start();
        Some(())
    }

    /// Whether the closing bracket comes next; it is taken then. None at the end of the text.
    fn ends(&mut self, closing: char) -> Option<bool> {
        self.rest = self.rest.trim_start();
        if self.rest.is_empty() {
            return None;
        }
        Some(self.take_bare(closing))
    }

    fn take_bare(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn separator(&mut self) {
        self.rest = self.rest.trim_start();
        if self.take_bare(',') {
            self.rest = self.rest.trim_start();
        }
    }

    fn text(&mut self, quote: char) -> Option<String> {
        let mut out = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => match characters.next()?.1 {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    other => out.push(other),
                },
                other if other == quote => {
                    self.rest = &self.rest[at + 1..];
                    return Some(out);
                }
                other => out.push(other),
            }
        }
        None
    }

    /// A number, a constant, or a name with or without arguments.
    fn word(&mut self, depth: usize) -> Option<Value> {
        let length = self.rest.find(|next: char| !(next.is_alphanumeric() || "_.+-".contains(next)));
        let (word, rest) = self.rest.split_at(length.unwrap_or(self.rest.len()));
        if word.is_empty() {
            return None;
        }
        self.rest = rest;
        if rest.starts_with('(') {
            let Value::Array(mut arguments) = self.list('(', ')', depth)? else { return None };
            return Some(if arguments.is_empty() { Value::Null } else { arguments.swap_remove(0) });
        }
        Some(match word {
            "True" | "true" => Value::Bool(true),
            "False" | "false" => Value::Bool(false),
            "None" | "null" => Value::Null,
            word => serde_json::from_str::<serde_json::Number>(word)
                .map_or_else(|_| Value::String(word.to_owned()), Value::Number),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::first;

    #[test]
    fn reads_python_objects_and_json() {
        let python = "{'success': <Outcome.TRUE: 1>, 'A': {'Processes': [{'PID': 7, 'Connections': [{'local_port': 22, \
                      'remote_address': IPv4Address('10.0.0.7')}]}], 'Known': True, 'It\\'s': None, 'd': 0.9}} and more";
        let expected = json!({
            "success": "Outcome.TRUE: 1",
            "A": { "Processes": [{ "PID": 7, "Connections": [{ "local_port": 22, "remote_address": "10.0.0.7" }] }],
                   "Known": true, "It's": null, "d": 0.9 },
        });
        assert_eq!(first(python), Some(expected.clone()));
        assert_eq!(first(&expected.to_string()), Some(expected));
        assert_eq!(first("[1, 2,]"), Some(json!([1, 2])));
        assert_eq!(first("{'a': set()}"), Some(json!({ "a": null })));
    }

    #[test]
    fn what_is_cut_or_no_value_gives_none() {
        for text in ["", "{", "{'a'", "{'a': ", "[1, ", "'open", "<Open", "}", "{'a': 1", ": 3"] {
            assert_eq!(first(text), None, "{text}");
        }
        assert_eq!(first(&"[".repeat(5_000)), None);
    }

    proptest! {
        #[test]
        fn never_panics(text in "[\\[\\](){}<>'\", :a-z0-9\\\\ä.-]{0,60}") {
            let _ = first(&text);
        }
    }
}
