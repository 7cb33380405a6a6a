//! Run folders that lost something or were changed: found, reported with the place and how to fix it, and made whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::path::Path;

use common::folders::{FLAKY, STUDY, clean, opened};
use common::{plan, run, run_with};
use gimbal_core::{Digest, RecordKinds};
use gimbal_study::plan::Stored;
use gimbal_study::read::{digest, load_rows, trace, verify};
use gimbal_study::run::{Failed, Finished, RunError, RunFolder};
use gimbal_study::runner::{Progress, RunStop};
use gimbal_study::stage::Cancel;

// covers: SH-05
#[tokio::test]
async fn torn_and_damaged_files_are_told_apart_and_lost_episodes_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker");
    run(&text, &path, 2).await.unwrap();
    let whole = digest(&opened(&path)).unwrap();
    let segment = path.join("journals/000001.seg");
    let ledger = path.join("ledger/000001.log");
    // As a kill leaves them: half a frame and half a line more.
    let (frames, lines) = (std::fs::read(&segment).unwrap(), std::fs::read(&ledger).unwrap());
    std::fs::write(&segment, [&frames[..], &frames[..50]].concat()).unwrap();
    std::fs::write(&ledger, [&lines[..], &lines[..25]].concat()).unwrap();
    let report = verify(&opened(&path), &RecordKinds::default()).unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
    assert_eq!(report.torn, ["journals/000001.seg", "ledger/000001.log"]);
    assert_eq!(run(&text, &path, 2).await.unwrap().finished, 0);
    // The last frame of a finished episode cut: it is played again, and comes out the same.
    std::fs::write(&segment, &frames[..frames.len() - 10]).unwrap();
    let summary = run(&text, &path, 2).await.unwrap();
    assert_eq!((summary.lost, summary.finished), (1, 1));
    assert_eq!(digest(&opened(&path)).unwrap(), whole);
    // A flipped bit is found by verify, with the episode's key.
    let mut damaged = std::fs::read(&segment).unwrap();
    damaged[100] ^= 8;
    std::fs::write(&segment, damaged).unwrap();
    let report = verify(&opened(&path), &RecordKinds::default()).unwrap();
    assert!(report.problems.iter().any(|problem| problem.contains("checksum")), "{:?}", report.problems);
    repaired(&text, &path, &whole).await;
}

/// As verify's messages promise: the next run plays what is damaged again, and all is well then.
async fn repaired(text: &str, path: &Path, whole: &Digest) {
    let before = verify(&opened(path), &RecordKinds::default()).unwrap();
    let summary = run(text, path, 2).await.unwrap();
    assert_eq!((summary.lost, summary.finished), (before.problems.len() as u64, before.problems.len() as u64));
    assert!(summary.lost > 0);
    clean(path);
    assert_eq!(digest(&opened(path)).unwrap(), *whole);
    assert_eq!(run(text, path, 2).await.unwrap().finished, 0);
}

// covers: SH-05
#[tokio::test]
async fn damaged_and_vanished_journals_and_texts_are_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    run(STUDY, &path, 2).await.unwrap();
    let whole = digest(&opened(&path)).unwrap();
    let flip = |name: &str| {
        let path = path.join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        // In several places: what lies at one of them may have a sound copy in a later file.
        let apart = bytes.len() / 16;
        (1..16).for_each(|place| bytes[place * apart] ^= 8);
        std::fs::write(path, bytes).unwrap();
    };
    let newest = |folder: &str, ending: &str| {
        let count = std::fs::read_dir(path.join(folder)).unwrap().count();
        format!("{folder}/{count:06}.{ending}")
    };
    flip("journals/000001.seg");
    repaired(STUDY, &path, &whole).await;
    flip("texts/000001.pack");
    repaired(STUDY, &path, &whole).await;
    assert_eq!(newest("texts", "pack"), "texts/000005.pack");
    for gone in ["texts", "journals"] {
        std::fs::remove_dir_all(path.join(gone)).unwrap();
        repaired(STUDY, &path, &whole).await;
    }
}

