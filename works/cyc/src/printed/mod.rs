//! The work's published tables and claims, recomputed from their own printed inputs (CYC-052, 060-066, 110-113, R02, R03, R10).

mod claims;
mod facts;
mod seeds;
mod splits;
mod sweeps;

pub use facts::{
    Benchmark, CycCell, CycClaim, CycFacts, CycFormula, GraphRanges, MeanSd, PaperControl, PaperRegime, Retention,
    Robustness, TokenPair, TokenRow, TransitionCounts,
};
pub use seeds::{Spread, nearest_rate, nearest_spread};

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::{Check, Examined};

/// File with the facts among the program's data.
pub const FILE: &str = "papers/cyc.yaml";

/// Half a unit of the last printed digit of rates, calls and visits.
const HALF: f64 = 0.05;
/// Half a unit of the last printed digit of tokens and their percentages.
const HALF_CENT: f64 = 0.005;

/// Recomputes every printed number that follows from others.
///
/// # Errors
/// When the facts name a benchmark or row that they lack.
pub fn check(facts: &CycFacts) -> Result<Vec<Check>, AnalysisError> {
    let mut checks = Vec::new();
    splits::regimes(facts, &mut checks);
    splits::counts(facts, &mut checks);
    sweeps::cells(facts, &mut checks)?;
    sweeps::retention(facts, &mut checks)?;
    sweeps::robustness(facts, &mut checks)?;
    sweeps::tokens(facts, &mut checks);
    sweeps::transitions(facts, &mut checks)?;
    claims::check(facts, &mut checks)?;
    checks.sort_by_key(|check| order(&check.table));
    Ok(checks)
}

/// Recomputes everything and compares the misses with those that the facts list.
///
/// # Errors
/// Those of [`check`].
pub fn examine(facts: &CycFacts) -> Result<Examined, AnalysisError> {
    Ok(Examined::of(check(facts)?, &facts.known_misses))
}

/// Reads facts and recomputes them; `place` is what messages call the text. Returns the work's name with the results.
///
/// # Errors
/// When the text holds no facts, or they name a configuration or model that the matrix lacks.
pub fn read_and_examine(text: &str, place: &str) -> Result<(String, Examined), AnalysisError> {
    let facts = CycFacts::parse(text, place)?;
    let examined = examine(&facts).map_err(|error| error.within(place))?;
    Ok((facts.work, examined))
}

fn order(table: &str) -> u32 {
    table.trim_start_matches("Tab. ").parse().unwrap_or(u32::MAX)
}

/// A number from inputs that each carry half a unit of their last digit; `None` where the formula has no value.
fn recompute<const N: usize>(
    table: &str,
    place: String,
    (printed, digits): (f64, i32),
    inputs: [(f64, f64); N],
    formula: impl Fn([f64; N]) -> Option<f64>,
) -> Option<Check> {
    let value = formula(inputs.map(|input| input.0))?;
    let mut reach = (f64::INFINITY, f64::NEG_INFINITY);
    for corner in 0..1_u32 << N {
        let moved = std::array::from_fn(|index| {
            let (value, half) = inputs[index];
            if corner >> index & 1 == 1 { value + half } else { value - half }
        });
        if let Some(value) = formula(moved) {
            reach = (reach.0.min(value), reach.1.max(value));
        }
    }
    Some(Check::judge(table, place, printed, digits, value, reach))
}

/// A number that is printed once more.
fn same(table: &str, place: String, printed: f64, value: f64) -> Check {
    Check::judge(table, place, printed, 2, value, (value, value))
}

/// What a row is called: control and models on a benchmark.
fn named(control: PaperControl, models: &[String], benchmark: &str) -> String {
    format!("{} {} on {benchmark}", control.name(), models.join("/"))
}
