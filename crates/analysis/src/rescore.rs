//! Rescoring with prices: a completion token costs several times a prompt token, and RPTS counts them alike (BOG-173).

use std::collections::BTreeMap;

use crate::cells::{Analysis, CellSummary};
use crate::metrics;
use crate::row::CellInfo;
use crate::table::{Cell, Column, ColumnKind, Table};

/// What a million prompt tokens and a million completion tokens of a model cost, in any one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenPrice {
    /// Prompt tokens.
    pub input: f64,
    /// Completion tokens.
    pub output: f64,
}

impl TokenPrice {
    /// Prompt tokens that cost as much as one completion token; `None` where prompts are free.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let ratio = self.output / self.input;
        (ratio.is_finite() && self.input > 0.0).then_some(ratio)
    }
}

/// One cell with its tokens weighted by price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rescored {
    /// Index of the cell.
    pub cell: usize,
    /// Completion tokens count so many prompt tokens, on the mean over the cell's roles.
    pub ratio: f64,
    /// Thousands of prompt tokens an episode that cost as much as the episode's tokens.
    pub kilotokens: f64,
    /// RPTS over the weighted tokens; `None` for the baseline.
    pub rpts: Option<f64>,
    /// Shifted efficiency over the weighted tokens.
    pub shifted: Option<f64>,
    /// Place by RPTS among the cells of the same environment, models and decoding, from 1: plain and weighted.
    pub rpts_ranks: Option<(usize, usize)>,
    /// Place by shifted efficiency: plain and weighted.
    pub shifted_ranks: Option<(usize, usize)>,
}

impl Rescored {
    /// Whether the weights move the cell among its neighbours.
    #[must_use]
    pub fn moves(&self) -> bool {
        [self.rpts_ranks, self.shifted_ranks].into_iter().flatten().any(|(plain, weighted)| plain != weighted)
    }
}

/// Scores every cell whose models all have a price, in the order of the study.
#[must_use]
pub fn rescore(analysis: &Analysis, prices: &BTreeMap<String, TokenPrice>) -> Vec<Rescored> {
    let mut scored: Vec<Rescored> = (0..analysis.cells.len())
        .filter_map(|cell| {
            let summary = &analysis.cells[cell];
            let (kilotokens, ratio) = weighted(summary, prices)?;
            let mean = summary.returns?.mean;
            let baseline = analysis.baseline_of[cell].and_then(|baseline| analysis.cells[baseline].returns);
            let rpts = baseline.and_then(|baseline| metrics::rpts(mean, baseline.mean, kilotokens));
            let shift = summary.info.thresholds.shift.map(|shift| shift as f64 / 1000.0);
            let shifted = shift.and_then(|shift| metrics::shifted_efficiency(shift, mean, kilotokens));
            Some(Rescored { cell, ratio, kilotokens, rpts, shifted, rpts_ranks: None, shifted_ranks: None })
        })
        .collect();
    for place in 0..scored.len() {
        let mine = &analysis.cells[scored[place].cell].info;
        let rivals: Vec<&Rescored> =
            scored.iter().filter(|other| same_group(&analysis.cells[other.cell].info, mine)).collect();
        let plain = |score: fn(&CellSummary) -> Option<f64>| {
            rank(rivals.iter().map(|rival| (rival.cell, score(&analysis.cells[rival.cell]))), scored[place].cell)
        };
        let heavy = |score: fn(&Rescored) -> Option<f64>| {
            rank(rivals.iter().map(|rival| (rival.cell, score(rival))), scored[place].cell)
        };
        let rpts = plain(|cell| cell.rpts).zip(heavy(|cell| cell.rpts));
        let shifted = plain(|cell| cell.shifted).zip(heavy(|cell| cell.shifted));
        (scored[place].rpts_ranks, scored[place].shifted_ranks) = (rpts, shifted);
    }
    scored
}

fn same_group(one: &CellInfo, other: &CellInfo) -> bool {
    one.environment == other.environment && one.models == other.models && one.decoding == other.decoding
}

/// The place of `cell`, from 1; equal scores share the better place.
fn rank(scores: impl Iterator<Item = (usize, Option<f64>)>, cell: usize) -> Option<usize> {
    let scores: Vec<(usize, f64)> = scores.filter_map(|(cell, score)| Some((cell, score?))).collect();
    let mine = scores.iter().find(|(other, _)| *other == cell)?.1;
    Some(1 + scores.iter().filter(|(_, score)| *score > mine).count())
}

