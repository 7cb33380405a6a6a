//! YAML with the place of every key and value, so that each complaint can name its line.

use std::fmt;

use gimbal_core::nearest;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_saphyr::Spanned;

use super::error::Problem;

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
    /// A map in the order of the file: key, its place, value.
    Map(Vec<(String, At, Node)>),
}

impl Node {
    /// Reads a text; `file` is named in complaints.
    ///
    /// # Errors
    /// Where the text is no YAML.
    pub fn parse(text: &str, file: &str) -> Result<Self, Problem> {
        gimbal_core::yaml::read::<Spanned<Body>>(text, file).map(Self::from).map_err(|error| {
            let at = At { line: error.line, column: error.column };
            Problem::at(file, at, format!("this is no valid YAML: {}", error.message))
        })
    }

    /// Without the places.
    #[must_use]
    pub fn json(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::List(items) => Value::Array(items.iter().map(Self::json).collect()),
            Kind::Map(members) => {
                Value::Object(members.iter().map(|(key, _, value)| (key.clone(), value.json())).collect())
            }
        }
    }

    /// The place of the key or item that `path` names below this node, as far as it exists.
    #[must_use]
    pub fn place(&self, key: &str) -> At {
        match &self.kind {
            Kind::Map(members) => members.iter().find(|(name, ..)| name == key).map_or(self.at, |(_, at, _)| *at),
            _ => self.at,
        }
    }
}

/// Reads the members of a map, each once; what is left over is unknown.
pub struct Members<'a> {
    file: &'a str,
    what: &'a str,
    /// Where the map begins.
    pub at: At,
    members: &'a [(String, At, Node)],
    known: Vec<&'static str>,
}

impl<'a> Members<'a> {
    /// The members of a map.
    ///
    /// # Errors
    /// When the node is no map, or names a key twice.
    pub fn of(node: &'a Node, file: &'a str, what: &'a str) -> Result<Self, Problem> {
        let Kind::Map(members) = &node.kind else {
            return Err(Problem::at(file, node.at, format!("{what} must be a map of keys and values")));
        };
        for (index, (key, at, _)) in members.iter().enumerate() {
            if members[..index].iter().any(|(other, ..)| other == key) {
                return Err(Problem::at(file, *at, format!("`{key}` stands twice in {what}")));
            }
        }
        Ok(Self { file, what, at: node.at, members, known: Vec::new() })
    }

