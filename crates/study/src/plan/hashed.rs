//! Values that the keys of many cells hold: each is made and written once.

use std::fmt::Write as _;

use gimbal_core::canonical;
use serde_json::Value;

/// A value with its canonical text.
pub struct Hashed {
    /// The value.
    pub value: Value,
    /// [`canonical::text`] of it.
    pub text: String,
}

impl Hashed {
    /// A value, written once.
    #[must_use]
    pub fn new(value: Value) -> Self {
        let text = canonical::text(&value);
        Self { value, text }
    }
}

/// The canonical text of an object whose members are written already. The names of the members are in the order of RFC 8785.
pub(super) fn object(members: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(members.iter().map(|(name, member)| name.len() + member.len() + 4).sum());
    text.push('{');
    for (place, (name, member)) in members.iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        // Writing to a string cannot fail. Names are plain words.
        let _ = write!(text, "{comma}\"{name}\":{member}");
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Hashed, object};

    #[test]
    fn an_object_of_written_members_is_the_canonical_text_of_the_whole() {
        let (inner, list) = (Hashed::new(json!({ "b": 1, "a": "é\n" })), Hashed::new(json!([1.5, null])));
        let whole = Hashed::new(json!({ "second": list.value, "first": inner.value }));
        assert_eq!(object(&[("first", &inner.text), ("second", &list.text)]), whole.text);
        assert_eq!(object(&[]), "{}");
    }
}
