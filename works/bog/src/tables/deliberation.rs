//! Levels of deliberation: T11 to T13 and T15.

use crate::axes::Grid;
use gimbal_analysis::interval_note;
use gimbal_analysis::metrics::{mean, spearman, token_multiplier};
use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_analysis::{win_share, win_tie_loss};

use super::frame::{Frame, Part, column};

/// T11, T12: mean, SD and tokens of every level, for the first or the second half of the models.
pub fn levels(frame: &Frame<'_>, first_half: bool) -> Table {
    let digits = frame.digits();
    let models = frame.grids.models();
    let (first, second) = models.split_at(models.len().div_ceil(2));
    let chosen = if first_half { first } else { second };
    let parts = [
        Part::new("mean", "mean", ColumnKind::Number(digits), "Mean episode return"),
        Part::new("sd", "SD", ColumnKind::Number(digits), "Sample standard deviation of the return"),
        Part::new("kilotokens", "kTok", ColumnKind::Number(1), "Thousand tokens an episode"),
    ];
    let rows = |_: &Grid<'_>| frame.grids.protocol.ladder().into_iter().map(str::to_owned).collect();
    let mut table = frame.matrix(chosen, &parts, rows, |grid, configuration, model| {
        vec![
            Cell::number(grid.mean(configuration, model)),
            Cell::number(grid.sd(configuration, model)),
            Cell::number(grid.kilotokens(configuration, model)),
        ]
    });
    if chosen.is_empty() {
        table.notes.push("All models of this run are in the table of the first half, t11.".to_owned());
    }
    table
}

/// T13: what each level gains and costs over the anchor, and how the gain goes with the anchor's strength (BOG-176).
pub fn returns_on_investment(frame: &Frame<'_>) -> Table {
    let digits = frame.digits();
    let models = frame.grids.models();
    let ladder = frame.grids.protocol.ladder();
    let anchor = frame.grids.protocol.anchor.as_str();
    let levels: Vec<&str> = ladder.get(1..).unwrap_or_default().to_vec();
    let parts = [
        Part::new("return_gained", "Δ return", ColumnKind::Number(digits), "Mean return minus that of the anchor"),
        Part::new("kilotokens_added", "Δ kTok", ColumnKind::Number(1), "Thousand tokens an episode minus the anchor's"),
    ];
    let rows = |_: &Grid<'_>| levels.iter().map(|level| (*level).to_owned()).collect();
    let mut table = frame.matrix(&models, &parts, rows, |grid, level, model| {
        let gain =
            |of: &dyn Fn(&str) -> Option<f64>| Cell::number(of(level).zip(of(anchor)).map(|(new, old)| new - old));
        vec![gain(&|name: &str| grid.mean(name, model)), gain(&|name: &str| grid.kilotokens(name, model))]
    });
    table
        .notes
        .insert(0, format!("Differences of means against the anchor “{anchor}”. Intervals: t25 and replication."));
    for grid in &frame.grids.grids {
        let pairs = capability(grid, anchor, &levels);
        if let Some(rho) = spearman(&pairs) {
            let place =
                if frame.grids.several_environments() { format!(" on {}", grid.environment) } else { String::new() };
            let note = format!(
                "Spearman's correlation{place} of the anchor's mean return with the mean gain over the levels played: {rho:.2} over {} models.",
                pairs.len()
            );
            table.notes.push(note);
        }
    }
    table.notes.extend(frame.gaps(&[anchor]));
    table
}

/// Anchor strength and mean gain of the levels played, by model (BOG-176).
pub fn capability(grid: &Grid<'_>, anchor: &str, levels: &[&str]) -> Vec<(f64, f64)> {
    let pair = |model: &String| {
        let strength = grid.mean(anchor, model)?;
        let gains: Vec<f64> = levels.iter().filter_map(|level| Some(grid.mean(level, model)? - strength)).collect();
        Some((strength, mean(&gains)?))
    };
    grid.models.iter().filter_map(pair).collect()
}

/// T15: wins, ties and losses per matched seed (BOG-169), and what the wins cost (BOG-179).
pub fn win_rates(frame: &Frame<'_>) -> Table {
    let pairing = &frame.grids.protocol.pairing;
    let (first, second) = (pairing.first.label(), pairing.second.label());
    let integer = |key, title, help| column(key, title, "record", ColumnKind::Integer, help);
    let columns: Vec<Column> = vec![
        integer("wins", "Wins", "Matched seeds in which the first returned more"),
        integer("ties", "Ties", "Equal after rounding to 0.1"),
        integer("losses", "Losses", "Matched seeds in which it returned less"),
        integer("total", "Total", "Matched seeds"),
        column("win_rate", "Won", "rate", ColumnKind::Share(0), "Share of matched seeds won"),
        column("win_rate_ci", "Wilson CI", "rate", ColumnKind::Interval(2), "Wilson interval of the share"),
        column("p_sign", "p sign", "rate", ColumnKind::Probability(4), "Exact two-sided sign test, ties left out"),
        column(
            "token_multiplier",
            "Tokens",
            "cost",
            ColumnKind::Number(1),
            "Tokens of the first over those of the second",
        )
        .unit("×"),
    ];
    let confidence = frame.grids.analysis.options.confidence;
    let mut table = frame.by_model(columns, &[&first, &second], |grid, model| {
        let sides = grid.resolve(&pairing.first, model).zip(grid.resolve(&pairing.second, model));
        let Some((first, second)) = sides else { return Vec::new() };
        let (first_rows, second_rows) = grid.sides(first, second, model);
        let record = win_tie_loss(first_rows, second_rows);
        let share = win_share(first_rows, second_rows, confidence);
        let tested = (record.total() > 0).then(|| gimbal_analysis::hypothesis::sign_test(record.wins, record.losses));
        let tokens = grid.kilotokens(second, model).zip(grid.kilotokens(first, model));
        vec![
            Cell::count(record.wins),
            Cell::count(record.ties),
            Cell::count(record.losses),
            Cell::count(record.total()),
            Cell::share(record.win_rate()),
            Cell::interval(share.and_then(|share| share.told())),
            Cell::number(tested),
            Cell::number(tokens.and_then(|(base, more)| token_multiplier(base, more))),
        ]
    });
    table.notes.insert(0, format!("{first} against {second}, environment by environment: same task, run and seed; several episodes of one seed are averaged first."));
    table.notes.insert(1, interval_note(frame.grids.analysis));
    table
}
