//! The work's printed numbers, recomputed from its other printed numbers (CTHA-140 to 143, R04, R07, R13, R14, R19).

mod facts;
mod formula;

pub use facts::{Claim, CthaFacts, PrintedTable, Rule};
pub use formula::Formula;

use gimbal_analysis::AnalysisError;
use gimbal_analysis::papers::{Check, Examined, Reach};

/// File with the facts among the program's data.
pub const FILE: &str = "papers/ctha.yaml";

/// Recomputes every printed number that follows from others: those of rules over tables first, then claims.
///
/// # Errors
/// When a rule or a claim names a table, row or column that the facts lack.
pub fn check(facts: &CthaFacts) -> Result<Vec<Check>, AnalysisError> {
    let mut checks = Vec::new();
    for rule in &facts.rules {
        by_rule(facts, rule, &mut checks)?;
    }
    for claim in &facts.claims {
        checks.push(claim.check(claim.of.value(&|name| facts.cell(name))?));
    }
    Ok(checks)
}

/// Recomputes everything and compares the misses with those that the facts list.
///
/// # Errors
/// Those of [`check`].
pub fn examine(facts: &CthaFacts) -> Result<Examined, AnalysisError> {
    Ok(Examined::of(check(facts)?, &facts.known_misses))
}

/// Reads facts and recomputes them; `place` is what messages call the text. Returns the work's name with the results.
///
/// # Errors
/// When the text holds no facts, or a rule or a claim names what they lack.
pub fn read_and_examine(text: &str, place: &str) -> Result<(String, Examined), AnalysisError> {
    let facts = CthaFacts::parse(text, place)?;
    let examined = examine(&facts).map_err(|error| error.within(place))?;
    Ok((facts.work, examined))
}

/// A column of every row that has all that it follows from, or a row of every column.
fn by_rule(facts: &CthaFacts, rule: &Rule, checks: &mut Vec<Check>) -> Result<(), AnalysisError> {
    let table = facts.table(&rule.table)?;
    let cell = |row: &str, column: &str| table.cell(row, column);
    let mut push = |row: &str, column: &str, of: &dyn Fn(&str) -> Result<Reach, AnalysisError>| {
        let printed = cell(row, column)?;
        let reach = rule.of.value(of)?;
        let digits = table.digits_of(column);
        checks.push(Check::judge(
            &table.source,
            format!("{row}, {column}"),
            printed.value,
            digits,
            reach.value,
            (reach.least, reach.most),
        ));
        Ok::<(), AnalysisError>(())
    };
    if let Some(column) = &rule.column {
        for row in table.rows.keys().filter(|row| !rule.except.contains(row) && table.has(row, column)) {
            push(row, column, &|name| cell(row, name))?;
        }
    }
    if let Some(row) = &rule.row {
        for column in table.columns.iter().filter(|column| !rule.except.contains(column) && table.has(row, column)) {
            push(row, column, &|name| cell(name, column))?;
        }
    }
    Ok(())
}
