//! The tables of cyclic control: exact small examples, a whole made-up study, and what a run lacks.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::made;
use crate::support;

use gimbal_analysis::work_folds::TaskPart;
use gimbal_analysis::{Cell, Stop, Table};
use gimbal_cyc::Cyc;
use gimbal_cyc::cyclic::Board;
use gimbal_cyc::cyclic::{
    Control, Cycles, Fold, Graph, Moments, Planned, Routed, Segment, Setup, Spend, Trajectory, WonTokens, exploration,
    measure, noise_curves, relative_difference, retention, shared_wins, success_to_calls,
};
use made::{Plan, episode, info, plans, study, sweep};
use proptest::prelude::*;
use support::table;

const ENVIRONMENTS: [&str; 2] = ["textcraft depth 2", "finance_agent synthetic"];

/// Keys and titles of all tables.
fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    support::testing::tables(&Cyc).map(|item| (item.key, item.title))
}

fn shown(key: &str, cycles: &Cycles) -> Table {
    table(key, cycles).unwrap()
}

/// The number in a column of the only row whose labels hold all of the words.
fn value(table: &Table, words: &[&str], key: &str) -> f64 {
    let column = table.columns.iter().position(|column| column.key == key).unwrap_or_else(|| panic!("{key}"));
    let holds = |row: &&Vec<Cell>| words.iter().all(|word| row.contains(&Cell::Text((*word).to_owned())));
    let rows: Vec<&Vec<Cell>> = table.rows.iter().filter(holds).collect();
    assert_eq!(rows.len(), 1, "{words:?}");
    match rows[0][column] {
        Cell::Number(value) | Cell::Share(value) => value,
        Cell::Integer(value) => value as f64,
        ref other => panic!("{other:?}"),
    }
}

// covers: CYC-060, CYC-063, CYC-064
#[test]
fn the_formulas_are_the_works() {
    assert!((success_to_calls(94.3, 7.4).unwrap() - 12.743).abs() < 1e-3);
    assert!((retention(49.4, 83.6).unwrap() - 0.5909).abs() < 1e-4);
    assert!((relative_difference(49.4, 83.6).unwrap() - 40.909).abs() < 1e-3);
    assert!((relative_difference(41.7, 39.7).unwrap() - 5.0378).abs() < 1e-3, "over the rate without faults");
    assert_eq!((success_to_calls(0.0, 0.0), retention(0.0, 0.0), relative_difference(1.0, 0.0)), (None, None, None));
    let rates = Moments::of(&[36.363_636, 45.454_545, 54.545_454]).unwrap();
    assert!((rates.population_sd - 7.4227).abs() < 1e-3 && (rates.sample_sd.unwrap() - 9.0909).abs() < 1e-3);
    assert_eq!(Moments::of(&[]), None);
    assert_eq!(Moments::of(&[3.0]).unwrap().sample_sd, None);
}

fn small(plan: &Plan, walks: Vec<Trajectory>) -> Cycles {
    let setup = Setup { architecture: plan.architecture.to_owned(), ..Setup::default() };
    let mut fold = Fold::new(vec![(info(plan), setup)]);
    walks.iter().for_each(|walk| fold.add(walk));
    fold.finish()
}

fn walk(plan: &Plan, task: &str, run: u32, won: bool, calls: u32, tokens: u64, situations: u32) -> Trajectory {
    Trajectory {
        cell: info(plan).id,
        environment: plan.environment.to_owned(),
        task: task.to_owned(),
        run,
        won,
        stop: if won { Stop::Solved } else { Stop::Horizon },
        tool_calls: calls,
        spent: Spend { calls: 1, input: tokens, output: 0 },
        wall_us: 2_500_000,
        situations: Some(situations),
        segments: vec![Segment { calls, ..Segment::default() }],
        ..Trajectory::default()
    }
}

