//! Sessions: trials of the same episode, over seeds and over tasks; order, seeds, keys, memory, and how they go on after a stop.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::common::folders::{clean, opened};
use crate::common::{TestModels, plan, plan_of, run};
use gimbal_core::event::{Body, Event};
use gimbal_core::{Architecture, Catalogue as _, Digest, EpisodeStopped, LaneId, Needs, RecordKinds, Stage, TaskId};
use gimbal_study::plan::sessions::task_order;
use gimbal_study::plan::{Options, Plan, TrialChange, session_seed, trial_seed};
use gimbal_study::read::{digest, load_outcomes, load_rows, trace, verify};
use gimbal_study::run::RunError;
use gimbal_study::runner::{self, Progress, Settings};
use gimbal_study::stage::{Cancel, EpisodeSetup, MemoryRecorder, play_episode};
use proptest::prelude::*;
use serde_json::Value;

const STUDY: &str = "
study: sessions
environment: [{ name: corridor, horizon: 4 }, { name: oracle }]
architectures: [{ base: learner }, { base: panel, members: 2 }]
roles: [{ default: unreliable }]
episodes: { tasks: { split: test }, runs: 3, trials: TRIALS, seed: 5 }
";

fn text(trials: &str) -> String {
    STUDY.replace("TRIALS", trials)
}

fn refused(trials: &str) -> String {
    match plan_of(&text(trials), &Options::default()) {
        Ok(_) => panic!("`{trials}` was taken"),
        Err(problems) => problems.to_string(),
    }
}

/// Cell, run, and the trials: task, seed, number.
type Session = (usize, u32, Vec<(String, u64, u32)>);

/// Tasks, seeds and trials of each session, by cell and run.
fn played(plan: &Plan) -> Vec<Session> {
    let of = |id: gimbal_study::run::EpisodeId| (id.task, id.seed, id.trial);
    plan.sessions().map(|one| (one.cell, one.run, one.trials.into_iter().map(of).collect())).collect()
}

#[test]
fn a_number_of_trials_is_that_of_the_same_episode_and_keys_stay() {
    let keys = |trials: &str| -> Vec<Digest> {
        plan(&text(trials)).sessions().flat_map(|session| session.trials).map(|id| id.key).collect()
    };
    assert_eq!(keys("2"), keys("{ number: 2 }"));
    assert_eq!(keys("2"), keys("{ number: 2, over: same }"));
    // As a number of trials was always kept and hashed.
    let plan = plan(&text("2"));
    let cell = &plan.cells[0];
    let names: Vec<String> = cell.identity().as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["architecture", "artefacts", "environment", "faults", "roles"]);
    for session in plan.sessions() {
        let cell = &plan.cells[session.cell];
        for id in session.trials {
            let seed = session_seed(5, &cell.environment.environment, &TaskId(id.task.clone()), id.run);
            let parts: [&[u8]; 5] =
                [b"gimbal/episode/v1", &cell.key.0, id.task.as_bytes(), &seed.to_be_bytes(), &id.trial.to_be_bytes()];
            assert_eq!((id.seed, id.key), (seed, Digest::of_parts(&parts)));
        }
    }
    assert_eq!(gimbal_study::plan::Stored::of(&plan).frame["trials"], 2);
}

#[test]
fn over_seeds_each_trial_has_the_task_and_a_seed_of_its_own() {
    let (same, seeds) = (plan(&text("3")), plan(&text("{ number: 3, over: seeds }")));
    assert_eq!((same.episodes(), same.sessions().count()), (seeds.episodes(), seeds.sessions().count()));
    let mut all = BTreeSet::new();
    for ((cell, run, one), (other_cell, other_run, other)) in played(&same).into_iter().zip(played(&seeds)) {
        assert_eq!((cell, run), (other_cell, other_run));
        // The first trial has nothing before it: it is the same episode with the same key.
        assert_eq!(one[0], other[0]);
        let environment = &seeds.cells[cell].environment.environment;
        let distinct: BTreeSet<u64> = other.iter().map(|(_, seed, _)| *seed).collect();
        assert_eq!(distinct.len(), 3);
        all.extend(other.iter().map(|(task, seed, _)| (environment.clone(), task.clone(), *seed)));
        assert!(other.iter().all(|(task, _, _)| *task == one[0].0));
    }
    // Compared cells meet the same seeds: two architectures, six tasks, three runs, three trials.
    assert_eq!(all.len(), 6 * 3 * 3);
    let keys = |plan: &Plan| -> BTreeSet<Digest> {
        plan.sessions().flat_map(|session| session.trials).map(|id| id.key).collect()
    };
    assert_eq!(keys(&same).intersection(&keys(&seeds)).count(), keys(&same).len() / 3);
}

