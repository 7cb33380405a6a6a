//! Injected faults: the same everywhere, nothing at rate nought, on record, and never the true world's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use common::folders::{STUDY, clean, opened};
use common::{TestModels, plan, plan_of, run, run_with};
use gimbal_core::event::{Body, Event};
use gimbal_core::{ChatModel, Digest, Sampling, TaskId};
use gimbal_model::{Models, ModelsConfig};
use gimbal_study::faults::{Fault, Faults, ONE};
use gimbal_study::plan::Options;
use gimbal_study::read::{digest, load_rows, recovery, trace};
use gimbal_study::registry::{Library, ModelSource};
use gimbal_study::run::{Finished, RunFolder};
use gimbal_study::runner::Ended;
use gimbal_study::stage::{Cancel, EpisodeSetup, MemoryRecorder, Outcome, Recorded, Role, play_episode};
use serde_json::json;

/// Every kind at once.
const ALL: &str = "{ name: all, model.transport: 0.1, model.malformed: 0.1, model.truncated: 0.1, tool.wrong: 0.1, \
                   tool.stale: 0.1, message.lost: 0.1, message.altered: 0.1, tracker.corrupted: 0.1 }";

fn with(faults: &str) -> String {
    format!("{STUDY}faults: {faults}\n")
}

fn events(folder: &RunFolder, episode: &Finished) -> Vec<Event> {
    folder.events(episode.place).unwrap().iter().map(|bytes| serde_json::from_slice(bytes).unwrap()).collect()
}

fn finished(folder: &RunFolder) -> Vec<Finished> {
    let mut all = Vec::new();
    folder
        .index()
        .unwrap()
        .each(|episode| {
            all.push(episode);
            Ok::<(), std::convert::Infallible>(())
        })
        .unwrap();
    all
}

/// Faults by key over a whole run.
fn struck(path: &Path) -> BTreeMap<String, u64> {
    let folder = opened(path);
    let mut counts = BTreeMap::new();
    for episode in finished(&folder) {
        for event in events(&folder, &episode) {
            if let Body::Fault(fault) = event.body {
                *counts.entry(format!("{}.{}", fault.site, fault.kind)).or_default() += 1;
            }
        }
    }
    counts
}

// covers: SH-05, SH-06
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_same_faults_on_one_worker_and_on_eight_and_after_being_called_off() {
    let folder = tempfile::tempdir().unwrap();
    let (one, eight, cut) = (folder.path().join("one"), folder.path().join("eight"), folder.path().join("cut"));
    let text = with(&format!("[none, {ALL}]"));
    let first = run(&text, &one, 1).await.unwrap();
    assert_eq!((first.finished, first.ended, first.given_up), (288, Ended::Done, 0));
    run(&text, &eight, 8).await.unwrap();
    let mut starts = 0_u64;
    loop {
        starts += 1;
        let cancel = Cancel::default();
        let later = cancel.clone();
        let timer = tokio::spawn(async move {
            tokio::time::sleep(std::time::Duration::from_millis(30 * starts)).await;
            later.raise();
        });
        let (summary, _) = run_with(plan(&text), &cut, 4, cancel).await;
        timer.abort();
        if summary.unwrap().ended == Ended::Done {
            break;
        }
        assert!(starts < 200);
    }
    assert_eq!(digest(&opened(&one)).unwrap(), digest(&opened(&eight)).unwrap());
    assert_eq!(digest(&opened(&one)).unwrap(), digest(&opened(&cut)).unwrap());
    for path in [&one, &eight, &cut] {
        clean(path);
    }
    let counts = struck(&one);
    assert_eq!(counts, struck(&cut));
    // The throw-away architectures ask no queries of the belief state; all else struck.
    let expected: Vec<&str> = Fault::ALL.iter().map(|fault| fault.key()).collect();
    assert!(expected.iter().all(|key| counts.get(*key).is_some_and(|count| *count > 3)), "{counts:?}");
    // What was read back as text is what the agent got.
    let folder = opened(&one);
    for episode in trace::episodes(&folder).unwrap().iter().take(40) {
        trace::Reader::open(&folder, episode).unwrap().story().unwrap();
    }
    // A lost index is made anew from journals with faults in them.
    for file in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] {
        let _ = std::fs::remove_file(one.join(file));
    }
    let before = digest(&opened(&eight)).unwrap();
    run(&text, &one, 2).await.unwrap();
    assert_eq!(digest(&opened(&one)).unwrap(), before);
}

// covers: SH-05
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_rate_of_nought_is_no_injector_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let (without, nought) = (folder.path().join("without"), folder.path().join("nought"));
    run(STUDY, &without, 4).await.unwrap();
    let zero = with(&ALL.replace("0.1", "0.0"));
    let (left, right) = (plan(STUDY), plan(&zero));
    let keys = |plan: &gimbal_study::plan::Plan| {
        plan.cells.iter().map(|cell| (cell.info.clone(), cell.key, cell.identity())).collect::<Vec<_>>()
    };
    assert_eq!(keys(&left), keys(&right));
    run(&zero, &nought, 4).await.unwrap();
    assert_eq!(digest(&opened(&without)).unwrap(), digest(&opened(&nought)).unwrap());
    let journals = |path: &Path| {
        let folder = opened(path);
        let mut all: Vec<(Digest, Vec<Vec<u8>>)> =
            finished(&folder).iter().map(|found| (found.id.key, folder.events(found.place).unwrap())).collect();
        all.sort();
        all
    };
    assert_eq!(journals(&without), journals(&nought));
    assert_eq!(struck(&nought), BTreeMap::new());
    assert!(recovery(&opened(&nought)).unwrap().is_empty());
    // A study that began without faults takes up a variant with them, and plays nothing again.
    let more = run(&with("[none, { message.lost: 0.5 }]"), &without, 4).await.unwrap();
    assert_eq!((more.already, more.finished, more.ended), (144, 144, Ended::Done));
}

