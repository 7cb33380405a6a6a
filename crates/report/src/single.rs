//! One table or figure of a run.

use gimbal_analysis::Table;
use gimbal_view::Output;
use gimbal_view::work::Undeclared;

use crate::catalogue::{Chosen, Listed};
use crate::error::ReportError;
use crate::everything::Everything;
use crate::inputs;
use crate::make::{Made, make};
use crate::report::Report;
use crate::source::Source;

/// One table of a run.
///
/// # Errors
/// When the run cannot be read, the baseline is not in it, or a standard table has no rows in it.
pub fn table(source: &Source<'_>, chosen: Chosen) -> Result<Table, ReportError> {
    match chosen {
        Chosen::Standard(key) => {
            let report = Report::standard(source)?;
            match report.tables().iter().find(|table| table.key == key) {
                Some(table) => Ok(table.clone()),
                None => Err(ReportError::NoRows { key: key.to_owned(), known: keys(source)?.join(", ") }),
            }
        }
        Chosen::OfWork(listed) => {
            let made = one(source, listed)?.tables.into_iter().next();
            made.ok_or_else(|| listed.fault(Undeclared("a table")))
        }
    }
}

/// Keys of all tables that have rows in a run, in the order of the catalogue.
///
/// # Errors
/// When the run cannot be read, or the baseline is not in it.
pub fn keys(source: &Source<'_>) -> Result<Vec<&'static str>, ReportError> {
    let filled: Vec<&str> = Everything::build(source)?.tables.iter().map(|table| table.key).collect();
    Ok(source.catalogue.tables().into_iter().map(|(key, _)| key).filter(|key| filled.contains(key)).collect())
}

/// One figure of a run, with a drawing for each environment or one for the whole run.
///
/// # Errors
/// When the run cannot be read, or the baseline is not in it.
pub fn figure(source: &Source<'_>, listed: Listed) -> Result<Vec<Output>, ReportError> {
    Ok(one(source, listed)?.figures)
}

fn one(source: &Source<'_>, listed: Listed) -> Result<Made, ReportError> {
    let chosen = [listed];
    make(source, &inputs::of_items(source, &chosen)?, &chosen)
}
