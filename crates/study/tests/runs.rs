//! Runs on disk: the same for any number of workers, resumed, and read back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeSet;
use std::path::Path;

use common::folders::{FLAKY, STUDY, books, clean, opened};
use common::{plan, plan_of, run, run_with};
use gimbal_analysis::AttemptState;
use gimbal_core::Digest;
use gimbal_study::plan::{Options, Stored};
use gimbal_study::read::{digest, load_rows, trace};
use gimbal_study::run::{RunError, Writable};
use gimbal_study::runner::{Progress, RunStop};
use gimbal_study::stage::Cancel;

// covers: SH-05, SH-06, BOG-143
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_worker_and_eight_give_the_same_run() {
    let folder = tempfile::tempdir().unwrap();
    let (one, eight) = (folder.path().join("one"), folder.path().join("eight"));
    let first = run(STUDY, &one, 1).await.unwrap();
    // Corridor has four tasks, the oracle two: 2 architectures x 2 role sets x (4 + 2) x 3 runs x 2 trials.
    assert_eq!((first.finished, first.ended, first.given_up), (144, RunStop::Done, 0));
    let second = run(STUDY, &eight, 8).await.unwrap();
    assert_eq!(second.finished, 144);
    assert_eq!(digest(&opened(&one)).unwrap(), digest(&opened(&eight)).unwrap());
    clean(&one);
    clean(&eight);
    // To run again is to do nothing.
    let again = run(STUDY, &eight, 8).await.unwrap();
    assert_eq!((again.finished, again.already, again.exit_code()), (0, 144, 0));
    let rows = load_rows(&opened(&eight)).unwrap();
    assert_eq!((rows.cells.len(), rows.episodes.len()), (8, 144));
    let seeds: BTreeSet<(u64, &str, u32)> =
        rows.episodes.iter().map(|row| (row.seed, row.environment.as_str(), row.run)).collect();
    assert_eq!(seeds.len(), 18, "cells of one environment meet the same seeds, and each run has its own");
    assert!(
        rows.episodes
            .iter()
            .all(|row| row.unknown_attempts == 0 && row.tokens_estimated.count > 0 && !row.infrastructure)
    );
    assert!(rows.episodes.iter().any(|row| row.usage.iter().any(|usage| usage.role == "reader" && usage.environment)));
    let called: u64 =
        rows.episodes.iter().map(|row| row.agent_tokens().total() + row.environment_tokens().total()).sum();
    let billed: u64 = rows.episodes.iter().map(|row| row.billed.total()).sum();
    assert_eq!(called, billed, "no caches and no retries here");
    assert_eq!(rows.cells[0].thresholds.success_above, Some(0), "from the environment's brief");
}

// covers: SH-06
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_called_off_goes_on_later_and_memory_is_taken_up() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    run(STUDY, &whole, 4).await.unwrap();
    let mut starts = 0_u64;
    loop {
        starts += 1;
        let cancel = Cancel::default();
        let later = cancel.clone();
        let timer = tokio::spawn(async move {
            tokio::time::sleep(std::time::Duration::from_millis(20 * starts)).await;
            later.raise();
        });
        let (summary, _) = run_with(plan(STUDY), &cut, 4, cancel).await;
        timer.abort();
        let summary = summary.unwrap();
        if summary.ended == RunStop::Done {
            break;
        }
        assert_eq!((&summary.ended, summary.exit_code()), (&RunStop::Interrupted, 130));
        assert!(starts < 200);
    }
    assert_eq!(digest(&opened(&whole)).unwrap(), digest(&opened(&cut)).unwrap());
    clean(&cut);
}

/// What was finished before counts from the start, also where the run is called off before it comes to it.
// covers: BOG-147
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_called_off_at_once_counts_what_was_finished_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = |runs: &str| FLAKY.replace("MODEL", "picker").replace("runs: 2", runs);
    assert_ne!(text("runs: 5"), text("runs: 2"), "the study names its runs so");
    assert_eq!(run(&text("runs: 2"), &path, 2).await.unwrap().finished, 4);
    let cancel = Cancel::default();
    cancel.raise();
    let (summary, progress) = run_with(plan(&text("runs: 5")), &path, 2, cancel).await;
    let summary = summary.unwrap();
    assert_eq!((&summary.ended, summary.already, summary.finished), (&RunStop::Interrupted, 4, 0));
    assert_eq!((summary.run_status.done, summary.run_status.planned), (4, 10));
    for event in &progress {
        let (Progress::Tick(run_status) | Progress::Ended { run_status, .. }) = event else { continue };
        assert_eq!(run_status.done, 4);
    }
}

