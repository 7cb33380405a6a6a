//! A printed number that follows from others, and how far the rounding of its inputs lets it reach.

use serde::{Deserialize, Serialize};

use super::{Check, Relation};

/// A value with the least and the most that its inputs allow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Value.
    pub value: f64,
    /// Least.
    pub least: f64,
    /// Most.
    pub most: f64,
}

impl Reach {
    /// A number that is exact.
    #[must_use]
    pub const fn exactly(value: f64) -> Self {
        Self { value, least: value, most: value }
    }

    /// A number that is printed with so many digits after the point.
    #[must_use]
    pub fn rounded(value: f64, digits: i32) -> Self {
        let half = 0.5 * 10_f64.powi(-digits);
        Self { value, least: value - half, most: value + half }
    }

    /// The sum of two.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { value: self.value + other.value, least: self.least + other.least, most: self.most + other.most }
    }

    /// The same with the other sign.
    #[must_use]
    pub fn negative(self) -> Self {
        Self { value: -self.value, least: -self.most, most: -self.least }
    }

    /// The product of two.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let ends = [self.least * other.least, self.least * other.most, self.most * other.least, self.most * other.most];
        Self {
            value: self.value * other.value,
            least: ends.into_iter().fold(f64::INFINITY, f64::min),
            most: ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Over a number that its rounding does not let reach 0; else nothing is said of the result.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        if other.least <= 0.0 && other.most >= 0.0 {
            return Self { value: f64::NAN, least: f64::NAN, most: f64::NAN };
        }
        self.times(Self { value: 1.0 / other.value, least: 1.0 / other.most, most: 1.0 / other.least })
    }
}

/// A printed number, and what it follows from: a formula of the work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim<F> {
    /// Requirement.
    pub claim: String,
    /// Where it is printed.
    pub source: String,
    /// Which number.
    pub place: String,
    /// As printed.
    pub printed: f64,
    /// Digits after the point.
    #[serde(default)]
    pub digits: i32,
    /// Whether it is the number, or a bound.
    #[serde(default)]
    pub relation: Relation,
    /// What it follows from.
    pub of: F,
}

impl<F> Claim<F> {
    /// The printed number against what its formula gives.
    #[must_use]
    pub fn check(&self, found: Reach) -> Check {
        let ends = (found.least, found.most);
        Check::judge(&self.source, self.place.clone(), self.printed, self.digits, found.value, ends)
            .related(self.relation)
    }
}