// covers: SH-05
#[tokio::test]
async fn a_damaged_ledger_row_is_said_and_nothing_is_paid_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker");
    run(&text, &path, 2).await.unwrap();
    let ledger = path.join("ledger/000001.log");
    let mut bytes = std::fs::read(&ledger).unwrap();
    let middle = bytes.len() / 2;
    assert_ne!((bytes[middle], bytes[middle] ^ 1), (b'\n', b'\n'));
    bytes[middle] ^= 1;
    let line = bytes[..middle].iter().filter(|byte| **byte == b'\n').count() + 1;
    std::fs::write(&ledger, bytes).unwrap();
    let (summary, progress) = run_with(plan(&text), &path, 2, Cancel::default()).await;
    let summary = summary.unwrap();
    assert_eq!((summary.lost, summary.finished), (0, 0));
    let told: Vec<&String> = progress
        .iter()
        .filter_map(|event| match event {
            Progress::Warning { text } => Some(text),
            _ => None,
        })
        .collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains("000001.log: 1 damaged row(s)") && told[0].contains(&format!("(line {line})")),
        "{told:?}"
    );
    let problems = verify(&opened(&path), &RecordKinds::default()).unwrap().problems.join("\n");
    assert!(problems.contains("ledger/000001.log: 1 damaged row(s)") && problems.contains("are kept"), "{problems}");
}

#[tokio::test]
async fn a_lost_or_damaged_index_or_study_is_said_with_its_mend() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker");
    let finished = run(&text, &path, 2).await.unwrap().finished;
    let whole = digest(&opened(&path)).unwrap();
    let index = path.join("index.sqlite");
    let copy = std::fs::read(&index).unwrap();
    // A reader writes nothing, and says which command makes it anew.
    std::fs::remove_file(&index).unwrap();
    let refused = RunFolder::open(&path).unwrap_err();
    assert_eq!(refused, RunError::IndexLost { path: index.clone() }, "{refused}");
    assert!(refused.to_string().contains("gimbal run") && refused.exit_code() == 3, "{refused}");
    std::fs::write(&index, "not an index at all, but long enough to be looked at as one").unwrap();
    let refused = run(&text, &path, 2).await.unwrap_err();
    assert!(matches!(refused, RunError::IndexDamaged { .. }) && refused.to_string().contains("delete"), "{refused}");
    // The steps that the messages name do fix it.
    std::fs::remove_file(&index).unwrap();
    assert_eq!(run(&text, &path, 2).await.unwrap().finished, 0);
    std::fs::write(&index, &copy).unwrap();
    std::fs::write(path.join("study.yaml"), "{ not: [a study").unwrap();
    let refused = run(&text, &path, 2).await.unwrap_err();
    assert!(matches!(refused, RunError::StudyDamaged { .. }) && refused.to_string().contains("delete"), "{refused}");
    std::fs::remove_file(path.join("study.yaml")).unwrap();
    let summary = run(&text, &path, 2).await.unwrap();
    assert_eq!((summary.already, summary.finished), (finished, 0));
    assert_eq!(digest(&opened(&path)).unwrap(), whole);
    clean(&path);
}

/// Everything that the index holds.
fn rows_of(folder: &Path) -> (Vec<Finished>, Vec<Failed>) {
    let index = opened(folder).index().unwrap();
    let mut finished = Vec::new();
    index
        .each(|episode| {
            finished.push(episode);
            Ok::<(), Box<dyn std::error::Error>>(())
        })
        .unwrap();
    (finished, index.failures().unwrap())
}

fn lose_index(folder: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(folder.join(format!("index.sqlite{ending}")));
    }
    assert!(matches!(RunFolder::open(folder), Err(RunError::IndexLost { .. })));
}

