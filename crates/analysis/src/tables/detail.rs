//! What is behind the main table: spread, tokens by role, stops, gaps.

use super::{
    catastrophic_note, confidence_title, label_cells, labels, mark_notes, ratio_note, return_digits, success_note,
};
use gimbal_core::Stop;

use crate::cells::Analysis;
use crate::interval_notes::interval_note;
use crate::table::{Cell, Column, ColumnKind, Table};

/// Quartiles, outcome shares with Wilson intervals, steps, intervals of the ratios, cost.
#[must_use]
pub fn spread(analysis: &Analysis) -> Table {
    use ColumnKind::{Integer, Interval, Number, Share};
    let digits = return_digits(analysis);
    let ci = confidence_title(analysis);
    let titled = |name: &str| format!("{name} {ci}");
    let column = Column::new;
    let mut columns = labels(analysis);
    columns.extend([
        column("kind", "Kind", "quartiles", ColumnKind::Text, "What plays: policy, script, recording or model"),
        column("lower_quartile", "Q1", "quartiles", Number(digits), "First quartile of the return"),
        column("median", "Median", "quartiles", Number(digits), "Median return"),
        column("upper_quartile", "Q3", "quartiles", Number(digits), "Third quartile of the return"),
        column("max", "Max", "quartiles", Number(digits), "Best episode"),
        column(
            "catastrophic_ci",
            &titled("Catastr."),
            "shares",
            Interval(2),
            "Wilson interval of the catastrophic share",
        ),
        column("success", "Success", "shares", Share(0), "Share of episodes above the brief's success threshold"),
        column("success_ci", &titled("Success"), "shares", Interval(2), "Wilson interval of the success share"),
        column("steps", "Steps", "tokens", Number(1), "Environment steps an episode"),
        column("kilotokens", "Tokens", "tokens", Number(2), "Agent tokens an episode, prompt and completion")
            .unit("kTok"),
        column("kilotokens_ci", &titled("Tokens"), "tokens", Interval(2), "Student t interval of the mean")
            .unit("kTok"),
        column("rpts_ci", &titled("RPTS"), "ratios", Interval(2), "BCa bootstrap over matched seeds"),
        column(
            "shifted_ci",
            &titled("Eff."),
            "ratios",
            Interval(2),
            "BCa bootstrap over episodes, or clusters of them",
        ),
        column("model_calls", "Calls", "bill", Integer, "Model calls over all episodes"),
        column("cached_share", "Cached", "bill", Share(0), "Share of prompt tokens that the provider had in its cache"),
        column(
            "reasoning_share",
            "Reasoning",
            "bill",
            Share(0),
            "Share of completion tokens spent on hidden reasoning",
        ),
        column(
            "environment_tokens",
            "Environment",
            "bill",
            Integer,
            "Tokens of roles that the environment asked for, all episodes",
        ),
        column(
            "billed_tokens",
            "Billed",
            "bill",
            Integer,
            "Tokens billed over all episodes, lost and cut ones too: after caches, retries included",
        ),
        column("cost", "Cost", "bill", Number(4), "Mean cost of an episode that counts").unit("$"),
        column("cost_total", "Spent", "bill", Number(4), "Cost of all episodes, lost and cut ones too").unit("$"),
    ]);
    let rows = analysis
        .cells
        .iter()
        .map(|cell| {
            let returns = cell.returns;
            let speaks = !cell.info.models.is_empty();
            let tokens = cell.tokens.filter(|_| speaks);
            let part = |part: u64, of: u64| Cell::share((of > 0).then(|| part as f64 / of as f64));
            let known = |value: u64| if speaks { Cell::count(value) } else { Cell::Empty };
            let mut row = label_cells(cell);
            row.extend([
                Cell::text(cell.info.kind_label()),
                Cell::number(returns.map(|returns| returns.lower_quartile)),
                Cell::number(returns.map(|returns| returns.median)),
                Cell::number(returns.map(|returns| returns.upper_quartile)),
                Cell::number(returns.map(|returns| returns.max)),
                Cell::interval(cell.catastrophic.and_then(|share| share.told())),
                Cell::share(cell.success.map(|share| share.share)),
                Cell::interval(cell.success.and_then(|share| share.told())),
                Cell::number(cell.steps.map(|steps| steps.mean)),
                Cell::number(tokens.map(|tokens| tokens.mean / 1000.0)),
                Cell::interval(
                    tokens
                        .and_then(|tokens| tokens.interval())
                        .map(|interval| crate::Interval { low: interval.low / 1000.0, high: interval.high / 1000.0 }),
                ),
                Cell::interval(cell.rpts_interval),
                Cell::interval(cell.shifted_interval),
                known(cell.model_calls),
                part(cell.called.cached_input, cell.called.input),
                part(cell.called.reasoning, cell.called.output),
                if cell.environment_called.total() > 0 {
                    Cell::count(cell.environment_called.total())
                } else {
                    Cell::Empty
                },
                known(cell.billed.total()),
                Cell::number(cell.cost.filter(|_| speaks).map(|cost| cost.mean)),
                Cell::number(cell.cost_total.filter(|_| speaks)),
            ]);
            row
        })
        .collect();
    let mut notes = vec![
        "Quartiles interpolate between order statistics (type 7).".to_owned(),
        interval_note(analysis),
        ratio_note(analysis),
    ];
    notes.extend(catastrophic_note(analysis));
    notes.extend(success_note(analysis));
    let apart = |cell: &crate::CellSummary| cell.infrastructure + cell.withheld + cell.cuts() > 0;
    if analysis.cells.iter().any(|cell| apart(cell) && !cell.info.models.is_empty()) {
        notes.push(
            "Billed and Spent hold what lost episodes and those that a limit cut were billed, too; no other number does."
                .to_owned(),
        );
    }
    notes.extend(mark_notes(analysis));
    Table { key: "spread", title: "Spread, shares and bill by cell".to_owned(), columns, rows, notes }
}

