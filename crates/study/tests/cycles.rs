//! Walks agree with the rows of the same run, episode by episode.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;
use crate::of_cyc;

use std::collections::BTreeMap;

use common::folders::STUDY;
use gimbal_cyc::cyclic::{CYCLES, Control, CyclesFold, Effect, TrajectoryFold};
use gimbal_study::plan::Stored;
use gimbal_study::read::{Episodes, load_rows, run_cells};
use gimbal_study::registry::Registry;
use gimbal_study::run::RunFolder;

// covers: CYC-060, CYC-066
#[tokio::test]
async fn walks_sum_to_the_rows_of_the_run() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("small");
    common::run(STUDY, &root, 4).await.unwrap();
    let folder = RunFolder::open(&root).unwrap();
    let stored = Stored::read(&folder).unwrap();
    let rows = load_rows(&folder).unwrap();
    let by_name: BTreeMap<_, _> = rows
        .episodes
        .iter()
        .filter(|row| !row.infrastructure)
        .map(|row| ((row.cell.to_string(), row.task.to_string(), row.run, row.trial), row))
        .collect();
    let above: BTreeMap<&str, Option<i64>> =
        rows.cells.iter().map(|cell| (cell.id.as_str(), cell.thresholds.success_above)).collect();
    let (mut seen, mut won) = (0, 0);
    let registry = Registry::default();
    let cells = run_cells(&stored, &registry);
    let each = |walk: gimbal_cyc::cyclic::Trajectory| {
        let row = by_name[&(walk.cell.clone(), walk.task.clone(), walk.run, walk.trial)];
        assert_eq!((walk.environment.as_str(), walk.stop), (row.environment.as_str(), row.stop));
        assert_eq!((walk.return_thousandths, walk.tool_calls), (row.return_thousandths, row.tool_calls));
        assert_eq!(walk.spent.tokens(), row.agent_tokens().total());
        let acts = || walk.segments.iter().flat_map(|segment| &segment.acts);
        let steps = acts().filter(|act| act.effect != Effect::Rejected).count();
        assert_eq!(steps as u32, row.steps, "accepted calls are steps");
        assert!(acts().count() as u32 <= row.tool_calls);
        let better = above[walk.cell.as_str()].is_some_and(|above| row.return_thousandths > above);
        assert_eq!(walk.won, row.stop.name() == "solved" || better);
        assert!(walk.graphs.is_empty() && walk.visits().next().is_none());
        won += u32::from(walk.won);
        seen += 1;
    };
    Episodes::of(&folder, &stored).pass(|_| true, &mut [&mut TrajectoryFold::new(&cells, each)]).unwrap();
    assert_eq!(seen, by_name.len());
    assert!(won > 0);
    // No cell of the run is controlled by a graph: tables are empty and no error.
    assert!(!(CYCLES.applies)(&cells));
    let mut fold = CyclesFold::new(&cells);
    Episodes::of(&folder, &stored).pass(|_| true, &mut [&mut fold]).unwrap();
    let cycles = fold.cycles();
    assert!(cycles.cells.iter().all(|cell| cell.condition.control == Control::Other));
    let mut tables = of_cyc::testing::tables(&gimbal_cyc::Cyc);
    assert!(tables.all(|item| of_cyc::table(item.key, &cycles).is_some()));
}
