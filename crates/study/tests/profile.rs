//! Trajectories agree with the rows of the same run, episode by episode.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeMap;

use common::folders::STUDY;
use gimbal_study::plan::Stored;
use gimbal_study::read::{Episodes, load_rows, profiles, trace_fold};
use gimbal_study::run::RunFolder;

// covers: BOG-223, BOG-225, BOG-036, BOG-048
#[tokio::test]
async fn trajectories_sum_to_the_rows_of_the_run() {
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
    let mut seen = 0;
    let mut refused = 0;
    profiles(
        &folder,
        &stored,
        |_| true,
        |profile| {
            let row = by_name[&(profile.cell.clone(), profile.task.clone(), profile.run, profile.trial)];
            assert_eq!(profile.environment, row.environment);
            assert_eq!(profile.return_thousandths, row.return_thousandths);
            assert_eq!(profile.steps.iter().map(|step| step.reward).sum::<i64>(), row.return_thousandths);
            assert_eq!(profile.acted().count() as u32, row.steps);
            assert_eq!(profile.steps.iter().map(|step| step.tokens()).sum::<u64>(), row.agent_tokens().total());
            assert_eq!(profile.steps.iter().map(|step| step.rejected).sum::<u32>(), row.rejected_calls);
            assert_eq!(profile.steps.iter().map(|step| step.fallbacks).sum::<u32>(), row.fallbacks);
            assert_eq!(profile.steps.iter().map(|step| step.failed).sum::<u32>(), row.failed_attempts);
            assert!(profile.steps.windows(2).all(|pair| pair[0].step < pair[1].step));
            refused += row.rejected_calls + row.failed_attempts;
            seen += 1;
        },
    )
    .unwrap();
    assert_eq!(seen, by_name.len());
    assert!(refused > 0, "the study has something to refuse");
    // A filter reads what it lets through and nothing else.
    let mut some = 0;
    profiles(
        &folder,
        &stored,
        |id| id.run == 0,
        |profile| {
            assert_eq!(profile.run, 0);
            some += 1;
        },
    )
    .unwrap();
    assert!(some > 0 && some < seen);
    let mut fold = trace_fold(&stored);
    Episodes::of(&folder, &stored).pass(|_| true, &mut [&mut fold]).unwrap();
    let traces = fold.finish();
    let counted: u64 = traces.cells.values().map(|cell| cell.episodes).sum();
    assert_eq!(counted as usize, seen);
}