/// How episodes ended, by cell; `None` without episodes.
#[must_use]
pub fn stops(analysis: &Analysis) -> Option<Table> {
    let mut columns = labels(analysis);
    columns.extend([
        Column::new("stop", "Stop", "stop", ColumnKind::Label, "Name of the stop"),
        Column::new("episodes", "Episodes", "stop", ColumnKind::Integer, "Episodes that ended so"),
        Column::new("means", "That is", "stop", ColumnKind::Text, "What the stop says"),
    ]);
    let mut rows = Vec::new();
    for cell in &analysis.cells {
        for (stop, count) in &cell.stops {
            let mut row = label_cells(cell);
            row.extend([Cell::text(stop.name()), Cell::count(*count), Cell::text(meaning(*stop))]);
            rows.push(row);
        }
    }
    let table =
        Table { key: "stops", title: "How episodes ended".to_owned(), columns, rows, notes: mark_notes(analysis) };
    (!table.rows.is_empty()).then_some(table)
}

/// What a stop says, in words: a lost game is an outcome, and no breakdown of the program.
fn meaning(stop: Stop) -> &'static str {
    match stop {
        Stop::Solved => "the goal was reached",
        Stop::Horizon => "all steps or calls were used",
        Stop::Failed => "the agent lost the game: an outcome",
        Stop::Answered => "a final answer was given",
        Stop::Broken => "the original of the environment breaks off here with an error: an outcome",
        Stop::Finished => "the agent stopped by itself",
        Stop::FormatErrors => "too many answers out of form: an outcome",
        Stop::Infrastructure => "network, provider or disk failed: no outcome",
        Stop::StudyLimit | Stop::CellLimit => "a limit of the study or the cell: no outcome",
        Stop::Cancelled => "the run was called off: no outcome",
        Stop::ToolBudget | Stop::ModelCallBudget | Stop::TokenBudget | Stop::CostBudget | Stop::TimeBudget => {
            "a limit of the episode cut it: no outcome"
        }
    }
}

