//! A study that changes under its run: nothing that was paid for is lost, played again or in the way.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::path::Path;
use std::sync::Arc;

use common::folders::{FLAKY, books, clean, opened};
use common::{plan, run, run_with};
use gimbal_study::plan::{Cell, Hashed, Plan, Stored};
use gimbal_study::read::{digest, load_rows, trace};
use gimbal_study::run::RunError;
use gimbal_study::runner::{self, Progress};
use gimbal_study::stage::Cancel;
use serde_json::json;

fn counts(path: &Path) -> (usize, Vec<(String, u64)>) {
    let folder = opened(path);
    let stored = Stored::read(&folder).unwrap();
    let apart = books(&folder, &stored).past;
    (load_rows(&folder).unwrap().episodes.len(), apart.into_iter().map(|cell| (cell.info.id, cell.episodes)).collect())
}

fn billed(path: &Path) -> u64 {
    let folder = opened(path);
    books(&folder, &Stored::read(&folder).unwrap()).bill.total().billed.total()
}

/// A mistyped model that is put right, and put back.
// covers: SH-06
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_model_sets_the_old_cells_apart_and_the_old_one_brings_them_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let (first, second) = (FLAKY.replace("MODEL", "picker"), FLAKY.replace("MODEL", "parrot"));
    assert_eq!(run(&first, &path, 2).await.unwrap().finished, 4);
    let (before, paid) = (digest(&opened(&path)).unwrap(), billed(&path));
    let (summary, told) = run_with(plan(&second), &path, 2, Cancel::default()).await;
    let summary = summary.unwrap();
    assert_eq!((summary.already, summary.finished, summary.lost), (0, 4, 0));
    let warned = told.iter().any(|event| matches!(event, Progress::Warning { text } if text.contains("roles.default.model") || text.contains("no longer in it")));
    assert!(warned, "{told:?}");
    let (rows, apart) = counts(&path);
    assert_eq!((rows, apart.len(), apart[0].1), (4, 1, 4), "{apart:?}");
    assert!(billed(&path) > paid, "what was paid for stays in the bill");
    clean(&path);
    // The digest is that of the study as it is: the same as if nothing else had ever been played.
    let alone = folder.path().join("alone");
    run(&second, &alone, 2).await.unwrap();
    assert_eq!(digest(&opened(&path)).unwrap(), digest(&opened(&alone)).unwrap());
    let listed = trace::episodes(&opened(&path)).unwrap();
    assert_eq!((listed.len(), listed.iter().filter(|one| one.current).count()), (8, 4));
    let old = listed.iter().find(|one| !one.current).unwrap();
    trace::Reader::open(&opened(&path), old).unwrap().story(true, &crate::common::registry()).unwrap();
    // Back again: nothing is played.
    let paid = billed(&path);
    let summary = run(&first, &path, 2).await.unwrap();
    assert_eq!((summary.already, summary.finished), (4, 0));
    assert_eq!((digest(&opened(&path)).unwrap(), billed(&path)), (before, paid));
    assert_eq!(counts(&path).1[0].1, 4);
    clean(&path);
}

/// The plan of a program whose architectures have this version.
fn by_version(text: &str, version: u32) -> Plan {
    let mut plan = plan(text);
    for cell in &mut plan.cells {
        cell.settings = Arc::new(Hashed::new(json!({ "behaviour": version })));
        cell.key = Cell::hash(&cell.identity());
    }
    plan
}

/// The same study and a newer program: nobody is told that the study was changed, and a dry run says what is played again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn episodes_of_an_older_program_are_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker");
    run_with(by_version(&text, 1), &path, 2, Cancel::default()).await.0.unwrap();
    assert_eq!(runner::fits(&by_version(&text, 1), &path).unwrap(), None);
    let words = runner::fits(&by_version(&text, 2), &path).unwrap().unwrap();
    for part in
        ["another version of the program played the cell `", "(learner 1, now 2)", "4 finished episodes are not reused"]
    {
        assert!(words.contains(part), "{words}");
    }
    assert!(!words.contains("the study has changed"), "{words}");
    let (summary, told) = run_with(by_version(&text, 2), &path, 2, Cancel::default()).await;
    assert_eq!((summary.unwrap().already, counts(&path).1[0].1), (0, 4));
    assert!(told.iter().any(|event| matches!(event, Progress::Warning { text } if *text == words)), "{told:?}");
    let opened = opened(&path);
    let past = books(&opened, &Stored::read(&opened).unwrap()).past;
    assert_eq!(past[0].versions, ["learner 1, now 2"]);
    clean(&path);
}

