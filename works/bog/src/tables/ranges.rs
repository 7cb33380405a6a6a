//! Best and worst configurations: T10, T14, T17 to T19.

use crate::axes::Grid;
use gimbal_analysis::metrics::marginal_percent;
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use super::frame::{Frame, column};
use super::hierarchy::sort_by_mean;

/// Both are picked after the fact: what the notes of all these tables say.
const PICKED: &str = "Best and worst are picked after the fact, by mean return: the gap between them flatters even where nothing differs.";

/// What is shown as the best and the worst where all means are the same.
const ALL_EQUAL: &str = "all equal";

fn extreme_columns(digits: usize) -> Vec<Column> {
    let text = |key, title, help| column(key, title, "range", ColumnKind::Text, help);
    let number = |key, title, digits, help| column(key, title, "range", ColumnKind::Number(digits), help);
    vec![
        text("worst", "Worst", "Configuration with the lowest mean return"),
        number("worst_mean", "mean", digits, "Its mean return"),
        text("best", "Best", "Configuration with the highest mean return"),
        number("best_mean", "mean", digits, "Its mean return"),
    ]
}

fn extremes(grid: &Grid<'_>, candidates: &[&str], model: &str) -> (Vec<Cell>, Option<(f64, f64)>) {
    let (worst, best) = (grid.worst(candidates, model), grid.best(candidates, model));
    let means = worst.zip(best).map(|((_, worst), (_, best))| (worst, best));
    let played = candidates.iter().filter(|name| grid.mean(name, model).is_some()).count();
    let both = |found: Option<(&str, f64)>| {
        // Exact ties: all of their names, or that all are equal.
        let name = found.map_or(String::new(), |(name, mean)| match grid.at(candidates, model, mean).as_slice() {
            tied if tied.len() > 1 && tied.len() == played => ALL_EQUAL.to_owned(),
            tied if tied.len() > 1 => tied.join(" = "),
            _ => name.to_owned(),
        });
        [Cell::text(name), Cell::number(found.map(|(_, mean)| mean))]
    };
    ([both(worst), both(best)].concat(), means)
}

/// T10: best and worst of all configurations and the gap between them.
pub fn impact(frame: &Frame<'_>) -> Table {
    let digits = frame.digits();
    let mut columns = extreme_columns(digits);
    columns.push(column("gap", "Gap", "range", ColumnKind::Number(digits), "Best minus worst"));
    let mut table = frame.by_model(columns, &frame.grids.protocol.configurations(), |grid, model| {
        let all: Vec<&str> = grid.configurations.iter().map(|entry| entry.name.as_str()).collect();
        let (mut cells, means) = extremes(grid, &all, model);
        cells.push(Cell::number(means.map(|(worst, best)| best - worst)));
        cells
    });
    table.notes.insert(0, PICKED.to_owned());
    table
}

/// T14: the baseline against worst and best of all configurations.
pub fn baseline(frame: &Frame<'_>) -> Table {
    let digits = frame.digits();
    let name = frame.grids.protocol.baseline.as_str();
    let number = |key, title: &str, digits, help| column(key, title, "baseline", ColumnKind::Number(digits), help);
    let mut columns = vec![
        column("episodes", "n", "baseline", ColumnKind::Integer, "Episodes of the baseline"),
        number("baseline_mean", &format!("{name} mean"), digits, "Mean return of the baseline"),
        number("baseline_sd", "SD", digits, "Sample standard deviation of its return"),
        number("baseline_min", "Min", digits, "Its worst episode"),
    ];
    columns.extend(extreme_columns(digits));
    let percent = |key, title, help| column(key, title, "range", ColumnKind::Number(0), help).unit("%");
    columns.push(percent("improvement", "Over worst", "Best over worst, in percent of the worst one's size"));
    columns.push(percent("over_baseline", "Over base", "Best over baseline, in percent of the baseline's size"));
    let mut table = frame.by_model(columns, &frame.grids.protocol.configurations(), |grid, model| {
        let all: Vec<&str> = grid.configurations.iter().map(|entry| entry.name.as_str()).collect();
        let cell = grid.cell(name, model);
        let returns = cell.and_then(|cell| cell.returns);
        let (rest, means) = extremes(grid, &all, model);
        let improvement = means.and_then(|(worst, best)| marginal_percent(worst, best));
        let over_baseline = returns.zip(means).and_then(|(returns, (_, best))| marginal_percent(returns.mean, best));
        let mut cells = vec![
            cell.map_or(Cell::Empty, |cell| Cell::count(cell.episodes as u64)),
            Cell::number(returns.map(|returns| returns.mean)),
            Cell::number(returns.and_then(|returns| returns.sd)),
            Cell::number(returns.map(|returns| returns.min)),
        ];
        cells.extend(rest);
        cells.extend([improvement, over_baseline].map(Cell::number));
        cells
    });
    sort_by_mean(&mut table, 4);
    table.notes.insert(0, PICKED.to_owned());
    table
}

/// T17 to T19: best and worst of one axis, by its place in the protocol; a ladder is counted from its anchor up.
pub fn within(frame: &Frame<'_>, axis: usize) -> Table {
    let digits = frame.digits();
    let protocol = frame.grids.protocol;
    let mut columns = extreme_columns(digits);
    let help = "Best over worst, in percent of the worst one's size";
    columns.push(column("improvement", "Improvement", "range", ColumnKind::Number(0), help).unit("%"));
    let Some(axis) = protocol.axes.get(axis) else {
        let notes = vec!["The protocol has no such axis.".to_owned()];
        return frame.table(frame.model_labels().into_iter().chain(columns).collect(), Vec::new(), notes);
    };
    let candidates = if axis.ladder { protocol.ladder() } else { protocol.axis(&axis.name) };
    let mut table = frame.by_model(columns, &candidates, |grid, model| {
        let (mut cells, means) = extremes(grid, &candidates, model);
        cells.push(Cell::number(means.and_then(|(worst, best)| marginal_percent(worst, best))));
        cells
    });
    table.title = format!("{}: worst and best configuration", axis.title);
    table.notes.insert(0, PICKED.to_owned());
    if axis.ladder {
        table.notes.insert(1, format!("The anchor “{}” counts as the lowest level.", protocol.anchor));
    }
    table
}
