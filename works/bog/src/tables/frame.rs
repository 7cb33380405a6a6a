//! What the tables share: columns that name a row, models side by side, and notes on what is missing.

use crate::axes::{Grid, Grids};
use gimbal_analysis::tables::{mark, mark_notes, return_digits};
use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_view::work::{Context, Item, Undeclared};

/// A table to be made.
pub struct Frame<'a> {
    /// Key.
    pub key: &'static str,
    /// Title.
    pub title: &'static str,
    /// Cells.
    pub grids: Grids<'a>,
}

/// One of the columns that every model has.
pub(super) struct Part {
    key: &'static str,
    title: &'static str,
    kind: ColumnKind,
    help: &'static str,
    unit: Option<&'static str>,
}

impl Part {
    pub(super) fn new(key: &'static str, title: &'static str, kind: ColumnKind, help: &'static str) -> Self {
        Self { key, title, kind, help, unit: None }
    }

    pub(super) fn unit(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }
}

/// A column with its key, heading, kind and help.
pub fn column(key: &'static str, title: &str, group: &'static str, kind: ColumnKind, help: &str) -> Column {
    Column::new(key, title, group, kind, help)
}

impl<'a> Frame<'a> {
    /// The frame of an item of the list.
    pub fn of(context: &'a Context<'_>, item: &Item) -> Result<Self, Undeclared> {
        Ok(Self { key: item.key, title: item.title, grids: crate::grids(context)? })
    }
}

impl<'a> Frame<'a> {
    /// Digits of returns.
    pub(super) fn digits(&self) -> usize {
        return_digits(self.grids.analysis)
    }

    /// A label column.
    pub(super) fn label(&self, key: &'static str, title: &str, help: &str) -> Column {
        column(key, title, "row", ColumnKind::Label, help)
    }

    /// The column of the environment; readers see it where there are several.
    pub(super) fn environment(&self) -> Column {
        self.label("environment", "Environment", "Environment and the options that tell cells apart")
            .shown_if(self.grids.several_environments())
    }

    /// Columns that name a model's row.
    pub(super) fn model_labels(&self) -> Vec<Column> {
        let marked = |grid: &Grid<'_>| grid.models.iter().any(|model| !model_mark(grid, model).is_empty());
        vec![
            self.label("model", "Model", "Model"),
            self.environment(),
            self.label("mark", "Mark", "What keeps the numbers from being evidence about a language model")
                .shown_if(self.grids.grids.iter().any(marked)),
        ]
    }

