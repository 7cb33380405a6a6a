//! Structured data of an observation, as text until somebody looks into it.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

/// Structured data: JSON text, a tree, or both. It behaves as the tree; the text is read when the tree is first wanted,
/// and most observations are never looked into.
#[derive(Clone)]
pub struct Data {
    text: Option<Arc<str>>,
    tree: OnceLock<Value>,
}

impl Data {
    /// Data by their JSON. A text that is no JSON counts as null.
    #[must_use]
    pub fn json(text: impl Into<Arc<str>>) -> Self {
        Self { text: Some(text.into()), tree: OnceLock::new() }
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Value {
        self.tree
            .get_or_init(|| self.text.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default())
    }

    /// The tree without keeping it: for who looks once. A tree takes ten times the room of its text.
    #[must_use]
    pub fn glance(&self) -> Cow<'_, Value> {
        match (self.tree.get(), &self.text) {
            (None, Some(text)) => Cow::Owned(serde_json::from_str(text).unwrap_or_default()),
            _ => Cow::Borrowed(self.tree()),
        }
    }

    /// The JSON: as it was given, or the tree written out.
    #[must_use]
    pub fn text(&self) -> Arc<str> {
        match &self.text {
            Some(text) => Arc::clone(text),
            None => self.tree().to_string().into(),
        }
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
    use serde_json::json;

    use super::Data;

    #[test]
    fn text_and_tree_are_the_same_data() {
        let (text, tree) = (Data::json(r#"{"b":[1,2.5],"a":null}"#), Data::from(json!({ "b": [1, 2.5], "a": null })));
        assert_eq!(*text.glance(), *tree.glance());
        assert_eq!(text, tree);
        assert_eq!(text.text(), tree.text());
        assert_eq!(text["b"][0], 1);
        assert_ne!(Data::json("{}"), tree);
        assert_eq!(Data::json("{"), Data::default());
    }
}
