//! Structured data of an observation, as text until it is read.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::delta;

/// Structured data: JSON text, a tree, or both. It behaves as the tree; the text is read when the tree is first wanted,
/// and most observations are never looked into.
#[derive(Clone)]
pub struct Data {
    text: Option<Text>,
    tree: OnceLock<Value>,
}

/// JSON that others are held as changes of: the first one that comes.
pub type Model = OnceLock<Arc<str>>;

#[derive(Clone)]
enum Text {
    Whole(Arc<str>),
    Change { model: Arc<str>, change: Arc<[u8]>, length: usize },
}

impl Text {
    fn get(&self) -> Arc<str> {
        match self {
            Self::Whole(text) => Arc::clone(text),
            Self::Change { model, change, length } => {
                // What was encoded here decodes.
                let bytes = delta::decode(change, &[model.as_bytes()], *length).unwrap_or_default();
                String::from_utf8_lossy(&bytes).into()
            }
        }
    }
}

impl Data {
    /// Data by their JSON. A text that is not JSON counts as null.
    #[must_use]
    pub fn json(text: impl Into<Arc<str>>) -> Self {
        Self { text: Some(Text::Whole(text.into())), tree: OnceLock::new() }
    }

    /// The same, held as a change of `model`: for observations that are much the same in every episode, of which
    /// thousands may be in flight.
    #[must_use]
    pub fn beside(text: impl Into<String>, model: &Model) -> Self {
        let text: String = text.into();
        let mut first = false;
        let model = model.get_or_init(|| {
            first = true;
            text.as_str().into()
        });
        let change = if first { None } else { delta::encode(text.as_bytes(), &[model.as_bytes()]) };
        let text = match change {
            Some(change) => Text::Change { model: Arc::clone(model), change: change.into(), length: text.len() },
            None if first => Text::Whole(Arc::clone(model)),
            None => Text::Whole(text.into()),
        };
        Self { text: Some(text), tree: OnceLock::new() }
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Value {
        self.tree.get_or_init(|| {
            let text = self.text.as_ref().map(Text::get);
            text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
        })
    }

    /// The tree without keeping it: for who looks once. A tree takes ten times the room of its text.
    #[must_use]
    pub fn glance(&self) -> Cow<'_, Value> {
        match (self.tree.get(), &self.text) {
            (None, Some(text)) => Cow::Owned(serde_json::from_str(&text.get()).unwrap_or_default()),
            _ => Cow::Borrowed(self.tree()),
        }
    }

    /// The JSON: as it was given, or the tree written out.
    #[must_use]
    pub fn text(&self) -> Arc<str> {
        match &self.text {
            Some(text) => text.get(),
            None => self.tree().to_string().into(),
        }
    }

    /// The value at a place of [`Data::text`], read on its own; null where there is none.
    #[must_use]
    pub fn part(&self, place: Range<usize>) -> Value {
        self.text().get(place).and_then(|part| serde_json::from_str(part).ok()).unwrap_or_default()
    }
}

impl Default for Data {
    /// Null.
    fn default() -> Self {
        Value::Null.into()
    }
}

impl From<Value> for Data {
    fn from(tree: Value) -> Self {
        Self { text: None, tree: tree.into() }
    }
}

impl Deref for Data {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.tree()
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        self.tree() == other.tree()
    }
}

impl PartialEq<Value> for Data {
    fn eq(&self, other: &Value) -> bool {
        self.tree() == other
    }
}

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Data, Model, Text};

    #[test]
    fn text_and_tree_are_the_same_data() {
        let (text, tree) = (Data::json(r#"{"b":[1,2.5],"a":null}"#), Data::from(json!({ "b": [1, 2.5], "a": null })));
        assert_eq!(*text.glance(), *tree.glance());
        assert_eq!(text, tree);
        assert_eq!(text.text(), tree.text());
        assert_eq!(text["b"][0], 1);
        assert_eq!((text.part(5..12), tree.part(5..12)), (json!([1, 2.5]), json!([1, 2.5])));
        assert_eq!((text.part(5..99), text.part(0..2)), (Value::Null, Value::Null));
        assert_ne!(Data::json("{}"), tree);
        assert_eq!(Data::json("{"), Data::default());
    }

    #[test]
    fn a_change_reads_as_the_whole() {
        let text = |pid: u32| {
            let hosts = (0..13).map(|host| {
                let users = json!([{ "Username": "root" }, { "Username": "someone", "Password": "secret" }]);
                (format!("Host{host}"), json!({ "PID": pid * host, "User Info": users }))
            });
            Value::Object(hosts.collect()).to_string()
        };
        let model = Model::default();
        for (text, changed) in [(text(7), false), (text(7919), true), (text(12), true), ("[1, 2, 3]".to_owned(), false)]
        {
            let data = Data::beside(text.as_str(), &model);
            assert_eq!(matches!(data.text, Some(Text::Change { .. })), changed, "{text}");
            assert_eq!(*data.text(), text);
            assert_eq!(data, serde_json::from_str::<Value>(&text).unwrap());
        }
    }
}