// covers: CYC-020, CYC-021, CYC-101
#[test]
fn an_episode_on_another_graph_than_the_planned_one_is_counted_in_every_table_and_a_maker_is_named() {
    let plain = |plan: &&Plan| plan.fault == 0 && plan.shots == 0 && !plan.specialists;
    let plan = *plans(ENVIRONMENTS[0]).iter().filter(plain).find(|plan| plan.architecture == "cyclic").unwrap();
    let text = |table: &Table, key: &str| {
        let column = table.columns.iter().position(|column| column.key == key)?;
        Some(match &table.rows.first()?[column] {
            Cell::Text(text) => text.clone(),
            Cell::Empty => String::new(),
            other => panic!("{other:?}"),
        })
    };
    let played = |source: &str, planned: Option<bool>, made: (&str, &str)| {
        let graph = Graph {
            id: source.to_owned(),
            source: source.to_owned(),
            planner: made.0.to_owned(),
            shots: made.1.to_owned(),
            ..Graph::default()
        };
        let planned = planned.map(|valid| Planned { attempts: 2, valid });
        // The table of routing shows cells in which a router decided.
        let routed = Some(Routed { valid: true, ..Routed::default() });
        let segments = vec![Segment { calls: 4, routed, ..Segment::default() }];
        Trajectory { graphs: vec![graph], planned, segments, ..walk(&plan, source, 0, true, 4, 10, 1) }
    };
    let mixed = small(&plan, vec![played("planner", Some(true), ("", "")), played("fallback", Some(false), ("", ""))]);
    let keys = ["cyc-2", "cyc-9", "cyc-groups", "cyc-routing"];
    for key in keys {
        // One row of cyc-2 holds several controls.
        let said = if key == "cyc-2" { "Spec-Cyc: 1 of 2" } else { "1 of 2" };
        assert_eq!(text(&shown(key, &mixed), "unplanned").as_deref(), Some(said), "{key}");
    }
    let clean = small(&plan, vec![played("planner", Some(true), ("", ""))]);
    // A column that says nothing may be left out.
    let silent = |key: &&str| text(&shown(key, &clean), "unplanned").is_none_or(|said| said.is_empty());
    assert!(keys.iter().all(silent), "and nothing else");
    let hand = small(&plan, vec![played("family", None, ("hand", ""))]);
    let table = shown("cyc-groups", &hand);
    assert!(text(&table, "models").unwrap().starts_with("by hand/"));
    assert_eq!(text(&table, "shots").as_deref(), Some("no planner"));
    let model = small(&plan, vec![played("family", None, ("o/5-mini", "train"))]);
    let table = shown("cyc-groups", &model);
    assert!(text(&table, "models").unwrap().starts_with("5-mini"), "{:?}", text(&table, "models"));
    assert_eq!(text(&table, "shots").as_deref(), Some("train"));
}

/// Where the run keeps no objective of an environment, the table of failure modes says so.
// covers: CYC-094
#[test]
fn a_run_without_objectives_is_said_to_have_none() {
    let graphs = |plan: &&Plan| plan.architecture == "cyclic";
    let plan = *plans(ENVIRONMENTS[0]).iter().find(graphs).unwrap();
    let note = "keeps no objective";
    let notes = |walk: Trajectory| shown("cyc-signals", &small(&plan, vec![walk])).notes.join("\n");
    let bare = walk(&plan, "hand", 0, true, 4, 10, 1);
    let with_goal = Trajectory { goal: Some("craft torch".to_owned()), ..bare.clone() };
    assert!(notes(bare).contains(note));
    assert!(!notes(with_goal).contains(note));
}