// covers: BOG-047, BOG-150
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outages_are_tried_again_and_shown_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flaky");
    let (summary, progress) = run_with(plan(&FLAKY.replace("MODEL", "flaky")), &path, 1, Cancel::default()).await;
    let summary = summary.unwrap();
    // Five outages with three attempts an episode: the first episode is given up, the second needs all three.
    assert_eq!((summary.given_up, summary.finished, summary.run_status.errors), (1, 3, 5));
    assert_eq!((&summary.ended, summary.exit_code()), (&RunStop::Incomplete, 3));
    assert_eq!(progress.iter().filter(|event| matches!(event, Progress::Failed { .. })).count(), 1);
    let rows = load_rows(&opened(&path)).unwrap();
    let lost: Vec<_> = rows.episodes.iter().filter(|row| row.infrastructure).collect();
    assert_eq!((rows.episodes.len(), lost.len(), lost[0].stop.name()), (4, 1, "infrastructure"));
    clean(&path);
    // The same command plays what is missing; the attempts stay on record.
    let summary = run(&FLAKY.replace("MODEL", "flaky"), &path, 1).await.unwrap();
    assert_eq!(summary.already, 3);
    let index = opened(&path).index().unwrap();
    assert!(index.failures().unwrap().len() >= 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_is_down_does_not_hold_up_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("[{ default: MODEL }]", "[{ default: down }, { default: picker }]");
    let summary = run(&text, &path, 4).await.unwrap();
    assert_eq!((summary.finished, summary.given_up), (4, 4));
}

// covers: SH-06
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn money_stops_the_run_before_the_next_request_and_the_same_command_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = |cost: &str| format!("{}limits: {{ study: {{ cost: {cost} }} }}\n", FLAKY.replace("MODEL", "dear"));
    let summary = run(&text("0.0001"), &path, 1).await.unwrap();
    let RunStop::Limit(limit) = &summary.ended else { panic!("{:?}", summary.ended) };
    let words = limit.to_string();
    assert!(words.contains("limits.study.cost"), "{words}");
    assert_eq!(summary.exit_code(), 3);
    // One request more than the limit allows at most.
    assert!(summary.run_status.cost_microdollars < 100 + 400, "{:?}", summary.run_status);
    let before = summary.run_status.cost_microdollars;
    let summary = run(&text("9"), &path, 1).await.unwrap();
    assert_eq!(summary.ended, RunStop::Done);
    assert!(summary.run_status.cost_microdollars > before, "the ledger remembers what was spent before");
    let free = folder.path().join("free");
    run(&FLAKY.replace("MODEL", "dear"), &free, 1).await.unwrap();
    assert_eq!(digest(&opened(&path)).unwrap(), digest(&opened(&free)).unwrap());
    let rows = load_rows(&opened(&path)).unwrap();
    let cost: u64 = rows.episodes.iter().map(|row| row.cost_microdollars.unwrap()).sum();
    assert!(cost.abs_diff(summary.run_status.cost_microdollars) <= rows.episodes.len() as u64, "rounding only");
}

/// Billed tokens and exact cost by the ledger alone, without any code that reads runs.
fn ledger_by_hand(folder: &Path) -> (u64, u64) {
    let (mut sent, mut tokens) = (0, 0);
    for file in std::fs::read_dir(folder.join("ledger")).unwrap() {
        for line in std::fs::read_to_string(file.unwrap().path()).unwrap().lines() {
            let row: serde_json::Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
            sent += u64::from(row["row"] == "sent");
            if row["row"] == "received" {
                tokens += row["usage"]["input"].as_u64().unwrap_or(0) + row["usage"]["output"].as_u64().unwrap_or(0);
            }
        }
    }
    (sent, tokens)
}

