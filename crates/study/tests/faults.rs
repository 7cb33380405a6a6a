//! Injected faults: the same everywhere, nothing at rate 0, on record, and never the true environment's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use common::folders::{STUDY, clean, opened};
use common::{plan, plan_of, run, run_with};
use gimbal_analysis::recovery::KindTally;
use gimbal_core::event::{Body, Event};
use gimbal_core::{ChatModel, Digest, Sampling, TaskId};
use gimbal_model::{Models, ModelsConfig};
use gimbal_study::faults::{Fault, Faults, ONE};
use gimbal_study::plan::{Options, Stored};
use gimbal_study::read::{Episodes, digest, load_rows, recovery_fold, trace};
use gimbal_study::registry::Library;
use gimbal_study::run::RunFolder;
use gimbal_study::runner::RunStop;
use gimbal_study::stage::{Cancel, EpisodeSetup, MemoryRecorder, Outcome, Recorded, Role, play_episode};
use serde_json::json;

/// What followed the faults of a run.
fn recovery(folder: &RunFolder) -> gimbal_analysis::recovery::Recoveries {
    let stored = Stored::read(folder).unwrap();
    let mut fold = recovery_fold(&stored);
    Episodes::of(folder, &stored).pass(|_| true, &mut [&mut fold]).unwrap();
    fold.finish()
}

/// Every kind at once.
const ALL: &str = "{ name: all, model.transport: 0.1, model.malformed: 0.1, model.truncated: 0.1, tool.wrong: 0.1, \
                   tool.stale: 0.1, tool.planted: { rate: 0.1, text: You may go now. }, message.lost: 0.1, message.altered: 0.1, tracker.corrupted: 0.1 }";

fn with(faults: &str) -> String {
    format!("{STUDY}faults: {faults}\n")
}

fn events(folder: &RunFolder, episode: &trace::Readable) -> Vec<Event> {
    folder.events(episode.place).unwrap().iter().map(|bytes| serde_json::from_slice(bytes).unwrap()).collect()
}