/// Two tasks, three runs; by hand: rates 100, 50, 0 percent; calls of won episodes 4, 6, 8.
// covers: CYC-052, CYC-053, CYC-060, CYC-068
#[test]
fn a_cell_is_measured_over_runs_and_over_won_episodes() {
    let plan = plans(ENVIRONMENTS[0])[0];
    let cycles = small(
        &plan,
        vec![
            walk(&plan, "a", 0, true, 4, 10, 1),
            walk(&plan, "b", 0, true, 6, 10, 1),
            walk(&plan, "a", 1, true, 8, 10, 1),
            walk(&plan, "b", 1, false, 30, 10, 1),
            walk(&plan, "a", 2, false, 30, 10, 1),
            walk(&plan, "b", 2, false, 30, 10, 1),
        ],
    );
    let found = measure(&cycles.cells[0]);
    assert_eq!((found.episodes, found.tasks, found.runs, found.condition.control), (6, 2, 3, Control::React));
    let success = found.success.unwrap();
    assert!((success.mean - 50.0).abs() < 1e-12 && (success.population_sd - 40.8248).abs() < 1e-3);
    assert!((success.sample_sd.unwrap() - 50.0).abs() < 1e-12);
    let calls = found.won.calls.unwrap();
    assert!((calls.mean - 6.0).abs() < 1e-12 && (calls.population_sd - 1.632_99).abs() < 1e-4);
    assert!((found.success_to_calls.unwrap() - 50.0 / 6.0).abs() < 1e-12);
    assert_eq!((found.lost.episodes, found.lost.calls.unwrap().mean, found.all.episodes), (3, 30.0, 6));
    assert_eq!(found.all.seconds.unwrap().mean, 2.5, "waiting is shown in seconds");
}

/// Whether a model acted is told by its calls, and by the messages on which code acts: a router's are never tool calls.
// covers: BOG-225
#[test]
fn a_cell_whose_model_never_acted_or_never_routed_has_no_rate_of_success() {
    let plan = plans(ENVIRONMENTS[0])[4];
    let plain = || vec![walk(&plan, "a", 0, true, 4, 10, 1), walk(&plan, "b", 0, true, 4, 10, 1)];
    let with = |change: fn(Trajectory) -> Trajectory| small(&plan, plain().into_iter().map(change).collect());
    let acted = with(|walk| Trajectory { messages: 4, unusable_messages: 1, attempts: 4, ..walk });
    let silent = with(|walk| Trajectory { tool_calls: 0, ..walk });
    let unrouted = with(|walk| Trajectory { messages: 4, unusable_messages: 4, attempts: 4, ..walk });
    for (cycles, hardly) in [(acted, false), (silent, true), (unrouted, true)] {
        let found = measure(&cycles.cells[0]);
        assert_eq!((found.hardly_acted, found.success.is_none(), found.won.episodes == 0), (hardly, hardly, hardly));
        let table = shown("cyc-9", &cycles);
        let mark = table.columns.iter().position(|column| column.key == "mark").unwrap();
        assert_eq!(table.shown(0, mark).contains("hardly acted"), hardly);
        assert_eq!(table.notes.join(" ").contains("no measurement"), hardly, "{:?}", table.notes);
        assert_eq!(shown("cyc-groups", &cycles).rows.is_empty(), hardly);
    }
}

/// Both won `a` in run 0 only: 100 against 150 tokens; all wins: mean of 100 and 300 against mean of 150 and 250.
// covers: CYC-066, CYC-067
#[test]
fn comparisons_are_over_the_seeds_that_both_played() {
    let plans = plans(ENVIRONMENTS[0]);
    let (agent, graph) = (plans[0], plans[4]);
    let agent = small(
        &agent,
        vec![
            walk(&agent, "a", 0, true, 1, 100, 3),
            walk(&agent, "a", 1, true, 1, 300, 5),
            walk(&agent, "b", 0, false, 1, 900, 5),
            walk(&agent, "c", 0, true, 1, 200, 5),
        ],
    );
    let graph = small(
        &graph,
        vec![
            walk(&graph, "a", 0, true, 1, 150, 7),
            walk(&graph, "a", 1, false, 1, 999, 4),
            walk(&graph, "b", 0, true, 1, 250, 5),
        ],
    );
    let WonTokens { both: shared, each: all } = shared_wins(&agent.cells[0], &graph.cells[0]);
    let shared = shared.unwrap();
    assert_eq!((shared.agent_episodes, shared.cyclic_episodes), (1, 1));
    assert_eq!((shared.agent, shared.cyclic, shared.excess()), (100.0, 150.0, 50.0));
    assert_eq!(shared.percent(), Some(50.0));
    let all = all.unwrap();
    assert_eq!((all.agent_episodes, all.cyclic_episodes), (3, 2));
    assert_eq!((all.agent, all.cyclic, all.percent()), (200.0, 200.0, Some(0.0)));
    let differences: Vec<i64> =
        exploration(&agent.cells[0], &graph.cells[0]).iter().map(|pair| pair.difference()).collect();
    assert_eq!(differences, [4, -1, 0]);
    assert_eq!(shared_wins(&agent.cells[0], &small(&plans[4], Vec::new()).cells[0]), WonTokens::default());
}

