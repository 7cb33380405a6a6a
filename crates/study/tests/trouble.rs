//! Runs whose models fail: what is asked no more, what is counted all the same, and what the rows say of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::path::Path;
use std::sync::{Arc, Mutex};

use common::{TestModels, plan, run, run_with};
use gimbal_study::read::load_rows;
use gimbal_study::run::{RunError, RunFolder};
use gimbal_study::runner::{self, Progress, RunStop, Settings};
use gimbal_study::stage::Cancel;

const STUDY: &str = "
study: trouble
environment: { name: corridor, horizon: 6 }
architectures: [{ base: learner }]
roles: MODELS
episodes: { runs: 20, tasks: { split: test, limit: 1 } }
";

fn study(models: &str, more: &str) -> String {
    format!("{}{more}", STUDY.replace("MODELS", models))
}

fn sent(folder: &Path) -> usize {
    let mut rows = 0;
    RunFolder::open(folder)
        .unwrap()
        .rows(|_, row| rows += usize::from(matches!(row, gimbal_study::run::ledger::Row::Sent(_))))
        .unwrap();
    rows
}

// covers: BOG-047, BOG-150
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_denies_is_asked_no_more_and_the_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = study("[{ default: denied }, { default: picker }]", "");
    let (summary, progress) = run_with(plan(&text), &path, 8, Cancel::default()).await;
    let summary = summary.unwrap();
    assert_eq!((&summary.ended, summary.exit_code()), (&RunStop::Incomplete, 3));
    assert_eq!((summary.finished, summary.run_status.planned), (20, 40), "the other model's episodes are played");
    let closed: Vec<_> = progress.iter().filter(|event| matches!(event, Progress::Closed { .. })).collect();
    let [Progress::Closed { model, detail }] = closed[..] else { panic!("{closed:?}") };
    assert_eq!((model.as_str(), detail.matches("denied:").count()), ("denied", 1), "{detail}");
    let others = |event: &&Progress| matches!(event, Progress::Failed { .. } | Progress::Retrying { .. });
    assert_eq!(progress.iter().filter(others).count(), 0);
    let rows = load_rows(&RunFolder::open(&path).unwrap()).unwrap();
    let lost: Vec<_> = rows.episodes.iter().filter(|row| row.infrastructure).collect();
    // Two at once are under way when the first answer is there.
    assert!((1..=2).contains(&lost.len()), "{}", lost.len());
    assert!(
        lost.iter().all(|row| (row.outages, row.turned_down, row.unknown_attempts) == (0, 1, 0) && row.is_flagged())
    );
    let why = "denied: the provider answered with status 401: check the key in TEST_KEY";
    assert!(lost.iter().all(|row| row.lost_because == why), "{lost:?}");
    assert_eq!(summary.closed, [("denied".to_owned(), why.to_owned())]);
    // The same command tries again.
    let before = sent(&path);
    let again = run(&text, &path, 8).await.unwrap();
    assert_eq!((again.already, again.finished, again.exit_code()), (20, 0, 3));
    assert!((1..=2).contains(&(sent(&path) - before)));
}

// covers: BOG-047
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_are_turned_down_are_not_hammered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let summary = run(&study("[{ default: refusing }]", ""), &path, 8).await.unwrap();
    assert_eq!((&summary.ended, summary.finished), (&RunStop::Incomplete, 0));
    // Three episodes in a row, and one beside the last of them.
    assert!((3..=4).contains(&sent(&path)), "{}", sent(&path));
}

// covers: SH-04, BOG-150
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_unknown_cost_reach_the_limits() {
    let folder = tempfile::tempdir().unwrap();
    for (name, limit) in [("tokens", "tokens: 500"), ("cost", "cost: 0.0005")] {
        let path = folder.path().join(name);
        let text = study("[{ default: silent }]", &format!("limits: {{ study: {{ {limit} }} }}\n"));
        let summary = run(&text, &path, 1).await.unwrap();
        let RunStop::Limit(limit) = &summary.ended else { panic!("{:?}", summary.ended) };
        let words = limit.to_string();
        assert!(words.contains("5 requests of unknown cost"), "{words}");
        assert_eq!((summary.run_status.unknown_requests, summary.run_status.tokens, sent(&path)), (5, 0, 5));
        // The ledger holds what is needed for the same answer the next time.
        let again = run(&text, &path, 1).await.unwrap();
        assert!(matches!(again.ended, RunStop::Limit(_)));
        assert_eq!(sent(&path), 5);
        let rows = load_rows(&RunFolder::open(&path).unwrap()).unwrap();
        assert_eq!(rows.episodes.iter().map(|row| row.unknown_attempts).sum::<u32>(), 5);
        assert!(rows.episodes.iter().all(|row| row.billed.total() == 0 && row.agent_tokens().total() == 0));
    }
}