#[test]
fn over_tasks_a_session_goes_once_through_all_tasks_in_an_order_of_its_run() {
    let plan = plan(&text("{ over: tasks }"));
    // Corridor has four tasks, the oracle two: a session each run of each cell.
    assert_eq!((plan.sessions().count(), plan.episodes()), (12, 3 * 2 * (4 + 2)));
    assert_eq!(plan.cells.iter().map(|cell| plan.episodes_of(cell)).collect::<Vec<_>>(), [12, 12, 6, 6]);
    let mut orders: BTreeMap<(String, u32), Vec<String>> = BTreeMap::new();
    for (cell, run, trials) in played(&plan) {
        let part = &plan.cells[cell].environment;
        let order: Vec<String> = trials.iter().map(|(task, _, _)| task.clone()).collect();
        let mut tasks = order.clone();
        tasks.sort();
        let mut whole: Vec<String> = part.tasks.iter().map(|task| task.0.clone()).collect();
        whole.sort();
        assert_eq!(tasks, whole);
        for (number, (task, seed, trial)) in trials.iter().enumerate() {
            assert_eq!(*trial as usize, number);
            // The seed that the task has where it is played alone.
            assert_eq!(*seed, session_seed(5, &part.environment, &TaskId(task.clone()), run));
        }
        let known = orders.entry((part.environment.clone(), run)).or_insert_with(|| order.clone());
        assert_eq!(*known, order, "all cells have the same order");
    }
    let corridor: BTreeSet<&Vec<String>> = orders.values().filter(|order| order.len() == 4).collect();
    assert!(corridor.len() > 1, "the order is one of the run: {orders:?}");
    // What went before decides a trial, and so do the tasks of the cell its key.
    let fewer = plan_of(&text("{ over: tasks }").replace("split: test", "split: test, limit: 3"), &Options::default());
    assert_ne!(fewer.unwrap().cells[0].key, plan.cells[0].key);
    assert_ne!(crate::common::plan(&text("1")).cells[0].key, plan.cells[0].key);
    // A part of the tasks, and a part of the sessions.
    let two = crate::common::plan(&text("{ number: 2, over: tasks }"));
    assert_eq!((two.sessions().count(), two.episodes()), (12, 24));
    assert_eq!(two.cells[0].key, plan.cells[0].key);
    let limited = plan_of(&text("{ over: tasks }"), &Options { limit: Some(1), ..Options::default() }).unwrap();
    assert_eq!((limited.sessions().count(), limited.episodes()), (4, 12));
}

proptest! {
    /// Whichever other tasks there are, two tasks have the same order, and no task is lost.
    #[test]
    fn the_order_of_two_tasks_depends_on_no_other(
        names in proptest::collection::btree_set("[a-z]{1,3}", 2..12), seed in any::<u64>(), run in 0_u32..9, left_out in 0_usize..12,
    ) {
        let tasks: Vec<TaskId> = names.into_iter().map(TaskId).collect();
        let order: Vec<TaskId> = task_order(seed, "e", &tasks, run).into_iter().cloned().collect();
        let mut sorted = order.clone();
        sorted.sort_by(|one, other| one.0.cmp(&other.0));
        prop_assert_eq!(&sorted, &tasks);
        let gone = tasks[left_out % tasks.len()].clone();
        let fewer: Vec<TaskId> = tasks.iter().rev().filter(|task| **task != gone).cloned().collect();
        let rest: Vec<TaskId> = order.into_iter().filter(|task| *task != gone).collect();
        prop_assert_eq!(task_order(seed, "e", &fewer, run).into_iter().cloned().collect::<Vec<_>>(), rest);
    }

    #[test]
    fn only_over_seeds_do_trials_have_seeds_of_their_own(session in any::<u64>(), trial in 0_u32..1000) {
        prop_assert_eq!(trial_seed(TrialChange::Same, session, trial), session);
        prop_assert_eq!(trial_seed(TrialChange::Tasks, session, trial), session);
        prop_assert_eq!(trial_seed(TrialChange::Seeds, session, trial) == session, trial == 0);
    }
}

