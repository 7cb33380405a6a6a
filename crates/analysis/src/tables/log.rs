//! What a run leaves beside its tables (BOG-146): a line for every instance of a cell, and the tokens of every episode.

use std::collections::BTreeMap;

use crate::row::{EpisodeRow, RoleLedger, Rows};
use crate::table::{Cell, Column, ColumnKind, Log, Table};

/// One row for each cell, task and instance: episodes that count, their returns and tokens.
#[must_use]
pub fn instances(rows: &Rows) -> Table {
    use ColumnKind::{Integer, Label, Number};
    let columns = vec![
        Column::new("cell", "Cell", "instance", Label, "Cell"),
        Column::new("task", "Task", "instance", Label, "Task"),
        Column::new("instance", "Instance", "instance", Integer, "Instance, from 0"),
        Column::new("episodes", "n", "returns", Integer, "Episodes that count"),
        Column::new("mean_return", "Mean", "returns", Number(3), "Mean return"),
        Column::new("min", "Min", "returns", Number(3), "Lowest return"),
        Column::new("max", "Max", "returns", Number(3), "Highest return"),
        Column::new("steps", "Steps", "returns", Integer, "Steps of all of them"),
        Column::new("tokens_in", "In", "tokens", Integer, "Prompt tokens of the agent as called, all of them"),
        Column::new("tokens_out", "Out", "tokens", Integer, "Completion tokens of the agent as called"),
    ];
    let mut groups: BTreeMap<(&str, &str, u32), Vec<&EpisodeRow>> = BTreeMap::new();
    for row in rows.episodes.iter().filter(|row| row.counts()) {
        groups.entry((&row.cell, &row.task, row.instance)).or_default().push(row);
    }
    let order = |id: &str| rows.cells.iter().position(|cell| cell.id == id);
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|((cell, ..), _)| order(cell));
    let line = |((cell, task, instance), episodes): ((&str, &str, u32), Vec<&EpisodeRow>)| {
        let thousandths = || episodes.iter().map(|row| row.return_thousandths);
        let sum: i128 = thousandths().map(i128::from).sum();
        let units = |value: Option<i64>| Cell::number(value.map(|value| value as f64 / 1000.0));
        let tokens = episodes.iter().fold(crate::TokenUse::default(), |sum, row| sum.plus(&row.agent_tokens()));
        vec![
            Cell::text(cell),
            Cell::text(task),
            Cell::count(instance.into()),
            Cell::count(episodes.len() as u64),
            Cell::number(Some(sum as f64 / (1000 * episodes.len()) as f64)),
            units(thousandths().min()),
            units(thousandths().max()),
            Cell::count(episodes.iter().map(|row| u64::from(row.steps)).sum()),
            Cell::count(tokens.input),
            Cell::count(tokens.output),
        ]
    };
    let rows = groups.into_iter().map(line).collect();
    Table { key: "instances", title: "Instances".to_owned(), columns, rows, notes: Vec::new() }
}

/// One row for each episode, role and model: calls, requests, tokens as called and as billed, money.
#[must_use]
pub fn token_log(rows: &Rows) -> Log<'_> {
    use ColumnKind::{Integer, Label, Number};
    let count = |key, title, help| Column::new(key, title, "tokens", Integer, help);
    let columns = vec![
        Column::new("cell", "Cell", "episode", Label, "Cell"),
        Column::new("task", "Task", "episode", Label, "Task"),
        Column::new("run", "Run", "episode", Integer, "Run, from 0"),
        Column::new("trial", "Trial", "episode", Integer, "Trial, from 0"),
        Column::new("stop", "Stop", "episode", Label, "How the episode stopped"),
        Column::new("role", "Role", "episode", Label, "Role that was asked"),
        Column::new("model", "Model", "episode", Label, "Model that was asked"),
        count("calls", "Calls", "Calls of the attempt that counts"),
        count("requests", "Requests", "Requests over all attempts, repeated ones too"),
        count("called_in", "In", "Prompt tokens as called"),
        count("called_out", "Out", "Completion tokens as called"),
        count("billed_in", "Billed in", "Prompt tokens as billed, over all attempts"),
        count("billed_cached", "Cached", "Those of them that the provider had in its cache"),
        count("billed_out", "Billed out", "Completion tokens as billed, over all attempts"),
        Column::new("cost", "Cost", "tokens", Number(6), "Money billed, over all attempts").unit("$"),
    ];
    let mut episodes: Vec<&EpisodeRow> = rows.episodes.iter().collect();
    let order: BTreeMap<&str, usize> = rows.cells.iter().enumerate().map(|(place, cell)| (&*cell.id, place)).collect();
    episodes.sort_by_key(|row| (order.get(&*row.cell), &row.task, row.run, row.trial));
    let lines = episodes.into_iter().flat_map(|row| row.ledger.iter().map(|used| token_line(row, used)));
    Log { key: "tokens", columns, rows: Box::new(lines) }
}

fn token_line(row: &EpisodeRow, used: &RoleLedger) -> Vec<Cell> {
    vec![
        Cell::text(&row.cell),
        Cell::text(&row.task),
        Cell::count(row.run.into()),
        Cell::count(row.trial.into()),
        Cell::text(row.stop.name()),
        Cell::text(&used.role),
        Cell::text(&used.model),
        Cell::count(used.calls),
        Cell::count(used.requests),
        Cell::count(used.called.input),
        Cell::count(used.called.output),
        Cell::count(used.billed.input),
        Cell::count(used.billed.cached_input),
        Cell::count(used.billed.output),
        Cell::number(used.cost_exact.map(|exact| exact as f64 / 1e12)),
    ]
}