    /// The value of a key, if it is there.
    pub fn get(&mut self, key: &'static str) -> Option<&'a Node> {
        self.known.push(key);
        self.members
            .iter()
            .find(|(name, ..)| name == key)
            .map(|(.., node)| node)
            .filter(|node| node.kind != Kind::Scalar(Value::Null))
    }

    /// The value of a key that must be there.
    ///
    /// # Errors
    /// When it is missing.
    pub fn need(&mut self, key: &'static str) -> Result<&'a Node, Problem> {
        let (file, at, what) = (self.file, self.at, self.what);
        if let Some(node) = self.get(key) {
            return Ok(node);
        }
        // A misspelling of just this key is more likely than that it was forgotten.
        let misspelt = self.members.iter().find(|(name, ..)| name != key && nearest::nearest(name, [key]).is_some());
        match misspelt {
            Some((name, at, _)) => Err(unknown(file, *at, name, what, &[key])),
            None => Err(Problem::at(file, at, format!("{what} needs `{key}`"))),
        }
    }

    /// All members that were not asked for.
    pub fn others(&self) -> impl Iterator<Item = (&'a str, At, &'a Node)> + '_ {
        let known = |key: &str| self.known.contains(&key);
        self.members.iter().filter(move |(key, ..)| !known(key)).map(|(key, at, node)| (key.as_str(), *at, node))
    }

    /// Refuses members that were not asked for.
    ///
    /// # Errors
    /// The first unknown key, with the nearest known one.
    pub fn finish(self) -> Result<(), Problem> {
        let Some((key, at, _)) = self.others().next() else { return Ok(()) };
        Err(unknown(self.file, at, key, self.what, &self.known))
    }
}

/// The complaint about an unknown key.
pub fn unknown(file: &str, at: At, key: &str, what: &str, known: &[&str]) -> Problem {
    let hint = nearest::hint(key, known.iter().copied());
    let listed = if hint.is_empty() { format!("; known keys: {}", known.join(", ")) } else { hint };
    Problem::at(file, at, format!("unknown key `{key}` in {what}{listed}"))
}

/// A string.
///
/// # Errors
/// When it is none.
pub fn string(node: &Node, file: &str, what: &str) -> Result<String, Problem> {
    match &node.kind {
        Kind::Scalar(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
        Kind::Scalar(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
        _ => Err(Problem::at(file, node.at, format!("{what} must be a text"))),
    }
}

/// A text, and nothing that only looks like one.
///
/// # Errors
/// When it is none; a number or boolean must stand in quotation marks.
pub fn written(node: &Node, file: &str, what: &str) -> Result<String, Problem> {
    if let Kind::Scalar(value @ (Value::Number(_) | Value::Bool(_))) = &node.kind {
        let words = format!("{what} must be a text, and `{value}` is none: write it in quotation marks, `\"{value}\"`");
        return Err(Problem::at(file, node.at, words));
    }
    string(node, file, what)
}

/// A whole number of at least `least`.
///
/// # Errors
/// When it is none, or greater than 18446744073709551615.
pub fn whole(node: &Node, file: &str, what: &str, least: u64) -> Result<u64, Problem> {
    bounded(node, file, what, least, u64::MAX)
}

/// A whole number of at least `least`, of 32 bits.
///
/// # Errors
/// When it is none, or greater than 4294967295.
pub fn small(node: &Node, file: &str, what: &str, least: u32) -> Result<u32, Problem> {
    let number = bounded(node, file, what, least.into(), u32::MAX.into())?;
    Ok(u32::try_from(number).unwrap_or(u32::MAX))
}

fn bounded(node: &Node, file: &str, what: &str, least: u64, most: u64) -> Result<u64, Problem> {
    let number = if let Kind::Scalar(value) = &node.kind { value.as_u64() } else { None };
    if let Some(number) = number.filter(|number| (least..=most).contains(number)) {
        return Ok(number);
    }
    let too_great = match &node.kind {
        Kind::Scalar(Value::Number(value)) => {
            number.is_some_and(|number| number > most) || value.as_f64() >= Some(1.8e19)
        }
        _ => false,
    };
    let words = if too_great {
        format!("{what} is too great: give a whole number from {least} to {most}")
    } else {
        format!("{what} must be a whole number of at least {least}")
    };
    Err(Problem::at(file, node.at, words))
}

/// A number from `least` to `most`.
///
/// # Errors
/// When it is none.
pub fn decimal(node: &Node, file: &str, what: &str, least: f64, most: f64) -> Result<f64, Problem> {
    let number = if let Kind::Scalar(value) = &node.kind { value.as_f64() } else { None };
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| Problem::at(file, node.at, format!("{what} must be a number from {least} to {most}")))
}

/// The items of a list; a single item stands for a list of one.
#[must_use]
pub fn items(node: &Node) -> Vec<&Node> {
    match &node.kind {
        Kind::List(items) => items.iter().collect(),
        _ => vec![node],
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
            members.push((key.value, at, access.next_value::<Spanned<Body>>()?.into()));
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
        assert_eq!(members[1].2.place("horizn"), At { line: 2, column: 29 });
    }

    #[test]
    fn broken_yaml_is_said_with_its_place() {
        let problem = Node::parse("study: [1,\nother: 2\n", "s.yaml").unwrap_err().to_string();
        assert!(problem.starts_with("s.yaml:"), "{problem}");
    }
}
