//! Where the time of a step goes: models by layer, the architecture's own work by component, and what that makes of throughput (Tab. 11, Tab.
//! 20; CTHA-096, CTHA-117, CTHA-R08).
//!
//! All of it is from the ledger: no event holds a time.

use std::collections::BTreeMap;

use gimbal_analysis::columns::{number, share};
use gimbal_analysis::tables::labelled;
use gimbal_analysis::{Cell, Column, EpisodeRow, Table};
use gimbal_temporal::Layer;
use gimbal_view::work::{Context, Item, Undeclared};

use crate::hierarchy::cells;

/// The components of a step as the architecture names them, in the order of the table, with titles and meanings.
const COMPONENTS: [(&str, &str, &str); 7] = [
    ("messages", "Messages", "Sending what layers say, and writing it down"),
    ("projection", "Projection", "Bringing messages into the form of their contracts (Eq. 15)"),
    ("authority", "Authority", "Asking whether a layer may want a call (Eq. 19)"),
    ("conflicts", "Conflicts", "Scores, and who excludes whom (Eq. 23)"),
    ("arbiter", "Arbiter", "Who gives way (Algorithm 1)"),
    ("composing", "Composing", "One call and the directives that hold"),
    ("ways", "Ways", "Playing or scoring the ways to resolve a conflict, where an arbiter does"),
];

/// What the episodes of a cell took, in sums.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellTime {
    /// Steps.
    pub steps: u64,
    /// Model time by role, in microseconds.
    pub roles: BTreeMap<String, u64>,
    /// Longest chains of calls that had to wait for one another, in microseconds; `None` where one is not known.
    pub critical_us: Option<u64>,
    /// Time by component, in nanoseconds.
    pub components: BTreeMap<String, u64>,
    /// Wall time in microseconds of the episodes whose ledger has it, and how many these are.
    pub wall: (u64, u64),
    /// Episodes above the environment's success threshold, and episodes; `None` where it names none.
    pub success: Option<(u64, u64)>,
}

impl CellTime {
    /// Of the episodes that count.
    #[must_use]
    pub fn of(rows: &[&EpisodeRow], success_above: Option<i64>) -> Self {
        let mut took = Self { critical_us: Some(0), success: success_above.map(|_| (0, 0)), ..Self::default() };
        for row in rows.iter().filter(|row| row.counts()) {
            took.steps += u64::from(row.steps);
            for part in &row.ledger {
                *took.roles.entry(part.role.as_str().to_owned()).or_default() += part.called_us;
            }
            took.critical_us = took.critical_us.zip(row.critical_path_us).map(|(sum, path)| sum.saturating_add(path));
            for part in &row.components {
                *took.components.entry(part.component.as_str().to_owned()).or_default() += part.nanoseconds;
            }
            if let Some(wall) = row.took_us {
                took.wall = (took.wall.0.saturating_add(wall), took.wall.1 + 1);
            }
            if let (Some((reached, of)), Some(above)) = (&mut took.success, success_above) {
                *reached += u64::from(row.return_thousandths > above);
                *of += 1;
            }
        }
        took
    }

    fn a_step(&self, amount: f64) -> Option<f64> {
        (self.steps > 0).then(|| amount / self.steps as f64)
    }

    /// Microseconds a step of some components; `None` where nobody kept accounts.
    #[must_use]
    pub fn component(&self, names: &[&str]) -> Option<f64> {
        let sum: u64 = names.iter().filter_map(|name| self.components.get(*name)).sum();
        if self.components.is_empty() { None } else { self.a_step(sum as f64 / 1e3) }
    }

    /// Milliseconds a step of the model of a role.
    #[must_use]
    pub fn model(&self, role: &str) -> Option<f64> {
        self.roles.get(role).and_then(|sum| self.a_step(*sum as f64 / 1e3))
    }

