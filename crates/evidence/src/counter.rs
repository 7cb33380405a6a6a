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

/// A whole number, also one that a tool shortened for people, such as `4.9 G`.
pub(crate) fn whole(text: &str) -> Option<u64> {
    let text = text.trim();
    text.parse().ok().or_else(|| {
        let times = match text.as_bytes().last()? {
            b'K' | b'k' => 1e3,
            b'M' => 1e6,
            b'G' => 1e9,
            b'T' => 1e12,
            _ => return None,
        };
        let number: f64 = text[..text.len() - 1].trim_end().parse().ok()?;
        // A float that is too large becomes the largest number, and none of these is negative.
        (number >= 0.0).then_some((number * times) as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn numbers_that_tools_shorten_are_numbers() {
        assert_eq!(
            ["12", "4.9 G", "1.5M", "x G", "-1 K"].map(whole),
            [Some(12), Some(4_900_000_000), Some(1_500_000), None, None]
        );
    }
}