/// Every table of a whole study has its rows, and its numbers are those of the cells.
// covers: CYC-060, CYC-061, CYC-062, CYC-063, CYC-064, CYC-065, CYC-066, CYC-067, CYC-096, CYC-101, CYC-R03
#[test]
fn a_whole_study_fills_every_table() {
    let cycles = study(&ENVIRONMENTS, |_| true);
    for (key, title) in all() {
        let table = table(key, &cycles).unwrap();
        assert_eq!((table.key, table.title.as_str()), (key, title));
        // No household was played, and no player has a known error rate.
        assert_eq!(table.rows.is_empty(), ["cyc-6", "cyc-noise"].contains(&key), "{key}");
        let keys: std::collections::BTreeSet<&str> = table.columns.iter().map(|column| &*column.key).collect();
        assert_eq!(keys.len(), table.columns.len(), "{key}: column keys differ");
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{key}");
        assert!(!table.to_csv().contains("NaN"), "{key}");
    }
    let faults = shown("cyc-12", &cycles);
    let kept = shown("cyc-3", &cycles);
    let sweep = shown("cyc-9", &cycles);
    let of = [ENVIRONMENTS[0], "Spec-Cyc"];
    let (nominal, faulted) = (value(&faults, &of, "sr_nominal"), value(&faults, &of, "sr_faulted"));
    assert!((value(&faults, &of, "change_sr") - (faulted - nominal)).abs() < 1e-9);
    assert!((value(&kept, &of, "srr") - faulted / nominal).abs() < 1e-9);
    assert!((value(&sweep, &of, "sr") - nominal).abs() < 1e-9, "the cell without faults is the same in both tables");
    for words in [[ENVIRONMENTS[0], "Spec-Cyc"], [ENVIRONMENTS[1], "Spec-Cyc"]] {
        let [ats, aus, asr] = ["ats", "aus", "asr"].map(|key| value(&sweep, &words, key));
        assert!((ats - aus - asr).abs() < 1e-9, "ATS = AUS + ASR");
        let ratio = value(&sweep, &words, "str");
        assert!((ratio - value(&sweep, &words, "sr") / value(&sweep, &words, "tc")).abs() < 1e-9);
    }
    let transitions = shown("cyc-13", &cycles);
    for row in &transitions.rows {
        let number = |key: &str| {
            let column = transitions.columns.iter().position(|column| column.key == key).unwrap();
            if let Cell::Integer(value) = row[column] { value } else { panic!("{key}") }
        };
        assert_eq!(number("ut_all"), number("ut_won") + number("ut_never"));
        assert!(number("ut_one") <= number("square"), "a single graph has no more than n² transitions");
    }
    let repair = shown("cyc-repair", &cycles);
    for row in &repair.rows {
        let at = |key: &str| repair.columns.iter().position(|column| column.key == key).unwrap();
        let number = |key: &str| if let Cell::Integer(value) = row[at(key)] { value } else { panic!("{key}") };
        assert_eq!(number("struck"), number("by_choice") + number("by_order") + number("by_success") + number("never"));
    }
}

// covers: CYC-101
#[test]
fn tables_stay_as_they_are() {
    let cycles = study(&ENVIRONMENTS[..1], |_| true);
    for key in [
        "cyc-1",
        "cyc-2",
        "cyc-3",
        "cyc-8",
        "cyc-9",
        "cyc-12",
        "cyc-13",
        "cyc-15",
        "cyc-16",
        "cyc-repair",
        "cyc-signals",
    ] {
        insta::assert_snapshot!(key, shown(key, &cycles).to_text(140));
    }
    let finance = study(&ENVIRONMENTS[1..], |plan| plan.fault == 0);
    insta::assert_snapshot!("cyc-evidence", shown("cyc-evidence", &finance).to_text(140));
}

