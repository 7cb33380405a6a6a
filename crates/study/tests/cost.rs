//! What studies cost: episodes cell by cell, limits, estimates, and totals that always are the fold of the ledger.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeMap;
use std::path::Path;

use common::folders::books;
use common::{TestModels, plan, plan_of, run};
use gimbal_core::Digest;
use gimbal_model::{Models, ModelsConfig};
use gimbal_study::plan::estimate::{Measured, Source, estimate, estimate_after, too_low};
use gimbal_study::plan::{self, Options, Stored};
use gimbal_study::read::{load_rows, spending};
use gimbal_study::registry::{Library, Registry};
use gimbal_study::run::RunFolder;
use gimbal_study::run::ledger::Row;
use gimbal_study::runner::RunStop;

const STUDY: &str = "
study: cost
environment: { name: corridor, horizon: 6 }
architectures: [{ base: learner }, { base: policy, policy: walk }]
roles: [{ default: picker }, { default: dear }]
episodes: { instances: 3, runs: 2, tasks: { split: test, limit: 1 } EXTENDED }
";

fn study(extended: &str, more: &str) -> String {
    format!("{}{more}", STUDY.replace(" EXTENDED", extended))
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn counts(text: &str) -> Vec<u64> {
    let plan = plan(text);
    assert_eq!(plan.sessions().count() as u64, plan.episodes());
    plan.cells.iter().map(|cell| plan.episodes_of(cell)).collect()
}

// covers: BOG-140, BOG-141, BOG-142
#[test]
fn the_protocol_of_the_work_plans_its_published_episodes() {
    let text = std::fs::read_to_string(root().join("studies/bog.yaml")).unwrap();
    let registry = Registry {
        environments: vec![std::sync::Arc::new(gimbal_cage2::environment::Cage2)],
        architectures: gimbal_architectures::kinds(),
        learned: None,
    };
    let files = Library::new(&[], vec![root().to_owned()]);
    let models = Models::new(ModelsConfig::default());
    let resolve = |options: &Options| {
        plan::resolve(plan::parse(&text, "bog.yaml").unwrap(), options, &registry, &models, &files).unwrap()
    };
    let plan = resolve(&Options::default());
    assert_eq!((plan.cells.len(), plan.episodes(), plan.sessions().count()), (72, 3475, 3475));
    assert_eq!(plan.cells.iter().map(|cell| u64::from(cell.info.planned)).sum::<u64>(), 3475);
    let mut by_count: BTreeMap<u32, usize> = BTreeMap::new();
    plan.cells.iter().for_each(|cell| *by_count.entry(cell.info.planned).or_default() += 1);
    assert_eq!(by_count, [(25, 10), (50, 59), (75, 1), (100, 2)].into());
    let of = |id: &str| plan.cells.iter().find(|cell| cell.info.id.contains(id)).unwrap();
    assert_eq!(of("obs+net | gemini/gemini-2.5").info.planned, 100);
    assert_eq!(of("hier-base | openrouter/qwen").info.planned, 100);
    assert_eq!(of("hier-base | gemini/gemini-2.5").info.planned, 75);
    assert_eq!(of("hier-delib | gemini/gemini-3").info.planned, 50);
    let stored = Stored::of(&plan);
    assert!(stored.cells.iter().all(|cell| (cell.instance(0), cell.instance(4), cell.instance(5)) == (0, 0, 1)));
    // Another model in every place plays the grid once, and nothing that the study says of the others holds for it.
    let other = resolve(&Options { model: Some("scripted/idle".to_owned()), ..Options::default() });
    assert_eq!((other.cells.len(), other.episodes()), (12, 600));
    let narrow = resolve(&Options { only: vec!["+question".to_owned()], add_runs: 1, ..Options::default() });
    assert_eq!((narrow.cells.len(), narrow.episodes()), (6, 306));
}

// covers: BOG-142
#[test]
fn cells_have_their_own_numbers() {
    assert_eq!(counts(&study("", "")), [6, 6, 6]);
    assert_eq!(counts(&study(", extended: { model: dear, runs: 7 }", "")), [6, 7, 6]);
    let two = ", extended: [{ configuration: learner, instances: 5 }, { model: dear, instances: 1, runs: 3 }]";
    assert_eq!(counts(&study(two, "")), [10, 3, 6], "later entries go before earlier ones");
    for (entry, part) in [
        ("{ model: deer, runs: 7 }", "did you mean `dear`"),
        ("{ configuration: lerner, runs: 7 }", "did you mean `learner`"),
        ("{ configuration: 'policy:walk', model: dear, runs: 7 }", "both this configuration and this model"),
        ("{ runs: 7 }", "names cells"),
        ("{ model: dear }", "sets a number"),
        ("{ model: dear, rnus: 7 }", "did you mean `runs`"),
        ("{ model: dear, runs: 0 }", "at least 1"),
    ] {
        let said = plan_of(&study(&format!(", extended: [{entry}]"), ""), &Options::default());
        let said = said.err().unwrap_or_else(|| panic!("{entry} was accepted")).to_string();
        assert!(said.starts_with("study.yaml:6:") && said.contains(part), "{entry}: {said}");
    }
}

// covers: BOG-142
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_runs_of_a_cell_go_on_where_it_stopped_and_carry_their_instance() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    assert_eq!(run(&study("", ""), &path, 4).await.unwrap().finished, 18);
    let wider = study(", extended: { model: dear, instances: 5, runs: 2 }", "");
    let again = run(&wider, &path, 4).await.unwrap();
    assert_eq!((again.already, again.finished, again.run_status.planned), (18, 4, 22));
    let rows = load_rows(&RunFolder::open(&path).unwrap()).unwrap();
    assert_eq!(rows.cells.iter().map(|cell| cell.planned).collect::<Vec<_>>(), [6, 10, 6]);
    assert!(rows.episodes.iter().all(|row| row.instance == row.run / 2));
    assert_eq!(rows.episodes.iter().map(|row| row.instance).max(), Some(4));
}

