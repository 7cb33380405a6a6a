//! Tokens: T26 to T32.

use crate::axes::Grid;
use gimbal_analysis::tables::ratio_note;
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use super::frame::{Frame, column};

/// T26 to T31: shifted efficiency of every configuration (BOG-166), for one model by its place, or for all.
pub fn efficiency(frame: &Frame<'_>, place: Option<usize>) -> Table {
    let digits = frame.digits();
    let models = frame.grids.models();
    let number = |key, title, digits, help| column(key, title, "efficiency", ColumnKind::Number(digits), help);
    let columns = vec![
        frame.label("model", "Model", "Model"),
        frame.label("configuration", "Configuration", "Configuration"),
        frame.environment(),
        number("mean", "Mean", digits, "Mean episode return"),
        number("kilotokens", "kTok", 1, "Thousand tokens an episode"),
        number("shifted_efficiency", "Eff.", 4, "(shift + mean return) per thousand tokens"),
        column(
            "efficiency_ci",
            "BCa CI",
            "efficiency",
            ColumnKind::Interval(2),
            "BCa bootstrap interval of the efficiency",
        ),
        column("best", "Best", "efficiency", ColumnKind::Flag, "Whether it is the model's most efficient one"),
        column("pareto", "Pareto", "efficiency", ColumnKind::Flag, "Whether no other is cheaper and better"),
    ];
    let chosen: Vec<&str> = match place {
        Some(place) => models.get(place).into_iter().copied().collect(),
        None => models.clone(),
    };
    let mut rows = Vec::new();
    for grid in &frame.grids.grids {
        for &model in &chosen {
            let value = |name: &str| grid.cell(name, model).and_then(|cell| cell.shifted);
            let best = grid.configurations.iter().filter_map(|entry| value(&entry.name)).reduce(f64::max);
            for entry in &grid.configurations {
                let Some(cell) = grid.cell(&entry.name, model) else { continue };
                rows.push(vec![
                    Cell::text(model),
                    Cell::text(&entry.name),
                    Cell::text(grid.environment),
                    Cell::number(grid.mean(&entry.name, model)),
                    Cell::number(grid.kilotokens(&entry.name, model)),
                    Cell::number(cell.shifted),
                    Cell::interval(cell.shifted_interval),
                    cell.shifted.map_or(Cell::Empty, |value| Cell::Flag(Some(value) == best)),
                    cell.efficient.map_or(Cell::Empty, Cell::Flag),
                ]);
            }
        }
    }
    let mut notes = shifts(frame);
    notes.push(ratio_note(frame.grids.analysis));
    if let Some(place) = place {
        match models.get(place) {
            None => {
                notes.push(format!("This run has {} models; this table is for number {}.", models.len(), place + 1))
            }
            Some(_) if models.len() > 6 => notes.push("For more than six models: --table efficiency.".to_owned()),
            Some(_) => {}
        }
    }
    notes.extend(frame.marks(&chosen));
    let mut table = frame.table(columns, rows, notes);
    if let (Some(_), [model]) = (place, chosen.as_slice()) {
        table.title = format!("Token efficiency: {model}");
    }
    table
}

/// What returns are shifted by, from the briefs.
fn shifts(frame: &Frame<'_>) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for grid in &frame.grids.grids {
        let cells = grid.configurations.iter().flat_map(|entry| grid.models.iter().map(move |model| (entry, model)));
        let shift = cells.filter_map(|(entry, model)| grid.cell(&entry.name, model)?.info.thresholds.shift).next();
        let place =
            if frame.grids.several_environments() { format!(" on {}", grid.environment) } else { String::new() };
        notes.push(match shift {
            Some(shift) => format!("Eff.{place} = ({} + mean return) / kTok.", shift as f64 / 1000.0),
            None => format!("The brief{place} states no shift, so that there is no shifted efficiency."),
        });
    }
    notes
}

/// T32: prompt and completion tokens of the two sides of the pairing, and their ratio (BOG-178).
pub fn profile(frame: &Frame<'_>) -> Table {
    let pairing = &frame.grids.protocol.pairing;
    let names = [pairing.second.label(), pairing.first.label()];
    let sides = [
        ("base", ["base_prompt", "base_completion", "base_total", "base_ratio"], &names[0]),
        ("other", ["other_prompt", "other_completion", "other_total", "other_ratio"], &names[1]),
    ];
    let mut columns: Vec<Column> = Vec::new();
    for (group, keys, name) in &sides {
        let number = |key, title: &str, help| column(key, title, group, ColumnKind::Number(1), help);
        columns.push(number(keys[0], &format!("{name} prompt"), "Thousand prompt tokens an episode").unit("kTok"));
        columns.push(number(keys[1], "compl.", "Thousand completion tokens an episode").unit("kTok"));
        columns.push(number(keys[2], "total", "Thousand tokens an episode").unit("kTok"));
        columns.push(number(keys[3], "P/C", "Prompt tokens per completion token").unit("×"));
    }
    columns.push(column("rises", "P/C rises", "other", ColumnKind::Flag, "Whether the ratio is higher on the right"));
    let mut table = frame.by_model(columns, &[&names[0], &names[1]], |grid, model| {
        let found = [grid.resolve(&pairing.second, model), grid.resolve(&pairing.first, model)];
        let mut cells: Vec<Cell> = found.iter().flat_map(|name| side(grid, *name, model)).collect();
        let ratios = found.map(|name| grid.cell(name?, model)?.prompt_completion);
        cells.push(ratios[0].zip(ratios[1]).map_or(Cell::Empty, |(base, other)| Cell::Flag(other > base)));
        cells
    });
    table.notes.insert(0, "P/C: all prompt tokens over all completion tokens of the cell. Whether it rises with deliberation is told model by model.".to_owned());
    table
}

fn side(grid: &Grid<'_>, name: Option<&str>, model: &str) -> [Cell; 4] {
    let Some(cell) = name.and_then(|name| grid.cell(name, model)) else { return [const { Cell::Empty }; 4] };
    let kilo = |summary: Option<gimbal_analysis::Summary>| Cell::number(summary.map(|tokens| tokens.mean / 1000.0));
    [kilo(cell.tokens_in), kilo(cell.tokens_out), kilo(cell.tokens), Cell::number(cell.prompt_completion)]
}
