//! Groups of configurations and ranks of models: T16, T20, T21; outcomes by cell.

use crate::axes::Grid;
use gimbal_analysis::metrics::{mean, places};
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use super::frame::{Frame, Part, column};
use super::hierarchy::sort_by_mean;

/// T16: means over the cells of a group, every cell with the same weight.
pub fn groups(frame: &Frame<'_>) -> Table {
    let digits = frame.digits();
    let protocol = frame.grids.protocol;
    let number = |key, title, digits, help| column(key, title, "group", ColumnKind::Number(digits), help);
    let columns = vec![
        frame.label("group", "Group", "Axis, or the anchor alone"),
        frame.environment(),
        column("cells", "Cells", "group", ColumnKind::Integer, "Cells with episodes"),
        number("mean", "Mean", digits, "Mean over the cells' mean returns"),
        number("best", "Best", digits, "Highest mean return of a cell"),
        number("worst", "Worst", digits, "Lowest mean return of a cell"),
        number("kilotokens", "kTok", 1, "Mean over the cells' thousand tokens an episode"),
    ];
    let mut groups: Vec<(String, Vec<&str>)> = vec![(format!("anchor ({})", protocol.anchor), vec![&protocol.anchor])];
    groups.extend(protocol.axes.iter().map(|axis| (axis.name.clone(), protocol.axis(&axis.name))));
    let mut rows = Vec::new();
    for grid in &frame.grids.grids {
        for (name, members) in &groups {
            let collect = |of: &dyn Fn(&str, &str) -> Option<f64>| -> Vec<f64> {
                let pairs = members.iter().flat_map(|member| grid.models.iter().map(move |model| (member, model)));
                pairs.filter_map(|(member, model)| of(member, model)).collect()
            };
            let returns = collect(&|member, model| grid.mean(member, model));
            let tokens = collect(&|member, model| grid.kilotokens(member, model));
            rows.push(vec![
                Cell::text(name),
                Cell::text(grid.environment),
                Cell::count(returns.len() as u64),
                Cell::number(mean(&returns)),
                Cell::number(returns.iter().copied().reduce(f64::max)),
                Cell::number(returns.iter().copied().reduce(f64::min)),
                Cell::number(mean(&tokens)),
            ]);
        }
    }
    let mut notes =
        vec!["Every cell has the same weight, whatever its episodes; the anchor counts in its axis too.".to_owned()];
    notes.extend(frame.marks(&frame.grids.models()));
    notes.extend(frame.gaps(&protocol.configurations()));
    frame.table(columns, rows, notes)
}

