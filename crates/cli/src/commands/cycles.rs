//! Tables and figures of cyclic control: `cyc-1` to `cyc-18`, `cyc-f1` to `cyc-f8` and what goes beyond them.

use gimbal_analysis::Table;
use gimbal_analysis::cyclic::Cycles;
use gimbal_analysis::cyclic::tables::{self, Board, TABLES};
use gimbal_study::plan::Stored;
use gimbal_study::read;
use gimbal_study::run::RunFolder;
use gimbal_view::figure::bog::Output;
use gimbal_view::figure::cyc;

use super::run_failure;
use crate::exit::Failure;
use crate::registry::registry;

/// Tables that the report of a run shows where they have rows; `--all` writes every one.
const IN_REPORT: [&str; 14] = [
    "cyc-2",
    "cyc-3",
    "cyc-8",
    "cyc-9",
    "cyc-10",
    "cyc-11",
    "cyc-12",
    "cyc-13",
    "cyc-groups",
    "cyc-routing",
    "cyc-repair",
    "cyc-signals",
    "cyc-exploration",
    "cyc-evidence",
];

fn cycles(folder: &RunFolder) -> Result<Cycles, Failure> {
    let stored = Stored::read(folder).map_err(run_failure)?;
    read::cycles_among(folder, &stored, &registry()).map_err(run_failure)
}

/// Walks of a run that is controlled by graphs; none of any other run, whose journals are not opened.
fn of_graphs(folder: &RunFolder) -> Result<Option<Cycles>, Failure> {
    let stored = Stored::read(folder).map_err(run_failure)?;
    if !read::has_graphs(&stored) {
        return Ok(None);
    }
    read::cycles_among(folder, &stored, &registry()).map(Some).map_err(run_failure)
}

/// One table by its key, whatever plays in the run.
pub fn table(folder: &RunFolder, key: &str) -> Result<Table, Failure> {
    let cycles = cycles(folder)?;
    tables::table(key, &Board::new(&cycles))
        .ok_or_else(|| Failure::Usage(format!("--table: there is no table `{key}`")))
}

/// One figure by its key, one drawing an environment, whatever plays in the run.
pub fn figure(folder: &RunFolder, key: &str) -> Result<Vec<Output>, Failure> {
    let cycles = cycles(folder)?;
    Ok(cyc::named(key, &Board::new(&cycles)).unwrap_or_default())
}

/// What the report of a run says of its graphs: nothing where it has none.
pub fn report_tables(folder: &RunFolder) -> Result<Vec<Table>, Failure> {
    let Some(cycles) = of_graphs(folder)? else { return Ok(Vec::new()) };
    let board = Board::new(&cycles);
    let all = IN_REPORT.iter().filter_map(|key| tables::table(key, &board));
    Ok(all.filter(|table| !table.rows.is_empty()).collect())
}

/// Every table and figure; nothing where the run has no graphs.
pub fn everything(folder: &RunFolder) -> Result<(Vec<Table>, Vec<Output>), Failure> {
    let Some(cycles) = of_graphs(folder)? else { return Ok((Vec::new(), Vec::new())) };
    let board = Board::new(&cycles);
    let all = TABLES.iter().filter_map(|(key, _)| tables::table(key, &board));
    Ok((all.collect(), cyc::every(&board)))
}