/// Everything that the folder says of its cost is the same sum.
fn check_totals(path: &Path) {
    let folder = RunFolder::open(path).unwrap();
    let stored = Stored::read(&folder).unwrap();
    let (spent, _) = spending(&folder, &stored).unwrap();
    let total = books(&folder, &stored).bill.total();
    assert_eq!((spent.exact(), spent.tokens, spent.unknown), (total.cost_exact, total.billed.total(), total.unknown));
    // A fold of our own over the rows as they stand.
    let mut open: BTreeMap<(u32, u64), String> = BTreeMap::new();
    let (mut tokens, mut exact) = (0, 0);
    folder
        .rows(|file, row| match row {
            Row::Sent(sent) if !sent.cached => drop(open.insert((file, sent.attempt), sent.model)),
            Row::Received(received) => {
                let Some(model) = open.remove(&(file, received.attempt)) else { return };
                let Some(usage) = received.usage else { return };
                if usage.source != gimbal_core::UsageSource::Missing {
                    tokens += usage.input + usage.output;
                    exact += u128::from(usage.input) * u128::from(price(&model).0);
                    exact += u128::from(usage.output) * u128::from(price(&model).1);
                }
            }
            _ => {}
        })
        .unwrap();
    assert_eq!((total.billed.total(), total.cost_exact), (tokens, exact));
    // And the rows of all episodes hold no more than that, role by role.
    let rows = load_rows(&folder).unwrap();
    let parts: u128 =
        rows.episodes.iter().flat_map(|row| &row.ledger).map(|part| u128::from(part.cost_exact.unwrap())).sum();
    let billed: u64 = rows.episodes.iter().map(|row| row.billed.total()).sum();
    let by_role: u64 = rows.episodes.iter().flat_map(|row| &row.ledger).map(|part| part.billed.total()).sum();
    assert!(parts <= exact && billed <= tokens && by_role == billed, "{parts} {exact} {billed} {by_role} {tokens}");
    let mut seen: BTreeMap<(String, u32), Digest> = BTreeMap::new();
    for row in rows.episodes.iter().filter(|row| !row.infrastructure) {
        let key = Digest::of(row.task.as_bytes());
        assert_eq!(seen.insert((row.cell.to_string(), row.run), key), None, "an episode counts once");
    }
}

fn price(model: &str) -> (u64, u64) {
    if model == "dear" { (1_000_000, 2_000_000) } else { (0, 0) }
}

