//! The bill across ledger files: a file of a run that was copied, deleted, shortened, swapped or taken from elsewhere
//! is found, whichever process wrote it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::fs;
use std::path::Path;

use common::folders::{STUDY, clean, opened};
use common::{plan, run, run_with};
use gimbal_core::{Digest, RecordKinds};
use gimbal_study::read::verify;
use gimbal_study::run::Writable;
use gimbal_study::run::ledger::{Row, Sent};
use gimbal_study::runner::Progress;
use gimbal_study::stage::Cancel;

/// A process that asks five times and is killed before any answer: its rows are the only trace of it.
fn killed_process(path: &Path) {
    let mut files = Writable::take(path).unwrap().files().unwrap();
    for attempt in 0..5 {
        files
            .ledger
            .now(&Row::Sent(Sent {
                attempt,
                at: 0,
                cached: false,
                call: attempt,
                episode: Digest::of(b"cut off"),
                lane: 0,
                model: "scripted/picker".to_owned(),
                role: "default".to_owned(),
                try_number: 0,
            }))
            .unwrap();
    }
}

fn name(number: u32) -> String {
    format!("ledger/{number:06}.log")
}

fn problems(path: &Path) -> String {
    verify(&opened(path), &RecordKinds::default()).unwrap().problems.join("\n")
}

/// The first `lines` lines of a file.
fn cut(path: &Path, lines: usize) {
    let bytes = fs::read(path).unwrap();
    let kept: Vec<u8> = bytes.split_inclusive(|byte| *byte == b'\n').take(lines).flatten().copied().collect();
    assert!(kept.len() < bytes.len());
    fs::write(path, kept).unwrap();
}

// covers: SH-05, SH-04
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whole_ledger_files_cannot_be_copied_deleted_cut_or_reordered_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("run"), folder.path().join("other"));
    for path in [&path, &other] {
        run(STUDY, path, 2).await.unwrap();
        killed_process(path);
        // Five requests of one attempt, whose journal never reached the disk.
        let found = verify(&opened(path), &RecordKinds::default()).unwrap();
        assert_eq!((found.unfinished_attempts, found.problems.len()), (1, 0));
        assert_eq!(run(STUDY, path, 2).await.unwrap().finished, 0);
        clean(path);
    }
    let (one, two, three) = (path.join(name(1)), path.join(name(2)), path.join(name(3)));
    let files = [&one, &two, &three].map(|path| fs::read(path).unwrap());
    let last = fs::read(&two).unwrap();
    let act = |attack: &str| match attack {
        "copied" => {
            fs::copy(&two, path.join(name(4))).unwrap();
        }
        "copied over another" => {
            fs::copy(&one, &two).unwrap();
        }
        "deleted" => fs::remove_file(&two).unwrap(),
        "the first deleted" => fs::remove_file(&one).unwrap(),
        "the last deleted" => fs::remove_file(&three).unwrap(),
        "a row cut off" => cut(&two, 5),
        "all rows cut off" => cut(&two, 1),
        "emptied" => fs::write(&two, "").unwrap(),
        "half a row cut off" => fs::write(&two, &last[..last.len() - 9]).unwrap(),
        "its head cut off" => {
            let start = last.iter().position(|byte| *byte == b'\n').unwrap() + 1;
            fs::write(&two, &last[start..]).unwrap();
        }
        "swapped" => {
            fs::write(&one, &files[1]).unwrap();
            fs::write(&two, &files[0]).unwrap();
        }
        _ => {
            fs::copy(other.join(name(2)), &two).unwrap();
        }
    };
    for (attack, said) in [
        ("copied", "ledger/000004.log: its first line says that it is ledger/000002.log"),
        ("copied over another", "ledger/000002.log: its first line says that it is ledger/000001.log"),
        ("deleted", "ledger/000002.log: the file is gone"),
        ("the first deleted", "ledger/000001.log: the file is gone"),
        ("the last deleted", "ledger/000003.log: the file is gone"),
        ("a row cut off", "ledger/000002.log: it has"),
        ("all rows cut off", "ledger/000002.log: it has"),
        ("emptied", "ledger/000002.log: it has 0 bytes"),
        ("half a row cut off", "ledger/000002.log: it has"),
        ("its head cut off", "its first line, which says"),
        ("swapped", "ledger/000001.log: its first line says that it is ledger/000002.log"),
        ("taken from another run", "names another run"),
    ] {
        act(attack);
        let found = problems(&path);
        assert!(found.contains(said), "{attack}: {found}");
        // The next run says so too, before it asks anything. On a copy: it opens a file of its own.
        let copy = tempfile::tempdir().unwrap();
        copy_all(&path, copy.path());
        let (summary, progress) = run_with(plan(STUDY), copy.path(), 2, Cancel::default()).await;
        summary.unwrap();
        let told = |event: &Progress| matches!(event, Progress::Warning { text } if text.contains(said));
        assert!(progress.iter().any(told), "{attack}: {progress:?}");
        assert!(problems(copy.path()).contains(said), "{attack}: still said after another run");
        drop(fs::remove_file(path.join(name(4))));
        for (number, bytes) in (1..).zip(&files) {
            fs::write(path.join(name(number)), bytes).unwrap();
        }
        clean(&path);
    }
}

// covers: SH-05
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_the_last_ledger_file_is_known_to_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    run(STUDY, &path, 2).await.unwrap();
    clean(&path);
    let file = path.join(name(1));
    let whole = fs::read(&file).unwrap();
    let lines = whole.iter().filter(|byte| **byte == b'\n').count();
    for kept in [lines - 1, lines / 2, 1, 0] {
        cut(&file, kept);
        let found = problems(&path);
        assert!(found.contains("by the index") && found.contains("cut off"), "{kept} of {lines} lines: {found}");
        fs::write(&file, &whole).unwrap();
    }
    // An incomplete last line, as a kill leaves it, does not count as damage.
    fs::write(&file, [&whole[..], b"0000"].concat()).unwrap();
    assert_eq!(problems(&path), "");
    fs::remove_file(&file).unwrap();
    assert!(problems(&path).contains("ledger/000001.log: the file is gone"));
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_all(&entry.path(), &target)
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Files that no run wrote are named: what lies in them is in no bill.
// covers: SH-05
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_nobody_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    run(STUDY, &path, 2).await.unwrap();
    clean(&path);
    let before = verify(&opened(&path), &RecordKinds::default()).unwrap();
    assert_eq!(before.unknown, Vec::<String>::new());
    let strangers = ["journals/old.seg", "ledger/000001.log.bak", "ledger/1.log", "ledger/notes", "texts/x.pack"];
    for name in strangers {
        fs::copy(path.join("ledger/000001.log"), path.join(name)).unwrap();
    }
    let after = verify(&opened(&path), &RecordKinds::default()).unwrap();
    assert_eq!(after.unknown, strangers);
    // Nothing of them is counted, and the run itself is sound.
    assert_eq!((after.ledger_rows, after.problems), (before.ledger_rows, before.problems));
}