    /// Episodes an hour, one after the other.
    #[must_use]
    pub fn an_hour(&self) -> Option<f64> {
        let (wall, episodes) = self.wall;
        (wall > 0).then(|| episodes as f64 * 3.6e9 / wall as f64)
    }

    /// Share of episodes that succeed.
    #[must_use]
    pub fn succeeded(&self) -> Option<f64> {
        let (reached, of) = self.success?;
        (of > 0).then(|| reached as f64 / of as f64)
    }

    /// Successful episodes an hour: throughput times success.
    #[must_use]
    pub fn successes_an_hour(&self) -> Option<f64> {
        Some(self.an_hour()? * self.succeeded()?)
    }
}

/// Time of a step by component, and throughput.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn latency(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let ((analysis, cells), rows) = (cells(context)?, context.rows()?);
    let mut columns: Vec<Column> = Layer::ALL
        .map(|layer| {
            number(layer.name(), layer.name(), "model", 1, "Time of the layer's model calls, a step").unit("ms")
        })
        .into();
    columns.extend([
        number("models", "All", "model", 1, "Time of all model calls, a step").unit("ms"),
        number(
            "critical",
            "Critical path",
            "model",
            1,
            "Longest chain of calls that had to wait for one another, a step (CTHA-093)",
        )
        .unit("ms"),
    ]);
    columns.extend(COMPONENTS.map(|(name, title, help)| number(name, title, "own work", 1, help).unit("µs")));
    columns.extend([
        number(
            "without",
            "Without validation",
            "overhead",
            1,
            "Messages, conflicts, arbiter and composing, a step (CTHA-R08)",
        )
        .unit("µs"),
        number("with", "With validation", "overhead", 1, "The same, with projection and authority").unit("µs"),
        number("wall", "Wall time", "throughput", 2, "Wall time of an episode").unit("s"),
        number("hour", "Episodes", "throughput", 0, "Episodes an hour, one after the other"),
        share("success", "Success", "throughput", "Share of episodes above the environment's success threshold"),
        number("successes", "Successes", "throughput", 0, "Successful episodes an hour: the product (CTHA-117)"),
    ]);
    let mut of_cell: BTreeMap<&str, Vec<&EpisodeRow>> = BTreeMap::new();
    for row in &rows.episodes {
        of_cell.entry(row.cell.as_str()).or_default().push(row);
    }
    let table = cells.into_iter().map(|(summary, _)| {
        let own = of_cell.get(summary.info.id.as_str()).map(Vec::as_slice).unwrap_or_default();
        let took = CellTime::of(own, summary.info.thresholds.success_above);
        let all: u64 = took.roles.values().sum();
        let without = ["messages", "conflicts", "arbiter", "composing"];
        let with = [without.as_slice(), &["projection", "authority"]].concat();
        let mut row: Vec<Cell> = Layer::ALL.map(|layer| Cell::number(took.model(layer.name()))).into();
        row.push(Cell::number(took.a_step(all as f64 / 1e3)));
        row.push(Cell::number(took.critical_us.and_then(|path| took.a_step(path as f64 / 1e3))));
        row.extend(COMPONENTS.map(|(name, ..)| Cell::number(took.component(&[name]))));
        row.extend([
            Cell::number(took.component(&without)),
            Cell::number(took.component(&with)),
            Cell::number((took.wall.1 > 0).then(|| took.wall.0 as f64 / took.wall.1 as f64 / 1e6)),
            Cell::number(took.an_hour()),
            Cell::share(took.succeeded()),
            Cell::number(took.successes_an_hour()),
        ]);
        (summary, row)
    });
    let table = table.collect();
    let notes = vec![
        "Times are those of the machine that played, with whatever else it did: no other machine has them, and no digest holds them.".to_owned(),
        "Model time is by role. The path leaves out what runs beside something longer; an episode's wall time holds the environment, too, and waiting for a \
         place among other episodes."
            .to_owned(),
    ];
    Ok(labelled(analysis, (item.key, item.title), columns, table, notes))
}
