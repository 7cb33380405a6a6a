//! The third work's tables from any run (CYC-101): keys `cyc-1` to `cyc-18`, and those that go beyond it.
//!
//! Rows are cells of the run. What a run does not hold leaves a dash or an empty table with a note, never an error.

mod benchmarks;
mod beyond;
mod noise;
mod overall;
mod robustness;
mod sweeps;
mod tokens;

use std::collections::BTreeSet;

use super::{Condition, Control, Cycles, Measures, Moments, measure};
use crate::row::CellInfo;
use crate::table::{Cell, Column, ColumnKind, Table};
use crate::tables::mark;

pub use noise::{CONFIDENCE, INTERVALS};

/// Keys and titles, in the work's order; after its eighteen those that it asks for and does not have.
pub const TABLES: [(&str, &str); 26] = [
    ("cyc-1", "Which control for which structure of tasks"),
    ("cyc-2", "ReAct, DepDAG, Spec-Cyc and Gen-Cyc without summaries"),
    ("cyc-3", "Success kept under faults of routing, generalists"),
    ("cyc-4", "Tasks and episodes by benchmark"),
    ("cyc-5", "Tasks of the crafting benchmark by part"),
    ("cyc-6", "Tasks of the household benchmark by part"),
    ("cyc-7", "Tasks of the finance benchmark by part"),
    ("cyc-8", "Tokens of cyclic graphs against ReAct"),
    ("cyc-9", "Planner, executor and router: generalists"),
    ("cyc-10", "Executor and router: specialists"),
    ("cyc-11", "Faults of routing: specialists"),
    ("cyc-12", "Faults of routing: generalists"),
    ("cyc-13", "Unique transitions: generalists"),
    ("cyc-14", "Unique transitions: specialists"),
    ("cyc-15", "Size of benchmark-generic graphs"),
    ("cyc-16", "Routing over benchmark-generic graphs"),
    ("cyc-17", "Size of task-specific graphs"),
    ("cyc-18", "Routing over task-specific graphs"),
    ("cyc-groups", "Won, lost and all episodes"),
    ("cyc-routing", "What routing costs"),
    ("cyc-repair", "Repair of single faults"),
    ("cyc-signals", "Failure modes of cyclic control and where they show"),
    ("cyc-exploration", "Situations met, cyclic minus ReAct"),
    ("cyc-evidence", "Where answers from documents fail"),
    ("cyc-transitions", "Transitions by use"),
    ("cyc-noise", "What becomes of each controller as its player errs more"),
];

/// The cells of a run with their measures: what tables and figures are made from.
pub struct Board<'a> {
    /// The cells.
    pub cycles: &'a Cycles,
    /// Their measures, in the same order.
    pub measures: Vec<Measures>,
}

/// One cell of a board: its place, what it is and what was measured.
#[derive(Clone, Copy)]
pub struct Entry<'b> {
    /// Place in the study.
    pub place: usize,
    /// Labels.
    pub info: &'b CellInfo,
    /// Measures, with the condition.
    pub measures: &'b Measures,
}

impl<'a> Board<'a> {
    /// Measures every cell.
    #[must_use]
    pub fn new(cycles: &'a Cycles) -> Self {
        Self { cycles, measures: cycles.cells.iter().map(measure).collect() }
    }

    /// The cells in the study's order.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let cells = self.cycles.cells.iter().zip(&self.measures).enumerate();
        cells.map(|(place, (cell, measures))| Entry { place, info: &cell.info, measures })
    }

    /// Environments in the study's order.
    #[must_use]
    pub fn environments(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for cell in &self.cycles.cells {
            if !names.contains(&cell.info.environment.as_str()) {
                names.push(&cell.info.environment);
            }
        }
        names
    }

    /// The cell without faults that a cell with faults is compared with: of the same configuration where the study has it,
    /// else the first that stands for the same.
    #[must_use]
    pub fn nominal(&self, faulted: Entry<'_>) -> Option<Entry<'_>> {
        let own = || {
            self.entries().filter(|entry| {
                let condition = &entry.measures.condition;
                condition.faults.is_empty() && condition.is_same_but_faults(&faulted.measures.condition)
            })
        };
        own().find(|entry| entry.info.configuration == faulted.info.configuration).or_else(|| own().next())
    }

    /// Whether two cells stand for the same: their configuration must tell them apart.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        let mut seen = BTreeSet::new();
        !self
            .measures
            .iter()
            .filter(|one| one.condition.control != Control::Other)
            .all(|one| seen.insert(&one.condition))
    }

    /// What a cell is called beside others of its control: its models, and its configuration where models do not tell.
    #[must_use]
    pub fn name(&self, entry: Entry<'_>) -> String {
        let models = entry.measures.condition.models();
        let same = self.measures.iter().filter(|one| one.condition == entry.measures.condition).count();
        if same > 1 { format!("{models}: {}", entry.info.configuration) } else { models }
    }

    /// The ReAct cell without faults that a cyclic cell is compared with: of the same environment and of the executor's
    /// model (CYC-066); where that model plays no ReAct, the only one that there is.
    #[must_use]
    pub fn agent(&self, condition: &Condition) -> Option<Entry<'_>> {
        let own = || {
            self.entries().filter(|entry| {
                let other = &entry.measures.condition;
                other.control == Control::React
                    && other.faults.is_empty()
                    && other.environment == condition.environment
                    && entry.measures.episodes > 0
            })
        };
        own().find(|entry| entry.measures.condition.executor == condition.executor).or_else(|| {
            let mut all = own();
            all.next().filter(|_| all.next().is_none())
        })
    }
}

