//! The recordings of the original simulator, where they are at hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use gimbal_cage2::checksum::Observe;
use gimbal_cage2::replay::{DrawSource, ReplayOptions, replay};

// covers: BOG-001, BOG-009, BOG-010, BOG-011, BOG-012
#[test]
fn every_recorded_field_agrees_from_tape_and_from_seed() {
    let Some(files) = common::traces() else { return };
    for draws in [DrawSource::Tape, DrawSource::Seed] {
        let report =
            replay(&ReplayOptions { files: files.clone(), draws, checksum: Some(Observe::Raw.into()) }).unwrap();
        println!("{draws:?}: {} episodes, {} steps, {:?}", report.counts.episodes, report.counts.steps, report.first);
        assert_eq!(report.mismatches, 0, "{:?}", report.first);
        assert_eq!(report.unrecorded, Some(0));
        assert!(report.counts.steps >= 57_750);
        let checksums = report.checksums.unwrap();
        assert_eq!(Some(checksums.played), checksums.recorded);
    }
}