/// A curve a controller and kind of faults, by error rate; tasks are clusters, since each was played twice.
// covers: CYC-086
#[test]
fn curves_of_noise_take_tasks_together() {
    let cycles = sweep(&ENVIRONMENTS[..1]);
    let curves = noise_curves(&cycles, 0.95);
    let names: Vec<(&str, bool)> = curves.iter().map(|curve| (curve.name.as_str(), curve.faults.is_empty())).collect();
    let four = ["ReAct", "DepDAG", "Spec-Cyc", "Gen-Cyc"];
    assert_eq!(names, four.iter().flat_map(|name| [(*name, true), (*name, false)]).collect::<Vec<_>>());
    for curve in &curves {
        let errors: Vec<f64> = curve.points.iter().map(|point| point.error).collect();
        assert_eq!(errors, [0.0, 0.3, 0.6]);
    }
    let list = &curves[2].points;
    assert_eq!(list.iter().map(|point| point.success.count).collect::<Vec<_>>(), [12, 8, 4]);
    let half = &list[1].success;
    assert_eq!((half.of, half.clusters), (16, Some(8)), "two runs of a task are no two tasks");
    // Both runs of a task end alike: the sixteen are worth seven (8 - 1 of the sample's variance), and t has 7 degrees.
    let alone = gimbal_analysis::Proportion::new(8, 16, 0.95).unwrap();
    assert!(half.interval.width() > 1.3 * alone.interval.width(), "{half:?}");
    let calls = list[1].calls.unwrap();
    assert_eq!((calls.mean, calls.clusters), (4.0 + 3.0 + 1.5, Some(4)), "tasks 0 to 3 were won");
    // A cell whose roles differ in their rates, or have none, is in no curve.
    assert!(noise_curves(&study(&ENVIRONMENTS[..1], |_| true), 0.95).is_empty());
    let table = shown("cyc-noise", &cycles);
    assert_eq!(table.rows.len(), 24);
    insta::assert_snapshot!("cyc-noise", table.to_text(140));
}

/// One agent is as good as graphs while its player errs little; the list loses. By rule the advice to take a list or one
/// agent holds for the first that was played, and that to take a complete graph is not told apart from one agent.
// covers: CYC-091
#[test]
fn advice_is_checked_against_what_was_found() {
    use gimbal_cyc::cyclic::advise::Controller;
    use gimbal_cyc::cyclic::check::{Verdict, check};
    let cycles = sweep(&ENVIRONMENTS[..1]);
    let found = check(&[Controller::StaticDag], &cycles, "textcraft", 0.95);
    assert_eq!(found.iter().map(|one| one.faults.as_str()).collect::<Vec<_>>(), ["", "diversion 50%"]);
    assert!(found.iter().all(|one| one.verdict == Verdict::Disagrees), "{found:?}");
    assert!((found[0].confidence - 0.975).abs() < 1e-12, "two comparisons share the error");
    let names: Vec<(Controller, bool)> =
        found[0].measured.iter().map(|one| (one.controller, one.recommended)).collect();
    let (react, dag, graph) = (Controller::React, Controller::StaticDag, Controller::CompleteCyclic);
    assert_eq!(names, [(react, false), (dag, true), (graph, false)]);
    let both = &found[0].measured[2];
    assert_eq!(both.configurations, ["spec", "gen"]);
    assert_eq!((both.success.of, both.success.clusters), (96, Some(8)), "the same tasks, whoever plays them");
    let agent = &found[0].against[0];
    // Of eight tasks the list won 6, 4 and 2 by error rate: it trails by a half on the whole.
    assert_eq!((agent.other, agent.pairs, agent.success_mean), (react, 48, -0.5));
    let first = check(&[react, dag], &cycles, "textcraft", 0.95);
    assert_eq!((first[0].judged, first[0].against.len()), (Some(react), 1), "who is recommended too is no rival");
    assert_ne!(first[0].verdict, Verdict::Disagrees);
    // The list is recommended too, and loses to the graph: that is not a plain agreement.
    assert_ne!(first[0].verdict, Verdict::Agrees);
    let also = "Of the other recommended controllers static-dag won less than complete-cyclic";
    assert!(first[0].sentence.contains(also), "{}", first[0].sentence);
    let gated = check(&[Controller::GatedWorkflow], &cycles, "textcraft", 0.95);
    assert_eq!(gated[0].verdict, Verdict::NotPlayed);
    assert_eq!(gated[0].sentence, "Not played: the run has no gated-workflow here.");
    assert!(check(&[react], &cycles, "alfworld", 0.95).is_empty(), "another environment");
}