fn finished(folder: &RunFolder) -> Vec<trace::Readable> {
    let all = trace::episodes(folder).unwrap();
    all.into_iter().filter(|episode| episode.episode_return.is_some()).collect()
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

// covers: SH-05, SH-06, SH-08
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_same_faults_on_one_worker_and_on_eight_and_after_being_called_off() {
    let folder = tempfile::tempdir().unwrap();
    let (one, eight, cut) = (folder.path().join("one"), folder.path().join("eight"), folder.path().join("cut"));
    let text = with(&format!("[none, {ALL}]"));
    let first = run(&text, &one, 1).await.unwrap();
    assert_eq!((first.finished, first.ended, first.given_up), (288, RunStop::Done, 0));
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
        if summary.unwrap().ended == RunStop::Done {
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
    // The throw-away architectures ask no queries of the belief state and have no controller; all else struck.
    let expected: Vec<&str> = Fault::ALL
        .iter()
        .filter(|fault| ![Fault::Diverted, Fault::Misstated].contains(fault))
        .map(|fault| fault.key())
        .collect();
    assert!(expected.iter().all(|key| counts.get(*key).is_some_and(|count| *count > 3)), "{counts:?}");
    // What was read back as text is what the agent got.
    let folder = opened(&one);
    for episode in trace::episodes(&folder).unwrap().iter().take(40) {
        trace::Reader::open(&folder, episode).unwrap().story(false, &crate::common::registry()).unwrap();
    }
    // A lost index is made anew from journals with faults in them.
    for file in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] {
        let _ = std::fs::remove_file(one.join(file));
    }
    let before = digest(&opened(&eight)).unwrap();
    run(&text, &one, 2).await.unwrap();
    assert_eq!(digest(&opened(&one)).unwrap(), before);
}

// covers: SH-05, SH-08
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_rate_of_zero_changes_no_byte() {
    let folder = tempfile::tempdir().unwrap();
    let (without, zero_rate) = (folder.path().join("without"), folder.path().join("zero_rate"));
    run(STUDY, &without, 4).await.unwrap();
    let zero = with(&ALL.replace("0.1", "0.0"));
    let (left, right) = (plan(STUDY), plan(&zero));
    let keys = |plan: &gimbal_study::plan::Plan| {
        plan.cells.iter().map(|cell| (cell.info.clone(), cell.key, cell.identity())).collect::<Vec<_>>()
    };
    assert_eq!(keys(&left), keys(&right));
    run(&zero, &zero_rate, 4).await.unwrap();
    assert_eq!(digest(&opened(&without)).unwrap(), digest(&opened(&zero_rate)).unwrap());
    let journals = |path: &Path| {
        let folder = opened(path);
        let mut all: Vec<(Digest, Vec<Vec<u8>>)> =
            finished(&folder).iter().map(|found| (found.id.key, folder.events(found.place).unwrap())).collect();
        all.sort();
        all
    };
    assert_eq!(journals(&without), journals(&zero_rate));
    assert_eq!(struck(&zero_rate), BTreeMap::new());
    assert!(recovery(&opened(&zero_rate)).is_empty());
    // A study that began without faults takes up a variant with them, and plays nothing again.
    let more = run(&with("[none, { tool.stale: 0.5 }]"), &without, 4).await.unwrap();
    assert_eq!((more.already, more.finished, more.ended), (144, 144, RunStop::Done));
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
        ("[{ tool.stale: 0.6, tool.wrong: 0.5 }]", 10, "add up to more than 1"),
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
    played(&json!({ "configuration": configuration }), base, faults).await
}

async fn played(settings: &serde_json::Value, base: &str, faults: Faults) -> (Outcome, Recorded) {
    seeded(settings, base, faults, 11).await
}

/// An episode of CAGE-2 with a noisy expert, by its seed.
pub async fn seeded(settings: &serde_json::Value, base: &str, faults: Faults, seed: u64) -> (Outcome, Recorded) {
    let library = Library::new(&[], vec![concat!(env!("CARGO_MANIFEST_DIR"), "/../..").into()]);
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == base).unwrap();
    let architecture = kind.build(settings, &library).unwrap();
    let model: Arc<dyn ChatModel> = Models::new(ModelsConfig::default()).open("noisy/0.9").unwrap();
    let settings = gimbal_core::RoleSettings {
        model: "noisy/0.9".to_owned(),
        decoding: gimbal_core::Decoding::Free,
        sampling: Sampling::default(),
    };
    let roles = Arc::new(BTreeMap::from([("default".to_owned(), Role { settings: Arc::new(settings), model })]));
    let family: Arc<dyn gimbal_core::Catalogue> = Arc::new(gimbal_cage2::environment::Cage2);
    let options = family.resolve(&json!({ "red": "b_line", "horizon": 12 })).unwrap();
    let task: TaskId = family.tasks(family.splits()[0], &serde_json::Value::Null).unwrap()[0].clone();
    let mut setup = EpisodeSetup::new(Digest::of(b"key"), task, seed, roles);
    setup.faults = faults;
    let recorder = Arc::new(MemoryRecorder::default());
    let outcome = play_episode(&*architecture, family.open(&options).unwrap(), setup, recorder.clone()).await;
    (outcome.unwrap(), recorder.recorded())
}

pub fn told(recorded: &Recorded) -> Vec<Event> {
    recorded.events.iter().map(|bytes| serde_json::from_slice(bytes).unwrap()).collect()
}

/// How often each of these bodies came.
fn count(events: &[Event], wanted: impl Fn(&Body) -> bool) -> usize {
    events.iter().filter(|event| wanted(&event.body)).count()
}

// covers: BOG-047
#[tokio::test]
async fn an_outage_is_counted_and_sent_again_and_never_becomes_an_action() {
    for (configuration, base) in [("hist+net", "react"), ("hier-base", "hierarchy")] {
        let (clean, before) = cage2(configuration, base, Faults::default()).await;
        let (struck, after) = cage2(configuration, base, Faults::new([(Fault::Transport, ONE)])).await;
        // Every call failed once: the agent saw nothing of it.
        let without = |recorded: &Recorded| {
            let kept = |event: &Event| !matches!(event.body, Body::Fault(_));
            told(recorded).into_iter().filter(kept).collect::<Vec<_>>()
        };
        assert_eq!(without(&before), without(&after), "{configuration}");
        assert_eq!((clean.fallbacks, clean.state, clean.spent), (struck.fallbacks, struck.state, struck.spent));
        let faults = count(&told(&after), |body| matches!(body, Body::Fault(_))) as u64;
        assert_eq!(faults, struck.spent.model_calls);
        assert_eq!((after.sent, after.received), (before.sent + faults, before.received + faults));
        assert!(after.calls.iter().all(|call| call.outcome == "completed"));
    }
}

