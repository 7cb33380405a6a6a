//! Tab. 4 to 7: which tasks were played.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use gimbal_analysis::columns::{count, label};
use gimbal_analysis::work_folds::TaskPart;
use gimbal_analysis::{Cell, Table};
use serde::{Deserialize, Serialize};

use super::frame::{Frame, environment_column};

/// Which environment each table of a single benchmark is about.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Protocol {
    name: String,
    benchmarks: Vec<Benchmark>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Benchmark {
    table: String,
    environment: String,
}

#[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
static SHIPPED: LazyLock<Protocol> = LazyLock::new(|| {
    serde_saphyr::from_str(include_str!("../../../../papers/cyc-protocol.yaml"))
        .expect("papers/cyc-protocol.yaml is valid")
});

/// What was played of an environment.
#[derive(Default)]
struct Played {
    tasks: BTreeSet<String>,
    runs: BTreeSet<u32>,
    episodes: u64,
    won: u64,
    planned: u64,
    cells: u64,
}

/// Tab. 4 (CYC-040): tasks, runs and episodes of each environment.
pub fn overview(frame: &Frame<'_>) -> Table {
    let mut rows = Vec::new();
    for environment in frame.board.environments() {
        let mut played = Played::default();
        for cell in frame.board.cycles.cells.iter().filter(|cell| cell.info.environment == environment) {
            played.cells += 1;
            played.planned += u64::from(cell.info.planned);
            for record in &cell.records {
                played.tasks.insert(record.task.clone());
                played.runs.insert(record.run);
                played.episodes += 1;
                played.won += u64::from(record.won);
            }
        }
        let numbers = [
            played.tasks.len() as u64,
            played.runs.len() as u64,
            played.cells,
            played.planned,
            played.episodes,
            played.won,
        ];
        rows.push(std::iter::once(Cell::text(environment)).chain(numbers.map(Cell::count)).collect());
    }
    let columns = vec![
        environment_column(),
        count("tasks", "Tasks", "tasks", "Different tasks that were played"),
        count("runs", "Runs", "tasks", "Different runs: the seeds"),
        count("cells", "Cells", "episodes", "Cells of the study"),
        count("planned", "Planned", "episodes", "Episodes that the plan asks for"),
        count("episodes", "Episodes", "episodes", "Episodes that were played to their end"),
        count("won", "Won", "episodes", "Those that were won"),
    ];
    let notes = vec!["What this run played; `gimbal env` lists the splits that there are.".to_owned()];
    frame.table(columns, rows, notes)
}

/// Tab. 5 to 7 (CYC-041): tasks by the part of the data that they belong to, of one family of environments.
pub fn parts(frame: &Frame<'_>) -> Table {
    let wanted = SHIPPED.benchmarks.iter().find(|entry| entry.table == frame.key);
    let wanted = wanted.map(|entry| entry.environment.as_str()).unwrap_or_default();
    // Tasks of no part come last.
    let mut parts: BTreeMap<(usize, bool, TaskPart), Played> = BTreeMap::new();
    let environments = frame.board.environments();
    for cell in &frame.board.cycles.cells {
        let environment = cell.info.environment.as_str();
        if environment.split(' ').next() != Some(wanted) {
            continue;
        }
        let order = environments.iter().position(|known| *known == environment).unwrap_or(usize::MAX);
        for record in &cell.records {
            let part = record.part.clone().unwrap_or_default();
            let played = parts.entry((order, record.part.is_none(), part)).or_default();
            played.tasks.insert(record.task.clone());
            played.runs.insert(record.run);
            played.episodes += 1;
            played.won += u64::from(record.won);
        }
    }
    let apart = parts.keys().any(|(_, apart, _)| *apart);
    let rows: Vec<Vec<Cell>> = parts
        .into_iter()
        .map(|((order, apart, part), played)| {
            let environment = environments.get(order).copied().unwrap_or_default();
            let names = if apart { ["–", "–"] } else { [part.set.as_str(), part.name.as_str()] };
            let size = if apart { Cell::Empty } else { Cell::count(u64::from(part.size)) };
            let numbers = [played.tasks.len() as u64, played.runs.len() as u64, played.episodes, played.won];
            let names = [environment, names[0], names[1]].map(Cell::text);
            names.into_iter().chain([size]).chain(numbers.map(Cell::count)).collect()
        })
        .collect();
    let columns = vec![
        environment_column(),
        label("set", "Data", "row", "Set of data, as the environment names it"),
        label("part", "Part", "row", "Part of that set: for training, or of the test"),
        count("size", "Size", "tasks", "Tasks of the whole part"),
        count("tasks", "Played", "tasks", "Different tasks that were played"),
        count("runs", "Runs", "tasks", "Different runs: the seeds"),
        count("episodes", "Episodes", "episodes", "Episodes over all cells"),
        count("won", "Won", "episodes", "Those that were won"),
    ];
    let mut notes = Vec::new();
    if rows.is_empty() {
        notes.push(format!("No episode of `{wanted}` in this run."));
    }
    if apart {
        notes.push(
            "–: tasks of no part of the data, or of a run that was kept before parts were told (`gimbal run` of the same study tells them)."
                .to_owned(),
        );
    }
    let mut table = frame.table(columns, rows, Vec::new());
    if !notes.is_empty() {
        table.notes = notes;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::SHIPPED;

    #[test]
    fn the_shipped_protocol_names_the_three_tables() {
        let tables: Vec<&str> = SHIPPED.benchmarks.iter().map(|entry| entry.table.as_str()).collect();
        assert_eq!((SHIPPED.name.as_str(), tables), ("cyc", vec!["cyc-5", "cyc-6", "cyc-7"]));
    }
}
