//! YAML as a tree in which every key and value has its place, so that an error can name its line.

use std::fmt;

use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_saphyr::Spanned;

use super::YamlError;

/// Line and column, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// Line.
    pub line: u64,
    /// Column.
    pub column: u64,
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub at: Location,
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
    pub at: Location,
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
    pub fn place(&self, key: &str) -> Location {
        self.member(key).map_or(self.at, |member| member.at)
    }

    /// The place of a key or an item below this node, such as `arbiter.rule` or `tools[1].query`: of the last part of the path
    /// that exists.
    #[must_use]
    pub fn place_of(&self, path: &str) -> Location {
        self.walk(path).1
    }

    /// The line, from 1, of the character at byte `offset` of the text at `path`; `source` is the text of the file.
    ///
    /// A text keeps its visible characters in order, however YAML folds its lines, so that the line is found by counting them.
    /// Where the file shows an alias at `path`, it is the line of the alias.
    #[must_use]
    pub fn line_of(&self, source: &str, path: &str, offset: usize) -> u64 {
        let (node, place) = self.walk(path);
        let Kind::Scalar(Value::String(text)) = &node.kind else { return place.line };
        let begin = node.at;
        let written = source.lines().enumerate().skip(as_index(begin.line)).flat_map(|(index, line)| {
            let indent = if index == as_index(begin.line) { as_index(begin.column) } else { 0 };
            line.chars().skip(indent).filter(|c| !c.is_whitespace()).map(move |c| (index, c))
        });
        let mut written = written.peekable();
        let quote = written.next_if(|(_, c)| matches!(c, '"' | '\'') && !text.trim_start().starts_with(*c));
        if quote.is_none() && written.peek().is_some_and(|(_, c)| *c == '*') && !text.trim_start().starts_with('*') {
            return begin.line;
        }
        let before = text.get(..offset).unwrap_or(text).chars().filter(|c| !c.is_whitespace()).count();
        written.nth(before).map_or(begin.line, |(index, _)| index as u64 + 1)
    }

    /// Follows a path to the last node on it that exists; with the place of its key, or of the item itself.
    fn walk(&self, path: &str) -> (&Self, Location) {
        let (mut node, mut at, mut rest) = (self, self.at, path);
        while !rest.is_empty() {
            let step = match &node.kind {
                Kind::Scalar(_) => None,
                Kind::List(items) => rest.strip_prefix('[').and_then(|rest| {
                    let (index, rest) = rest.split_once(']')?;
                    let item = items.get(index.parse::<usize>().ok()?)?;
                    Some((item, item.at, rest))
                }),
                // Keys may contain dots: the longest that fits.
                Kind::Map(members) => members
                    .iter()
                    .filter_map(|member| Some((member, rest.strip_prefix(member.key.as_str())?)))
                    .filter(|(_, rest)| rest.is_empty() || rest.starts_with(['.', '[']))
                    .max_by_key(|(member, _)| member.key.len())
                    .map(|(member, rest)| (&member.value, member.at, rest)),
            };
            let Some((next, place, remaining)) = step else { break };
            (node, at, rest) = (next, place, remaining.strip_prefix('.').unwrap_or(remaining));
        }
        (node, at)
    }

    fn member(&self, key: &str) -> Option<&Member> {
        let Kind::Map(members) = &self.kind else { return None };
        members.iter().find(|member| member.key == key)
    }
}

/// A line or column, from 1, as an index, from 0.
fn as_index(place: u64) -> usize {
    usize::try_from(place.saturating_sub(1)).unwrap_or(usize::MAX)
}

struct Body(Kind);

impl From<Spanned<Body>> for Node {
    fn from(body: Spanned<Body>) -> Self {
        let at = Location { line: body.referenced.line(), column: body.referenced.column() };
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
            let at = Location { line: key.referenced.line(), column: key.referenced.column() };
            let value = access.next_value::<Spanned<Body>>()?.into();
            members.push(Member { key: key.value, at, value });
        }
        Ok(Body(Kind::Map(members)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Location, Node};

    #[test]
    fn every_key_and_value_knows_its_place() {
        let node =
            Node::parse("study: s\nenvironment: { name: cage2, horizn: 30 }\nlist:\n  - a\n  - 1.5\n", "f").unwrap();
        assert_eq!(
            node.json().to_string(),
            r#"{"study":"s","environment":{"name":"cage2","horizn":30},"list":["a",1.5]}"#
        );
        assert_eq!(node.place("environment"), Location { line: 2, column: 1 });
        let Kind::Map(members) = &node.kind else { panic!("a map") };
        assert_eq!(members[1].value.place("horizn"), Location { line: 2, column: 29 });
    }

    #[test]
    fn a_path_finds_the_last_key_that_exists() {
        let node = Node::parse("arbiter:\n  rule: first\n  limit: 2\n", "f").unwrap();
        assert_eq!(node.place_of("arbiter.limit"), Location { line: 3, column: 3 });
        assert_eq!(node.place_of("arbiter.other"), Location { line: 1, column: 1 });
        assert_eq!(node.place_of("gate"), node.at);
    }

    #[test]
    fn a_path_leads_to_the_item_that_it_counts_and_not_to_the_first_of_the_same_text() {
        let source = "turns: 1\ntools:\n  - { query: a }\n  - query: a\n    turns: 0\nother.name: { turns: 2 }\n";
        let node = Node::parse(source, "f").unwrap();
        assert_eq!(node.place_of("tools[1]"), Location { line: 4, column: 5 });
        assert_eq!(node.place_of("tools[1].query"), Location { line: 4, column: 5 });
        assert_eq!(node.place_of("tools[1].turns"), Location { line: 5, column: 5 });
        assert_eq!(node.place_of("tools[7].turns"), Location { line: 2, column: 1 });
        assert_eq!(node.place_of("other.name.turns"), Location { line: 6, column: 15 });
    }

    #[test]
    fn the_line_of_a_part_of_a_text_is_exact_in_every_style() {
        let source = "say: x = 1\nliteral: |\n\n  one\n  x = 1\nfolded: >-\n  one\n  two\n  x = 1\nplain: one\n  \
                      x = 1\nsingle: 'one\n  x = 1'\nanchor: &a |-\n  one\n  x = 1\nalias: *a\nflow: { inner: \"one\n  x = 1\" }\n";
        let node = Node::parse(source, "f").unwrap();
        for (path, line) in [
            ("say", 1),
            ("literal", 5),
            ("folded", 9),
            ("plain", 11),
            ("single", 13),
            ("anchor", 16),
            ("alias", 17),
            ("flow.inner", 19),
        ] {
            let json = node.json();
            let text = path.split('.').fold(&json, |json, key| &json[key]).as_str().unwrap();
            assert_eq!(node.line_of(source, path, text.find("x = 1").unwrap()), line, "{path}");
        }
        assert_eq!(node.line_of(source, "literal.absent", 0), 4, "the text above it");
        assert_eq!(node.line_of(source, "absent", 0), 1);
    }

    #[test]
    fn broken_yaml_is_said_with_its_place() {
        let error = Node::parse("study: [1,\nother: 2\n", "s.yaml").unwrap_err().to_string();
        assert!(error.starts_with("s.yaml:"), "{error}");
    }
}