/// T20: ranks of the models by mean over an axis, and by its best configuration (BOG-R15: the two differ).
pub fn ranks(frame: &Frame<'_>) -> Table {
    let protocol = frame.grids.protocol;
    let mut axes: Vec<(&str, Vec<&str>)> =
        protocol.axes.iter().map(|axis| (axis.name.as_str(), protocol.axis(&axis.name))).collect();
    axes.push(("overall", protocol.configurations()));
    let mut columns: Vec<Column> = Vec::new();
    for (by, help) in [("mean", "Rank by the mean over the axis"), ("best", "Rank by the axis' best configuration")] {
        for (axis, _) in &axes {
            let key = format!("{axis}_by_{by}");
            columns.push(Column::new(key, &format!("{axis} ({by})"), by, ColumnKind::Integer, help));
        }
    }
    let mut table = frame.by_model(columns, &protocol.configurations(), |_, _| Vec::new());
    for grid in &frame.grids.grids {
        let mut found: Vec<Vec<Option<usize>>> = Vec::new();
        for value in [over_all as fn(&Grid<'_>, &[&str], &str) -> Option<f64>, of_best] {
            for (_, members) in &axes {
                let values: Vec<Option<f64>> = grid.models.iter().map(|model| value(grid, members, model)).collect();
                found.push(places(&values));
            }
        }
        for (index, model) in grid.models.iter().enumerate() {
            let of_row = |row: &Vec<Cell>| row[0] == Cell::text(model) && row[1] == Cell::text(grid.environment);
            let Some(position) = table.rows.iter().position(of_row) else { continue };
            let ranked =
                found.iter().map(|places| places[index].map_or(Cell::Empty, |place| Cell::count(place as u64)));
            table.rows[position].extend(ranked);
        }
    }
    table.notes.insert(0, "1 is best; equal means share the better rank. By mean: the mean of the mean returns of the axis' configurations, the anchor with the contexts and not with deliberation; empty where a model lacks one that another has. By best: the highest mean return of the axis, picked after the fact.".to_owned());
    table
}

/// Mean over the members that any model played; `None` where this model lacks one of them, because the rest would rank a
/// part against a whole.
fn over_all(grid: &Grid<'_>, members: &[&str], model: &str) -> Option<f64> {
    let played = |name: &&&str| grid.models.iter().any(|other| grid.mean(name, other).is_some());
    let values: Option<Vec<f64>> = members.iter().filter(played).map(|name| grid.mean(name, model)).collect();
    mean(&values?)
}

fn of_best(grid: &Grid<'_>, members: &[&str], model: &str) -> Option<f64> {
    grid.best(members, model).map(|(_, mean)| mean)
}

/// T21: the anchor on every model, best first.
pub fn anchor(frame: &Frame<'_>) -> Table {
    let digits = frame.digits();
    let name = frame.grids.protocol.anchor.as_str();
    let number = |key, title, digits, help| column(key, title, "anchor", ColumnKind::Number(digits), help);
    let columns = vec![
        number("mean", "Mean", digits, "Mean episode return"),
        number("sd", "SD", digits, "Sample standard deviation of the return"),
        number("min", "Min", digits, "Worst episode"),
        number("kilotokens", "kTok", 1, "Thousand tokens an episode"),
    ];
    let mut table = frame.by_model(columns, &[name], |grid, model| {
        let returns = grid.cell(name, model).and_then(|cell| cell.returns);
        vec![
            Cell::number(returns.map(|returns| returns.mean)),
            Cell::number(returns.and_then(|returns| returns.sd)),
            Cell::number(returns.map(|returns| returns.min)),
            Cell::number(grid.kilotokens(name, model)),
        ]
    });
    sort_by_mean(&mut table, 3);
    table.title = format!("The anchor, {name}");
    table
}

/// Shares of outcomes (BOG-175), calls and waiting beside tokens, by cell.
pub fn outcomes(frame: &Frame<'_>) -> Table {
    let parts = [
        Part::new("success", "succ.", ColumnKind::Share(0), "Share of episodes above the success threshold"),
        Part::new("mediocre", "med.", ColumnKind::Share(0), "Share of episodes between the thresholds"),
        Part::new("catastrophic", "cat.", ColumnKind::Share(0), "Share of episodes below the catastrophic threshold"),
        Part::new("calls_a_step", "calls/step", ColumnKind::Number(1), "Model calls per environment step"),
        Part::new("critical_path_ms", "wait", ColumnKind::Number(0), "Longest chain of waiting calls per step")
            .unit("ms"),
        Part::new("latency_p50_ms", "p50", ColumnKind::Number(0), "Median latency of a model call").unit("ms"),
        Part::new("latency_p95_ms", "p95", ColumnKind::Number(0), "95th percentile of the latency of a model call")
            .unit("ms"),
        Part::new("prompt_completion", "P/C", ColumnKind::Number(1), "Prompt tokens per completion token"),
    ];
    let models = frame.grids.models();
    frame.matrix(&models, &parts, Frame::all, |grid, configuration, model| {
        let Some(cell) = grid.cell(configuration, model) else { return Vec::new() };
        let mut cells: Vec<Cell> = match cell.outcomes {
            Some(split) => split.shares().map(Cell::Share).to_vec(),
            None => vec![Cell::Empty; 3],
        };
        let rest = [
            cell.calls_a_step,
            cell.critical_path_step_ms,
            cell.latency_p50_ms,
            cell.latency_p95_ms,
            cell.prompt_completion,
        ];
        cells.extend(rest.map(Cell::number));
        cells
    })
}