#[test]
fn what_trials_cannot_be_is_refused_with_its_place() {
    for (trials, said) in [
        ("{ number: 0 }", "`number`"),
        ("{ number: 2, over: task }", "did you mean `tasks`"),
        ("{ over: seeds }", "`trials` needs `number`"),
        ("{ }", "`trials` needs `number`"),
        ("{ count: 2 }", "unknown key `count`"),
        ("{ number: 3, over: tasks }", "which are 2 here"),
        ("[2]", "`trials`"),
        ("{ number: 4000000, over: seeds }", "4000000 trials x 12 tasks of all cells"),
    ] {
        let found = refused(trials);
        assert!(found.contains("study.yaml:6") && found.contains(said), "{trials}: {found}");
    }
    let found = refused("{ number: 3, over: tasks }");
    assert_eq!(found.lines().count(), 1, "the corridor has four tasks: {found}");
    assert!(found.contains("`oracle`"), "{found}");
}

/// Every prompt of an episode, as the learner was asked.
fn prompts(folder: &Path, name: &str) -> Vec<String> {
    let folder = opened(folder);
    let episode = trace::find(&folder, name).unwrap();
    let mut reader = trace::Reader::open(&folder, &episode).unwrap();
    let calls: Vec<u64> = reader
        .events()
        .iter()
        .filter_map(|event: &Event| match &event.body {
            Body::ModelCalled(call) => Some(call.call),
            _ => None,
        })
        .collect();
    calls.into_iter().map(|call| reader.prompt(call).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trials_share_their_memory_and_nothing_else_and_runs_are_the_same_with_any_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    for trials in ["3", "{ number: 3, over: seeds }", "{ over: tasks }"] {
        let path = |jobs: usize| folder.path().join(format!("{}-{jobs}", trials.len()));
        let (one, eight) = (path(1), path(8));
        assert_eq!(run(&text(trials), &one, 1).await.unwrap().exit_code(), 0);
        run(&text(trials), &eight, 8).await.unwrap();
        assert_eq!(digest(&opened(&one)).unwrap(), digest(&opened(&eight)).unwrap(), "{trials}");
        clean(&one);
        let rows = load_rows(&opened(&one)).unwrap();
        // The lessons of a session grow from trial to trial, and begin anew with each session.
        for row in rows.episodes.iter().filter(|row| row.cell.contains("learner")) {
            let plain = format!("{}/{}/{}", row.cell, row.task, row.run);
            let name = if row.trial == 0 { plain } else { format!("{plain}/{}", row.trial) };
            let prompts = prompts(&one, &name);
            let first = prompts.first().unwrap();
            assert!(first.contains(&format!("trial {}; lessons: [", row.trial)), "{name}: {first}");
            assert_eq!(first.contains("lessons: []"), row.trial == 0, "{name}: {first}");
        }
        // Paired: each architecture met the same seeds, task by task and trial by trial.
        let mut seeds: BTreeMap<(String, String, u32, u32), BTreeSet<u64>> = BTreeMap::new();
        for row in &rows.episodes {
            let key = (row.environment.to_string(), row.task.to_string(), row.run, row.trial);
            seeds.entry(key).or_default().insert(row.seed);
        }
        assert!(seeds.values().all(|seeds| seeds.len() == 1) && seeds.len() * 2 == rows.episodes.len(), "{trials}");
        // The index made anew from journals and ledger names every episode as before.
        std::fs::remove_file(one.join("index.sqlite")).unwrap();
        assert_eq!(run(&text(trials), &one, 2).await.unwrap().finished, 0);
        assert_eq!(digest(&opened(&one)).unwrap(), digest(&opened(&eight)).unwrap(), "{trials}");
        clean(&one);
    }
}

/// Plays a study until so many episodes are finished and the run is called off, or to its end.
async fn play_some(text: &str, folder: &Path, jobs: usize, most: u64) -> Result<runner::Summary, RunError> {
    let cancel = Cancel::default();
    let (raised, finished) = (cancel.clone(), AtomicU64::new(0));
    let settings = Settings { jobs: Some(jobs), ..Settings::new(folder) };
    let watch = move |progress: Progress| {
        if let Progress::Finished { .. } = progress
            && finished.fetch_add(1, Ordering::Relaxed) + 1 == most
        {
            raised.raise();
            raised.raise();
        }
    };
    runner::run(Arc::new(plan(text)), Arc::new(TestModels), settings, cancel, watch).await
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    // covers: SH-05, SH-06
    /// Any prefix of a session that was played, then gone on with, gives what the undisturbed session gives.
    #[test]
    fn a_session_goes_on_where_it_was_stopped(
        over in prop_oneof![Just("{ number: 4, over: same }"), Just("{ number: 4, over: seeds }"), Just("{ over: tasks }")],
        stops in proptest::collection::vec(1_u64..5, 1..4), jobs in 1_usize..4, seed in 0_u64..1000,
    ) {
        let text = "
study: stopped
environment: { name: corridor, horizon: 3 }
architectures: [{ base: learner }]
roles: [{ default: unreliable }]
episodes: { tasks: { split: test, limit: 4 }, runs: 2, trials: TRIALS, seed: SEED }
".replace("TRIALS", over).replace("SEED", &seed.to_string());
        let folder = tempfile::tempdir().unwrap();
        let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
        runtime().block_on(async {
            play_some(&text, &whole, 2, 0).await.unwrap();
            for most in stops {
                play_some(&text, &cut, jobs, most).await.unwrap();
            }
            play_some(&text, &cut, jobs, 0).await.unwrap();
        });
        prop_assert_eq!(digest(&opened(&whole)).unwrap(), digest(&opened(&cut)).unwrap());
        prop_assert_eq!(verify(&opened(&cut), &RecordKinds::default()).unwrap().problems, Vec::<String>::new());
    }
}

/// What a finished trial left cannot be read: the episode is named, the other sessions are played, and a later run makes it whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_memory_that_cannot_be_read_stops_its_session_alone_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let text = "
study: forgetful
environment: { name: corridor, horizon: 3 }
architectures: [{ base: learner }]
roles: [{ default: wide }]
episodes: { tasks: { split: test, limit: 1 }, runs: 2, trials: { number: 3, over: seeds } }
";
    run(text, &whole, 1).await.unwrap();
    // How many trials are finished when the run is called off is not certain: one or two of the first session are wanted.
    let (mut tried, mut held, mut cut) = (0, 0, folder.path().join("cut"));
    while !(1..3).contains(&held) {
        tried += 1;
        assert!(tried < 100, "the run never stops within a session");
        cut = folder.path().join(format!("cut-{tried}"));
        play_some(text, &cut, 1, 1).await.unwrap();
        held = load_rows(&opened(&cut)).unwrap().episodes.len();
    }
    // Damage that comes after the run has looked at what it holds.
    let (segment, told) = (cut.join("journals/000001.seg"), Arc::new(Mutex::new(Vec::new())));
    let sound = std::fs::read(&segment).unwrap();
    let (damaged, failures) = (segment.clone(), Arc::clone(&told));
    let watch = move |progress: Progress| match progress {
        Progress::Started { .. } => {
            let mut bytes = std::fs::read(&damaged).unwrap();
            bytes[100] ^= 8;
            std::fs::write(&damaged, bytes).unwrap();
        }
        Progress::Failed { run, detail, .. } => failures.lock().unwrap().push((run, detail)),
        _ => {}
    };
    let settings = Settings { jobs: Some(1), ..Settings::new(&cut) };
    let error =
        runner::run(Arc::new(plan(text)), Arc::new(TestModels), settings, Cancel::default(), watch).await.unwrap_err();
    let RunError::Memory { episode, what, .. } = &error else { panic!("{error}") };
    assert_eq!(episode, "learner/test-0/0");
    assert!(what.contains("checksum"), "{what}");
    assert!(error.is_damage() && error.exit_code() == 3);
    assert!(error.to_string().contains("gimbal verify"), "{error}");
    assert_eq!(told.lock().unwrap().iter().map(|(run, _)| *run).collect::<Vec<_>>(), [0]);
    // The other session was played to its end, and nothing of this one beyond the damage.
    assert_eq!(load_outcomes(&opened(&cut)).unwrap().episodes.len(), held + 3);
    let problems = verify(&opened(&cut), &RecordKinds::default()).unwrap().problems;
    assert!(problems.iter().any(|problem| problem.contains("checksum")), "{problems:?}");
    // With the sound file back nothing is played twice; without it the next run plays the damaged trial again.
    let copy = folder.path().join("copy");
    copy_folder(&cut, &copy);
    std::fs::write(copy.join("journals/000001.seg"), sound).unwrap();
    let left = 3 - held as u64;
    for (path, finished, lost) in [(&copy, left, 0), (&cut, left + 1, 1)] {
        let summary = run(text, path, 1).await.unwrap();
        assert_eq!((summary.finished, summary.lost), (finished, lost));
        assert_eq!(digest(&opened(path)).unwrap(), digest(&opened(&whole)).unwrap());
        clean(path);
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_trials_are_another_study_and_a_task_names_its_trial() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = text("{ over: tasks }");
    run(&text, &path, 2).await.unwrap();
    for other in ["4", "{ number: 2, over: tasks }", "{ number: 2, over: seeds }"] {
        let refused = run(&self::text(other), &path, 2).await.unwrap_err();
        assert!(matches!(refused, RunError::Changed(_)) && refused.to_string().contains("`trials`"), "{refused}");
    }
    // Which trial of its session a task was need not be known to find it.
    let folder = opened(&path);
    for row in load_rows(&folder).unwrap().episodes {
        let found = trace::find(&folder, &format!("{}/{}/{}", row.cell, row.task, row.run)).unwrap();
        assert_eq!((found.id.trial, found.id.seed), (row.trial, row.seed));
    }
}

/// Remembers a value and notes what the memory holds then.
struct Keeper(Value, Mutex<Option<Value>>);

#[async_trait::async_trait]
impl Architecture for Keeper {
    fn needs(&self) -> Needs {
        Needs::default()
    }
    fn resolved(&self) -> Value {
        Value::Null
    }
    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        stage.memory().set("kept", self.0.clone());
        *self.1.lock().unwrap() = stage.memory().get("kept");
        let idle = stage.brief().idle.clone();
        stage.act(LaneId::MAIN, &idle, None).await.map(|_| ())
    }
}

