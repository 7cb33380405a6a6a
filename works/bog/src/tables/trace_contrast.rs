//! What sets the deliberating hierarchy apart from the plain one, in means an episode (T33, BOG-223).

use gimbal_analysis::profile::{CellTrace, Sum, TRACE_NOTE, Traces};
use gimbal_analysis::tables::cut_note;
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use crate::agents::{ANALYST, CHOOSER, DELIBERATIONS, INVOCATIONS, MESSAGES, PLANNER};
use crate::axes::Grids;

/// The trace contrast of a whole run: for every model the hierarchy without and with deliberation, as means an episode
/// (T33, BOG-223). Empty where no model has trajectories of either.
#[must_use]
pub fn trace_contrast(grids: &Grids<'_>, traces: &Traces) -> Table {
    let pair = &grids.protocol.hierarchy;
    let label = |key, title, help| Column::new(key, title, "metric", ColumnKind::Label, help);
    let mut columns = vec![
        label("environment", "Environment", "Environment").shown_if(grids.several_environments()),
        label("model", "Model", "Model"),
        label("metric", "Metric", "What is counted"),
    ];
    let value = |key, title, help| Column::new(key, title, "values", ColumnKind::Number(2), help);
    columns.extend([
        value("first", pair.deliberating.as_str(), "First side"),
        value("second", pair.plain.as_str(), "Second side"),
        value("difference", "Difference", "First minus second, over pairs with both"),
    ]);
    let mut rows = Vec::new();
    for grid in &grids.grids {
        for model in &grid.models {
            let trace = |name: &str| traces.cell(&grid.cell(name, model)?.info.id);
            let (plain, deliberating) = (trace(&pair.plain), trace(&pair.deliberating));
            for (name, first, second) in lines(deliberating, plain) {
                rows.push(vec![
                    Cell::text(grid.environment),
                    Cell::text(model.as_str()),
                    Cell::text(name),
                    Cell::number(first),
                    Cell::number(second),
                    Cell::number(first.zip(second).map(|(first, second)| first - second)),
                ]);
            }
        }
    }
    let title = "Trace contrast: hierarchy with and without deliberation".to_owned();
    let mut notes = vec![
        "Difference: the deliberating hierarchy minus the plain one, as in t25 and cascade. Means an episode over all episodes of a cell; `gimbal compare RUN A B` pairs them and gives intervals."
            .to_owned(),
        TRACE_NOTE.to_owned(),
    ];
    notes.extend(grids.left_out_notes());
    notes.extend(cut_note(&grids.analysis.cells));
    if rows.is_empty() {
        notes.insert(0, format!("No model has episodes of {} or {}.", pair.plain, pair.deliberating));
    }
    Table { key: "t33", title, columns, rows, notes }
}

/// The lines of two cells; a side without trajectories has no values.
fn lines(first: Option<&CellTrace>, second: Option<&CellTrace>) -> Vec<(String, Option<f64>, Option<f64>)> {
    let Some(known) = first.or(second) else { return Vec::new() };
    let facts = &known.facts;
    let an_episode = |cell: Option<&CellTrace>, count: &dyn Fn(&CellTrace) -> u64| {
        cell.filter(|cell| cell.episodes > 0).map(|cell| count(cell) as f64 / cell.episodes as f64)
    };
    let mean = |cell: Option<&CellTrace>, of: fn(&CellTrace) -> &Sum| of(cell?).mean();
    let mut out = Vec::new();
    let mut push =
        |name: String, of: &dyn Fn(Option<&CellTrace>) -> Option<f64>| out.push((name, of(first), of(second)));
    push("Episode return".to_owned(), &|cell| mean(cell, |cell| &cell.returns));
    let mut kinds: Vec<String> = facts.actions.iter().map(|entry| entry.name.clone()).collect();
    let others = first.into_iter().chain(second).flat_map(|cell| cell.actions.keys());
    for kind in others {
        if !kinds.contains(kind) {
            kinds.push(kind.clone());
        }
    }
    for kind in kinds {
        let count = |cell: &CellTrace| cell.actions.get(&kind).copied().unwrap_or_default();
        push(format!("{kind} actions"), &|cell| an_episode(cell, &count));
    }
    push(format!("Deliberation calls, {PLANNER}"), &|cell| cell?.mean_of(&DELIBERATIONS));
    push(format!("Messages an invocation, {CHOOSER}"), &|cell| cell?.mean_of(&MESSAGES));
    push(format!("Invocations, {ANALYST}"), &|cell| cell?.mean_of(&INVOCATIONS));
    if let Some(floor) = facts.floor {
        push(format!("Steps at {} or below", floor as f64 / 1000.0), &|cell| mean(cell, |cell| &cell.floor_steps));
    }
    if let Some(strongest) = facts.strongest_remedy() {
        push(format!("First {strongest} at step"), &|cell| mean(cell, |cell| &cell.first_strongest));
    }
    out
}