    /// One row for every environment and model.
    pub(super) fn by_model(
        &self,
        columns: Vec<Column>,
        needed: &[&str],
        row: impl Fn(&Grid<'a>, &str) -> Vec<Cell>,
    ) -> Table {
        let mut rows = Vec::new();
        for grid in &self.grids.grids {
            for model in &grid.models {
                let mut cells =
                    vec![Cell::text(model), Cell::text(grid.environment), Cell::text(model_mark(grid, model))];
                cells.extend(row(grid, model));
                rows.push(cells);
            }
        }
        let columns = self.model_labels().into_iter().chain(columns).collect();
        self.table(columns, rows, self.gaps(needed))
    }

    /// Rows of configurations, columns of models. `rows` gives an environment's configurations; a model's columns are
    /// `parts`, filled by `cells`.
    pub(super) fn matrix(
        &self,
        models: &[&str],
        parts: &[Part],
        rows: impl Fn(&Grid<'a>) -> Vec<String>,
        cells: impl Fn(&Grid<'a>, &str, &str) -> Vec<Cell>,
    ) -> Table {
        let mut columns = vec![
            self.label("configuration", "Configuration", "Configuration"),
            self.label("axis", "Axis", "Axis that the configuration belongs to"),
            self.environment(),
        ];
        columns.extend(self.model_columns(models, parts));
        let (mut lines, mut shown) = (Vec::new(), Vec::new());
        for grid in &self.grids.grids {
            for configuration in rows(grid) {
                let mut line = vec![
                    Cell::text(&configuration),
                    Cell::text(self.axis(grid, &configuration)),
                    Cell::text(grid.environment),
                ];
                line.extend(self.across(grid, models, parts.len(), |model| cells(grid, &configuration, model)));
                lines.push(line);
                shown.push(configuration);
            }
        }
        let needed: Vec<&str> = shown.iter().map(String::as_str).collect();
        let notes = self.marks(models).into_iter().chain(self.gaps(&needed)).collect();
        self.table(columns, lines, notes)
    }

    /// The columns of all models side by side.
    pub(super) fn model_columns(&self, models: &[&str], parts: &[Part]) -> Vec<Column> {
        let mut columns = Vec::new();
        for &model in models {
            for part in parts {
                let title = if part.title.is_empty() { model.to_owned() } else { format!("{model} {}", part.title) };
                let key = format!("{model}.{}", part.key);
                let column = Column::new(key, &title, model.to_owned(), part.kind, part.help);
                columns.push(part.unit.map_or(column.clone(), |unit| column.unit(unit)));
            }
        }
        columns
    }

    /// The cells of all models side by side; an environment without a model has dashes for it.
    pub(super) fn across(
        &self,
        grid: &Grid<'a>,
        models: &[&str],
        parts: usize,
        cells: impl Fn(&str) -> Vec<Cell>,
    ) -> Vec<Cell> {
        let mut line = Vec::new();
        for &model in models {
            let mut own = if grid.models.iter().any(|known| known == model) { cells(model) } else { Vec::new() };
            own.resize(parts, Cell::Empty);
            line.extend(own);
        }
        line
    }

    fn axis(&self, grid: &Grid<'_>, configuration: &str) -> String {
        let known = self.grids.protocol.axis_of(configuration).map(|axis| axis.name.clone());
        let of_cell = || grid.configurations.iter().find(|entry| entry.name == configuration)?.axis.clone();
        known.or_else(of_cell).unwrap_or_default()
    }

    /// All configurations of an environment.
    pub(super) fn all(grid: &Grid<'_>) -> Vec<String> {
        grid.configurations.iter().map(|entry| entry.name.clone()).collect()
    }

    /// What the columns of models do not show.
    pub(super) fn marks(&self, models: &[&str]) -> Vec<String> {
        let mut notes = Vec::new();
        for grid in &self.grids.grids {
            for model in models {
                let mark = model_mark(grid, model);
                let note = format!("{model}: {mark}.");
                if !mark.is_empty() && !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
        notes
    }

    /// Which of the needed configurations have no episode, and on which models.
    pub(super) fn gaps(&self, needed: &[&str]) -> Vec<String> {
        const SHOWN: usize = 8;
        let mut notes = Vec::new();
        if self.grids.grids.iter().all(|grid| grid.models.is_empty()) {
            return vec!["No cell of this run is played by a model.".to_owned()];
        }
        let mut unique: Vec<&str> = Vec::new();
        needed.iter().for_each(|name| {
            if !unique.contains(name) {
                unique.push(name)
            }
        });
        for grid in self.grids.grids.iter().filter(|grid| !grid.models.is_empty()) {
            let mut missing: Vec<String> = Vec::new();
            for name in &unique {
                let lacking: Vec<&str> =
                    grid.models.iter().filter(|model| grid.mean(name, model).is_none()).map(String::as_str).collect();
                if lacking.len() == grid.models.len() {
                    missing.push((*name).to_owned());
                } else if !lacking.is_empty() {
                    missing.push(format!("{name} on {}", lacking.join(", ")));
                }
            }
            if missing.is_empty() {
                continue;
            }
            let more = missing.len().saturating_sub(SHOWN);
            missing.truncate(SHOWN);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            let place =
                if self.grids.several_environments() { format!(" on {}", grid.environment) } else { String::new() };
            notes.push(format!("No episode{place} of {}{more}: –.", missing.join("; ")));
        }
        notes
    }

    /// The table, with the marks of its cells explained.
    pub(super) fn table(&self, columns: Vec<Column>, rows: Vec<Vec<Cell>>, mut notes: Vec<String>) -> Table {
        notes.extend(self.grids.left_out_notes());
        notes.extend(mark_notes(self.grids.analysis).into_iter().filter(|note| !note.starts_with("policy")));
        Table { key: self.key, title: self.title.to_owned(), columns, rows, notes }
    }
}

/// The mark that all cells of a model carry.
fn model_mark(grid: &Grid<'_>, model: &str) -> &'static str {
    let cells = grid.configurations.iter().filter_map(|entry| grid.cell(&entry.name, model));
    cells.map(|cell| mark(&cell.info)).find(|mark| !mark.is_empty()).unwrap_or_default()
}
