//! What a block of context is worth: T7.

use gimbal_analysis::metrics::{marginal_percent, synergy};
use gimbal_analysis::{Cell, ColumnKind, Table};

use super::frame::{Frame, Part};

/// T7: change of the mean return in percent of the old one's size (BOG-171).
pub fn marginals(frame: &Frame<'_>) -> Table {
    let protocol = frame.grids.protocol;
    let models = frame.grids.models();
    let parts = [Part::new("percent", "", ColumnKind::Number(1), "100 (new − old) / |old|").unit("%")];
    let mut columns = vec![
        frame.label("from", "From", "Old configuration"),
        frame.label("to", "To", "New configuration"),
        frame.label("change", "Change", "In words"),
        frame.environment(),
    ];
    columns.extend(frame.model_columns(&models, &parts));
    let mut rows = Vec::new();
    for grid in &frame.grids.grids {
        for step in &protocol.transitions {
            let percent = |model: &str| {
                let (old, new) = (grid.mean(&step.from, model), grid.mean(&step.to, model));
                vec![Cell::number(old.zip(new).and_then(|(old, new)| marginal_percent(old, new)))]
            };
            let mut line = vec![
                Cell::text(&step.from),
                Cell::text(&step.to),
                Cell::text(&step.change),
                Cell::text(grid.environment),
            ];
            line.extend(frame.across(grid, &models, 1, percent));
            rows.push(line);
        }
    }
    let mut notes = vec![
        "Percent of the old mean return's size: above zero the return rises. Where the old return is near zero a percentage says little.".to_owned(),
    ];
    let needed: Vec<&str> = protocol.transitions.iter().flat_map(|step| [step.from.as_str(), &step.to]).collect();
    notes.extend(frame.marks(&models));
    notes.extend(frame.gaps(&needed));
    frame.table(columns, rows, notes)
}

/// Synergy of two blocks of context (BOG-177).
pub fn synergies(frame: &Frame<'_>) -> Table {
    let digits = frame.digits();
    let models = frame.grids.models();
    let parts = [Part::new("synergy", "", ColumnKind::Number(digits), "Both together minus the better of each alone")];
    let mut columns = vec![
        frame.label("combined", "Both", "Configuration with both"),
        frame.label("first", "One", "Configuration with one alone"),
        frame.label("second", "Other", "Configuration with the other alone"),
        frame.environment(),
    ];
    columns.extend(frame.model_columns(&models, &parts));
    let (mut rows, mut needed) = (Vec::new(), Vec::new());
    for grid in &frame.grids.grids {
        for entry in &frame.grids.protocol.synergies {
            let value = |model: &str| {
                let mean = |name: &str| grid.mean(name, model);
                let parts = mean(&entry.combined).zip(mean(&entry.first)).zip(mean(&entry.second));
                vec![Cell::number(parts.and_then(|((both, first), second)| synergy(both, first, second)))]
            };
            let names = [&entry.combined, &entry.first, &entry.second];
            let mut line: Vec<Cell> = names.into_iter().map(Cell::text).collect();
            needed.extend(names.map(String::as_str));
            line.push(Cell::text(grid.environment));
            line.extend(frame.across(grid, &models, 1, value));
            rows.push(line);
        }
    }
    let mut notes = vec![
        "Mean return of both together minus that of the better one alone; above zero they add to one another."
            .to_owned(),
    ];
    notes.extend(frame.marks(&models));
    notes.extend(frame.gaps(&needed));
    frame.table(columns, rows, notes)
}
