//! The work's published tables and claims, recomputed from its own printed inputs.

mod claims;
mod derived;
mod facts;
mod matrix;
pub mod prices;
mod recompute;
mod sd;
mod shapes;

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::{Check, Examined};

pub use facts::{
    BogFacts, Configuration, Degradation, Deliberation, Marginal, PaperCell, PaperPaired, PaperRecord, PaperRecords,
    ReferenceReturn,
};
pub use recompute::frontier;
pub use sd::paper_sd;
pub use shapes::{
    BestLevel, ByModel, Formula, PaperClaim, PaperGroup, PaperRange, PaperRanks, PaperTotals, Repeated, TokenProfile,
};

/// File with the facts among the program's data.
pub const FILE: &str = "papers/bog.yaml";

/// Recomputes everything and compares the misses with those that the facts list.
///
/// # Errors
/// When the facts name a configuration or model that the matrix lacks.
pub fn examine(facts: &BogFacts) -> Result<Examined, AnalysisError> {
    let open = prices::open(facts)?.into_iter().collect();
    Ok(Examined { open, ..Examined::of(check(facts)?, &facts.known_misses) })
}

/// Reads facts and recomputes them; `place` is what messages call the text. Returns the work's name with the results.
///
/// # Errors
/// When the text holds no facts, or they name a configuration or model that the matrix lacks.
pub fn read_and_examine(text: &str, place: &str) -> Result<(String, Examined), AnalysisError> {
    let facts = BogFacts::parse(text, place)?;
    let examined = examine(&facts).map_err(|error| error.within(place))?;
    Ok((facts.work, examined))
}

/// Recomputes every table that follows from the matrix: RPTS, marginals, degradation, deliberation, win records,
/// catastrophic counts, intervals, paired differences, shifted efficiency; numbers that are printed again, best and worst,
/// groups, ranks, token profiles, totals, and the numbers of the text.
///
/// # Errors
/// When the facts name a configuration or model that the matrix lacks.
pub fn check(facts: &BogFacts) -> Result<Vec<Check>, AnalysisError> {
    let mut checks = Vec::new();
    matrix::check(facts, &mut checks)?;
    derived::check(facts, &mut checks)?;
    claims::check(facts, &mut checks)?;
    checks.sort_by_key(|check| order(&check.table));
    Ok(checks)
}

fn order(table: &str) -> u32 {
    table.trim_start_matches("Tab. ").split('-').next().and_then(|number| number.parse().ok()).unwrap_or(u32::MAX)
}
