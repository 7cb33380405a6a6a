//! The main table: what each cell returned and what it cost.

use super::{
    HARDLY_NOTE, acted_note, catastrophic_note, confidence_title, label_cells, labels, mark_notes, return_digits,
    work_notes,
};
use crate::cells::{Analysis, CellSummary};
use crate::interval_notes::{EQUAL_NOTE, interval_note};
use crate::options::BaselineChoice;
use crate::rate::Rate;
use crate::row::Kind;
use crate::table::{Cell, Column, ColumnKind, Table};

/// One row a cell: mean return, SD, interval, minimum, catastrophic rate, tokens, RPTS, shifted efficiency, invalid
/// and fallback rates, latency, Pareto flag (BOG-160..167, BOG-172).
#[must_use]
pub fn main(analysis: &Analysis) -> Table {
    let mut columns = labels(analysis);
    columns.extend(numbers(analysis));
    let rows = analysis
        .cells
        .iter()
        .map(|cell| {
            let mut row = label_cells(cell);
            row.extend(values(cell));
            row
        })
        .collect();
    Table { key: "cells", title: "Results by cell".to_owned(), columns, rows, notes: notes(analysis) }
}

/// Columns of the main table that a screen shows; the others are in the whole table.
const ESSENTIAL: [&str; 11] = [
    "episodes",
    "cut",
    "invalid_rate",
    "fallback_rate",
    "mean_return",
    "sd",
    "ci",
    "catastrophic",
    "kilotokens_in",
    "kilotokens_out",
    "pareto",
];

/// Before tokens that are not the count of the provider that was asked, or only in part.
const ESTIMATE: &str = "~";

/// The main table as one screen shows it: labels and the numbers that come first, and of the notes those that say what is
/// no measurement. `analysis` is what the table was made from.
#[must_use]
pub fn essential(main: &Table, analysis: &Analysis) -> Table {
    let keep: Vec<usize> = main
        .columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column.kind == ColumnKind::Label || ESSENTIAL.contains(&column.key.as_ref()))
        .map(|(index, _)| index)
        .collect();
    // One group: the columns stand side by side as long as they fit.
    let columns = keep.iter().filter_map(|index| main.columns.get(*index));
    let columns = columns.map(|column| Column { group: "screen".into(), ..column.clone() }).collect();
    let shown = |row: usize, index: &usize| match (main.columns.get(*index), main.cell(row, *index)) {
        (Some(column), Cell::Number(kilo))
            if column.key.starts_with("kilotokens") && analysis.cells.get(row).is_some_and(is_unreported) =>
        {
            Cell::text(format!("{ESTIMATE}{kilo:.2}"))
        }
        (_, cell) => cell.clone(),
    };
    let rows = (0..main.rows.len()).map(|row| keep.iter().map(|index| shown(row, index)).collect());
    let of_works = work_notes(analysis);
    let telling = |note: &&String| {
        [HARDLY_NOTE, "plumbing:"].iter().any(|beginning| note.starts_with(beginning)) || of_works.contains(note)
    };
    let mut notes: Vec<String> = main.notes.iter().filter(telling).cloned().collect();
    // A dash in the place of an interval is explained where it is shown.
    if main.notes.iter().any(|note| note.contains(EQUAL_NOTE)) {
        notes.push(EQUAL_NOTE.to_owned());
    }
    notes.extend(unreported_note(analysis).map(|note| format!("{ESTIMATE}: {note}")));
    Table { columns, rows: rows.collect(), notes, ..main.clone() }
}

fn numbers(analysis: &Analysis) -> Vec<Column> {
    let digits = return_digits(analysis);
    let column = Column::new;
    use ColumnKind::{Flag, Integer, Interval, Number, Share};
    vec![
        column("episodes", "n", "outcome", Integer, "Episodes that count as the agent's outcome"),
        column("cut", "Cut", "outcome", Integer, "Episodes that a limit of the episode cut: in no other number")
            .shown_if(analysis.cells.iter().any(|cell| cell.cuts() > 0)),
        column("invalid_rate", "Invalid", "outcome", Share(1), "Attempts at an action that brought none, per attempt"),
        column("fallback_rate", "Fallback", "outcome", Share(1), "Fallback steps per environment step"),
        column("mean_return", "Mean", "outcome", Number(digits), "Mean episode return"),
        column("sd", "SD", "outcome", Number(digits), "Sample standard deviation of the return (n-1)"),
        column(
            "ci",
            &confidence_title(analysis),
            "outcome",
            Interval(digits),
            "Student t interval of the mean, robust against clusters where there are several",
        ),
        column("clusters", "Clusters", "outcome", Integer, "Groups of runs of one task and instance")
            .shown_if(super::clustered(analysis)),
        column("min", "Min", "outcome", Number(digits), "Worst episode"),
        column("catastrophic", "Catastr.", "outcome", Share(0), "Share of episodes below the brief's threshold"),
        column("kilotokens_in", "In", "cost", Number(2), "Prompt tokens an episode, as called, in thousands")
            .unit("kTok"),
        column("kilotokens_out", "Out", "cost", Number(2), "Completion tokens an episode, as called, in thousands")
            .unit("kTok"),
        column("rpts", "RPTS", "cost", Number(2), "Return gained over the baseline per thousand tokens"),
        column("shifted_efficiency", "Eff.", "cost", Number(2), "(shift + mean return) per thousand tokens"),
        column(
            "pareto",
            "Pareto",
            "cost",
            Flag,
            "Whether no other cell of the same environment, model and decoding is cheaper and better; – where all returns are equal, and where such a cell of another decoding is",
        ),
        column("latency_p50_ms", "p50", "latency", Number(0), "Median latency of a model call").unit("ms"),
        column("latency_p95_ms", "p95", "latency", Number(0), "95th percentile of the latency of a model call")
            .unit("ms"),
    ]
}

