//! What each block of context costs (BOG-108): how often it is shown, how long it is, and its share of the prompt.

use super::{label_cells, labels, mark_notes};
use crate::cells::Analysis;
use crate::profile::Traces;
use crate::table::{Cell, Column, ColumnKind, Table};

/// Bytes of a token, as far as an estimate goes: the journal holds bytes of blocks, and tokens of whole prompts.
const BYTES: f64 = 4.0;

/// One row a cell and block, in order of name.
#[must_use]
pub fn blocks(analysis: &Analysis, traces: &Traces) -> Table {
    use ColumnKind::{Label, Number, Share};
    let mut columns = labels(analysis);
    columns.extend([
        Column::new("block", "Block", "cell", Label, "Block of context"),
        Column::new("shown", "Shown", "block", Number(1), "How often it is rendered, an episode"),
        Column::new("bytes", "Bytes", "block", Number(0), "Mean length in bytes"),
        Column::new("tokens", "Tokens", "block", Number(0), "Mean length in tokens, estimated at four bytes each"),
        Column::new(
            "share",
            "Of prompts",
            "block",
            Share(1),
            "Its estimated tokens over all prompt tokens of the agent",
        ),
    ]);
    let mut rows = Vec::new();
    for cell in &analysis.cells {
        let Some(trace) = traces.cell(&cell.info.id) else { continue };
        let prompts: u64 = trace.roles.values().map(|(_, input, _)| *input).sum();
        for (name, (times, bytes)) in &trace.blocks {
            let mean = (*times > 0).then(|| *bytes as f64 / *times as f64);
            let mut row = label_cells(cell);
            row.extend([
                Cell::text(name),
                Cell::number((trace.episodes > 0).then(|| *times as f64 / trace.episodes as f64)),
                Cell::number(mean),
                Cell::number(mean.map(|bytes| bytes / BYTES)),
                Cell::share((prompts > 0).then(|| *bytes as f64 / BYTES / prompts as f64)),
            ]);
            rows.push(row);
        }
    }
    let mut notes = vec![
        "Of episodes that count. A block that stays in a conversation is part of every later prompt of it and is counted once, when it is rendered: its share is a lower bound there.".to_owned(),
    ];
    notes.extend(mark_notes(analysis));
    Table { key: "blocks", title: "What each block of context costs".to_owned(), columns, rows, notes }
}
