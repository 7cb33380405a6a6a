//! What a printed number follows from, with the least and the most that the rounding of its inputs allows.

use gimbal_analysis::AnalysisError;
use serde::{Deserialize, Serialize};

/// A formula over printed numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Formula {
    /// A number that is exact, such as a count.
    Exact(f64),
    /// A printed number, by its name.
    Named(String),
    /// Something of other formulas.
    Of(Operation),
}

/// Something of other formulas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// The sum.
    Sum(Vec<Formula>),
    /// The plain mean.
    Mean(Vec<Formula>),
    /// The first minus the others.
    Difference(Vec<Formula>),
    /// The product.
    Product(Vec<Formula>),
    /// The first over the second.
    Ratio(Box<[Formula; 2]>),
    /// By how many percent the second is below the first.
    Reduction(Box<[Formula; 2]>),
    /// The mean of numbers weighted by other ones: pairs of number and weight.
    Weighted(Vec<[Formula; 2]>),
    /// The same with the other sign.
    Minus(Box<Formula>),
}

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

    fn plus(self, other: Self) -> Self {
        Self { value: self.value + other.value, least: self.least + other.least, most: self.most + other.most }
    }

    fn negative(self) -> Self {
        Self { value: -self.value, least: -self.most, most: -self.least }
    }

    fn times(self, other: Self) -> Self {
        let ends = [self.least * other.least, self.least * other.most, self.most * other.least, self.most * other.most];
        Self {
            value: self.value * other.value,
            least: ends.into_iter().fold(f64::INFINITY, f64::min),
            most: ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Over a number that its rounding does not let reach 0; else nothing is said of the result.
    fn over(self, other: Self) -> Self {
        if other.least <= 0.0 && other.most >= 0.0 {
            return Self { value: f64::NAN, least: f64::NAN, most: f64::NAN };
        }
        self.times(Self { value: 1.0 / other.value, least: 1.0 / other.most, most: 1.0 / other.least })
    }
}

impl Formula {
    /// What follows; `named` gives printed numbers.
    ///
    /// # Errors
    /// When a named number is missing.
    pub fn value(&self, named: &dyn Fn(&str) -> Result<Reach, AnalysisError>) -> Result<Reach, AnalysisError> {
        let all = |list: &[Self]| list.iter().map(|one| one.value(named)).collect::<Result<Vec<_>, _>>();
        let sum = |list: &[Reach]| list.iter().fold(Reach::exactly(0.0), |sum, one| sum.plus(*one));
        Ok(match self {
            Self::Exact(value) => Reach::exactly(*value),
            Self::Named(name) => named(name)?,
            Self::Of(Operation::Sum(list)) => sum(&all(list)?),
            Self::Of(Operation::Mean(list)) => sum(&all(list)?).over(Reach::exactly(list.len() as f64)),
            Self::Of(Operation::Difference(list)) => match all(list)?.split_first() {
                Some((first, rest)) => first.plus(sum(rest).negative()),
                None => Reach::exactly(0.0),
            },
            Self::Of(Operation::Product(list)) => {
                all(list)?.into_iter().fold(Reach::exactly(1.0), |product, one| product.times(one))
            }
            Self::Of(Operation::Ratio(pair)) => pair[0].value(named)?.over(pair[1].value(named)?),
            Self::Of(Operation::Reduction(pair)) => {
                let share = pair[1].value(named)?.over(pair[0].value(named)?);
                Reach::exactly(1.0).plus(share.negative()).times(Reach::exactly(100.0))
            }
            Self::Of(Operation::Weighted(pairs)) => {
                let (mut total, mut weights) = (Reach::exactly(0.0), Reach::exactly(0.0));
                for [value, weight] in pairs {
                    let weight = weight.value(named)?;
                    total = total.plus(value.value(named)?.times(weight));
                    weights = weights.plus(weight);
                }
                total.over(weights)
            }
            Self::Of(Operation::Minus(one)) => one.value(named)?.negative(),
        })
    }
}