// covers: SH-06
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bill_holds_all_that_was_paid_for_whatever_came_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("limit");
    let text = format!("{}limits: {{ study: {{ cost: 0.0002 }} }}\n", FLAKY.replace("MODEL", "dear"));
    let summary = run(&text, &path, 3).await.unwrap();
    assert!(matches!(summary.ended, RunStop::Limit(_)));
    let stored = Stored::read(&opened(&path)).unwrap();
    let whole = books(&opened(&path), &stored).bill;
    let (total, fates) = (whole.total(), whole.by_state());
    assert_eq!((total.requests, total.billed.total()), ledger_by_hand(&path));
    assert_eq!(total.billed.total(), summary.run_status.tokens);
    assert_eq!(total.cost_exact.div_ceil(1_000_000), u128::from(summary.run_status.cost_microdollars));
    assert!(fates[&AttemptState::Cancelled].billed.total() > 0 && total.unknown == 0, "{whole:?}");
    assert!(whole.lines.iter().all(|line| line.cell.as_deref() == Some(stored.cells[0].info.id.as_str())));
    // The bill's finished lines are exactly those of the episodes that count; what the limit cut off is separate.
    let rows = load_rows(&opened(&path)).unwrap();
    assert!(rows.episodes.iter().any(|row| row.infrastructure && row.stop.name() == "study_limit"));
    let finished = rows.episodes.iter().filter(|row| !row.infrastructure);
    let counted: u64 = finished.map(|row| row.billed.total()).sum();
    assert_eq!(fates.get(&AttemptState::Finished).map_or(0, |sum| sum.billed.total()), counted);
    assert!(counted < total.billed.total());

    // A process that was killed left neither the end of its attempts nor the last answers.
    let ledger = path.join("ledger/000001.log");
    let lines = std::fs::read_to_string(&ledger).unwrap();
    let first_answer = lines.find("\"row\":\"received\"").unwrap();
    let cut = lines[..first_answer].rfind('\n').unwrap() + 1;
    std::fs::write(&ledger, &lines[..cut]).unwrap();
    std::fs::remove_file(path.join("index.sqlite")).unwrap();
    drop(gimbal_study::run::Index::create(&path.join("index.sqlite")).unwrap());
    let whole = books(&opened(&path), &stored).bill;
    let total = whole.total();
    assert!(total.unknown > 0 && total.unknown == total.requests && total.billed.total() == 0, "{whole:?}");
    assert_eq!(whole.by_state().into_keys().collect::<Vec<_>>(), [AttemptState::CutOff]);
    assert!(whole.lines.iter().all(|line| line.cell.is_some()), "journals say which cell: {whole:?}");
}

#[tokio::test]
async fn a_second_run_on_the_same_folder_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let held = Writable::take(&path).unwrap();
    let refused = run(&FLAKY.replace("MODEL", "picker"), &path, 1).await.unwrap_err();
    assert!(matches!(refused, RunError::Busy { .. }) && refused.exit_code() == 2, "{refused}");
    drop(held);
    run(&FLAKY.replace("MODEL", "picker"), &path, 1).await.unwrap();
}

// covers: SH-06
#[tokio::test]
async fn a_study_that_has_grown_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker");
    run(&text, &path, 2).await.unwrap();
    let grown =
        text.replace("runs: 2", "runs: 3").replace("[{ base: learner }]", "[{ base: learner }, { base: panel }]");
    let summary = run(&grown, &path, 2).await.unwrap();
    assert_eq!((summary.already, summary.finished), (4, 8));
    let options = Options { add_runs: 1, only: vec!["panel".to_owned()], ..Options::default() };
    let (summary, _) = run_with(plan_of(&grown, &options).unwrap(), &path, 2, Cancel::default()).await;
    assert_eq!(summary.unwrap().finished, 2);
    let stored = Stored::read(&opened(&path)).unwrap();
    assert_eq!((stored.cells.len(), stored.runs), (2, 4));
    assert_eq!(stored.cells[1].info.planned, 8);
}

#[tokio::test]
async fn an_episode_without_a_model_has_no_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = "study: plain\nenvironment: corridor\narchitectures: [{ base: policy, policy: walk }]\n";
    run(text, &path, 2).await.unwrap();
    let folder = opened(&path);
    let episode = trace::find(&folder, "0").unwrap();
    let mut reader = trace::Reader::open(&folder, &episode).unwrap();
    let said = reader.prompt(0).unwrap_err().to_string();
    assert!(said.contains(&format!("{}: it made no model call", episode.name())), "{said}");
    let story = reader.story(false, &crate::common::registry()).unwrap();
    assert!(story.starts_with(&format!("{}: episode ", episode.name())), "{story}");
}

