//! What routing costs against the number of subtasks, as `gimbal graph cost` plays it (CYC-069, CYC-092, CYC-097).

mod figure;

use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_view::Figure;
use serde::Serialize;

pub use figure::{Line, Point, draw};

/// What was played, for titles and notes.
#[derive(Clone, Copy, Debug)]
pub struct PlayedOn<'p> {
    /// Name of the environment.
    pub environment: &'p str,
    /// The model.
    pub model: &'p str,
}

/// What `gimbal graph cost --json` says: what was played and all that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Costs {
    /// Name of the environment.
    pub environment: String,
    /// The model.
    pub model: String,
    /// Most ways that a router is shown where they are cut.
    pub candidates: usize,
    /// Decisions in a call where they are batched.
    pub batch: u32,
    /// Subtasks of the graph before it was widened.
    pub classes: usize,
    /// A row for each graph and way of routing.
    pub measured: Vec<Measured>,
}

/// What was measured of one way of routing over one graph.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Measured {
    /// The way of routing.
    pub routing: String,
    /// Subtasks of the graph.
    pub subtasks: u64,
    /// Criteria of the graph.
    pub criteria: u64,
    /// Episodes.
    pub episodes: u64,
    /// Episodes that were won.
    pub won: u64,
    /// Decisions of the router.
    pub decisions: u64,
    /// Calls of the router.
    pub calls: u64,
    /// Prompt tokens of the router.
    pub input: u64,
    /// Tool calls.
    pub tool_calls: u64,
}

impl Measured {
    fn share(part: u64, of: u64) -> f64 {
        if of == 0 { 0.0 } else { part as f64 / of as f64 }
    }

    fn per_decision(&self) -> f64 {
        Self::share(self.input, self.decisions)
    }

    fn per_episode(&self) -> f64 {
        Self::share(self.input, self.episodes)
    }
}

/// One row for each way of routing over each graph.
#[must_use]
pub fn table(played: &PlayedOn<'_>, measured: &[Measured]) -> Table {
    let number = |key, title, help| Column::new(key, title, "", ColumnKind::Number(1), help);
    let count = |key, title, help| Column::new(key, title, "", ColumnKind::Integer, help);
    let won = measured.iter().any(|one| one.won > 0);
    let columns = vec![
        count("subtasks", "Subtasks", "Subtasks of the graph"),
        count("criteria", "Criteria", "Criteria of the graph"),
        Column::new("routing", "Routing", "", ColumnKind::Label, "How control goes on"),
        count("won", "Won", "Episodes won"),
        number("decisions", "Decisions", "Mean decisions of an episode"),
        number("calls", "Calls", "Mean calls of the router in an episode"),
        count("decision", "A decision", "Mean prompt tokens of the router for a decision").unit("tokens"),
        count("episode", "An episode", "Mean prompt tokens of the router in an episode").unit("tokens"),
    ];
    let whole = |value: f64| Cell::count(value.round() as u64);
    let row = |one: &Measured| {
        vec![
            Cell::count(one.subtasks),
            Cell::count(one.criteria),
            Cell::text(&one.routing),
            if won { Cell::count(one.won) } else { Cell::Empty },
            Cell::number(Some(Measured::share(one.decisions, one.episodes))),
            Cell::number(Some(Measured::share(one.calls, one.episodes))),
            whole(one.per_decision()),
            whole(one.per_episode()),
        ]
    };
    let episodes = measured.first().map_or(0, |one| one.episodes);
    Table {
        key: "routing-cost",
        title: format!("What routing costs in {} against the number of subtasks", played.environment),
        columns,
        rows: measured.iter().map(row).collect(),
        notes: vec![format!(
            "{episodes} episodes each, played by {}; prompt tokens of the router for a decision and over an episode. Tokens of the scripted player are counted by length. The graphs are \
             widened: constructed by dividing the same tools into ever smaller parts, to show what their number costs, and \
             found by nobody.",
            played.model
        )],
    }
}

/// Tokens against the number of subtasks, a line for each way of routing.
#[must_use]
pub fn drawing(played: &PlayedOn<'_>, measured: &[Measured]) -> Figure {
    let mut lines: Vec<Line> = Vec::new();
    for one in measured {
        let (a_decision, an_episode) = (one.per_decision(), one.per_episode());
        let point = Point { subtasks: one.subtasks as f64, a_decision, an_episode };
        match lines.iter_mut().find(|line| line.name == one.routing) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { name: one.routing.clone(), points: vec![point] }),
        }
    }
    let title = format!("Prompt tokens of the router in {} against the number of subtasks", played.environment);
    let caption = format!(
        "Means over episodes played by {} on widened graphs: the same tools in ever smaller parts. It shows what the \
         scaffolding costs, and says nothing about language models.",
        played.model
    );
    draw(&title, &caption, &lines)
}
