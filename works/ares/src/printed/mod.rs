//! The work's printed numbers, recomputed from its other printed numbers (ARES-060, 061, 070, 096, 110 to 121, R1, R3, R4).

mod facts;
mod formula;

pub use facts::{AresFacts, Claim};
pub use formula::Formula;

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::{Check, Examined};

/// File with the facts among the program's data.
pub const FILE: &str = "papers/ares.yaml";

/// Recomputes every printed number that follows from others.
///
/// # Errors
/// When a claim names a list or a judge that the facts lack.
pub fn check(facts: &AresFacts) -> Result<Vec<Check>, AnalysisError> {
    let check = |claim: &Claim| {
        let check = claim.check(claim.of.value(facts)?);
        Ok(if matches!(claim.of, Formula::Change { .. }) { check.of_ranges() } else { check })
    };
    facts.claims.iter().map(check).collect()
}

/// Recomputes everything and compares the misses with those that the facts list.
///
/// # Errors
/// Those of [`check`].
pub fn examine(facts: &AresFacts) -> Result<Examined, AnalysisError> {
    Ok(Examined::of(check(facts)?, &facts.known_misses))
}

/// Reads facts and recomputes them; `place` is what messages call the text. Returns the work's name with the results.
///
/// # Errors
/// When the text holds no facts, or a claim names a list or a judge that they lack.
pub fn read_and_examine(text: &str, place: &str) -> Result<(String, Examined), AnalysisError> {
    let facts = AresFacts::parse(text, place)?;
    let examined = examine(&facts).map_err(|error| error.within(place))?;
    Ok((facts.work, examined))
}
