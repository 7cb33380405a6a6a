//! Numbers of 64 bits in hashed structures.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of 64 bits, written as a decimal text: JSON numbers beyond 2^53 are rounded by RFC 8785.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Counter(pub u64);

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Counter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Counter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(|_| {
            serde::de::Error::custom(format!(
                "`{text}` is no counter: expected a whole number up to 2^64 - 1 as a text"
            ))
        })
    }
}