// covers: SH-05, SH-06
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_lost_index_is_made_anew_after_a_finished_run() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("small", STUDY.to_owned()), ("flaky", FLAKY.replace("MODEL", "flaky"))] {
        let path = folder.path().join(name);
        run(&text, &path, 4).await.unwrap();
        let before = rows_of(&path);
        let (whole, table) = (digest(&opened(&path)).unwrap(), load_rows(&opened(&path)).unwrap());
        assert_eq!(name == "flaky", !before.1.is_empty());
        // An empty file is as good as none; what SQLite left beside the lost file belongs to nobody.
        for left in [None, Some(""), Some("rows of the lost index")] {
            lose_index(&path);
            if let Some(bytes) = left {
                let ending = if bytes.is_empty() { "index.sqlite" } else { "index.sqlite-wal" };
                std::fs::write(path.join(ending), bytes).unwrap();
            }
            let (again, progress) = run_with(plan(&text), &path, 4, raised()).await;
            assert_eq!(again.unwrap().lost, 0, "{name}");
            let told = progress.iter().find_map(|event| match event {
                Progress::IndexRebuilt(rebuilt) => Some(*rebuilt),
                _ => None,
            });
            let told = told.expect("the user is told");
            let counts = (before.0.len() as u64, before.1.len() as u64, 0);
            assert_eq!((told.finished, told.failed, told.lost), counts, "{name}");
            assert_eq!(rows_of(&path), before, "{name}: row by row");
            assert_eq!(digest(&opened(&path)).unwrap(), whole, "{name}");
            assert_eq!(load_rows(&opened(&path)).unwrap(), table, "{name}");
            clean(&path);
        }
    }
    let path = folder.path().join("small");
    lose_index(&path);
    assert_eq!(run(STUDY, &path, 4).await.unwrap().finished, 0, "nothing is played or paid for again");
}

// covers: SH-05, SH-06
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_lost_index_is_made_anew_after_half_a_run_and_the_rest_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    run(STUDY, &whole, 4).await.unwrap();
    let mut rebuilt = 0_u64;
    for start in 1_u64.. {
        assert!(start < 200);
        let cancel = Cancel::default();
        let later = cancel.clone();
        let timer = tokio::spawn(async move {
            tokio::time::sleep(std::time::Duration::from_millis(20 * start)).await;
            later.raise();
        });
        let (summary, progress) = run_with(plan(STUDY), &cut, 4, cancel).await;
        timer.abort();
        let summary = summary.unwrap();
        assert_eq!(summary.lost, 0);
        rebuilt += progress.iter().filter(|event| matches!(event, Progress::IndexRebuilt(_))).count() as u64;
        if summary.ended == RunStop::Done {
            break;
        }
        let before = rows_of(&cut);
        if before.0.is_empty() {
            continue;
        }
        lose_index(&cut);
        let (again, _) = run_with(plan(STUDY), &cut, 4, raised()).await;
        assert_eq!((again.unwrap().lost, rows_of(&cut)), (0, before));
        rebuilt += 1;
        lose_index(&cut);
    }
    // A journal that ended without a row counts too: it is durable.
    lose_index(&cut);
    assert_eq!(run(STUDY, &cut, 4).await.unwrap().finished, 0);
    assert!(rebuilt > 0);
    assert_eq!(digest(&opened(&whole)).unwrap(), digest(&opened(&cut)).unwrap());
    clean(&cut);
}

/// A run that is called off before it plays anything.
fn raised() -> Cancel {
    let cancel = Cancel::default();
    cancel.raise();
    cancel
}

// covers: SH-05
#[tokio::test]
async fn what_the_ledger_knows_and_no_journal_holds_is_said_to_be_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker");
    let finished = run(&text, &path, 2).await.unwrap().finished;
    let whole = digest(&opened(&path)).unwrap();
    lose_index(&path);
    std::fs::remove_dir_all(path.join("texts")).unwrap();
    let summary = run(&text, &path, 2).await.unwrap();
    assert_eq!((summary.lost, summary.finished), (finished, finished));
    assert_eq!(digest(&opened(&path)).unwrap(), whole);
    clean(&path);
}

