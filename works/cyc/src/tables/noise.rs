//! The table behind the curves of noise.

use crate::cyclic::Entry;
use crate::cyclic::{CONFIDENCE, INTERVALS, NoisePoint, noise_curves};
use gimbal_analysis::Summary;
use gimbal_analysis::columns::{count, number};
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use super::frame::Frame;

/// Success, calls and tokens by the player's error rate.
pub fn noise(frame: &Frame<'_>) -> Table {
    let ends = |key: &'static str, title: &'static str| {
        [
            Column::new(format!("{key}.low"), "from", title, ColumnKind::Number(1), "Lower end of the interval"),
            Column::new(format!("{key}.high"), "to", title, ColumnKind::Number(1), "Upper end of the interval"),
        ]
    };
    let mut columns = vec![
        Column::new(
            "error",
            "Errors",
            "player",
            ColumnKind::Share(0),
            "Chance that an answer is not the competent one",
        ),
        count("episodes", "Episodes", "player", "Episodes"),
        number("sr", "SR", "sr", 1, "Share of won episodes").unit("%"),
    ];
    columns.extend(ends("sr", "sr"));
    columns.push(number("tc", "TC", "tc", 1, "Tool calls of won episodes"));
    columns.extend(ends("tc", "tc"));
    columns.push(number("tokens", "Tokens", "tokens", 0, "Tokens of won episodes"));
    columns.push(number("all", "Calls, all", "all", 1, "Tool calls of all episodes"));
    let curves = noise_curves(&frame.board.cycles, CONFIDENCE);
    let entries: Vec<Entry<'_>> = frame.board.entries().collect();
    let row = |point: &NoisePoint| {
        let mut row = frame.label_cells(entries[point.place]);
        let interval = |summary: &Option<Summary>| summary.as_ref().and_then(Summary::interval);
        let calls = interval(&point.calls);
        let mean = |summary: &Option<Summary>| Cell::number(summary.as_ref().map(|summary| summary.mean));
        row.extend([
            Cell::share(Some(point.error)),
            Cell::count(point.success.of),
            Cell::number(Some(100.0 * point.success.share)),
            Cell::number(point.success.told().map(|ends| 100.0 * ends.low)),
            Cell::number(point.success.told().map(|ends| 100.0 * ends.high)),
            mean(&point.calls),
            Cell::number(calls.map(|ends| ends.low)),
            Cell::number(calls.map(|ends| ends.high)),
            mean(&point.tokens),
            mean(&point.all_calls),
        ]);
        row
    };
    let rows = curves.iter().flat_map(|curve| &curve.points).map(row).collect();
    let notes = vec![INTERVALS.to_owned()];
    frame.table(frame.labels().into_iter().chain(columns).collect(), rows, notes)
}
