//! YAML as a tree in which every key and value has its place, so that an error can name its line.

use std::fmt;

use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_saphyr::Spanned;

use super::YamlError;

/// Line and column, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// Line.
    pub line: u64,
    /// Column.
    pub column: u64,
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub at: At,
    /// What it is.
    pub kind: Kind,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A null, boolean, number or string.
    Scalar(Value),
    /// A list.
    List(Vec<Node>),
    /// A map in the order of the file.
    Map(Vec<Member>),
}

/// A member of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Key.
    pub key: String,
    /// Where the key is.
    pub at: At,
    /// Value.
    pub value: Node,
}

impl Node {
    /// Reads a text; `file` names it in errors.
    ///
    /// # Errors
    /// Where the text is not valid YAML, with line and column.
    pub fn parse(text: &str, file: &str) -> Result<Self, YamlError> {
        super::read::<Spanned<Body>>(text, file).map(Self::from)
    }

    /// Without the places.
    #[must_use]
    pub fn json(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::List(items) => Value::Array(items.iter().map(Self::json).collect()),
            Kind::Map(members) => {
                Value::Object(members.iter().map(|member| (member.key.clone(), member.value.json())).collect())
            }
        }
    }

    /// The value of a key; `None` where this is not a map, or has no such key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.member(key).map(|member| &member.value)
    }

    /// The items of a list; empty where this is not a list.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match &self.kind {
            Kind::List(items) => items,
            _ => &[],
        }
    }

    /// The place of a key of this map; without such a key, the place of the node itself.
    #[must_use]
    pub fn place(&self, key: &str) -> At {
        self.member(key).map_or(self.at, |member| member.at)
    }

    /// The place of a key below this node, such as `arbiter.rule`: of the last key of the path that there is.
    #[must_use]
    pub fn place_of(&self, path: &str) -> At {
        let (mut node, mut at) = (self, self.at);
        for key in path.split('.') {
            let Some(member) = node.member(key) else { break };
            (node, at) = (&member.value, member.at);
        }
        at
    }

    fn member(&self, key: &str) -> Option<&Member> {
        let Kind::Map(members) = &self.kind else { return None };
        members.iter().find(|member| member.key == key)
    }
}

struct Body(Kind);

impl From<Spanned<Body>> for Node {
    fn from(body: Spanned<Body>) -> Self {
        let at = At { line: body.referenced.line(), column: body.referenced.column() };
        Self { at, kind: body.value.0 }
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BodyVisitor)
    }
}

struct BodyVisitor;

impl<'de> Visitor<'de> for BodyVisitor {
    type Value = Body;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E>(self) -> Result<Body, E> {
        Ok(Body(Kind::Scalar(Value::Null)))
    }
    fn visit_none<E>(self) -> Result<Body, E> {
        Ok(Body(Kind::Scalar(Value::Null)))
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Body, D::Error> {
        Body::deserialize(deserializer)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Body, E> {
        Ok(Body(Kind::Scalar(Value::from(value))))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Body, E> {
        Ok(Body(Kind::Scalar(Value::from(value))))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Body, E> {
        Ok(Body(Kind::Scalar(Value::from(value))))
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Body, E> {
        let number = serde_json::Number::from_f64(value);
        number
            .map(|number| Body(Kind::Scalar(Value::Number(number))))
            .ok_or_else(|| E::custom("numbers must be finite"))
    }
    fn visit_str<E>(self, value: &str) -> Result<Body, E> {
        Ok(Body(Kind::Scalar(Value::from(value))))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Body, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element::<Spanned<Body>>()? {
            items.push(item.into());
        }
        Ok(Body(Kind::List(items)))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Body, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = access.next_key::<Spanned<String>>()? {
            let at = At { line: key.referenced.line(), column: key.referenced.column() };
            let value = access.next_value::<Spanned<Body>>()?.into();
            members.push(Member { key: key.value, at, value });
        }
        Ok(Body(Kind::Map(members)))
    }
}

#[cfg(test)]
mod tests {
    use super::{At, Kind, Node};

    #[test]
    fn every_key_and_value_knows_its_place() {
        let node =
            Node::parse("study: s\nenvironment: { name: cage2, horizn: 30 }\nlist:\n  - a\n  - 1.5\n", "f").unwrap();
        assert_eq!(
            node.json().to_string(),
            r#"{"study":"s","environment":{"name":"cage2","horizn":30},"list":["a",1.5]}"#
        );
        assert_eq!(node.place("environment"), At { line: 2, column: 1 });
        let Kind::Map(members) = &node.kind else { panic!("a map") };
        assert_eq!(members[1].value.place("horizn"), At { line: 2, column: 29 });
    }

    #[test]
    fn a_path_finds_the_last_key_that_exists() {
        let node = Node::parse("arbiter:\n  rule: first\n  limit: 2\n", "f").unwrap();
        assert_eq!(node.place_of("arbiter.limit"), At { line: 3, column: 3 });
        assert_eq!(node.place_of("arbiter.other"), At { line: 1, column: 1 });
        assert_eq!(node.place_of("gate"), node.at);
    }

    #[test]
    fn broken_yaml_is_said_with_its_place() {
        let error = Node::parse("study: [1,\nother: 2\n", "s.yaml").unwrap_err().to_string();
        assert!(error.starts_with("s.yaml:"), "{error}");
    }
}
