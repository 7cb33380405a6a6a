//! What the tables share: columns that name a cell, columns of means and spreads, notes.

use crate::cyclic::{Board, CYCLES, Control, Entry, Moments};
use gimbal_analysis::acted;
use gimbal_analysis::tables::{HARDLY, mark, no_evidence};
use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_view::work::{Context, Item, Undeclared};

/// A table to be made.
pub struct Frame<'f> {
    /// Key.
    pub key: &'static str,
    /// Title.
    pub title: &'static str,
    /// Cells with their measures.
    pub board: &'f Board,
}

impl<'f> Frame<'f> {
    /// The frame of an item of the list.
    pub fn of(context: &Context<'f>, item: &Item) -> Result<Self, Undeclared> {
        Ok(Self { key: item.key, title: item.title, board: context.fold(&CYCLES)? })
    }
}

impl Frame<'_> {
    /// Columns that name a cell.
    pub fn labels(&self) -> Vec<Column> {
        let label = |key, title, help| Column::new(key, title, "cell", ColumnKind::Label, help);
        let entries = || self.board.entries().map(|entry| &entry.measures.condition);
        vec![
            label("environment", "Benchmark", "Environment and the options that tell cells apart"),
            label("control", "Control", "How the agent is controlled"),
            label("exposure", "Tools", "Whether an executor has all tools or those of its node")
                .shown_if(entries().any(|condition| condition.specialists)),
            label("shots", "Shots", "Summaries of won episodes that the planner reads")
                .shown_if(entries().any(|condition| condition.shots > 0 || !condition.graph_shots.is_empty())),
            label("models", "Models", "Planner/executor/router; one name where all are the same"),
            label(
                "unplanned",
                "Not planned",
                "Episodes in which the planner gave no valid graph: the one that the environment suggests played",
            )
            .shown_if(self.board.entries().any(|entry| entry.measures.planned.failed > 0)),
            label("faults", "Faults", "Injected faults")
                .shown_if(entries().any(|condition| !condition.faults.is_empty())),
            label("mark", "Mark", "What keeps the numbers from being evidence about a language model")
                .shown_if(self.board.entries().any(|entry| !marks(entry).is_empty())),
            label("configuration", "Configuration", "Configuration as the study names it")
                .shown_if(self.board.is_ambiguous()),
        ]
    }

    /// Cells of [`Frame::labels`].
    pub fn label_cells(&self, entry: Entry<'_>) -> Vec<Cell> {
        let condition = &entry.measures.condition;
        let graphs = condition.control.is_cyclic() || condition.control == Control::Dag;
        let exposure = if condition.specialists { "specialist" } else { "generalist" };
        vec![
            Cell::text(&condition.environment),
            Cell::text(condition.control.title()),
            Cell::text(if graphs { exposure } else { "" }),
            Cell::text(condition.shots_text()),
            Cell::text(condition.models()),
            Cell::text(entry.measures.planned.failures().unwrap_or_default()),
            Cell::text(&condition.faults),
            Cell::text(marks(entry)),
            Cell::text(entry.info.configuration_label()),
        ]
    }

    /// One row a cell that is wanted.
    pub fn by_cell(
        &self,
        columns: Vec<Column>,
        wanted: impl Fn(Entry<'_>) -> bool,
        cells: impl Fn(Entry<'_>) -> Vec<Cell>,
    ) -> Table {
        let rows = self.board.entries().filter(|entry| wanted(*entry)).map(|entry| {
            let mut row = self.label_cells(entry);
            row.extend(cells(entry));
            row
        });
        let rows = rows.collect();
        self.table(self.labels().into_iter().chain(columns).collect(), rows, Vec::new())
    }

    pub fn table(&self, columns: Vec<Column>, rows: Vec<Vec<Cell>>, mut notes: Vec<String>) -> Table {
        if rows.is_empty() {
            notes.insert(0, "No cell of this run is what this table is about.".to_owned());
        }
        notes.extend(self.marks());
        Table { key: self.key, title: self.title.to_owned(), columns, rows, notes }
    }

    /// What marks mean, as far as cells carry them.
    pub fn marks(&self) -> Option<String> {
        let shown = self
            .board
            .entries()
            .filter(|entry| entry.measures.condition.control != Control::Other && entry.measures.episodes > 0);
        let (mut infos, mut hardly) = (Vec::new(), Vec::new());
        for entry in shown {
            infos.push(entry.info);
            hardly.extend(entry.measures.hardly_acted.then(|| self.board.called(entry)));
        }
        let mut said = no_evidence(infos).trim().to_owned();
        if !hardly.is_empty() {
            let note = format!(
                "{HARDLY}, no measurement ({}): {}; such cells have no rate of success, no numbers of won episodes and no comparison.",
                hardly.join(", "),
                acted::rule()
            );
            said = if said.is_empty() { note } else { format!("{note} {said}") };
        }
        (!said.is_empty()).then_some(said)
    }
}

/// The mark of a cell: whether its model hardly acted, and what keeps it from being evidence.
fn marks(entry: Entry<'_>) -> String {
    let hardly = if entry.measures.hardly_acted { HARDLY } else { "" };
    let marks = [hardly, mark(entry.info)];
    marks.into_iter().filter(|mark| !mark.is_empty()).collect::<Vec<&str>>().join(", ")
}

/// Cells that have a control of the work, without faults.
pub fn compared(entry: Entry<'_>) -> bool {
    let condition = &entry.measures.condition;
    condition.control != Control::Other && condition.faults.is_empty()
}

/// Columns of mean and both SDs, named as what they are (CYC-052).
pub fn spread(key: &'static str, title: &str, group: &'static str, digits: usize, help: &str) -> Vec<Column> {
    let kind = ColumnKind::Number(digits);
    vec![
        Column::new(key, title, group, kind, help),
        Column::new(
            format!("{key}.population_sd"),
            &format!("{title} SD pop."),
            group,
            kind,
            "Population SD: divides by n",
        ),
        Column::new(
            format!("{key}.sample_sd"),
            &format!("{title} SD sample"),
            group,
            kind,
            "Sample SD: divides by n - 1",
        ),
    ]
}

/// Cells of [`spread`].
pub fn spread_cells(moments: Option<Moments>) -> [Cell; 3] {
    [
        Cell::number(moments.map(|moments| moments.mean)),
        Cell::number(moments.map(|moments| moments.population_sd)),
        Cell::number(moments.and_then(|moments| moments.sample_sd)),
    ]
}

/// The column that names the environment, where a row is an environment.
pub fn environment_column() -> Column {
    let help = "Environment and the options that tell cells apart";
    Column::new("environment", "Benchmark", "row", ColumnKind::Label, help)
}

/// A mean as a cell.
pub fn mean(moments: Option<Moments>) -> Cell {
    Cell::number(moments.map(|moments| moments.mean))
}

/// What SR, TC and STR are; noted beneath every table that has them.
pub const RATES: &str = "SR: share of won episodes, mean and SD over runs. TC: tool calls of won episodes, refused ones too, mean and SD over episodes. STR: SR in percent over TC.";
/// What ATS, AUS and ASR are.
pub const VISITS: &str = "ATS: segments that a routing decision followed, AUS: different subtasks among them, ASR = ATS - AUS; won episodes only.";