/// Weighted kilotokens an episode of the agent's roles, and the mean weight of its completion tokens.
fn weighted(cell: &CellSummary, prices: &BTreeMap<String, TokenPrice>) -> Option<(f64, f64)> {
    let named = |role: &str| cell.info.models.iter().find(|known| known.role == role);
    let (mut tokens, mut output, mut heavy) = (0.0, 0.0, 0.0);
    for role in cell.roles.iter().filter(|role| !role.environment) {
        let model = named(&role.role).or_else(|| named("default"))?;
        let ratio = prices.get(&model.model)?.ratio()?;
        tokens += role.input + ratio * role.output;
        output += role.output;
        heavy += ratio * role.output;
    }
    (tokens > 0.0).then(|| (tokens / 1000.0, if output > 0.0 { heavy / output } else { 1.0 }))
}

/// The rescored cells as a table; `None` where no cell has a price for its tokens.
#[must_use]
pub fn table(analysis: &Analysis, prices: &BTreeMap<String, TokenPrice>) -> Option<Table> {
    use ColumnKind::{Integer, Number, Text};
    let scored = rescore(analysis, prices);
    if scored.is_empty() {
        return None;
    }
    let column = Column::new;
    let mut columns = crate::tables::labels(analysis);
    columns.extend([
        column("ratio", "Ratio", "tokens", Number(2), "Prompt tokens that cost as much as one completion token"),
        column("kilotokens", "Tokens", "tokens", Number(2), "Agent tokens an episode, all counted alike").unit("kTok"),
        column("weighted_kilotokens", "Weighted", "tokens", Number(2), "The same, completion tokens by their price")
            .unit("kTok"),
        column("rpts", "RPTS", "RPTS", Number(2), "Reward per thousand tokens, all counted alike"),
        column("weighted_rpts", "RPTS w.", "RPTS", Number(2), "Reward per thousand weighted tokens"),
        column("rpts_rank", "Rank", "RPTS", Integer, "Place by RPTS among the cells of the same model"),
        column("weighted_rpts_rank", "Rank w.", "RPTS", Integer, "Place by weighted RPTS"),
        column("shifted", "Eff.", "efficiency", Number(2), "Shifted efficiency, all tokens counted alike"),
        column("weighted_shifted", "Eff. w.", "efficiency", Number(2), "Shifted efficiency over weighted tokens"),
        column("shifted_rank", "Rank", "efficiency", Integer, "Place by shifted efficiency"),
        column("weighted_shifted_rank", "Rank w.", "efficiency", Integer, "Place by weighted efficiency"),
        column("moves", "Moves", "efficiency", Text, "Whether any place changes"),
    ]);
    let place = |rank: Option<usize>| rank.map_or(Cell::Empty, |rank| Cell::count(rank as u64));
    let rows = scored
        .iter()
        .map(|one| {
            let cell = &analysis.cells[one.cell];
            let mut row = crate::tables::label_cells(cell);
            row.extend([
                Cell::Number(one.ratio),
                Cell::number(cell.tokens.map(|tokens| tokens.mean / 1000.0)),
                Cell::Number(one.kilotokens),
                Cell::number(cell.rpts),
                Cell::number(one.rpts),
                place(one.rpts_ranks.map(|(plain, _)| plain)),
                place(one.rpts_ranks.map(|(_, weighted)| weighted)),
                Cell::number(cell.shifted),
                Cell::number(one.shifted),
                place(one.shifted_ranks.map(|(plain, _)| plain)),
                place(one.shifted_ranks.map(|(_, weighted)| weighted)),
                Cell::text(if one.moves() { "yes" } else { "no" }),
            ]);
            row
        })
        .collect();
    let moved: Vec<&str> =
        scored.iter().filter(|one| one.moves()).map(|one| analysis.cells[one.cell].info.id.as_str()).collect();
    let mut notes = vec![
        "Weighted: a completion token counts as many prompt tokens as it costs, by the price table in force (its band for the shortest prompts); cached and repeated tokens count as called.".to_owned(),
        match moved.as_slice() {
            [] => "The order of configurations is the same with weighted tokens.".to_owned(),
            cells => format!("The order of configurations changes with weighted tokens: {}.", cells.join(", ")),
        },
    ];
    let asks = analysis.cells.iter().filter(|cell| cell.tokens.is_some_and(|tokens| tokens.mean > 0.0)).count();
    if asks > scored.len() {
        notes.push(format!(
            "{} cell(s) are left out: a model without a price, or one whose prompts are free.",
            asks - scored.len()
        ));
    }
    notes.extend(crate::tables::mark_notes(analysis));
    Some(Table { key: "rescored", title: "Scores with tokens weighted by price".to_owned(), columns, rows, notes })
}
