//! The kill test: a run that is killed at random instants and started again ends as one that was left alone.
//!
//! `GIMBAL_KILLS` sets the number of kills (12 by default; 100 and more for the full test).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use gimbal_core::RecordKinds;
use gimbal_study::plan::Stored;
use gimbal_study::read::{digest, load_rows, verify};
use gimbal_study::run::ledger::Row;
use gimbal_study::run::{RunFolder, Writable};
use gimbal_testkit::kill::{KillPlan, harass};

/// 200 scripted episodes, enough work for a kill to find something under way.
const STUDY: &str = "
study: killed
environment: { name: corridor, horizon: 12, length: 9 }
architectures: [{ base: panel, members: 3 }, { base: learner }]
roles: [{ default: slow }]
episodes: { tasks: { split: test }, runs: 25, trials: 1 }
";

/// 80 episodes in sessions of four tasks each.
const SESSIONS: &str = "
study: killed
environment: { name: corridor, horizon: 12, length: 9 }
architectures: [{ base: learner }]
roles: [{ default: slow }]
episodes: { tasks: { split: test }, runs: 20, trials: { over: tasks } }
";

/// Names the study that the victim plays; [`STUDY`] without it.
const PLAYED: &str = "GIMBAL_TEST_PLAYED";

const VICTIM: &str = "GIMBAL_TEST_VICTIM";

/// Not a test of its own: the process that is killed. It does nothing unless it is told where to run.
#[test]
fn victim() {
    let Ok(folder) = std::env::var(VICTIM) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let code = match runtime.block_on(common::run(
        &std::env::var(PLAYED).unwrap_or(STUDY.to_owned()),
        Path::new(&folder),
        8,
    )) {
        Ok(summary) => summary.exit_code(),
        Err(error) => {
            eprintln!("{error}");
            error.exit_code()
        }
    };
    std::process::exit(i32::from(code));
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["kill::victim", "--exact", "--nocapture", "--test-threads=1"]).env(VICTIM, folder);
    command
}

fn keys(folder: &RunFolder) -> Vec<String> {
    load_rows(folder).unwrap().episodes.iter().map(|row| format!("{}/{}/{}", row.cell, row.task, row.run)).collect()
}

// covers: SH-06, SH-05
#[test]
fn killed_runs_end_as_undisturbed_ones() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    assert!(command(&whole).output().unwrap().status.success());
    let whole = RunFolder::open(&whole).unwrap();
    let expected = digest(&whole).unwrap();
    assert_eq!(keys(&whole).len(), 200);
    let wanted: u32 = std::env::var("GIMBAL_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(12);
    let (mut killed, mut rounds, mut starts, mut orphans) = (0, 0, 0, 0);
    while killed < wanted {
        rounds += 1;
        assert!(rounds < 10_000, "the victims end before they can be killed");
        let path = folder.path().join(format!("round-{rounds}"));
        let plan =
            KillPlan { kills: (wanted - killed).min(10), longest: Duration::from_millis(250), seed: 1000 + rounds };
        let outcome = harass(&plan, || command(&path)).unwrap();
        assert!(outcome.last.success(), "{outcome:?}");
        killed += outcome.kills;
        starts += outcome.starts;
        let run = RunFolder::open(&path).unwrap();
        assert_eq!(digest(&run).unwrap(), expected, "round {rounds}");
        let keys = keys(&run);
        assert_eq!((keys.len(), keys.iter().collect::<BTreeSet<_>>().len()), (200, 200), "no episode twice");
        let report = verify(&run, &RecordKinds::default()).unwrap();
        assert_eq!(report.problems, Vec::<String>::new());
        // Every call of every attempt that was killed is still in the ledger: as many `sent` rows as the finished
        // attempts made calls, and those of the others.
        let (mut sent, mut called) = (0_u64, 0_u64);
        run.rows(|_, row| match row {
            Row::Sent(_) => sent += 1,
            Row::Called(_) => called += 1,
            Row::Received(_) | Row::Attempted(_) | Row::Indexed(_) => {}
        })
        .unwrap();
        let finished: u64 = load_rows(&run).unwrap().episodes.iter().map(|row| u64::from(row.model_calls)).sum();
        assert!(sent >= called && called >= finished);
        orphans += sent - finished;
        assert!(run.ledgers().unwrap().len() as u32 <= outcome.starts);
    }
    assert!(orphans > 0, "killed attempts leave their rows");
    println!(
        "{killed} kills in {rounds} runs of 200 episodes, {starts} starts, {orphans} requests of killed attempts on record; digest {expected} each time"
    );
}