#[tokio::test]
async fn a_folder_that_may_not_be_written_is_read_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a run #1 100%?");
    run(&FLAKY.replace("MODEL", "picker"), &path, 2).await.unwrap();
    let whole = digest(&opened(&path)).unwrap();
    // SQLite cannot make its files beside the index, as in a folder that may not be written, whoever runs the test.
    std::fs::create_dir(path.join("index.sqlite-shm")).unwrap();
    assert_eq!(digest(&opened(&path)).unwrap(), whole);
    clean(&path);
    assert!(!load_rows(&opened(&path)).unwrap().episodes.is_empty());
    assert!(!trace::episodes(&opened(&path)).unwrap().is_empty());
}

#[tokio::test]
async fn folders_that_cannot_be_read_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker");
    let missing = RunFolder::open(&path).unwrap_err();
    assert!(missing.to_string().contains("no such folder"), "{missing}");
    run(&text, &path, 2).await.unwrap();
    rewrite(&path.join("study.yaml"), "format: 3", "format: 99");
    let other = Stored::read(&opened(&path)).unwrap_err();
    assert!(other.to_string().contains("format 99") && other.exit_code() == 2, "{other}");
    assert!(run(&text, &path, 2).await.unwrap_err().to_string().contains("format 99"));
    std::fs::write(path.join("study.yaml"), "{ not: [a study").unwrap();
    assert!(Stored::read(&opened(&path)).unwrap_err().to_string().contains("cannot be read"));
    std::fs::write(path.join("index.sqlite"), "not an index at all, but long enough to be looked at as one").unwrap();
    let damaged = RunFolder::open(&path).unwrap_err();
    assert!(damaged.to_string().contains("damaged") && damaged.exit_code() == 3, "{damaged}");
}