fn values(cell: &CellSummary) -> Vec<Cell> {
    let speaks = !cell.info.models.is_empty();
    let kilo =
        |summary: Option<crate::Summary>| Cell::number(summary.filter(|_| speaks).map(|tokens| tokens.mean / 1000.0));
    vec![
        Cell::count(cell.episodes as u64),
        Cell::count(cell.cuts() as u64),
        Cell::share(cell.invalid.share()),
        Cell::share(cell.fallback.share()),
        Cell::number(cell.returns.map(|returns| returns.mean)),
        Cell::number(cell.returns.and_then(|returns| returns.sd)),
        Cell::interval(cell.returns.and_then(|returns| returns.interval())),
        cell.returns.and_then(|returns| returns.clusters).map_or(Cell::Empty, |count| Cell::count(count as u64)),
        Cell::number(cell.returns.map(|returns| returns.min)),
        Cell::share(cell.catastrophic.map(|share| share.share)),
        kilo(cell.tokens_in),
        kilo(cell.tokens_out),
        Cell::number(cell.rpts),
        Cell::number(cell.shifted),
        cell.efficient.map_or(Cell::Empty, Cell::Flag),
        Cell::number(cell.latency_p50_ms),
        Cell::number(cell.latency_p95_ms),
    ]
}

fn notes(analysis: &Analysis) -> Vec<String> {
    let mut notes: Vec<String> = acted_note(&analysis.cells).into_iter().collect();
    notes.extend(["Return: higher is better. One episode has no SD (–).".to_owned(), interval_note(analysis)]);
    if analysis.cells.iter().any(|cell| !cell.info.models.is_empty()) {
        notes.push("Tokens as called by the agent's roles, before caches and retries, per episode; roles that the environment asks (judge, reader, user) are apart.".to_owned());
    }
    notes.push("Invalid: attempts at an action that the environment or the validator rejected, or that came to no action (a refusal, an answer cut off), of all attempts; the calls of the fallback are not attempts.".to_owned());
    match &analysis.options.baseline {
        Some(BaselineChoice::Configuration(name)) => notes.push(format!(
            "RPTS: return per thousand tokens spent, (mean return − mean return of “{name}” on the same environment, model and decoding) / kTok."
        )),
        Some(BaselineChoice::Cell(id)) => {
            notes.push(format!("RPTS: return per thousand tokens spent, (mean return − mean return of cell “{id}”) / kTok."));
        }
        None => {}
    }
    let mut shifts: Vec<i64> = analysis.cells.iter().filter_map(|cell| cell.info.thresholds.shift).collect();
    shifts.dedup();
    if let [shift] = shifts.as_slice() {
        notes.push(format!("Eff.: shifted efficiency, ({} + mean return) / kTok.", *shift as f64 / 1000.0));
    }
    notes.extend(catastrophic_note(analysis));
    notes.extend(estimate_notes(analysis));
    notes.extend(mark_notes(analysis));
    notes
}

/// Whose tokens are not a provider's count, by what played.
fn estimate_notes(analysis: &Analysis) -> Vec<String> {
    let any = |test: fn(Kind) -> bool| {
        analysis.cells.iter().any(|cell| cell.tokens_estimated.count > 0 && test(cell.info.kind))
    };
    let mut notes = Vec::new();
    if any(|kind| matches!(kind, Kind::Scripted | Kind::NoisyExpert)) {
        notes.push("Tokens of scripted models and noisy experts are estimates by length of text.".to_owned());
    }
    if any(|kind| kind == Kind::Reader) {
        notes.push("Tokens of readers are estimates by length of text.".to_owned());
    }
    notes.extend(unreported_note(analysis));
    if any(|kind| kind == Kind::Embedded) {
        notes.push("Some tokens of embedded models are estimates.".to_owned());
    }
    notes
}

/// Whether tokens of a cell are not the count of the provider that was asked.
fn is_unreported(cell: &CellSummary) -> bool {
    cell.tokens_estimated.count > 0 && matches!(cell.info.kind, Kind::Remote | Kind::Replayed)
}

/// How many calls of such cells reported no usage that can be true.
fn unreported_note(analysis: &Analysis) -> Option<String> {
    let cells = analysis.cells.iter().filter(|cell| is_unreported(cell));
    let calls = cells.fold(Rate::default(), |sum, cell| Rate {
        count: sum.count + cell.tokens_estimated.count,
        of: sum.of + cell.tokens_estimated.of,
    });
    let percent = 100.0 * calls.share()?;
    Some(format!(
        "{} of {} calls ({percent:.0}%) came back without usage from the provider, or with one that cannot be true: the tokens of answers are estimated by length there, and calls without an answer count none.",
        calls.count, calls.of
    ))
}