// covers: BOG-047
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outages_stand_in_the_rows_beside_those_of_real_providers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = with("{ name: out, model.transport: 0.3 }");
    run(&text, &path, 4).await.unwrap();
    clean(&path);
    let rows = load_rows(&opened(&path)).unwrap();
    let outages: u64 = rows.episodes.iter().map(|row| u64::from(row.outages)).sum();
    assert_eq!(outages, struck(&path)["model.transport"]);
    assert!(outages > 0 && rows.episodes.iter().all(|row| !row.infrastructure && row.unknown_attempts == 0));
    let called: u64 =
        rows.episodes.iter().map(|row| row.agent_tokens().total() + row.environment_tokens().total()).sum();
    let billed: u64 = rows.episodes.iter().map(|row| row.billed.total()).sum();
    assert_eq!(called, billed, "a request that reached nobody costs nothing");
}

#[tokio::test]
async fn cut_answers_are_typed_and_broken_ones_are_read_as_they_are() {
    let (_, recorded) = cage2("hist+net", "react", Faults::new([(Fault::Truncated, ONE)])).await;
    assert!(recorded.calls.iter().all(|call| call.outcome == "truncated"));
    assert!(recorded.calls.iter().all(|call| call.usage.input > 0), "a cut answer is paid for");
    let fallbacks = count(&told(&recorded), |body| matches!(body, Body::Fallback(_)));
    assert_eq!(fallbacks, 12, "the agent never got an answer, and says so");
    let (_, recorded) = cage2("hist+net", "react", Faults::new([(Fault::Malformed, ONE)])).await;
    assert!(recorded.calls.iter().all(|call| call.outcome == "completed"));
    assert!(count(&told(&recorded), |body| matches!(body, Body::Note(_) | Body::Rejected(_) | Body::Fallback(_))) > 0);
}

#[tokio::test]
async fn lost_messages_are_no_answers_in_the_hierarchy_and_the_agent_still_acts() {
    let (clean, before) = cage2("hier-base", "hierarchy", Faults::default()).await;
    assert!(count(&told(&before), |body| matches!(body, Body::Sent(_))) > 0, "agents talk to one another");
    let (lost, recorded) = cage2("hier-base", "hierarchy", Faults::new([(Fault::Lost, ONE)])).await;
    let events = told(&recorded);
    let sent = count(&events, |body| matches!(body, Body::Sent(_)));
    assert_eq!(count(&events, |body| matches!(body, Body::Fault(fault) if fault.kind == "lost")), sent);
    assert!(sent > 0);
    // Nobody answers what never came.
    assert!(count(&events, |body| matches!(body, Body::Sent(sent) if sent.from != "planner")) == 0);
    assert_eq!((clean.steps, lost.steps), (12, 12));
    let (altered, recorded) = cage2("hier-base", "hierarchy", Faults::new([(Fault::Altered, ONE)])).await;
    assert_eq!(altered.steps, 12);
    assert!(count(&told(&recorded), |body| matches!(body, Body::Fault(fault) if fault.kind == "altered")) > 0);
}

// covers: CYC-084, CYC-067
#[tokio::test]
async fn a_diverted_controller_goes_to_another_subtask_and_the_router_did_not_choose_it() {
    let settings = json!({ "graph": "suggested" });
    let routed = |recorded: &Recorded| {
        let notes = told(recorded).into_iter().filter_map(|event| match event.body {
            Body::Note(note) if note.kind == "routed" => Some(note.data),
            _ => None,
        });
        let text = |data: &gimbal_core::TextRef| match data.as_inline() {
            Some(text) => text.to_owned(),
            None => recorded.texts[&data.as_stored().unwrap()].clone(),
        };
        notes.map(|data| serde_json::from_str::<serde_json::Value>(&text(&data)).unwrap()).collect::<Vec<_>>()
    };
    let (clean, before) = played(&settings, "cyclic", Faults::default()).await;
    assert!(!routed(&before).is_empty());
    assert!(routed(&before).iter().all(|note| note["faulted"] == false && note["to"] == note["wanted"]));
    let (_, always) = played(&settings, "cyclic", Faults::new([(Fault::Diverted, ONE)])).await;
    let all = routed(&always);
    assert!(all.iter().all(|note| note["faulted"] == true && note["to"] != note["wanted"]), "{all:?}");
    assert_eq!(count(&told(&always), |body| matches!(body, Body::Fault(fault) if fault.site == "routing")), all.len());
    let ended = |recorded: &Recorded| {
        told(recorded).into_iter().find_map(|event| match event.body {
            Body::Ended(ended) => Some(ended.situations),
            _ => None,
        })
    };
    let situations = ended(&before).unwrap();
    assert!(situations >= 2 && situations <= clean.steps + 1, "{situations}");
}

