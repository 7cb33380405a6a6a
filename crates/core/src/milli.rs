//! Exact decimal amounts: thousandths held as an integer.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};

use serde::{Deserialize, Serialize};

/// A reward, return or confidence in thousandths. Integers keep hashed types canonical and sums exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Milli(pub i64);

impl Milli {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// The nearest thousandth to `value`; values that are not finite become 0.
    #[must_use]
    pub fn from_f64(value: f64) -> Self {
        if value.is_finite() { Self((value * 1000.0).round() as i64) } else { Self(0) }
    }

    /// From tenths, the unit of CAGE-2 rewards.
    #[must_use]
    pub const fn from_tenths(tenths: i64) -> Self {
        Self(tenths * 100)
    }

    /// As a float, for statistics.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl fmt::Display for Milli {
    /// Decimal with at least one digit after the point: `-13.1`, `0.0`, `0.125`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let magnitude = self.0.unsigned_abs();
        let text = format!("{sign}{}.{:03}", magnitude / 1000, magnitude % 1000);
        let trimmed = text.trim_end_matches('0');
        let trimmed = if trimmed.ends_with('.') { &text[..trimmed.len() + 1] } else { trimmed };
        f.pad(trimmed)
    }
}

impl Add for Milli {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Milli {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Milli {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl AddAssign for Milli {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for Milli {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::Milli;

    #[test]
    fn prints_as_a_person_writes_it() {
        let cases = [(0, "0.0"), (-13_100, "-13.1"), (125, "0.125"), (-5, "-0.005"), (100_000, "100.0")];
        for (thousandths, text) in cases {
            assert_eq!(Milli(thousandths).to_string(), text);
        }
    }

    #[test]
    fn rounds_to_the_nearest_thousandth() {
        assert_eq!(Milli::from_f64(-0.1), Milli(-100));
        assert_eq!(Milli::from_f64(f64::NAN), Milli(0));
    }
}
