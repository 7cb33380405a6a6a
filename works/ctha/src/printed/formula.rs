//! What a printed number follows from, with the least and the most that the rounding of its inputs allows.

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::Reach;
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