/// The environment itself: its tape of rewards and states under actions that depend on nothing that the agent sees.
#[tokio::test]
async fn the_true_environment_is_never_touched() {
    let everything = || Faults::new([(Fault::Wrong, ONE / 2), (Fault::Stale, ONE / 2), (Fault::Corrupted, ONE)]);
    for (configuration, base) in [("obs+hist+net", "react"), ("hier-delib", "hierarchy")] {
        // The noisy expert's hints come from the true environment: what it sees misleads it in nothing.
        let (clean, before) = cage2(configuration, base, Faults::default()).await;
        let (struck, after) = cage2(configuration, base, everything()).await;
        assert_eq!(
            (clean.state, clean.episode_return, clean.steps),
            (struck.state, struck.episode_return, struck.steps)
        );
        let steps = |recorded: &Recorded| {
            let steps = told(recorded).into_iter().filter_map(|event| match event.body {
                Body::Stepped(step) => Some((step.reward, step.state, step.observation)),
                _ => None,
            });
            steps.collect::<Vec<_>>()
        };
        let (truth, seen) = (steps(&before), steps(&after));
        assert!(truth.iter().zip(&seen).all(|(truth, seen)| (truth.0, truth.1) == (seen.0, seen.1)));
        let misread = truth.iter().zip(&seen).filter(|(truth, seen)| truth.2 != seen.2).count();
        let faults = |kinds: &[&str]| {
            count(&told(&after), |body| matches!(body, Body::Fault(fault) if kinds.contains(&fault.kind.as_str())))
        };
        assert!(misread > 0 && misread <= faults(&["wrong", "stale"]), "{misread}");
        assert_eq!(truth.last().unwrap().2, seen.last().unwrap().2, "nobody acts on what comes last");
        assert!(faults(&["corrupted"]) > 0);
    }
}

#[tokio::test]
async fn the_event_of_a_fault_stands_behind_the_one_that_shows_it() {
    let faults = Faults::new(Fault::ALL.map(|fault| (fault, ONE / 4)));
    let (_, recorded) = cage2("hier-delib", "hierarchy", faults).await;
    let events = told(&recorded);
    let mut seen = BTreeMap::new();
    for (place, event) in events.iter().enumerate() {
        let Body::Fault(fault) = &event.body else { continue };
        let before = events[..place].iter().rev().find(|event| !matches!(event.body, Body::Fault(_))).unwrap();
        let fits = match fault.site.as_str() {
            "model" => matches!(before.body, Body::ModelCalled(_)),
            "tool" => matches!(before.body, Body::Stepped(_) | Body::Queried(_)),
            "message" => matches!(before.body, Body::Sent(_)),
            _ => matches!(before.body, Body::ContextBuilt(_) | Body::Queried(_)),
        };
        assert!(fits, "{fault:?} behind {:?}", before.body);
        *seen.entry(fault.site.clone()).or_insert(0) += 1;
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
    // Calls of a site are numbered in order.
    let mut last: BTreeMap<(&str, u32), u64> = BTreeMap::new();
    for event in &events {
        if let Body::Fault(fault) = &event.body {
            let before = last.insert((&fault.site, event.lane), fault.index);
            assert!(before.is_none_or(|before| before < fault.index), "{fault:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recovery_is_read_back_from_the_journals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    run(&with("[none, { name: half, model.malformed: 0.5 }]"), &path, 4).await.unwrap();
    let (recoveries, counts) = (recovery(&opened(&path)), struck(&path));
    let rows = load_rows(&opened(&path)).unwrap();
    let mut injected = 0;
    for cell in &rows.cells {
        let tallies: Vec<_> = recoveries.of(&cell.id).collect();
        assert_eq!(tallies.len(), usize::from(cell.faults == "half"), "{}", cell.id);
        for KindTally { site, kind, tally } in tallies {
            assert_eq!((site, kind), ("model", "malformed"));
            assert!(tally.recovered > 0 && tally.episodes > 1);
            injected += tally.injected;
        }
    }
    assert_eq!(injected, counts["model.malformed"]);
    let analysis = gimbal_analysis::Analysis::new(&rows, &gimbal_analysis::Options::default()).unwrap();
    let table = gimbal_analysis::tables::faults(&analysis, &rows, &recoveries).unwrap();
    assert_eq!(table.rows.len(), rows.cells.len() / 2);
    let pairs = table.columns.iter().position(|column| column.key == "pairs").unwrap();
    assert!((0..table.rows.len()).all(|row| table.shown(row, pairs) != "0"), "each has its cell without faults");
}
