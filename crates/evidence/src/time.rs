//! Times of facts: as found, and in UTC.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::text::as_text;

/// A time in UTC, in microseconds since 1970. Written as RFC 3339 with six decimals and `Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utc(i64);

/// A text that is not such a time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a time: expected RFC 3339, such as 2026-03-28T09:00:00Z")]
pub struct NotATime(pub String);

/// The first and the last number of microseconds that the library takes.
const MIN_MICROS: i64 = -377_705_023_201_000_000;
const MAX_MICROS: i64 = 253_402_207_200_000_000;

const SIX_DECIMALS: DateTimePrinter = DateTimePrinter::new().precision(Some(6));

impl Utc {
    /// From microseconds since 1970; `None` outside the years -9999 to 9999.
    #[must_use]
    pub fn from_micros(micros: i64) -> Option<Self> {
        // Asked for every record that is read: two comparisons, where the library converts.
        (MIN_MICROS..=MAX_MICROS).contains(&micros).then_some(Self(micros))
    }

    /// Microseconds since 1970.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// This time moved by so many seconds; `None` when it leaves the range of times.
    #[must_use]
    pub fn shifted(self, seconds: i64) -> Option<Self> {
        seconds.checked_mul(1_000_000).and_then(|micros| self.0.checked_add(micros)).and_then(Self::from_micros)
    }
}

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Every value is in the range of `Timestamp`: `from_micros` and `from_str` are the only ways to make one.
        let time = Timestamp::from_microsecond(self.0).unwrap_or(Timestamp::UNIX_EPOCH);
        f.pad(&SIX_DECIMALS.timestamp_to_string(&time))
    }
}

impl FromStr for Utc {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let time = text.parse::<Timestamp>().ok().and_then(|time| Self::from_micros(time.as_microsecond()));
        time.ok_or_else(|| NotATime(text.to_owned()))
    }
}

as_text!(Utc);

/// A time as its source wrote it, with the same in UTC.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// As found.
    pub found: String,
    /// In UTC.
    pub utc: Utc,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Utc;

    #[test]
    fn times_are_read_in_any_zone_and_written_in_one_way() {
        for text in ["2020-05-01T07:03:39.797Z", "2020-05-01T09:03:39.797+02:00", "2020-05-01T07:03:39.7970009Z"] {
            assert_eq!(text.parse::<Utc>().unwrap().to_string(), "2020-05-01T07:03:39.797000Z");
        }
        for text in ["", "yesterday", "2020-05-01", "2020-13-01T00:00:00Z", "2020-05-01T07:03:39"] {
            assert!(text.parse::<Utc>().is_err(), "{text}");
        }
        assert_eq!(Utc(1_000_000).shifted(i64::MAX), None);
    }

    #[test]
    fn the_range_of_times_is_that_of_the_library() {
        for (inside, outside) in [(super::MIN_MICROS, -1), (super::MAX_MICROS, 1)] {
            assert!(jiff::Timestamp::from_microsecond(inside).is_ok());
            assert!(jiff::Timestamp::from_microsecond(inside + outside).is_err());
            assert!(Utc::from_micros(inside).is_some() && Utc::from_micros(inside + outside).is_none());
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(micros in -62_135_596_800_000_000_i64..253_402_200_000_000_000) {
            let time = Utc::from_micros(micros).unwrap();
            prop_assert_eq!(time.to_string().parse::<Utc>(), Ok(time));
        }
    }
}