/// Single controls, cells without episodes, other architectures: gaps, and nothing else.
#[test]
fn what_a_run_lacks_is_a_gap() {
    for keep in ["react", "dag", "spec", "gen diverted"] {
        let cycles = study(&ENVIRONMENTS, |plan| plan.name == keep);
        for (key, _) in all() {
            let table = table(key, &cycles).unwrap();
            assert!(!table.rows.is_empty() || !table.notes.is_empty(), "{key} of {keep}");
        }
    }
    let plan = plans(ENVIRONMENTS[0])[4];
    let empty = small(&plan, Vec::new());
    assert_eq!(empty.cells[0].condition.control, Control::Cyclic, "no episode says where its graph came from");
    let overall = shown("cyc-2", &empty);
    assert!(overall.rows.is_empty() && overall.notes[0].starts_with("No cell"));
    let other = Plan { architecture: "hierarchy", name: "hier", ..plan };
    let cycles = small(&other, vec![walk(&other, "a", 0, true, 3, 10, 2)]);
    for (key, _) in all().filter(|(key, _)| !["cyc-1", "cyc-4", "cyc-5"].contains(key)) {
        assert!(table(key, &cycles).unwrap().rows.is_empty(), "{key}");
    }
    assert_eq!(table("cyc-99", &cycles), None);
}

/// A complete graph and what was distilled from it stand for the same by role and model: their configuration tells them
/// apart, and each cell with faults is compared with its own.
// covers: CYC-063
#[test]
fn cells_that_stand_for_the_same_are_told_apart_by_configuration() {
    let plans = plans(ENVIRONMENTS[0]);
    let whole = plans[4];
    let sparse = Plan { name: "sparse", ..whole };
    let [faulted, other] = [whole, sparse].map(|plan| Plan { fault: 50, ..plan });
    let all = [whole, sparse, faulted, other];
    let cell = |place: usize, plan: &Plan| gimbal_analysis::CellInfo { id: place.to_string(), ..info(plan) };
    let setup = Setup { architecture: "cyclic".to_owned(), specialists: Some(false), ..Setup::default() };
    let mut fold = Fold::new(all.iter().enumerate().map(|(place, plan)| (cell(place, plan), setup.clone())).collect());
    let graphs = vec![made::graph("0123456789ab", "artefact", "complete", 3, false)];
    for (place, won) in [4_u32, 2, 3, 1].into_iter().enumerate() {
        for task in 0..4 {
            let walk = walk(&all[place], &task.to_string(), 0, task < won, 5, 10, 1);
            fold.add(&Trajectory { cell: place.to_string(), graphs: graphs.clone(), ..walk });
        }
    }
    let cycles = fold.finish();
    let board = Board::new(cycles.clone());
    assert!(board.is_ambiguous());
    let names: Vec<String> = board.entries().map(|entry| board.name(entry)).collect();
    assert_eq!(names, ["4o-mini: gen", "4o-mini: sparse", "4o-mini: gen", "4o-mini: sparse"]);
    let kept = shown("cyc-3", &cycles);
    assert!(kept.to_text(140).contains("sparse"));
    let srr = |name: &str| value(&kept, &[&format!("{name} | diversion 50%")], "srr");
    assert_eq!((srr("gen"), srr("sparse")), (0.75, 0.5), "3 of 4 and 1 of 2");
    assert!(!Board::new(study(&ENVIRONMENTS[..1], |_| true)).is_ambiguous());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// The order in which episodes are read decides nothing.
    #[test]
    fn the_order_of_reading_decides_nothing(seed in any::<u64>(), turn in 0..40_usize) {
        let plan = plans(ENVIRONMENTS[0])[4];
        let mut generator = gimbal_analysis::Generator::new(seed);
        let mut walks: Vec<Trajectory> =
            (0..20).map(|place| episode(&plan, place % 5, place / 5, &mut generator)).collect();
        let first = small(&plan, walks.clone());
        let count = walks.len();
        walks.rotate_left(turn % count);
        walks.reverse();
        prop_assert_eq!(first, small(&plan, walks));
    }
}