// covers: SH-04
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_nobody_waits_for_are_counted_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let limits = "limits: { episode: { seconds: 1 }, study: { tokens: 1 } }\n";
    let summary = run(&study("[{ default: endless }]", limits), &path, 1).await.unwrap();
    assert!(matches!(summary.ended, RunStop::Limit(_)), "{:?}", summary.ended);
    assert_eq!((sent(&path), summary.run_status.unknown_requests), (1, 1));
    let rows = load_rows(&RunFolder::open(&path).unwrap()).unwrap();
    assert_eq!((rows.episodes[0].stop.name(), rows.episodes[0].unknown_attempts), ("time_budget", 1));
}

// covers: BOG-047
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_episode_that_met_trouble_is_told_from_one_that_did_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = study("[{ default: stumbling }, { default: mute }, { default: unreliable }, { default: picker }]", "");
    assert_eq!(run(&text, &path, 4).await.unwrap().ended, RunStop::Done);
    let rows = load_rows(&RunFolder::open(&path).unwrap()).unwrap();
    let of = |model: &str| {
        let id = &rows.cells.iter().find(|cell| cell.models[0].model == model).unwrap().id;
        rows.episodes.iter().filter(|row| row.cell == *id).cloned().collect::<Vec<_>>()
    };
    assert!(of("picker").iter().all(|row| !row.is_flagged()));
    assert!(of("stumbling").iter().all(|row| row.is_flagged() && (row.outages, row.refusals) == (1, 0)));
    assert!(of("mute").iter().all(|row| row.is_flagged() && row.refusals == row.model_calls && row.refusals > 0));
    let unreliable = of("unreliable");
    assert!(unreliable.iter().any(|row| row.truncations > 0) && unreliable.iter().any(|row| row.bad_shapes > 0));
}

// covers: BOG-150
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_declared_concurrency_stands_and_jobs_bounds_it() {
    let folder = tempfile::tempdir().unwrap();
    let text = study("[{ default: wide }]", "").replace("runs: 20", "runs: 60");
    for (name, jobs, expected) in [("declared", None, 40), ("bounded", Some(3), 3)] {
        let jobs_told = Arc::new(Mutex::new(0));
        let told = Arc::clone(&jobs_told);
        let settings = Settings { jobs, ..Settings::new(folder.path().join(name)) };
        let plan = Arc::new(plan(&text));
        let summary = runner::run(plan, Arc::new(TestModels), settings, Cancel::default(), move |progress| {
            if let Progress::Started { jobs, .. } = progress {
                *told.lock().unwrap() = jobs;
            }
        });
        assert_eq!(summary.await.unwrap().ended, RunStop::Done);
        assert_eq!(*jobs_told.lock().unwrap(), expected, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_folder_that_is_deleted_under_a_run_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let gone = path.clone();
    let deleted = std::sync::atomic::AtomicBool::new(false);
    let plan = Arc::new(plan(common::folders::STUDY));
    let models = Arc::new(TestModels);
    let played = runner::run(plan, models, Settings::new(&path), Cancel::default(), move |event| {
        let finished = matches!(event, Progress::Finished { .. });
        if finished && !deleted.swap(true, std::sync::atomic::Ordering::SeqCst) {
            std::fs::remove_dir_all(&gone).unwrap();
        }
    })
    .await;
    let error = played.unwrap_err();
    assert!(matches!(error, RunError::Gone { .. }) && error.to_string().contains("deleted"), "{error:?}");
    assert_eq!(error.exit_code(), 3);
    assert!(!path.exists());
}