// covers: SH-05
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_was_changed_by_hand_is_called_sound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    run(&FLAKY.replace("MODEL", "flaky"), &path, 1).await.unwrap();
    clean(&path);
    let problems = || match RunFolder::open(&path).and_then(|folder| verify(&folder, &RecordKinds::default())) {
        Ok(report) => report.problems,
        Err(error) => vec![error.to_string()],
    };
    let index = path.join("index.sqlite");
    let copy = std::fs::read(&index).unwrap();
    for (change, named) in [
        ("UPDATE episodes SET fallbacks = 99", "fallbacks"),
        ("UPDATE episodes SET rejected = 77", "rejected"),
        ("UPDATE episodes SET run = run + 5", "run"),
        ("UPDATE episodes SET trial = 3", "trial"),
        ("UPDATE episodes SET task = 'zzz'", "task"),
        ("UPDATE episodes SET cell = 'zzz'", "not in the study"),
        ("UPDATE episodes SET seed = 5", "seed"),
        ("UPDATE episodes SET detail = 'x'", "detail"),
        ("UPDATE episodes SET stop = 'bogus'", "bogus"),
        ("UPDATE episodes SET stop = 'time_budget'", "different outcomes"),
        ("UPDATE episodes SET steps = 'abc'", "damaged"),
        ("UPDATE episodes SET input_tokens = input_tokens + 1", "calls and tokens"),
        ("UPDATE episodes SET critical_path_us = total_latency_us + 1", "critical_path_us"),
        ("UPDATE episodes SET total_latency_us = total_latency_us + 1", "total_latency_us"),
        ("UPDATE episodes SET key = zeroblob(3) WHERE key = (SELECT min(key) FROM episodes)", "damaged"),
        ("UPDATE episodes SET segment = 7", "gone"),
        ("DELETE FROM episodes WHERE run = 0", "no row of it"),
        ("DELETE FROM failures", "failed attempt(s)"),
        ("UPDATE failures SET detail = 'x'", "knows otherwise"),
        ("DROP TABLE failures", "failures"),
        ("UPDATE meta SET value = '99' WHERE key = 'format'", "format 99"),
    ] {
        let connection = rusqlite::Connection::open(&index).unwrap();
        connection.execute_batch(change).unwrap();
        connection.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
        drop(connection);
        let found = problems();
        assert!(found.iter().any(|problem| problem.contains(named)), "{change}: {found:?}");
        std::fs::write(&index, &copy).unwrap();
        assert_eq!(problems(), Vec::<String>::new(), "{change}");
    }
    // A request and its answer taken out of the ledger, or put in twice.
    let ledger = path.join("ledger/000001.log");
    let copy = std::fs::read_to_string(&ledger).unwrap();
    let lines: Vec<&str> = copy.split_inclusive('\n').collect();
    let first = |line: &&&str| line.contains("\"attempt\":0,");
    assert_eq!(lines.iter().filter(first).count(), 2);
    let without: String = lines.iter().filter(|line| !first(line)).copied().collect();
    let twice: String =
        lines.iter().flat_map(|line| if first(&line) { vec![*line, *line] } else { vec![*line] }).collect();
    let cut: String = lines[..lines.len() - 1].concat();
    for (text, named) in [(without, "chain is broken"), (twice, "chain is broken"), (cut, "by the index")] {
        std::fs::write(&ledger, text).unwrap();
        let found = problems();
        assert!(found.join("\n").contains(named), "{found:?}");
    }
    let last = copy.len() - 10;
    let mut bytes = copy.clone().into_bytes();
    bytes[last] ^= 1;
    std::fs::write(&ledger, bytes).unwrap();
    assert!(problems().join("\n").contains("damaged row(s)"), "no kill leaves a damaged row with its end");
    std::fs::write(&ledger, &copy).unwrap();
    // The study: anything at all, its text, and a cell's identity.
    let study = path.join("study.yaml");
    let copy = std::fs::read_to_string(&study).unwrap();
    for (from, to, named) in [
        ("success_above: 0", "success_above: 7", "hash at its end"),
        ("study: flaky", "study: other", "hash of `text`"),
        ("base: learner", "base: other", "hash of its identity"),
    ] {
        rewrite(&study, from, to);
        let found = problems().join("\n");
        assert!(found.contains(named) && found.contains("hash at its end"), "{from}: {found}");
        std::fs::write(&study, &copy).unwrap();
    }
    clean(&path);
}

#[tokio::test]
async fn files_that_are_gone_are_named_with_their_mend() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    // Long enough a prompt to be stored apart from the journal.
    let text = FLAKY.replace("MODEL", "picker");
    run(&text, &path, 2).await.unwrap();
    let whole = digest(&opened(&path)).unwrap();
    std::fs::remove_dir_all(path.join("texts")).unwrap();
    for problem in verify(&opened(&path), &RecordKinds::default()).unwrap().problems {
        assert!(problem.contains(&path.join("texts").display().to_string()), "{problem}");
    }
    std::fs::write(path.join("index.sqlite"), "").unwrap();
    let refused = RunFolder::open(&path).unwrap_err();
    assert_eq!(refused, RunError::IndexLost { path: path.join("index.sqlite") }, "{refused}");
    std::fs::remove_file(path.join("study.yaml")).unwrap();
    let refused = RunFolder::open(&path).unwrap_err();
    assert_eq!(refused, RunError::StudyLost { path: path.join("study.yaml") }, "{refused}");
    assert!(refused.is_damage() && refused.to_string().contains("gimbal run"), "{refused}");
    run(&text, &path, 2).await.unwrap();
    assert_eq!(digest(&opened(&path)).unwrap(), whole);
    clean(&path);
}

fn rewrite(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from));
    std::fs::write(path, text.replace(from, to)).unwrap();
}