/// Calls that gave no whole answer, by cell and kind (BOG-047); `None` where every call gave one.
#[must_use]
pub fn failures(analysis: &Analysis) -> Option<Table> {
    let column = |key, title, help| Column::new(key, title, "failures", ColumnKind::Integer, help);
    let mut columns = labels(analysis);
    columns.extend([
        column("refusals", "Refused", "Calls that the model or its provider refused to answer"),
        column("truncations", "Cut", "Calls whose answer was cut at the output bound"),
        column("bad_shapes", "Bad shape", "Calls whose answer had not the demanded shape"),
        column(
            "outages",
            "Outages",
            "Requests that network or provider failed, whether or not a later one went through",
        ),
        column(
            "turned_down",
            "Turned down",
            "Requests that the provider turned down for what they ask: schema, setting, model, key; sent again they would be turned down again",
        ),
        column("unknown", "Unknown cost", "Requests that left and whose cost nobody knows"),
        column("flagged", "Flagged", "Episodes with any of these"),
    ]);
    let failed = |cell: &&crate::cells::CellSummary| cell.failures != crate::CallFailures::default();
    let rows: Vec<Vec<Cell>> = analysis
        .cells
        .iter()
        .filter(failed)
        .map(|cell| {
            let found = cell.failures;
            let mut row = label_cells(cell);
            let counts = [
                found.refusals,
                found.truncations,
                found.bad_shapes,
                found.outages,
                found.turned_down,
                found.unknown,
                found.flagged,
            ];
            row.extend(counts.map(Cell::count));
            row
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let mut notes = vec![
        "A failed call is never read as a model's words. Flagged episodes may show the provider's trouble and not the agent's doing: look at them before the means.".to_owned(),
    ];
    notes.extend(reasons(analysis));
    notes.extend(mark_notes(analysis));
    Some(Table { key: "failures", title: "Calls that failed".to_owned(), columns, rows, notes })
}

/// Reasons that notes name; the table of stops and `gimbal trace` have them all.
const REASONS: usize = 8;

/// Why episodes were lost, a note for each reason.
fn reasons(analysis: &Analysis) -> Vec<String> {
    let all = analysis.lost_because();
    let more = all.len().saturating_sub(REASONS);
    let mut notes: Vec<String> = all
        .iter()
        .take(REASONS)
        .map(|(why, count)| {
            format!(
                "{count} {} lost, in the words of the last failure: {why}",
                if *count == 1 { "episode" } else { "episodes" }
            )
        })
        .collect();
    if more > 0 {
        notes.push(format!("{more} more reasons are in the list of `gimbal trace`."));
    }
    notes
}

/// Cells that lack planned episodes, lost some, or have some that a limit cut; `None` when all is there.
#[must_use]
pub fn gaps(analysis: &Analysis) -> Option<Table> {
    let gaps = analysis.gaps();
    if gaps.is_empty() {
        return None;
    }
    let column = |key, title, help| Column::new(key, title, "gaps", ColumnKind::Integer, help);
    let any = |of: fn(&crate::Gap) -> usize| gaps.iter().any(|gap| of(gap) > 0);
    let (cut, withheld, lost) = (any(|gap| gap.cut), any(|gap| gap.withheld), any(|gap| gap.infrastructure));
    let mut columns = labels(analysis);
    columns.extend([
        column("planned", "Planned", "Episodes that the plan asks for"),
        column("played", "Played", "Episodes that count"),
        column("cut", "Cut", "Played until a limit of the episode cut them").shown_if(cut),
        column("missing", "Missing", "Planned and not played to an end"),
        column("infrastructure", "Infrastructure", "Episodes lost to network, provider or disk"),
        column("withheld", "Limit", "Ended by a limit of the study or the cell, or called off").shown_if(withheld),
    ]);
    let rows = gaps
        .iter()
        .map(|gap| {
            let mut row = label_cells(&analysis.cells[gap.cell]);
            let counts = [gap.planned, gap.played, gap.cut, gap.missing(), gap.infrastructure, gap.withheld];
            row.extend(counts.map(|count| Cell::count(count as u64)));
            row
        })
        .collect();
    let mut notes = Vec::new();
    if lost {
        notes.push("Infrastructure losses are not outcomes of an agent: they enter no mean and no rate.".to_owned());
        notes.extend(reasons(analysis));
    }
    if withheld {
        notes.push("Limit: a limit of the study or the cell ended the episode, or the run was called off; neither is an outcome of an agent. Running the study again plays such an episode once there is room under the limit: raise it first.".to_owned());
    }
    if any(|gap| gap.missing().saturating_sub(gap.withheld)) {
        notes.push("Running the study again plays what is missing.".to_owned());
    }
    notes.extend(mark_notes(analysis));
    Some(Table { key: "gaps", title: "What is missing".to_owned(), columns, rows, notes })
}
