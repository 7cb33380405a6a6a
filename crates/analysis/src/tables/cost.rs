//! What cells cost: tokens, calls, money and time side by side, and money by role and model.

use super::{label_cells, labels, mark_notes};
use crate::cells::Analysis;
use crate::table::{Cell, Column, ColumnKind, Table};

/// Tokens, calls, money and time of every cell that asks a model; `None` where none does.
#[must_use]
pub fn cost(analysis: &Analysis) -> Option<Table> {
    use ColumnKind::{Integer, Number};
    if analysis.cells.iter().all(|cell| cell.info.models.is_empty()) {
        return None;
    }
    let column = Column::new;
    let mut columns = labels(analysis);
    columns.extend([
        column("episodes", "Episodes", "tokens", Integer, "Episodes that count"),
        column("kilotokens_in", "In", "tokens", Number(2), "Prompt tokens an episode, agent's roles").unit("kTok"),
        column("kilotokens_out", "Out", "tokens", Number(2), "Completion tokens an episode, agent's roles")
            .unit("kTok"),
        column(
            "kilotokens_first_runs",
            "First runs",
            "tokens",
            Number(2),
            "Tokens by the first run of every instance alone",
        )
        .unit("kTok"),
        column("calls", "Calls", "calls", Number(1), "Model calls an episode"),
        column("calls_a_step", "Calls/step", "calls", Number(2), "Model calls an environment step"),
        column("cost", "Cost", "money", Number(6), "Mean cost of an episode that counts").unit("$"),
        column("cost_total", "Spent", "money", Number(6), "Cost of all episodes, lost and cut ones too").unit("$"),
        column("latency_p50", "p50", "time", Number(1), "Median latency of a model call").unit("ms"),
        column("latency_p95", "p95", "time", Number(1), "95th percentile of the latency of a model call").unit("ms"),
        column(
            "path_a_step",
            "Path/step",
            "time",
            Number(1),
            "Critical path a step: calls that waited for one another",
        )
        .unit("ms"),
    ]);
    let rows = analysis.cells.iter().filter(|cell| !cell.info.models.is_empty()).map(|cell| {
        let mut row = label_cells(cell);
        row.extend([
            Cell::count(cell.episodes as u64),
            Cell::number(cell.tokens_in.map(|tokens| tokens.mean / 1000.0)),
            Cell::number(cell.tokens_out.map(|tokens| tokens.mean / 1000.0)),
            Cell::number(cell.first_run_tokens.map(|tokens| tokens / 1000.0)),
            Cell::number(cell.calls.map(|calls| calls.mean)),
            Cell::number(cell.calls_a_step),
            Cell::number(cell.cost.map(|cost| cost.mean)),
            Cell::number(cell.cost_total),
            Cell::number(cell.latency_p50_ms),
            Cell::number(cell.latency_p95_ms),
            Cell::number(cell.critical_path_step_ms),
        ]);
        row
    });
    let rows = rows.collect();
    let mut notes = vec![
        "Tokens and calls as called by the attempt that counts; money as billed, repeated requests and earlier attempts included. Path/step: the longest chain of calls that had to wait for one another, over all steps. First runs: the estimator of the first work's code, beside the count over all runs.".to_owned(),
    ];
    if analysis.cells.iter().any(|cell| cell.tokens_estimated.count > 0) {
        notes.push("Some tokens are estimates by length of text: their provider reported none.".to_owned());
    }
    notes.extend(mark_notes(analysis));
    Some(Table { key: "cost", title: "Cost by cell".to_owned(), columns, rows, notes })
}

/// Tokens, calls and money by role and model; `None` where no cell has more than one role.
#[must_use]
pub fn roles(analysis: &Analysis) -> Option<Table> {
    use ColumnKind::{Integer, Label, Number, Text};
    if analysis.cells.iter().all(|cell| cell.roles.len() < 2) {
        return None;
    }
    let column = |key, title, kind, help| Column::new(key, title, "role", kind, help);
    let mut columns = labels(analysis);
    columns.extend([
        column("role", "Role", Label, "Role"),
        column("asked_by", "Asked by", Label, "Whether the agent or the environment asked"),
        column("kilotokens_in", "In", Number(2), "Prompt tokens an episode").unit("kTok"),
        column("kilotokens_out", "Out", Number(2), "Completion tokens an episode").unit("kTok"),
        column("role_model", "Played by", Text, "Model that played the role"),
        column("role_calls", "Calls", Integer, "Calls in all episodes that count"),
        column("role_requests", "Requests", Integer, "Requests in all episodes, repeated and lost ones too"),
        column("role_cost", "Cost", Number(6), "Billed for all episodes, lost ones too").unit("$"),
    ]);
    let mut rows = Vec::new();
    for cell in &analysis.cells {
        let episodes = cell.episodes as f64;
        let mean = |tokens: u64| Cell::number((episodes > 0.0).then(|| tokens as f64 / episodes / 1000.0));
        let by = |environment: bool| Cell::text(if environment { "environment" } else { "agent" });
        for part in &cell.role_costs {
            let mut row = label_cells(cell);
            row.extend([
                Cell::text(&part.role),
                by(part.environment),
                mean(part.called.input),
                mean(part.called.output),
            ]);
            row.extend([
                Cell::text(&part.model),
                Cell::count(part.calls),
                Cell::count(part.requests),
                Cell::number(part.cost),
            ]);
            rows.push(row);
        }
        // Rows from elsewhere may hold no ledger: their tokens are known by role alone.
        for role in cell.roles.iter().filter(|_| cell.role_costs.is_empty()) {
            let mut row = label_cells(cell);
            let tokens = [role.input, role.output].map(|mean| Cell::Number(mean / 1000.0));
            row.extend([Cell::text(&role.role), by(role.environment)].into_iter().chain(tokens));
            row.extend([Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty]);
            rows.push(row);
        }
    }
    let title = "Tokens, calls and money by role".to_owned();
    Some(Table { key: "roles", title, columns, rows, notes: mark_notes(analysis) })
}
