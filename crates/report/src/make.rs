//! Making items of works from the data of a run.

use gimbal_analysis::{Analysis, BaselineChoice, Protocol, Rows, Table};
use gimbal_view::Output;
use gimbal_view::work::{Context, Inputs, Item, Make, Needs, Undeclared, Work};

use crate::catalogue::{Chosen, Listed};
use crate::error::ReportError;
use crate::inputs;
use crate::report::Report;
use crate::source::Source;

/// Tables and figures that were made, each in the order of the catalogue.
#[derive(Default)]
pub struct Made {
    /// Tables.
    pub tables: Vec<Table>,
    /// Figures.
    pub figures: Vec<Output>,
}

/// One table of a run.
///
/// # Errors
/// When the run cannot be read, the baseline is not in it, or a standard table has no rows in it.
pub fn table(source: &Source<'_>, chosen: Chosen) -> Result<Table, ReportError> {
    match chosen {
        Chosen::Standard(key) => Report::standard(source)?.into_table(key),
        Chosen::OfWork(listed) => {
            let made = one(source, listed)?.tables.into_iter().next();
            made.ok_or_else(|| listed.fault(Undeclared("a table")))
        }
    }
}

/// One figure of a run, with a drawing for each environment or one for the whole run.
///
/// # Errors
/// When the run cannot be read, or the baseline is not in it.
pub fn figure(source: &Source<'_>, listed: Listed) -> Result<Vec<Output>, ReportError> {
    Ok(one(source, listed)?.figures)
}

fn one(source: &Source<'_>, listed: Listed) -> Result<Made, ReportError> {
    let mut inputs = Inputs::default();
    inputs::fill(&mut inputs, source, listed.item.needs)?;
    inputs::fill_records(&mut inputs, source, listed.item.records)?;
    of_work(source, &inputs, listed.work, &[listed.item])
}

impl Listed {
    fn fault(&self, undeclared: Undeclared) -> ReportError {
        ReportError::Item { work: self.work.name(), key: self.item.key, undeclared }
    }
}

/// Makes the items that `wanted` accepts, from data that are read for them where `inputs` lacks them.
pub fn make(source: &Source<'_>, inputs: &mut Inputs, wanted: impl Fn(&Item) -> bool) -> Result<Made, ReportError> {
    let chosen = || source.catalogue.items().filter(|listed| wanted(listed.item));
    let needs = chosen().fold(Needs::NONE, |needs, listed| needs.and(listed.item.needs));
    inputs::fill(inputs, source, needs)?;
    let records: Vec<&'static str> = chosen().flat_map(|listed| listed.item.records).copied().collect();
    inputs::fill_records(inputs, source, &records)?;
    let mut made = Made::default();
    for work in source.catalogue.works() {
        let items: Vec<&Item> = work.items().iter().filter(|item| wanted(item)).collect();
        let of_work = of_work(source, inputs, work, &items)?;
        made.tables.extend(of_work.tables);
        made.figures.extend(of_work.figures);
    }
    Ok(made)
}

fn of_work(
    source: &Source<'_>,
    inputs: &Inputs,
    work: &'static dyn Work,
    items: &[&'static Item],
) -> Result<Made, ReportError> {
    let mut made = Made::default();
    if items.is_empty() {
        return Ok(made);
    }
    let protocol = protocol(source, inputs, work);
    let context = Context::new(inputs, protocol.as_ref())?;
    for item in items {
        let fault = |undeclared| Listed { work, item }.fault(undeclared);
        match item.make {
            Make::Table(table) => made.tables.push(table(&context, item).map_err(fault)?),
            Make::Figure(figure) => made.figures.extend(figure(&context, item).map_err(fault)?),
            // Printed numbers need no run.
            Make::Printed(_) => {}
        }
    }
    Ok(made)
}

/// The work's protocol, or the user's in its place, with the baseline that is asked for. Where the protocol's own baseline
/// was not played, the study's takes its place. `None` for works without a protocol.
fn protocol(source: &Source<'_>, inputs: &Inputs, work: &dyn Work) -> Option<Protocol> {
    let shipped = work.protocol()?;
    let (rows, analysis) = inputs.results.as_ref()?;
    let mut protocol = source.options.protocol.as_ref().unwrap_or(shipped).clone();
    if let Some(label) = baseline(&protocol, rows, analysis, source.stored.baseline.as_deref()) {
        protocol.baseline = label;
    }
    Some(protocol)
}

/// What replaces a protocol's baseline, if anything does.
fn baseline(protocol: &Protocol, rows: &Rows, analysis: &Analysis, stored: Option<&str>) -> Option<String> {
    let played = |name: &str| rows.cells.iter().any(|cell| cell.configuration == name);
    match &analysis.options.baseline {
        Some(BaselineChoice::Configuration(label)) if stored != Some(label.as_str()) => Some(label.clone()),
        Some(BaselineChoice::Configuration(label)) if !played(&protocol.baseline) => Some(label.clone()),
        _ => None,
    }
}
