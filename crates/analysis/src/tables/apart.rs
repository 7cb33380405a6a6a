//! Cells that were played and are no longer in the study.

use crate::row::CellInfo;
use crate::table::{Cell, Column, ColumnKind, Table};

/// What was played of a cell that is no longer in the study.
#[derive(Clone, Debug, PartialEq)]
pub struct PastCell {
    /// Labels.
    pub info: CellInfo,
    /// Finished episodes.
    pub episodes: u64,
    /// Sum of their returns in thousandths.
    returns: i128,
    /// Prompt and completion tokens as called.
    tokens: (u64, u64),
}

impl PastCell {
    /// A cell of which nothing was taken in yet.
    #[must_use]
    pub const fn new(info: CellInfo) -> Self {
        Self { info, episodes: 0, returns: 0, tokens: (0, 0) }
    }

    /// Takes in an episode: its return in thousandths, its prompt and completion tokens.
    pub fn add(&mut self, thousandths: i64, input: u64, output: u64) {
        self.episodes += 1;
        self.returns += i128::from(thousandths);
        self.tokens = (self.tokens.0.saturating_add(input), self.tokens.1.saturating_add(output));
    }
}

/// What a headline says of these cells: how many episodes are set apart, and why; `None` without any episode. `kept` are the models that the
/// study asks now.
#[must_use]
pub fn set_apart(cells: &[PastCell], kept: &[String]) -> Option<String> {
    let episodes: u64 = cells.iter().map(|cell| cell.episodes).sum();
    if episodes == 0 {
        return None;
    }
    let mut gone: Vec<&str> = Vec::new();
    for model in cells.iter().filter(|cell| cell.episodes > 0).flat_map(|cell| &cell.info.models) {
        if !kept.contains(&model.model) && !gone.contains(&model.model.as_str()) {
            gone.push(&model.model);
        }
    }
    let (were, their) = if episodes == 1 { ("episode is", "it was") } else { ("episodes are", "they were") };
    let why = match gone.is_empty() {
        true => format!("the study was changed after {their} played"),
        false => format!("{their} played by {}, and the study names other models now", gone.join(", ")),
    };
    Some(format!("{episodes} earlier {were} set apart (table `apart`), and in no other number here: {why}."))
}

/// One row a cell; `None` without any.
#[must_use]
pub fn apart(cells: &[PastCell]) -> Option<Table> {
    use ColumnKind::{Integer, Label, Number};
    if cells.is_empty() {
        return None;
    }
    let columns = vec![
        Column::new("cell", "Cell", "cell", Label, "Name that the cell had, and the beginning of its key"),
        Column::new("environment", "Environment", "cell", Label, "Environment and the options that tell cells apart"),
        Column::new("model", "Model", "cell", Label, "Model, by role where there are several"),
        Column::new("episodes", "n", "played", Integer, "Finished episodes"),
        Column::new("mean_return", "Mean", "played", Number(1), "Mean episode return"),
        Column::new("tokens_in", "In", "played", Integer, "Prompt tokens as called, all episodes"),
        Column::new("tokens_out", "Out", "played", Integer, "Completion tokens as called, all episodes"),
    ];
    let rows = cells
        .iter()
        .map(|cell| {
            vec![
                Cell::text(&cell.info.id),
                Cell::text(&cell.info.environment),
                Cell::text(cell.info.model_label()),
                Cell::count(cell.episodes),
                Cell::number((cell.episodes > 0).then(|| cell.returns as f64 / (1000.0 * cell.episodes as f64))),
                Cell::count(cell.tokens.0),
                Cell::count(cell.tokens.1),
            ]
        })
        .collect();
    let notes = vec![
        "The study was changed after these cells were played. Their episodes are in no other table but the bill, and come back when the study names the same cells again.".to_owned(),
    ];
    Some(Table { key: "apart", title: "No longer in the study".to_owned(), columns, rows, notes })
}
