//! Making items of works from the data of a run.

use std::any::Any;

use gimbal_analysis::Table;
use gimbal_view::Output;
use gimbal_view::work::{Choices, Context, Inputs, Item, Make, Undeclared, Work};

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
    let protocol = source.options.protocol.as_deref().map(|chosen| chosen as &(dyn Any + 'static));
    let context = Context::new(work, inputs, &Choices { baseline: source.stored.baseline.as_deref(), protocol });
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