#[tokio::test]
async fn an_episode_reads_as_a_person_would() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    run(&FLAKY.replace("MODEL", "picker"), &path, 2).await.unwrap();
    let folder = opened(&path);
    let episode = trace::find(&folder, "learner/test-0/0").unwrap();
    assert_eq!(trace::find(&folder, &episode.id.key.to_string()[..12]).unwrap(), episode);
    assert_eq!(trace::find(&folder, "0").unwrap(), episode);
    let unknown = trace::find(&folder, "learner/test-9/0").unwrap_err().to_string();
    assert!(unknown.contains("learner/test-"), "{unknown}");
    let mut reader = trace::Reader::open(&folder, &episode).unwrap();
    insta::with_settings!({filters => vec![(r"episode [0-9a-f]{12}", "episode KEY"), (r"seed [0-9a-f]{16}", "seed SEED")]}, {
        insta::assert_snapshot!("story", reader.story(false, &crate::common::registry()).unwrap());
    });
    let prompt = reader.prompt(1).unwrap();
    assert!(prompt.starts_with("--- system ---\nYou act in a small world.") && prompt.contains("step 1: "), "{prompt}");
    let apart = reader.difference(0, 1).unwrap();
    assert!(apart.contains("+ step 1: ") && !apart.contains("You act in"), "{apart}");
    assert!(reader.prompt(99).unwrap_err().to_string().contains("no call 99"));
}

// covers: BOG-143, SH-06
#[test]
fn keys_hang_on_everything_that_decides_an_episode_and_seeds_on_the_environment_only() {
    let base = plan(STUDY);
    let keys = |text: &str| -> Vec<Digest> {
        let plan = plan(text);
        plan.sessions().flat_map(|session| session.trials).map(|id| id.key).collect()
    };
    let all = keys(STUDY);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len() as u64, base.episodes());
    let seeds = |text: &str| -> Vec<u64> {
        plan(text).sessions().map(|session| session.trials[0].seed).collect::<BTreeSet<_>>().into_iter().collect()
    };
    for (from, to, same_seeds) in [
        ("members: 2", "members: 3", true),
        ("horizon: 6", "horizon: 7", false),
        ("seed: 5", "seed: 6", false),
        ("default: unreliable", "default: { model: unreliable, temperature: 0.5 }", true),
        ("default: unreliable", "default: { model: unreliable, decoding: constrained }", true),
        ("default: unreliable", "default: parrot", true),
    ] {
        let changed = STUDY.replace(from, to);
        assert_ne!(keys(&changed), all, "{to}");
        assert_eq!(seeds(&changed) == seeds(STUDY), same_seeds, "{to}");
    }
    // Neither the order of cells nor more of them changes a key.
    let reordered = STUDY.replace(
        "  - { base: panel, members: 2 }\n  - { base: learner }",
        "  - { base: learner }\n  - { base: policy, policy: walk, name: w }\n  - { base: panel, members: 2 }",
    );
    let problems = plan_of(&reordered, &Options::default()).err().map(|problems| problems.to_string()).unwrap();
    assert!(problems.contains("`w` does not fit `oracle`") && problems.contains("policy `walk`"), "{problems}");
    let corridor = |text: &str| {
        text.replace("[{ name: corridor, horizon: 6 }, { name: oracle }]", "{ name: corridor, horizon: 6 }")
            .replace(", reader: picker", "")
    };
    let (fewer, more): (BTreeSet<Digest>, BTreeSet<Digest>) =
        (keys(&corridor(STUDY)).into_iter().collect(), keys(&corridor(&reordered)).into_iter().collect());
    assert!(fewer.is_subset(&more) && more.len() == fewer.len() + 24);
}

#[tokio::test]
async fn what_was_finished_before_is_counted_over_what_is_planned_now() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = FLAKY.replace("MODEL", "picker");
    run(&text, &path, 2).await.unwrap();
    let options = Options { limit: Some(1), ..Options::default() };
    let (summary, progress) = run_with(plan_of(&text, &options).unwrap(), &path, 2, Cancel::default()).await;
    let started = progress.iter().find_map(|event| match event {
        Progress::Started { planned, already, .. } => Some((*planned, *already)),
        _ => None,
    });
    assert_eq!((started, summary.unwrap().already), (Some((1, 1)), 1), "three more lie in the folder");
}

#[tokio::test]
async fn a_model_that_cannot_be_opened_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let refused = run(&FLAKY.replace("MODEL", "broken"), &path, 1).await.unwrap_err();
    assert!(refused.to_string().contains("cannot be loaded"), "{refused}");
    assert!(!path.exists());
}
