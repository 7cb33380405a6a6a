//! The hierarchy: T8 and T9.

use gimbal_analysis::metrics::degradation_ratio;
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use super::frame::{Frame, column};

/// T8: the hierarchy without and with deliberation, and the ratio of their returns (BOG-170).
pub fn degradation(frame: &Frame<'_>) -> Table {
    let digits = frame.digits();
    let pair = &frame.grids.protocol.hierarchy;
    let (plain, deliberating) = (pair.plain.as_str(), pair.deliberating.as_str());
    let side = |keys: [&'static str; 3], group: &'static str, name: &str| {
        [
            column(keys[0], &format!("{name} mean"), group, ColumnKind::Number(digits), "Mean episode return"),
            column(keys[1], "SD", group, ColumnKind::Number(digits), "Sample standard deviation of the return"),
            column(keys[2], "kTok", group, ColumnKind::Number(1), "Thousand tokens an episode"),
        ]
    };
    let mut columns: Vec<Column> = Vec::new();
    columns.extend(side(["plain_mean", "plain_sd", "plain_kilotokens"], "plain", plain));
    columns.extend(side(
        ["deliberating_mean", "deliberating_sd", "deliberating_kilotokens"],
        "deliberating",
        deliberating,
    ));
    columns.push(column(
        "ratio",
        "Ratio",
        "ratio",
        ColumnKind::Number(2),
        "Return with deliberation over return without",
    ));
    let token_help = "Tokens with deliberation over tokens without";
    columns.push(column("token_ratio", "Tokens", "ratio", ColumnKind::Number(2), token_help).unit("×"));
    let mut table = frame.by_model(columns, &[plain, deliberating], |grid, model| {
        let mut cells = Vec::new();
        for name in [plain, deliberating] {
            cells.push(Cell::number(grid.mean(name, model)));
            cells.push(Cell::number(grid.sd(name, model)));
            cells.push(Cell::number(grid.kilotokens(name, model)));
        }
        let ratio = |of: &dyn Fn(&str) -> Option<f64>| {
            of(plain).zip(of(deliberating)).and_then(|(a, b)| degradation_ratio(a, b))
        };
        let mean = |name: &str| grid.mean(name, model);
        // A ratio of returns of different signs, or of gains, says nothing about degradation.
        let penalties = [plain, deliberating].iter().all(|name| mean(name).is_some_and(|mean| mean < 0.0));
        cells.push(Cell::number(ratio(&mean).filter(|_| penalties)));
        cells.push(Cell::number(ratio(&|name: &str| grid.kilotokens(name, model))));
        cells
    });
    sort_by_mean(&mut table, 3);
    table.notes.insert(0, format!("Ratio: return of {deliberating} over that of {plain}; above 1 is worse, where returns are penalties. Empty where a return is not negative."));
    table
}

/// T9: anchor, best level of deliberation of one agent, both hierarchies.
pub fn against_one_agent(frame: &Frame<'_>) -> Table {
    let digits = frame.digits();
    let protocol = frame.grids.protocol;
    let pair = &protocol.hierarchy;
    let ladder = protocol.ladder();
    let levels = ladder.get(1..).unwrap_or_default();
    let number = |key, title: &str, group, digits, help| column(key, title, group, ColumnKind::Number(digits), help);
    let columns = vec![
        number("anchor_mean", &format!("{} mean", protocol.anchor), "anchor", digits, "Mean return of the anchor"),
        number("anchor_kilotokens", "kTok", "anchor", 1, "Thousand tokens an episode"),
        column("level", "Best level", "level", ColumnKind::Text, "Level of deliberation with the highest mean return"),
        number("level_mean", "mean", "level", digits, "Its mean return"),
        number("level_kilotokens", "kTok", "level", 1, "Thousand tokens an episode"),
        number("plain_mean", &format!("{} mean", pair.plain), "plain", digits, "Mean return of the plain hierarchy"),
        number("plain_kilotokens", "kTok", "plain", 1, "Thousand tokens an episode"),
        number(
            "deliberating_mean",
            &format!("{} mean", pair.deliberating),
            "deliberating",
            digits,
            "Mean return of the deliberating hierarchy",
        ),
        number("deliberating_kilotokens", "kTok", "deliberating", 1, "Thousand tokens an episode"),
    ];
    let needed: Vec<&str> = ladder.iter().copied().chain([pair.plain.as_str(), pair.deliberating.as_str()]).collect();
    let mut table = frame.by_model(columns, &needed, |grid, model| {
        let both = |name: &str| [Cell::number(grid.mean(name, model)), Cell::number(grid.kilotokens(name, model))];
        let best = grid.best(levels, model).map(|(name, _)| name);
        let mut cells = both(&protocol.anchor).to_vec();
        cells.push(Cell::text(best.unwrap_or_default()));
        cells.extend(best.map_or([Cell::Empty, Cell::Empty], both));
        cells.extend(both(&pair.plain));
        cells.extend(both(&pair.deliberating));
        cells
    });
    table
        .notes
        .insert(0, "The best level is picked after the fact, by the mean return of the same episodes.".to_owned());
    table
}

/// Models by the value of a column, largest first, within their environment; those without one last.
pub fn sort_by_mean(table: &mut Table, index: usize) {
    let environment = |row: &Vec<Cell>| row.get(1).cloned().unwrap_or(Cell::Empty);
    let mut order: Vec<Cell> = Vec::new();
    for row in &table.rows {
        if !order.contains(&environment(row)) {
            order.push(environment(row));
        }
    }
    let place = |row: &Vec<Cell>| order.iter().position(|known| *known == environment(row));
    let value = |row: &Vec<Cell>| match row.get(index) {
        Some(Cell::Number(value)) => *value,
        _ => f64::NEG_INFINITY,
    };
    table.rows.sort_by(|a, b| place(a).cmp(&place(b)).then(value(b).total_cmp(&value(a))));
}