async fn kept(value: Value) -> (Option<Value>, Result<(), EpisodeStopped>) {
    let family = gimbal_testkit::environments::corridor::CorridorFamily;
    let environment = family.open(&serde_json::json!({})).unwrap();
    let setup = EpisodeSetup::new(Digest::of(b"key"), TaskId("test-0".to_owned()), 1, Arc::default());
    let keeper = Keeper(value, Mutex::default());
    let played = play_episode(&keeper, environment, setup, Arc::new(MemoryRecorder::default())).await;
    (keeper.1.into_inner().unwrap(), played.map(|_| ()))
}

/// Later trials of the same process read the value that a resumed session reads from the journal.
#[tokio::test]
async fn a_value_is_remembered_as_it_is_read_again() {
    let value = serde_json::json!({ "b": 1.0, "a": [9_007_199_254_740_993_u64, 0.5, null, "é"] });
    let (found, played) = kept(value).await;
    played.unwrap();
    let found = found.unwrap();
    assert_eq!(found, serde_json::json!({ "a": [9_007_199_254_740_992_u64, 0.5, null, "é"], "b": 1 }));
    let again: Value = serde_json::from_str(&gimbal_core::canonical::text(&found)).unwrap();
    assert_eq!(again, found);
    // Deeper than a reader of JSON goes: it would be lost when the session is resumed.
    let deep = (0..200).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    let (found, played) = kept(deep).await;
    assert_eq!(found, None);
    let halt = played.unwrap_err();
    assert!(halt.detail.as_ref().unwrap().contains("to remember as `kept` could not be read again"), "{halt:?}");
}