#[test]
fn variants_multiply_the_grid_and_have_names_of_their_own() {
    let cells = |faults: &str| {
        let plan = plan(&with(faults));
        plan.cells.iter().map(|cell| (cell.info.id.clone(), cell.info.faults.clone(), cell.key)).collect::<Vec<_>>()
    };
    let plain = plan(STUDY).cells.len();
    let found = cells("[{ name: noisy, model.malformed: 0.1 }, { message.lost: 0.05, tool.stale: 1 }, none]");
    assert_eq!(found.len(), 3 * plain);
    let labels: Vec<&str> = found.iter().take(3).map(|(_, label, _)| label.as_str()).collect();
    assert_eq!(labels, ["noisy", "tool.stale 1, message.lost 0.05", ""]);
    assert!(found[0].0.ends_with("| noisy") && !found[2].0.contains("noisy"), "{found:?}");
    let keys: std::collections::BTreeSet<Digest> = found.iter().map(|(_, _, key)| *key).collect();
    assert_eq!(keys.len(), found.len());
    // What a variant is called decides nothing.
    let keys = |faults: &str| cells(faults).into_iter().map(|(_, _, key)| key).collect::<Vec<_>>();
    assert_eq!(keys("{ name: a, tool.wrong: 0.5 }"), keys("[{ name: b, tool.wrong: 0.5, tool.stale: 0 }]"));
    assert_eq!(keys("[]"), plan(STUDY).cells.iter().map(|cell| cell.key).collect::<Vec<_>>());
}

#[test]
fn what_is_wrong_with_a_variant_is_said_with_its_place() {
    let said = |faults: &str| plan_of(&with(faults), &Options::default()).err().unwrap().to_string();
    let line = STUDY.lines().count() + 1;
    for (faults, column, words) in [
        ("[{ model.malfromed: 0.1 }]", 12, "`model.malformed`"),
        ("[{ model.malformed: 1.5 }]", 29, "must be a number from 0 to 1"),
        ("[{ model.malformed: -0.1 }]", 29, "must be a number from 0 to 1"),
        ("[{ model.malformed: often }]", 29, "must be a number from 0 to 1"),
        ("[{ tool.stale: 0.0000001 }]", 24, "below 0.000001"),
        ("[{ tool.stale: 0.6, tool.wrong: 0.5 }]", 10, "come to more than 1"),
        ("[{ tool.stale: 0.5 }, { name: x, tool.stale: 0.5 }]", 31, "the same rates"),
        ("[none, { name: x, tool.stale: 0 }]", 16, "the same rates"),
        ("[{ name: x, tool.stale: 0.5 }, { name: x, tool.stale: 0.6 }]", 40, "called `x`"),
        ("[{ name: '=x', tool.stale: 0.5 }]", 18, "must not be `=x`"),
        ("often", 9, "`none` or a map of rates"),
    ] {
        let said = said(faults);
        assert!(said.starts_with(&format!("study.yaml:{line}:{column}:")), "{faults}: {said}");
        assert!(said.contains(words), "{faults}: {said}");
    }
}

/// One episode of CAGE-2 with a noisy expert.
async fn cage2(configuration: &str, base: &str, faults: Faults) -> (Outcome, Recorded) {
    let library = Library::embedded_for_tests();
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == base).unwrap();
    let architecture = kind.build(&json!({ "configuration": configuration }), &library).unwrap();
    let model: Arc<dyn ChatModel> = Models::new(ModelsConfig::default()).open("noisy/0.9").unwrap();
    let settings = gimbal_core::RoleSettings {
        model: "noisy/0.9".to_owned(),
        decoding: gimbal_core::Decoding::Free,
        sampling: Sampling::default(),
    };
    let roles = Arc::new(BTreeMap::from([("default".to_owned(), Role { settings: Arc::new(settings), model })]));
    let family: Arc<dyn gimbal_core::Catalogue> = Arc::new(gimbal_cage2::environment::Cage2);
    let options = family.resolve(&json!({ "red": "b_line", "horizon": 12 })).unwrap();
    let task: TaskId = family.tasks(family.splits()[0]).unwrap()[0].clone();
    let mut setup = EpisodeSetup::new(Digest::of(b"key"), task, 11, roles);
    setup.faults = faults;
    let recorder = Arc::new(MemoryRecorder::default());
    let outcome = play_episode(&*architecture, family.open(&options).unwrap(), setup, recorder.clone()).await;
    (outcome.unwrap(), recorder.recorded())
}
