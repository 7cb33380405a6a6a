//! What each block of context costs (BOG-108): how often it is shown, how long it is, and its share of the prompt.

use gimbal_analysis::profile::{BlockSums, Traces};
use gimbal_analysis::tables::{label_cells, labels, mark_notes};
use gimbal_analysis::{Analysis, Cell, Column, ColumnKind, Table};

/// Bytes of a token, as far as an estimate goes: the journal holds bytes of blocks, and tokens of whole prompts.
const BYTES: f64 = 4.0;

/// Tokens of a block over all its renderings; `None` where the tokenizer could not cut one of them.
fn tokens(sums: &BlockSums, counted: bool) -> Option<f64> {
    match counted {
        true => (sums.counted == sums.shown).then_some(sums.tokens as f64),
        false => Some(sums.bytes as f64 / BYTES),
    }
}

/// One row a cell and block, in order of name.
#[must_use]
pub fn blocks(analysis: &Analysis, traces: &Traces) -> Table {
    use ColumnKind::{Label, Number, Share};
    let who = match traces.tokenizer {
        Some(_) => "Mean length in tokens, counted by the tokenizer that was named",
        None => "Mean length in tokens, estimated at four bytes each",
    };
    let mut columns = labels(analysis);
    columns.extend([
        Column::new("block", "Block", "cell", Label, "Block of context"),
        Column::new("shown", "Shown", "block", Number(1), "How often it is rendered, an episode"),
        Column::new("bytes", "Bytes", "block", Number(0), "Mean length in bytes"),
        Column::new("tokens", "Tokens", "block", Number(0), who),
        Column::new(
            "share",
            "Of prompts",
            "block",
            Share(1),
            "Its tokens, counted or estimated as beside, over all prompt tokens of the agent",
        ),
    ]);
    let mut rows = Vec::new();
    for cell in &analysis.cells {
        let Some(trace) = traces.cell(&cell.info.id) else { continue };
        let prompts: u64 = trace.roles.values().map(|role| role.input).sum();
        for (name, sums) in &trace.blocks {
            let BlockSums { shown, bytes, .. } = *sums;
            let mean = (shown > 0).then(|| bytes as f64 / shown as f64);
            let tokens = tokens(sums, traces.tokenizer.is_some());
            let mut row = label_cells(cell);
            row.extend([
                Cell::text(name),
                Cell::number((trace.episodes > 0).then(|| shown as f64 / trace.episodes as f64)),
                Cell::number(mean),
                Cell::number(tokens.map(|tokens| tokens / shown.max(1) as f64)),
                Cell::share(tokens.filter(|_| prompts > 0).map(|tokens| tokens / prompts as f64)),
            ]);
            rows.push(row);
        }
    }
    let mut notes = vec![
        "Of episodes that count. A block that stays in a conversation is part of every later prompt of it and is counted once, when it is rendered: its share is a lower bound there.".to_owned(),
    ];
    if let Some(name) = &traces.tokenizer {
        notes.push(format!(
            "Tokens of blocks as the tokenizer of {name} cuts them, each block by itself. Prompt tokens are those of each cell's own model: the share is exact where that is the same one."
        ));
    }
    notes.extend(mark_notes(analysis));
    Table { key: "blocks", title: "What each block of context costs".to_owned(), columns, rows, notes }
}
