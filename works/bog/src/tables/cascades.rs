//! The deliberation cascade between cells (BOG-220): the hierarchy with deliberation minus the one without.

use gimbal_analysis::{Cell, Column, ColumnKind, Table, interval_note, metrics, paired_difference, tables};

use crate::axes::Grids;

/// For every model the paired difference of returns, deliberating hierarchy minus plain one, with the ratio of tokens
/// and a verdict: `cascade` where the interval lies below zero, `none` where it lies above, `open` where it holds zero.
#[must_use]
pub fn cascades(grids: &Grids<'_>) -> Table {
    use ColumnKind::{Integer, Interval, Label, Number, Record, Text};
    let (pair, options) = (&grids.protocol.hierarchy, &grids.analysis.options);
    let column = Column::new;
    let columns = vec![
        column("environment", "Environment", "cell", Label, "Environment").shown_if(grids.several_environments()),
        column("model", "Model", "cell", Label, "Model"),
        column("difference", "Difference", "difference", Number(1), "Mean paired difference of the return"),
        column(
            "difference_ci",
            &format!("{}% CI (t)", options.percent()),
            "difference",
            Interval(1),
            "Student t interval of the mean paired difference",
        ),
        column("pairs", "Pairs", "difference", Integer, "Seeds that both played"),
        column("record", "Won/tied/lost", "difference", Record, "Of the deliberating hierarchy, ties to 0.1"),
        column(
            "tokens",
            "Tokens",
            "difference",
            Number(2),
            "Tokens of the deliberating one, as a multiple of the plain one's",
        ),
        column(
            "verdict",
            "Verdict",
            "verdict",
            Text,
            "cascade: the interval lies below zero; none: above; open: it holds zero",
        ),
    ];
    let mut rows = Vec::new();
    for grid in &grids.grids {
        for model in &grid.models {
            let (first, second) = grid.sides(&pair.deliberating, &pair.plain, model);
            let Some(paired) = paired_difference(first, second, options.confidence, options.seed) else { continue };
            let interval = paired.difference.interval();
            let verdict = match interval {
                Some(interval) if interval.high < 0.0 => "cascade",
                Some(interval) if interval.low > 0.0 => "none",
                Some(_) => "open",
                None => "one pair: no interval",
            };
            let tokens = grid
                .kilotokens(&pair.plain, model)
                .zip(grid.kilotokens(&pair.deliberating, model))
                .and_then(|(plain, deliberating)| metrics::token_multiplier(plain, deliberating));
            rows.push(vec![
                Cell::text(grid.environment),
                Cell::text(model.as_str()),
                Cell::number(Some(paired.difference.mean)),
                Cell::interval(interval),
                Cell::count(paired.difference.n as u64),
                Cell::Record(paired.outcome.wins, paired.outcome.ties, paired.outcome.losses),
                Cell::number(tokens),
                Cell::text(verdict),
            ]);
        }
    }
    let title = format!("Deliberation cascade: {} minus {}", pair.deliberating, pair.plain);
    let mut notes = vec!["Matched by environment, task and run; not corrected for asking once a model.".to_owned()];
    notes.push(interval_note(grids.analysis));
    notes.extend(grids.left_out_notes());
    notes.extend(tables::cut_note(&grids.analysis.cells));
    if rows.is_empty() {
        notes.insert(0, format!("No model played the same seeds with {} and {}.", pair.deliberating, pair.plain));
    }
    Table { key: "cascade", title, columns, rows, notes }
}