/// A session is gone on with wherever it was killed: its memory is that of the trials before.
// covers: SH-06, SH-05
#[test]
fn killed_sessions_end_as_undisturbed_ones() {
    let folder = tempfile::tempdir().unwrap();
    let victim = |path: &Path| {
        let mut command = command(path);
        command.env(PLAYED, SESSIONS);
        command
    };
    let whole = folder.path().join("whole");
    assert!(victim(&whole).output().unwrap().status.success());
    let expected = digest(&RunFolder::open(&whole).unwrap()).unwrap();
    let (mut killed, mut rounds) = (0, 0);
    while killed < 6 {
        rounds += 1;
        assert!(rounds < 1000, "the victims end before they can be killed");
        let path = folder.path().join(format!("round-{rounds}"));
        let plan = KillPlan { kills: 3, longest: Duration::from_millis(150), seed: 2000 + rounds };
        let outcome = harass(&plan, || victim(&path)).unwrap();
        assert!(outcome.last.success(), "{outcome:?}");
        killed += outcome.kills;
        let run = RunFolder::open(&path).unwrap();
        assert_eq!(digest(&run).unwrap(), expected, "round {rounds}");
        assert_eq!(keys(&run).len(), 80);
        assert_eq!(verify(&run, &RecordKinds::default()).unwrap().problems, Vec::<String>::new());
    }
}

/// A full disk, by a limit on the size of files: the run stops with one message, and goes on once there is room.
#[cfg(unix)]
#[test]
fn a_full_disk_stops_the_run_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    assert!(command(&whole).output().unwrap().status.success());
    let program = std::env::current_exe().unwrap();
    // In blocks of 512 bytes; the signal is ignored, so that writes fail as they do on a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 300; exec '{}' kill::victim --exact --nocapture --test-threads=1",
        program.display()
    );
    let output = Command::new("sh").args(["-c", &script]).env(VICTIM, &cut).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("reached the disk are kept"), "{said}");
    let before = RunFolder::open(&cut).unwrap();
    assert_eq!(verify(&before, &RecordKinds::default()).unwrap().problems, Vec::<String>::new());
    let held = before.index().unwrap().count().unwrap();
    assert!(held < 200);
    // What ended before the disk was full, and is whole, is not played and paid for again.
    let recovered = Writable::take(&cut).unwrap().recover(&Stored::read(&before).unwrap()).unwrap();
    let after = before.index().unwrap().count().unwrap();
    assert_eq!(after, held + recovered);
    assert_eq!(verify(&before, &RecordKinds::default()).unwrap().problems, Vec::<String>::new());
    println!("{held} episodes in the index and {recovered} recovered, of 200");
    assert!(command(&cut).output().unwrap().status.success());
    let (mut ended, mut first) = (0, 0);
    before
        .rows(|file, row| {
            if let Row::Attempted(row) = row {
                ended += u64::from(row.stop.is_outcome());
                first += u64::from(row.stop.is_outcome() && file == 1);
            }
        })
        .unwrap();
    assert_eq!(ended, 200 + first - after, "only what was not whole was played again");
    let (cut, whole) = (RunFolder::open(&cut).unwrap(), RunFolder::open(&whole).unwrap());
    assert_eq!(digest(&cut).unwrap(), digest(&whole).unwrap());
}
