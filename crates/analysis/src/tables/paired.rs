//! The paired table: each cell against its baseline over the seeds that both played.

use super::{confidence_title, mark_notes, return_digits};
use crate::cells::{Analysis, CellSummary};
use crate::compare::Comparison;
use crate::interval_notes::interval_note;
use crate::table::{Cell, Column, ColumnKind, Table};

/// Paired differences (BOG-168), wins, ties and losses (BOG-169) and marginal percent (BOG-171) against the baseline.
/// `None` when there is nothing to compare.
#[must_use]
pub fn paired(analysis: &Analysis) -> Option<Table> {
    if analysis.comparisons.is_empty() {
        return None;
    }
    let digits = return_digits(analysis);
    use ColumnKind::{Flag, Integer, Interval, Label, Number, Probability, Record};
    let label = |key, title, help| Column::new(key, title, "cell", Label, help);
    let columns = vec![
        label("configuration", "Configuration", "The cell"),
        label("environment", "Environment", "Environment of both").shown_if(super::several_environments(analysis)),
        label("model", "Model", "Model of the cell"),
        label("decoding", "Decoding", "Decoding of the cell"),
        label("mark", "Mark", "Mark of the cell"),
        label("baseline", "Against", "Its baseline; with model and decoding where a policy has several"),
        label("against", "Against", "Configuration of the baseline").shown_if(false),
        label("against_model", "Against model", "Model of the baseline").shown_if(false),
        label("against_decoding", "Against decoding", "Decoding of the baseline").shown_if(false),
        Column::new("pairs", "Pairs", "difference", Integer, "Seeds that both played"),
        Column::new("cut", "Cut", "difference", Integer, "Episodes of both sides that a limit cut: in no pair")
            .shown_if(analysis.cells.iter().any(|cell| cell.cuts() > 0)),
        Column::new(
            "difference",
            "Difference",
            "difference",
            Number(digits),
            "Mean of cell minus baseline; duplicates averaged first",
        ),
        Column::new(
            "ci",
            &confidence_title(analysis),
            "difference",
            Interval(digits),
            "Student t interval of the mean difference, robust against clusters where there are several",
        ),
        Column::new("clusters", "Clusters", "difference", Integer, "Groups of pairs of one task and instance")
            .shown_if(super::clustered(analysis)),
        Column::new("excludes_zero", "Excl. 0", "difference", Flag, "Whether the interval excludes zero"),
        Column::new("record", "W/T/L", "tests", Record, "Pairs won, tied (equal to 0.1) and lost"),
        Column::new("p_sign", "p sign", "tests", Probability(4), "Exact two-sided sign test"),
        Column::new("p_flip", "p flip", "tests", Probability(4), "Two-sided sign-flip permutation test"),
        Column::new(
            "p_holm",
            "p Holm",
            "tests",
            Probability(4),
            "Paired t test, robust against clusters, after Holm's correction for all comparisons of this table",
        ),
        Column::new(
            "marginal_percent",
            "Change",
            "tests",
            Number(1),
            "Change of the mean return in percent of the baseline's",
        )
        .unit("%"),
    ];
    Some(Table {
        key: "paired",
        title: "Paired differences against the baseline".to_owned(),
        columns,
        rows: analysis.comparisons.iter().map(|comparison| row(analysis, comparison)).collect(),
        notes: notes(analysis),
    })
}

fn sides<'a>(analysis: &'a Analysis, comparison: &Comparison) -> (&'a CellSummary, &'a CellSummary) {
    (&analysis.cells[comparison.cell], &analysis.cells[comparison.against])
}

fn row(analysis: &Analysis, comparison: &Comparison) -> Vec<Cell> {
    let (cell, against) = sides(analysis, comparison);
    let paired = comparison.paired.as_ref();
    // A policy has no model of its own: which model's baseline it is measured against must be told.
    let same = |other: &&Comparison| other.cell == comparison.cell;
    let name = if analysis.comparisons.iter().filter(same).count() > 1 {
        format!(
            "{} · {} · {}",
            against.info.configuration_label(),
            against.info.model_label(),
            against.info.decoding.label()
        )
    } else {
        against.info.configuration_label()
    };
    let mut row = super::label_cells(cell);
    row.extend([
        Cell::text(name),
        Cell::text(against.info.configuration_label()),
        Cell::text(against.info.model_label()),
        Cell::text(against.info.decoding.label()),
        if cell.hardly_acted() || against.hardly_acted() {
            Cell::Empty
        } else {
            Cell::count(paired.map_or(0, |paired| paired.difference.n as u64))
        },
        Cell::count((cell.cuts() + against.cuts()) as u64),
        Cell::number(paired.map(|paired| paired.difference.mean)),
        Cell::interval(paired.and_then(|paired| paired.difference.interval())),
        paired.and_then(|paired| paired.difference.clusters).map_or(Cell::Empty, |count| Cell::count(count as u64)),
        paired.and_then(|paired| paired.excludes_zero).map_or(Cell::Empty, Cell::Flag),
        paired.map_or(Cell::Empty, |paired| {
            Cell::Record(paired.outcome.wins, paired.outcome.ties, paired.outcome.losses)
        }),
        Cell::number(paired.map(|paired| paired.p_sign)),
        Cell::number(paired.and_then(|paired| paired.p_flip)),
        Cell::number(comparison.p_holm),
        Cell::number(comparison.marginal_percent),
    ]);
    row
}

fn notes(analysis: &Analysis) -> Vec<String> {
    let tested = analysis.comparisons.iter().filter(|comparison| comparison.p_holm.is_some()).count();
    let mut notes = vec![
        "Cell minus baseline over the same task, run and seed; several episodes of one seed are averaged first. A positive difference: the cell returned more.".to_owned(),
        interval_note(analysis),
        "W/T/L: a tie is equal after rounding to 0.1. p flip: clusters change sign as one, as the interval takes them; p sign: every pair for itself.".to_owned(),
    ];
    if tested > 0 {
        notes.push(format!(
            "p Holm: paired t test, with the interval's error (sign test where the differences do not vary), corrected for {tested} comparison{}.",
            if tested == 1 { "" } else { "s" }
        ));
    }
    if analysis.comparisons.iter().any(|comparison| comparison.paired.is_some_and(|paired| paired.unmatched > 0)) {
        notes.push("Some seeds were played by one side only; they take no part, so a difference may differ from that of the means.".to_owned());
    }
    notes.extend(mark_notes(analysis));
    notes
}