/// One agent routes nothing, so that a plan has it once: under diverted decisions its cells without faults stand for it.
// covers: CYC-091
#[test]
fn the_agent_that_is_not_diverted_is_compared_all_the_same() {
    use gimbal_cyc::cyclic::advise::Controller;
    use gimbal_cyc::cyclic::check::check;
    let mut cycles = sweep(&ENVIRONMENTS[..1]);
    let against = |cycles: &Cycles| {
        let found = check(&[Controller::StaticDag], cycles, "textcraft", 0.95);
        found[1].against.iter().map(|other| (other.other, other.pairs)).collect::<Vec<_>>()
    };
    let before = against(&cycles);
    cycles.cells.retain(|cell| cell.condition.control != Control::React || cell.condition.faults.is_empty());
    assert_eq!(against(&cycles), before);
    assert!(before.contains(&(Controller::React, 48)), "{before:?}");
}

/// Which part a task belongs to is what the environment says of it, and no part of its name.
// covers: CYC-041, CYC-101
#[test]
fn tasks_are_counted_by_the_part_that_the_environment_names() {
    let plan = plans("textcraft").remove(1);
    let part = |place: u32, name: &str, size: u32| TaskPart {
        place,
        set: "depth 2".to_owned(),
        name: name.to_owned(),
        train: name == "train",
        size,
    };
    let parts = [Some(part(1, "test 1", 45)), Some(part(0, "train", 88)), Some(part(1, "test 1", 45)), None];
    let walks = ["lectern", "cyan_banner", "oak_boat", "418"].into_iter().zip(parts);
    let walks = walks.map(|(task, part)| Trajectory { part, ..walk(&plan, task, 0, true, 3, 10, 2) });
    let table = shown("cyc-5", &small(&plan, walks.collect()));
    let at = |key: &str| table.columns.iter().position(|column| column.key == key).unwrap();
    let rows: Vec<[String; 4]> = (0..table.rows.len())
        .map(|row| ["set", "part", "size", "tasks"].map(|key| table.shown(row, at(key))))
        .collect();
    assert_eq!(
        rows,
        [["depth 2", "train", "88", "1"], ["depth 2", "test 1", "45", "2"], ["–", "–", "–", "1"]]
            .map(|row| row.map(str::to_owned))
    );
    assert!(table.notes[0].contains("no part"), "{:?}", table.notes);
}

/// A decision that is none after the repair was none before it.
// covers: CYC-015
#[test]
fn what_was_repaired_in_vain_was_repaired() {
    let plan = plans("textcraft").remove(3);
    let mut walk = walk(&plan, "lectern", 0, false, 3, 10, 2);
    let routed = |valid: bool, repaired: bool| Some(Routed { valid, repaired, ..Routed::default() });
    let decisions = [routed(true, false), routed(true, true), routed(false, true), routed(false, false)];
    walk.segments = decisions.map(|routed| Segment { routed, ..Segment::default() }).to_vec();
    let cycles = small(&plan, vec![walk]);
    assert_eq!((cycles.cells[0].records[0].repaired, cycles.cells[0].records[0].hallucinations), (3, 2));
}
