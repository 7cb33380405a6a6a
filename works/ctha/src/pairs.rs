//! Which cells of hierarchies are compared with which.

use gimbal_analysis::{Analysis, BaselineChoice, CellInfo, CellSummary};

/// Whether two cells play the same environment with the same models, decoded alike.
fn alike(one: &CellInfo, other: &CellInfo) -> bool {
    one.environment == other.environment && one.models == other.models && one.decoding == other.decoding
}

/// The same cell without faults; `None` for one that has none, or where the study does not have it.
pub(crate) fn unaltered<'a>(analysis: &'a Analysis, cell: &CellInfo) -> Option<&'a CellSummary> {
    let is = |other: &&CellSummary| {
        other.info.faults.is_empty() && other.info.configuration == cell.configuration && alike(cell, &other.info)
    };
    if cell.faults.is_empty() { None } else { analysis.cells.iter().find(is) }
}

/// The cell of the study's baseline beside a cell: with the same environment, models, decoding and faults; `None` for the baseline itself.
pub(crate) fn baseline<'a>(analysis: &'a Analysis, cell: &CellInfo) -> Option<&'a CellSummary> {
    let is = |other: &&CellSummary| {
        let chosen = match &analysis.options.baseline {
            Some(BaselineChoice::Configuration(name)) => other.info.configuration == *name,
            Some(BaselineChoice::Cell(id)) => other.info.id == *id,
            None => false,
        };
        chosen && other.info.id != cell.id && other.info.faults == cell.faults && alike(cell, &other.info)
    };
    analysis.cells.iter().find(is)
}
