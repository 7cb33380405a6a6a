//! Numbers of 64 bits in hashed structures.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::text::as_text;

/// A number of 64 bits, written as a decimal text: JSON numbers beyond 2^53 are rounded by RFC 8785.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Counter(pub u64);

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text that is not such a number.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a counter: expected a whole number up to 2^64 - 1 as a text")]
pub struct NotACounter(String);

impl FromStr for Counter {
    type Err = NotACounter;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self).map_err(|_| NotACounter(text.to_owned()))
    }
}

as_text!(Counter);
