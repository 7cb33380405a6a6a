//! Names that many rows share.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A name of a cell, environment, task, role or model in a row. Clones share their text: a run has many episodes and few
/// names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

impl Name {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<&String> for Name {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&Name> for String {
    fn from(name: &Name) -> Self {
        name.as_str().to_owned()
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Name {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<Name> for String {
    fn eq(&self, other: &Name) -> bool {
        self == other.as_str()
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// Names that were met, each kept once.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeSet<Name>);

impl Names {
    /// The shared name of this text.
    pub fn of(&mut self, text: &str) -> Name {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let name = Name::from(text);
        self.0.insert(name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn equal_names_share_one_text() {
        let mut names = Names::default();
        let (first, other, again) = (names.of("obs"), names.of("obs+net"), names.of("obs"));
        assert!(std::ptr::eq(first.as_str(), again.as_str()));
        assert_eq!((first.as_str(), other.as_str()), ("obs", "obs+net"));
        assert!(first < other && first == "obs");
    }
}
