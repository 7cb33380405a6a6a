//! Recomputing one number: from printed inputs, with the range that their rounding allows.

use gimbal_analysis::AnalysisError;
use gimbal_analysis::frontier::{Point, pareto};
use gimbal_analysis::papers::Check;

use super::facts::{BogFacts, PaperCell};

/// Half a unit of the last printed digit of returns, SDs and kilotokens.
pub(super) const HALF: f64 = 0.05;

pub(super) fn find<'a>(facts: &'a BogFacts, configuration: &str, model: &str) -> Result<&'a PaperCell, AnalysisError> {
    facts.cell(configuration, model).ok_or_else(|| AnalysisError::Facts {
        place: format!("cells, configuration `{configuration}`, model `{model}`"),
        what: "another table names it and the matrix lacks it: add the cell".to_owned(),
    })
}

pub(super) fn place(configuration: &str, model: &str) -> String {
    format!("{configuration} on {model}")
}

/// Least and largest value of a formula over all corners of the inputs' rounding.
pub(super) fn reach<const N: usize>(inputs: [f64; N], formula: impl Fn([f64; N]) -> Option<f64>) -> (f64, f64) {
    let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
    for corner in 0..1_u32 << N {
        let moved = std::array::from_fn(|index| inputs[index] + if corner >> index & 1 == 1 { HALF } else { -HALF });
        if let Some(value) = formula(moved) {
            ends = (ends.0.min(value), ends.1.max(value));
        }
    }
    ends
}

pub(super) fn recompute<const N: usize>(
    table: &str,
    place: String,
    (printed, digits): (f64, i32),
    inputs: [f64; N],
    formula: impl Fn([f64; N]) -> Option<f64>,
) -> Option<Check> {
    let value = formula(inputs)?;
    Some(Check::judge(table, place, printed, digits, value, reach(inputs, formula)))
}

/// The configurations on a model's frontier of tokens and mean return, in table order (BOG-172).
#[must_use]
pub fn frontier<'a>(facts: &'a BogFacts, model: &str) -> Vec<&'a str> {
    let cells: Vec<&PaperCell> = facts.cells.iter().filter(|cell| cell.model == model).collect();
    let points: Vec<Point> = cells.iter().map(|cell| Point { cost: cell.kilotokens, value: cell.mean }).collect();
    let flags = pareto(&points);
    cells.iter().zip(flags).filter(|(_, efficient)| *efficient).map(|(cell, _)| cell.configuration.as_str()).collect()
}