// covers: BOG-160, BOG-161, SH-04, SH-05
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn totals_are_the_fold_of_the_ledger_whatever_stopped_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let roles =
        STUDY.replace("{ default: dear }]", "{ default: dear }, { default: stumbling }, { default: unreliable }]");
    for (number, tokens) in [1_u64, 150, 700, 1500, 4000].into_iter().enumerate() {
        let path = folder.path().join(number.to_string());
        let mut limit = tokens;
        // Cut off again and again, each time a little later.
        for _ in 0..200 {
            let text = format!("{}limits: {{ study: {{ tokens: {limit} }} }}\n", roles.replace(" EXTENDED", ""));
            let summary = run(&text, &path, 1 + number).await.unwrap();
            check_totals(&path);
            let cut = load_rows(&RunFolder::open(&path).unwrap()).unwrap();
            let cut = cut.episodes.iter().filter(|row| row.stop.name() == "study_limit").count();
            match summary.ended {
                RunStop::Limit(limit) => assert_eq!(limit.key, "limits.study.tokens", "{limit}"),
                RunStop::Done => {
                    assert_eq!(cut, 0, "what was cut off was played again");
                    break;
                }
                other => panic!("{other:?}"),
            }
            limit += tokens.max(1200);
        }
        assert_eq!(run(&roles.replace(" EXTENDED", ""), &path, 2).await.unwrap().ended, RunStop::Done);
    }
}

// covers: SH-04
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cell_at_its_limit_closes_and_the_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let limited = study("", "limits: { cell: { cost: 0.0004 } }\n");
    let summary = run(&limited, &path, 1).await.unwrap();
    let RunStop::Limit(limit) = &summary.ended else { panic!("{:?}", summary.ended) };
    let words = limit.to_string();
    assert!(words.contains("`learner | dear`") && words.contains("limits.cell.cost"), "{words}");
    assert_eq!(summary.exit_code(), 3);
    let rows = load_rows(&RunFolder::open(&path).unwrap()).unwrap();
    let of = |cell: &str, lost: bool| {
        rows.episodes.iter().filter(|row| row.cell == cell && row.infrastructure == lost).count()
    };
    assert_eq!((of("learner | picker", false), of("policy:walk", false)), (6, 6));
    assert!(of("learner | dear", false) < 6);
    assert!(rows.episodes.iter().filter(|row| row.infrastructure).all(|row| row.stop.name() == "cell_limit"));
    // What is gone stays gone: the same command sends nothing.
    let before = summary.run_status.tokens;
    assert_eq!(run(&limited, &path, 1).await.unwrap().run_status.tokens, before);
    check_totals(&path);
    assert_eq!(run(&study("", "limits: { cell: { cost: 5 } }\n"), &path, 1).await.unwrap().ended, RunStop::Done);
}

// covers: SH-04
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_below_one_episode_are_said_before_and_end_typed_with_what_was_played() {
    let folder = tempfile::tempdir().unwrap();
    for (name, limits, stop) in [
        ("study", "study: { cost: 0.000001 }", "study_limit"),
        ("cell", "cell: { tokens: 1 }", "cell_limit"),
        ("episode", "episode: { cost: 0.000001 }", "cost_budget"),
    ] {
        let text = study("", &format!("limits: {{ {limits} }}\n"));
        let planned = plan(&text);
        let words = too_low(&planned, &estimate(&planned, &TestModels).await.unwrap());
        assert!(words.len() == 1 && words[0].contains(&format!("`limits.{name}`")), "{words:?}");
        let path = folder.path().join(name);
        let only = Options { only: vec!["dear".to_owned()], ..Options::default() };
        let planned = plan_of(&text, &only).unwrap();
        let summary = common::run_with(planned, &path, 1, gimbal_study::stage::Cancel::default()).await.0.unwrap();
        let rows = load_rows(&RunFolder::open(&path).unwrap()).unwrap();
        assert!(!rows.episodes.is_empty() && rows.episodes.iter().all(|row| row.stop.name() == stop), "{name}");
        assert!(rows.episodes.iter().all(|row| row.billed.total() > 0), "what was played is kept");
        match summary.ended {
            RunStop::Limit(limit) => assert!(limit.remark.contains("lower than what one episode takes"), "{limit}"),
            other => assert_eq!((name, other), ("episode", RunStop::Done)),
        }
        check_totals(&path);
    }
}

// covers: BOG-160
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn estimates_say_their_source_and_go_by_finished_episodes_where_there_are_some() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let text = study("", "");
    let fresh = estimate(&plan(&text), &TestModels).await.unwrap();
    let sources: Vec<Source> = fresh.iter().map(|one| one.source).collect();
    let played = Source::Played { episodes: 2, cut: false };
    assert_eq!(sources, [played, played, Source::Free]);
    assert!(!path.exists());
    run(&text, &path, 2).await.unwrap();
    let wider = plan(&study("", "").replace("instances: 3", "instances: 4"));
    let measured = Measured::read(&RunFolder::open(&path).unwrap()).unwrap();
    let after = estimate_after(&wider, &TestModels, &measured).await.unwrap();
    let rows = load_rows(&RunFolder::open(&path).unwrap()).unwrap();
    let dear: Vec<_> = rows.episodes.iter().filter(|row| row.cell == "learner | dear").collect();
    let tokens: u64 = dear.iter().map(|row| row.agent_tokens().input).sum();
    assert_eq!((after[1].episodes, after[1].left, after[1].source), (8, 2, Source::Measured { episodes: 6 }));
    assert_eq!(after[1].input_tokens, (tokens * 2).div_ceil(6));
    let micro: u64 = dear.iter().map(|row| row.cost_microdollars.unwrap()).sum();
    assert_eq!(after[1].cost_microdollars, Some((micro * 2).div_ceil(6)));
    assert_eq!(after[1].source.words(), "measured on 6");
}