/// A table by its key; `None` for a key that is not one of [`TABLES`].
#[must_use]
pub fn table(key: &str, board: &Board<'_>) -> Option<Table> {
    let (key, title) = TABLES.iter().find(|(known, _)| *known == key).copied()?;
    let frame = Frame { key, title, board };
    Some(match key {
        "cyc-1" => overall::matrix(&frame),
        "cyc-2" => overall::overall(&frame),
        "cyc-3" => robustness::retention(&frame),
        "cyc-4" => benchmarks::overview(&frame),
        "cyc-5" | "cyc-6" | "cyc-7" => benchmarks::parts(&frame),
        "cyc-8" => tokens::shared(&frame),
        "cyc-9" => sweeps::sweep(&frame, false),
        "cyc-10" => sweeps::sweep(&frame, true),
        "cyc-11" => robustness::changes(&frame, true),
        "cyc-12" => robustness::changes(&frame, false),
        "cyc-13" => sweeps::transitions(&frame, false),
        "cyc-14" => sweeps::transitions(&frame, true),
        "cyc-15" => sweeps::sizes(&frame, Control::Gen),
        "cyc-16" => sweeps::movement(&frame, Control::Gen),
        "cyc-17" => sweeps::sizes(&frame, Control::Spec),
        "cyc-18" => sweeps::movement(&frame, Control::Spec),
        "cyc-groups" => beyond::groups(&frame),
        "cyc-routing" => beyond::routing(&frame),
        "cyc-repair" => robustness::repair(&frame),
        "cyc-signals" => beyond::signals(&frame),
        "cyc-exploration" => tokens::exploration(&frame),
        "cyc-evidence" => beyond::evidence(&frame),
        "cyc-noise" => noise::noise(&frame),
        _ => sweeps::uses(&frame),
    })
}

/// A table to be made.
struct Frame<'f, 'a> {
    key: &'static str,
    title: &'static str,
    board: &'f Board<'a>,
}

impl Frame<'_, '_> {
    /// Columns that name a cell.
    fn labels(&self) -> Vec<Column> {
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
            .shown_if(self.board.entries().any(|entry| entry.measures.planned.1 > 0)),
            label("faults", "Faults", "Injected faults")
                .shown_if(entries().any(|condition| !condition.faults.is_empty())),
            label("mark", "Mark", "What keeps the numbers from being evidence about a language model")
                .shown_if(self.board.entries().any(|entry| !mark(entry.info).is_empty())),
            label("configuration", "Configuration", "Configuration as the study names it")
                .shown_if(self.board.is_ambiguous()),
        ]
    }

    /// Cells of [`Frame::labels`].
    fn label_cells(&self, entry: Entry<'_>) -> Vec<Cell> {
        let condition = &entry.measures.condition;
        let graphs = condition.control.is_cyclic() || condition.control == Control::Dag;
        let exposure = if condition.specialists { "specialist" } else { "generalist" };
        vec![
            Cell::text(&condition.environment),
            Cell::text(condition.control.title()),
            Cell::text(if graphs { exposure } else { "" }),
            Cell::text(condition.shots_text()),
            Cell::text(condition.models()),
            Cell::text(match entry.measures.planned {
                (_, 0) => String::new(),
                (valid, not) => format!("{not} of {}", valid + not),
            }),
            Cell::text(&condition.faults),
            Cell::text(mark(entry.info)),
            Cell::text(entry.info.configuration_label()),
        ]
    }

    /// One row a cell that is wanted.
    fn by_cell(
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

    fn table(&self, columns: Vec<Column>, rows: Vec<Vec<Cell>>, mut notes: Vec<String>) -> Table {
        if rows.is_empty() {
            notes.insert(0, "No cell of this run is what this table is about.".to_owned());
        }
        notes.extend(self.marks());
        Table { key: self.key, title: self.title.to_owned(), columns, rows, notes }
    }

    /// What marks mean, as far as cells carry them.
    fn marks(&self) -> Option<String> {
        let shown = self
            .board
            .entries()
            .filter(|entry| entry.measures.condition.control != Control::Other && entry.measures.episodes > 0);
        let said = crate::tables::no_evidence(shown.map(|entry| entry.info)).trim();
        (!said.is_empty()).then(|| said.to_owned())
    }
}

/// Cells that have a control of the work, without faults.
fn compared(entry: Entry<'_>) -> bool {
    let condition = &entry.measures.condition;
    condition.control != Control::Other && condition.faults.is_empty()
}

/// Columns of mean and both SDs, named as what they are (CYC-052).
fn spread(key: &'static str, title: &str, group: &'static str, digits: usize, help: &str) -> Vec<Column> {
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
fn spread_cells(moments: Option<Moments>) -> [Cell; 3] {
    [
        Cell::number(moments.map(|moments| moments.mean)),
        Cell::number(moments.map(|moments| moments.population_sd)),
        Cell::number(moments.and_then(|moments| moments.sample_sd)),
    ]
}

fn number(key: &'static str, title: &str, group: &'static str, digits: usize, help: &str) -> Column {
    Column::new(key, title, group, ColumnKind::Number(digits), help)
}

fn count(key: &'static str, title: &str, group: &'static str, help: &str) -> Column {
    Column::new(key, title, group, ColumnKind::Integer, help)
}

/// A mean as a cell.
fn mean(moments: Option<Moments>) -> Cell {
    Cell::number(moments.map(|moments| moments.mean))
}

/// What SR, TC and STR are; noted beneath every table that has them.
const RATES: &str = "SR: share of won episodes, mean and SD over runs. TC: tool calls of won episodes, refused ones too, mean and SD over episodes. STR: SR in percent over TC.";
/// What ATS, AUS and ASR are.
const VISITS: &str = "ATS: segments that a routing decision followed, AUS: different subtasks among them, ASR = ATS - AUS; won episodes only.";