/// A cell's key holds what decides its episodes, and not its label.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_renamed_architecture_keeps_its_episodes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker");
    run(&text, &path, 2).await.unwrap();
    let renamed = text.replace("{ base: learner }", "{ base: learner, name: pupil }");
    let summary = run(&renamed, &path, 2).await.unwrap();
    assert_eq!((summary.already, summary.finished), (4, 0));
    let rows = load_rows(&opened(&path)).unwrap();
    assert!(rows.cells[0].configuration == "pupil" && rows.episodes.iter().all(|row| row.cell == rows.cells[0].id));
    assert_eq!(counts(&path), (4, Vec::new()));
    clean(&path);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn architectures_and_models_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker").replace("[{ base: learner }]", "[{ base: learner }, { base: panel }]");
    assert_eq!(run(&text, &path, 2).await.unwrap().finished, 8);
    let without = FLAKY.replace("MODEL", "picker");
    assert_eq!(run(&without, &path, 2).await.unwrap().already, 4);
    assert_eq!(counts(&path).1.len(), 1);
    let both = without.replace("roles: [", "roles: [{ default: parrot }, ");
    let summary = run(&both, &path, 2).await.unwrap();
    assert_eq!((summary.already, summary.finished), (4, 4));
    clean(&path);
    // The index is derived: made anew from journals and ledger it tells the same, cells that are gone included.
    let (told, whole) = (counts(&path), digest(&opened(&path)).unwrap());
    for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] {
        let _ = std::fs::remove_file(path.join(name));
    }
    assert_eq!(run(&both, &path, 2).await.unwrap().finished, 0);
    assert_eq!((counts(&path), digest(&opened(&path)).unwrap()), (told, whole));
    clean(&path);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_limits_hold_for_what_is_not_played_yet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker");
    run(&text, &path, 2).await.unwrap();
    let more = text.replace("runs: 2", "runs: 3") + "limits: { episode: { tool_calls: 1 } }\n";
    let summary = run(&more, &path, 2).await.unwrap();
    assert_eq!((summary.already, summary.finished), (4, 2));
    let folder = opened(&path);
    let stored = Stored::read(&folder).unwrap();
    let spans = books(&folder, &stored).limits;
    assert_eq!(spans.iter().map(|(_, episodes)| *episodes).collect::<Vec<_>>(), [4, 2], "{spans:?}");
    let cut = load_rows(&folder).unwrap().episodes.iter().filter(|row| row.stop.name() == "tool_budget").count();
    assert_eq!(cut, 2, "the new limit holds for new episodes alone");
    clean(&path);
}

/// Another seed, other tasks or trials leave nothing of what was played: that is another study.
#[tokio::test]
async fn another_study_in_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker");
    run(&text, &path, 2).await.unwrap();
    for (change, named) in [
        (text.replace("runs: 2", "runs: 2, seed: 9"), "`seed`"),
        (text.replace("limit: 2", "limit: 1"), "`tasks`"),
        (text.replace("runs: 2", "runs: 2, trials: 2"), "`trials`"),
    ] {
        let refused = run(&change, &path, 2).await.unwrap_err();
        assert!(matches!(refused, RunError::Changed(_)), "{refused}");
        assert_eq!(refused.exit_code(), 2);
        assert!(refused.to_string().contains(named) && refused.to_string().contains("--runs"), "{refused}");
    }
}

/// A folder that an older program wrote stays readable: the names in the study file are a format.
// covers: SH-06
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored_names_are_those_of_older_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    run(&FLAKY.replace("MODEL", "picker"), &path, 1).await.unwrap();
    let text = std::fs::read_to_string(path.join("study.yaml")).unwrap();
    let stored: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    let names = |value: &serde_json::Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(names(&stored["cells"][0])[..5], ["key", "info", "world", "asks", "identity"], "{text}");
}