/// An episode of which the ledger lacks calls is finished, but nobody knows what it took.
// covers: BOG-160
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn episodes_that_the_ledger_lacks_are_no_basis_of_an_estimate() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let of = |instances: u32| study("", "").replace("instances: 3", &format!("instances: {instances}"));
    run(&of(2), &path, 2).await.unwrap();
    run(&of(3), &path, 2).await.unwrap();
    let wider = plan(&of(4));
    let fresh = estimate(&wider, &TestModels).await.unwrap();
    let again = async || {
        let measured = Measured::read(&RunFolder::open(&path).unwrap()).unwrap();
        estimate_after(&wider, &TestModels, &measured).await.unwrap()
    };
    let whole = again().await;
    assert_eq!((whole[1].left, whole[1].source), (2, Source::Measured { episodes: 6 }));
    std::fs::remove_file(path.join("ledger/000001.log")).unwrap();
    let rows = load_rows(&RunFolder::open(&path).unwrap()).unwrap();
    let dear = || rows.episodes.iter().filter(|row| row.cell == "learner | dear");
    assert_eq!(dear().filter(|row| row.unbilled_calls > 0 && row.model_calls == 0).count(), 4);
    let tokens: u64 = dear().map(|row| row.agent_tokens().input).sum();
    let some = again().await;
    assert_eq!((some[1].left, some[1].source), (2, Source::Measured { episodes: 2 }));
    assert!(tokens > 0 && some[1].input_tokens == tokens, "the mean of those 2, for the 2 that are left");
    // The policy asks no model: the ledger lacks nothing of its episodes.
    assert_eq!((some[2].left, some[2].source), (2, Source::Measured { episodes: 6 }));
    std::fs::remove_dir_all(path.join("ledger")).unwrap();
    let none = again().await;
    assert_eq!((none[1].left, none[1].source), (2, Source::Played { episodes: 2, cut: false }));
    assert_eq!(none[1].tokens_an_episode, fresh[1].tokens_an_episode);
    assert!(none[1].input_tokens > 0 && none[1].cost_microdollars > Some(0));
}

/// A plan of very many cells plays some of them in memory and estimates the others by those.
// covers: BOG-160
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn very_many_cells_are_estimated_by_some_of_them() {
    let mut text = "study: many\nenvironment: { name: cage2, red: b_line, horizon: 30 }\narchitectures:\n".to_owned();
    for cap in 1..=200 {
        text.push_str(&format!("  - {{ base: react, configuration: obs, name: cap-{cap}, legal_cap: {cap} }}\n"));
    }
    text.push_str("roles: [{ default: scripted/react-monitor }]\nepisodes: { runs: 2, seed: 1 }\n");
    let registry = Registry {
        environments: vec![std::sync::Arc::new(gimbal_cage2::environment::Cage2)],
        architectures: gimbal_architectures::kinds(),
        learned: None,
    };
    let (models, files) = (Models::new(ModelsConfig::default()), Library::new(&[], vec![root().to_owned()]));
    let study = plan::parse(&text, "many.yaml").unwrap();
    let plan = plan::resolve(study, &Options::default(), &registry, &models, &files).unwrap();
    let estimates = estimate(&plan, &models).await.unwrap();
    let of = |source: &dyn Fn(&Source) -> bool| estimates.iter().filter(|one| source(&one.source)).count();
    let played = of(&|source| *source == Source::Played { episodes: 2, cut: false });
    let alike = of(&|source| *source == Source::Alike { episodes: 2 });
    assert_eq!((played + alike, alike > 20 && played > 20), (200, true), "{played} played, {alike} alike");
    assert!(estimates.iter().all(|one| one.input_tokens > 0 && one.left == 2));
    assert_eq!(estimates[199].source.words(), "2 of a cell like it, by noisy/0.9");
}
