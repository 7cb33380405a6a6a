//! `gimbal arbiter stats`: what a file of conflicts holds, beside what the work prints of its own (Tab. 32).

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_neural::data::{Conflict, Part, Split};
use gimbal_temporal::rollout::{ConflictCause, Resolution};

use super::{read, text};
use crate::args::StatsArgs;
use crate::commands::tables;
use crate::exit::Failure;

/// Prints the table.
pub fn stats(options: &StatsArgs) -> Result<(), Failure> {
    let data = read(&options.conflicts, &text(&options.conflicts)?)?;
    let mut groups: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut all = Counts::default();
    for conflict in &data.conflicts {
        groups.entry(&conflict.environment).or_default().add(conflict);
        all.add(conflict);
    }
    let mut rows: Vec<Vec<Cell>> = groups.iter().map(|(name, counts)| counts.row(name)).collect();
    rows.push(all.row("all"));
    rows.push(published());
    tables::show(&table(rows), options.format);
    Ok(())
}

#[derive(Default)]
struct Counts<'c> {
    conflicts: u64,
    episodes: BTreeSet<(&'c str, u64, i64)>,
    parts: [u64; 3],
    /// Conflicts whose ways are all worth the same, and those whose best way can be told from the second.
    alike: u64,
    untied: u64,
    ways: u64,
    parties: u64,
    matters: BTreeMap<ConflictCause, u64>,
    resolutions: BTreeMap<Resolution, u64>,
}

impl<'c> Counts<'c> {
    fn add(&mut self, conflict: &'c Conflict) {
        self.conflicts += 1;
        self.episodes.insert((&conflict.environment, conflict.seed, conflict.noise.0));
        let part = match Split::default().part(conflict) {
            Part::Train => 0,
            Part::Validation => 1,
            Part::Test => 2,
        };
        self.parts[part] += 1;
        self.alike += u64::from((0..conflict.candidates.len()).all(|place| conflict.regret(place) == 0.0));
        self.ways += conflict.candidates.len() as u64;
        self.parties += conflict.parties.len() as u64;
        *self.matters.entry(ConflictCause::of(&conflict.kind)).or_default() += 1;
        if !conflict.tied {
            self.untied += 1;
            if let Some(resolution) = conflict.resolution(conflict.best) {
                *self.resolutions.entry(resolution).or_default() += 1;
            }
        }
    }

    fn row(&self, name: &str) -> Vec<Cell> {
        let share = |part: u64, whole: u64| Cell::share((whole > 0).then(|| part as f64 / whole as f64));
        let mean = |sum: u64| Cell::number((self.conflicts > 0).then(|| sum as f64 / self.conflicts as f64));
        let mut row = vec![Cell::text(name), Cell::count(self.conflicts), Cell::count(self.episodes.len() as u64)];
        row.extend(self.parts.map(|part| share(part, self.conflicts)));
        row.extend([mean(self.parties), mean(self.ways)]);
        row.extend([share(self.untied, self.conflicts), share(self.alike, self.conflicts)]);
        row.extend(
            ConflictCause::ALL.map(|matter| share(self.matters.get(&matter).copied().unwrap_or(0), self.conflicts)),
        );
        row.extend(Resolution::ALL.map(|way| share(self.resolutions.get(&way).copied().unwrap_or(0), self.untied)));
        row
    }
}

/// What the work prints of its own data.
fn published() -> Vec<Cell> {
    let printed = |share: Option<u32>| Cell::share(share.map(|share| f64::from(share) / 1000.0));
    let mut row = vec![Cell::text("published"), Cell::count(100_000_u64), Cell::number(None)];
    row.extend([800, 100, 100].map(|share| printed(Some(share))));
    row.extend([Cell::number(None), Cell::number(None), Cell::number(None), Cell::number(None)]);
    row.extend(ConflictCause::ALL.map(|matter| printed(matter.published())));
    row.extend(Resolution::ALL.map(|way| printed(Some(way.published()))));
    row
}

fn table(rows: Vec<Vec<Cell>>) -> Table {
    let column = Column::new;
    let share = |key, title, group, help| Column::new(key, title, group, ColumnKind::Share(1), help);
    Table {
        key: "arbiter-data",
        title: "Conflicts to learn from".to_owned(),
        columns: vec![
            column("environment", "Environment", "row", ColumnKind::Label, "Where conflicts come from"),
            column("conflicts", "Conflicts", "counts", ColumnKind::Integer, "Conflicts"),
            column("episodes", "Episodes", "counts", ColumnKind::Integer, "Seeds and levels of noise"),
            share("train", "Train", "parts", "Share that is learned from"),
            share("validation", "Validation", "parts", "Share that decides when to stop"),
            share("test", "Test", "parts", "Share that is measured"),
            column("parties", "Parties", "size", ColumnKind::Number(2), "Mean number of parties"),
            column("ways", "Ways", "size", ColumnKind::Number(2), "Mean number of ways to resolve a conflict"),
            share("untied", "Untied", "label", "Share whose best way can be told from the second"),
            share("alike", "All alike", "label", "Share whose ways are all worth the same"),
            share(
                "resource",
                ConflictCause::Resource.name(),
                "matter",
                "Share; of several causes the first of directive, effect, resource",
            ),
            share("effect", ConflictCause::Effect.name(), "matter", "Share"),
            share(
                "authority",
                ConflictCause::Authority.name(),
                "matter",
                "Share: a directive does not let a call through",
            ),
            share("step", ConflictCause::Step.name(), "matter", "Share; not counted by the work"),
            share(
                "higher",
                Resolution::Higher.name(),
                "best way, untied",
                "Share whose best way keeps the slower layers",
            ),
            share(
                "lower",
                Resolution::Lower.name(),
                "best way, untied",
                "Share whose best way keeps the faster layers",
            ),
            share("composite", Resolution::Composite.name(), "best way, untied", "Share with some of both, or neither"),
        ],
        rows,
        notes: vec![
            "The published shares are those of conflicts that people annotated; ours are of simulated values."
                .to_owned(),
        ],
    }
}
