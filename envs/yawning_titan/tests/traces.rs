//! The recordings of the original simulator, where they are at hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use gimbal_yawning_titan::replay::{DrawSource, ReplayOptions, replay};

#[test]
fn every_recorded_field_agrees_from_tape_and_from_seed() {
    let Some(files) = common::traces() else { return };
    for draws in [DrawSource::Tape, DrawSource::Seed] {
        let mut mismatches = 0;
        for file in &files {
            let report = replay(&ReplayOptions { files: vec![file.clone()], draws, checksum: true }).unwrap();
            println!(
                "{draws:?} {}: {} environments, {} episodes, {} steps, {} exceptions, {} mismatches, {:#?}",
                file.display(),
                report.counts.environments,
                report.counts.episodes,
                report.counts.steps,
                report.counts.exceptions,
                report.mismatches,
                report.first
            );
            mismatches += report.mismatches;
            assert_eq!(report.unrecorded, Some(0));
        }
        assert_eq!(mismatches, 0);
    }
}
