//! Making items of works from the data of a run.

use gimbal_analysis::{Analysis, BaselineChoice, Protocol, Rows, Table};
use gimbal_view::Output;
use gimbal_view::work::{Context, Inputs, Item, Make, Undeclared, Work};

use crate::catalogue::Listed;
use crate::error::ReportError;
use crate::source::Source;

/// Tables and figures that were made, each in the order of the catalogue.
#[derive(Default)]
pub struct Made {
    /// Tables.
    pub tables: Vec<Table>,
    /// Figures.
    pub figures: Vec<Output>,
}

impl Listed {
    pub(crate) fn fault(&self, undeclared: Undeclared) -> ReportError {
        ReportError::Item { work: self.work.name(), key: self.item.key, undeclared }
    }
}

/// Makes these items, which are in the order of the catalogue, from data that hold what they need.
pub fn make(source: &Source<'_>, inputs: &Inputs, chosen: &[Listed]) -> Result<Made, ReportError> {
    let mut made = Made::default();
    for listed in chosen.chunk_by(|one, other| one.work.name() == other.work.name()) {
        let items: Vec<&Item> = listed.iter().map(|listed| listed.item).collect();
        let of_work = of_work(source, inputs, listed[0].work, &items)?;
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
