//! Reading a run while another process (here: another task) writes it: nothing is damaged and nothing is lost.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use common::folders::{books, clean, opened};
use common::run;
use gimbal_analysis::AttemptState;
use gimbal_core::RecordKinds;
use gimbal_study::plan::Stored;
use gimbal_study::read::{load_rows, verify};
use gimbal_study::run::{RunFolder, Writable};

const STUDY: &str = "
study: busy
environment: { name: corridor, horizon: 12, length: 9 }
architectures: [{ base: panel, members: 3 }, { base: learner }]
roles: [{ default: slow }, { default: unreliable }, { default: stumbling }]
episodes: { tasks: { split: test }, runs: 30, trials: 1 }
";

// covers: SH-05
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_run_in_progress_is_sound_and_lacks_nothing() {
    // On a busy machine the run may end before a reader sees an episode in it: then another one is played.
    for attempt in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let done = Arc::new(AtomicBool::new(false));
        let (place, ended) = (path.clone(), Arc::clone(&done));
        let reader = tokio::task::spawn_blocking(move || read_until(&place, &ended));
        let summary = run(STUDY, &path, 8).await.unwrap();
        done.store(true, Ordering::Release);
        let grown = reader.await.unwrap();
        assert_eq!(summary.finished, 720);
        assert!(!opened(&path).in_progress());
        clean(&path);
        if grown > 0 {
            return;
        }
        eprintln!("attempt {attempt}: no episode was seen while the run was in progress");
    }
    panic!("no reader saw an episode of a run in progress");
}

/// Reads the run at `place` again and again until `ended`; returns the most episodes seen while it was in progress.
fn read_until(place: &Path, ended: &AtomicBool) -> u64 {
    let mut grown = 0;
    while !ended.load(Ordering::Acquire) {
        let Ok(folder) = RunFolder::open(place) else { continue };
        if !folder.in_progress() {
            continue;
        }
        let report = verify(&folder, &RecordKinds::default()).unwrap();
        assert_eq!(report.problems, Vec::<String>::new());
        assert_eq!(report.torn, Vec::<String>::new());
        // What goes on has no outcome yet, and is not counted with what never gets one.
        assert!(!report.in_progress || report.unfinished_attempts == 0, "{report:?}");
        let stored = Stored::read(&folder).unwrap();
        let bill = books(&folder, &stored).bill;
        let rows = load_rows(&folder).unwrap();
        // Whatever is finished has all that it took.
        assert!(rows.episodes.iter().all(|row| row.model_calls > 0 && !row.infrastructure));
        if !folder.in_progress() {
            continue;
        }
        assert!(report.in_progress);
        let wrong =
            bill.lines.iter().filter(|line| !matches!(line.state, AttemptState::Finished | AttemptState::UnderWay));
        assert_eq!(wrong.count(), 0, "{bill:?}");
        grown = grown.max(report.episodes);
    }
    grown
}

/// A check whether a run is in progress must not keep another from beginning.
#[test]
fn looking_does_not_take_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    drop(Writable::take(&path).unwrap());
    let look = std::fs::File::open(path.join("lock")).unwrap();
    look.lock_shared().unwrap();
    let held = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(30));
        drop(look);
    });
    assert!(Writable::take(&path).is_ok());
    held.join().unwrap();
}
