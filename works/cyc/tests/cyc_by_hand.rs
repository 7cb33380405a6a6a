//! The eighteen tables of cyclic control on a few rows whose every number is worked out by hand.
//!
//! Two crafting tasks, `a` and `b`, twice each. A walk is written as the subtasks it went through, a letter each: the last
//! segment is followed by no decision and is not a visit.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::work_folds::TaskPart;
use gimbal_analysis::{Cell, CellDecoding, CellInfo, Kind, RoleModel, Stop, Table, Thresholds};
use gimbal_cyc::cyclic::{
    Cycles, Fold, Graph, GraphEdge, GraphNode, Planned, Routed, Segment, Setup, Spend, Trajectory,
};
use support::table;

const CRAFT: &str = "textcraft";

/// A cell: environment, name, architecture, source of its graphs, model of all roles, specialists, faults.
#[derive(Clone, Copy)]
struct Made(&'static str, &'static str, &'static str, &'static str, &'static str, bool, bool);

const REACT: Made = Made(CRAFT, "react", "react", "", "m/small", false, false);
const LIST: Made = Made(CRAFT, "list", "dag", "planner", "m/small", false, false);
const SPEC: Made = Made(CRAFT, "spec", "cyclic", "planner", "m/small", false, false);
const LARGE: Made = Made(CRAFT, "large", "cyclic", "planner", "m/large", false, false);
const GEN: Made = Made(CRAFT, "gen", "cyclic", "family", "m/small", false, false);
const SPECIALISTS: Made = Made(CRAFT, "specialists", "cyclic", "family", "m/small", true, false);
const SPEC_FAULT: Made = Made(CRAFT, "spec-fault", "cyclic", "planner", "m/small", false, true);
const GEN_FAULT: Made = Made(CRAFT, "gen-fault", "cyclic", "family", "m/small", false, true);
const SPECIALISTS_FAULT: Made = Made(CRAFT, "specialists-fault", "cyclic", "family", "m/small", true, true);
const HOUSE: Made = Made("alfworld", "house", "react", "", "m/small", false, false);
const FILINGS: Made = Made("finance_agent", "filings", "react", "", "m/small", false, false);

impl Made {
    fn info(&self) -> CellInfo {
        let Made(environment, name, architecture, _, model, _, faults) = *self;
        let roles: &[&str] = if architecture == "react" { &["default"] } else { &["planner", "executor", "router"] };
        CellInfo {
            id: name.to_owned(),
            environment: environment.to_owned(),
            configuration: name.to_owned(),
            axis: None,
            models: roles.iter().map(|role| RoleModel { role: (*role).to_owned(), model: model.to_owned() }).collect(),
            decoding: CellDecoding::Free,
            kind: Kind::Remote,
            plumbing: None,
            planned: 4,
            thresholds: Thresholds::default(),
            faults: if faults { "diverted".to_owned() } else { String::new() },
            simulator: false,
            acts_by_messages: false,
        }
    }

    fn setup(&self) -> Setup {
        let Made(_, _, architecture, source, _, specialists, _) = *self;
        Setup {
            architecture: architecture.to_owned(),
            source: (!source.is_empty()).then(|| source.to_owned()),
            specialists: Some(specialists),
            ..Setup::default()
        }
    }

    /// An episode: task and run, whether it was won, tool calls, tokens, and its walk.
    fn episode(&self, (task, run): (&str, u32), won: bool, calls: u32, tokens: u64, path: &str) -> Trajectory {
        let names: Vec<String> = path.chars().map(String::from).collect();
        let segment = |(at, node): (usize, &String)| Segment {
            index: at as u32,
            node: node.clone(),
            routed: names.get(at + 1).map(|to| Routed {
                wanted: to.clone(),
                to: to.clone(),
                valid: true,
                ..Routed::default()
            }),
            ..Segment::default()
        };
        Trajectory {
            cell: self.1.to_owned(),
            environment: self.0.to_owned(),
            task: task.to_owned(),
            run,
            won,
            stop: if won { Stop::Solved } else { Stop::Horizon },
            tool_calls: calls,
            spent: Spend { calls: 2, input: tokens - 10, output: 10 },
            segments: names.iter().enumerate().map(segment).collect(),
            ..Trajectory::default()
        }
    }
}

/// A complete graph of these subtasks, with criteria of so many words.
fn graph(id: &str, source: &str, names: &str, words: usize) -> Graph {
    let nodes = || names.chars().map(String::from);
    let edge = |from: &String, to: String| GraphEdge { from: from.clone(), to, criterion: vec!["so"; words].join(" ") };
    Graph {
        id: id.to_owned(),
        source: source.to_owned(),
        entry: names[..1].to_owned(),
        nodes: nodes().map(|name| GraphNode { name, ..GraphNode::default() }).collect(),
        edges: nodes()
            .flat_map(|from| nodes().map(move |to| (from.clone(), to)))
            .map(|(from, to)| edge(&from, to))
            .collect(),
        ways: "complete".to_owned(),
        ..Graph::default()
    }
}

/// Of a made-up split: task `a` is for training, `b` for testing.
fn crafting(task: &str) -> TaskPart {
    let (place, name, size) = if task == "a" { (0, "train", 88) } else { (1, "test 1", 45) };
    TaskPart { place, set: "depth 2".to_owned(), name: name.to_owned(), train: task == "a", size }
}

const A0: (&str, u32) = ("a", 0);
const A1: (&str, u32) = ("a", 1);
const B0: (&str, u32) = ("b", 0);
const B1: (&str, u32) = ("b", 1);

/// Every episode of the study.
fn walks() -> Vec<Trajectory> {
    let mut all = vec![
        REACT.episode(A0, true, 2, 50, ""),
        REACT.episode(A1, true, 4, 70, ""),
        REACT.episode(B0, false, 30, 400, ""),
        REACT.episode(B1, true, 6, 90, ""),
        LIST.episode(A0, true, 10, 120, "AB"),
        LIST.episode(A1, false, 20, 220, "AB"),
        LIST.episode(B0, false, 20, 220, "AB"),
        LIST.episode(B1, false, 20, 220, "AB"),
    ];
    // A graph a task: two subtasks and criteria of 4 words for `a`, three and 6 for `b`.
    let planned = |walk: Trajectory, graph: Graph, valid: bool| Trajectory {
        graphs: vec![graph],
        planned: Some(Planned { attempts: 1, valid }),
        ..walk
    };
    let (of_a, of_b) = (graph("ga", "planner", "AB", 4), graph("gb", "planner", "ABC", 6));
    all.extend([
        planned(SPEC.episode(A0, true, 4, 100, "AAB"), of_a.clone(), true),
        planned(SPEC.episode(A1, true, 6, 140, "AB"), of_a.clone(), true),
        planned(SPEC.episode(B0, true, 8, 240, "ABCB"), of_b.clone(), true),
        planned(SPEC.episode(B1, false, 20, 500, "ABABA"), of_b.clone(), true),
        planned(LARGE.episode(A0, true, 5, 200, "AAAA"), graph("gl", "fallback", "ABCD", 8), false),
        planned(SPEC_FAULT.episode(A0, true, 9, 100, "AB"), of_a.clone(), true),
        planned(SPEC_FAULT.episode(A1, false, 20, 100, "AB"), of_a, true),
        planned(SPEC_FAULT.episode(B0, false, 20, 100, "AB"), of_b.clone(), true),
        planned(SPEC_FAULT.episode(B1, true, 15, 100, "AB"), of_b, true),
    ]);
    // One graph for all: three subtasks and criteria of 5 words; that of the specialists two and 7.
    let given = |walk: Trajectory, graph: &Graph| Trajectory { graphs: vec![graph.clone()], ..walk };
    let (whole, parts) = (graph("g", "family", "ABC", 5), graph("h", "family", "AB", 7));
    all.extend(
        [
            GEN.episode(A0, true, 3, 90, "AB"),
            GEN.episode(A1, true, 5, 110, "AAAB"),
            GEN.episode(B0, true, 4, 100, "A"),
            GEN.episode(B1, true, 8, 300, "ACA"),
            GEN_FAULT.episode(A0, true, 6, 90, "AB"),
            GEN_FAULT.episode(A1, true, 8, 90, "AB"),
            GEN_FAULT.episode(B0, true, 7, 90, "AB"),
            GEN_FAULT.episode(B1, false, 20, 90, "AB"),
        ]
        .map(|walk| given(walk, &whole)),
    );
    all.extend(
        [
            SPECIALISTS.episode(A0, true, 10, 200, "ABA"),
            SPECIALISTS.episode(A1, false, 12, 200, "AA"),
            SPECIALISTS.episode(B0, false, 12, 200, "AB"),
            SPECIALISTS.episode(B1, false, 12, 200, "AA"),
            SPECIALISTS_FAULT.episode(A0, true, 11, 200, "AB"),
            SPECIALISTS_FAULT.episode(A1, true, 13, 200, "AB"),
            SPECIALISTS_FAULT.episode(B0, false, 20, 200, "AB"),
            SPECIALISTS_FAULT.episode(B1, false, 20, 200, "AB"),
        ]
        .map(|walk| given(walk, &parts)),
    );
    for walk in &mut all {
        walk.part = Some(crafting(&walk.task));
    }
    let of = |place, set: &str, name: &str, train, size| {
        Some(TaskPart { place, set: set.to_owned(), name: name.to_owned(), train, size })
    };
    let house = |task: &str, run, won, part| Trajectory { part, ..HOUSE.episode((task, run), won, 5, 50, "") };
    all.extend([
        house("egg", 0, true, of(1, "unseen", "test", false, 134)),
        house("egg", 1, false, of(1, "unseen", "test", false, 134)),
        house("mug", 0, true, of(0, "train", "train", true, 3553)),
    ]);
    let filing = |task: &str, won| Trajectory {
        part: of(0, "public", "test", false, 35),
        ..FILINGS.episode((task, 0), won, 5, 50, "")
    };
    all.extend([filing("q1", true), filing("q2", false)]);
    all
}

fn study() -> Cycles {
    let cells = [REACT, LIST, SPEC, LARGE, GEN, SPECIALISTS, SPEC_FAULT, GEN_FAULT, SPECIALISTS_FAULT, HOUSE, FILINGS];
    let mut fold = Fold::new(cells.iter().map(|cell| (cell.info(), cell.setup())).collect());
    walks().iter().for_each(|walk| fold.add(walk));
    fold.finish()
}

/// A table, to be read by the words that a row holds and the key of a column.
struct Read(Table);

impl Read {
    fn of(number: u32) -> Self {
        Self(table(&format!("cyc-{number}"), &study()).unwrap())
    }

    fn cell(&self, words: &[&str], key: &str) -> &Cell {
        let column = self.0.columns.iter().position(|column| column.key == key).unwrap_or_else(|| panic!("{key}"));
        let holds = |row: &&Vec<Cell>| words.iter().all(|word| row.contains(&Cell::Text((*word).to_owned())));
        let rows: Vec<&Vec<Cell>> = self.0.rows.iter().filter(holds).collect();
        assert_eq!(rows.len(), 1, "{words:?}: {}", self.0.to_text(200));
        &rows[0][column]
    }

    /// The row that holds these words has these numbers, to four digits; NaN means none.
    fn row(&self, words: &[&str], numbers: &[(&str, f64)]) {
        for (key, expected) in numbers {
            let found = match self.cell(words, key) {
                Cell::Number(value) | Cell::Share(value) => *value,
                Cell::Integer(value) => *value as f64,
                Cell::Empty => f64::NAN,
                other => panic!("{words:?} {key}: {other:?}"),
            };
            let same = (found.is_nan() && expected.is_nan()) || (found - expected).abs() < 5e-4;
            assert!(same, "{} {words:?} {key}: {found}, by hand {expected}", self.0.key);
        }
    }

    /// The same of columns that hold a least and a most.
    fn range(&self, words: &[&str], ranges: &[(&str, f64, f64)]) {
        for (key, low, high) in ranges {
            assert_eq!(self.cell(words, key), &Cell::Interval(*low, *high), "{} {words:?} {key}", self.0.key);
        }
    }

    fn texts(&self, key: &str) -> Vec<String> {
        let column = self.0.columns.iter().position(|column| column.key == key).unwrap();
        (0..self.0.rows.len()).map(|row| self.0.shown(row, column)).collect()
    }
}

/// The work's matrix, row by row: a chain of prerequisites wants one agent or a list; recovery a complete graph or a machine;
/// evidence a gate; what is mixed a complete graph first and then a sparse one.
// covers: CYC-091, CYC-101
#[test]
fn table_1_recommends_what_the_work_recommends() {
    let table = Read::of(1);
    assert_eq!(
        table.texts("recommended"),
        ["react, static-dag", "complete-cyclic, state-machine", "gated-workflow", "complete-cyclic, sparse-cyclic"]
    );
    assert_eq!(table.texts("density"), ["high", "moderate", "moderate", "moderate"]);
    assert_eq!(table.texts("uncertainty"), ["low", "high", "high", "moderate"]);
    assert_eq!(table.texts("observability"), ["high", "low", "low", "moderate"]);
    assert_eq!(table.texts("repair"), ["local", "backtracking", "evidence", "mixed"]);
}

/// Rates by run. ReAct: 1 of 2, then 2 of 2: 50 and 100. List: 50, 0. Spec-Cyc: 100, 50. Gen-Cyc: 100, 100. The sample SD of
/// two values is their distance over the root of 2.
// covers: CYC-052, CYC-060, CYC-101
#[test]
fn table_2_sets_the_four_controls_side_by_side() {
    let table = Read::of(2);
    table.row(
        &[CRAFT, "small"],
        &[
            ("react.sr", 75.0),
            ("react.sr.population_sd", 25.0),
            ("react.sr.sample_sd", 35.3553),
            ("react.tc", 4.0),                  // 2, 4, 6
            ("react.tc.population_sd", 1.6330), // root of 8/3
            ("react.tc.sample_sd", 2.0),
            ("react.str", 18.75), // 75 / 4
            ("dag.sr", 25.0),
            ("dag.tc", 10.0),
            ("dag.tc.population_sd", 0.0),
            ("dag.tc.sample_sd", f64::NAN), // of one value there is none
            ("dag.str", 2.5),
            ("spec.sr", 75.0),
            ("spec.tc", 6.0), // 4, 6, 8
            ("spec.str", 12.5),
            ("gen.sr", 100.0),
            ("gen.sr.population_sd", 0.0),
            ("gen.tc", 5.0),                  // 3, 5, 4, 8
            ("gen.tc.population_sd", 1.8708), // root of 14/4
            ("gen.tc.sample_sd", 2.1602),     // root of 14/3
            ("gen.str", 20.0),
        ],
    );
    // Of the larger model one cell was played, and its planner gave no graph.
    table.row(&[CRAFT, "large"], &[("spec.sr", 100.0), ("spec.tc", 5.0), ("spec.str", 20.0), ("gen.sr", f64::NAN)]);
    assert_eq!(table.cell(&[CRAFT, "large"], "unplanned"), &Cell::text("Spec-Cyc: 1 of 1"));
}

/// With faults Spec-Cyc wins 1 of 2 in both runs, with 9 and 15 calls; Gen-Cyc 2 of 2 and 1 of 2, with 6, 8 and 7 calls.
// covers: CYC-063, CYC-101
#[test]
fn table_3_says_what_faults_leave() {
    let table = Read::of(3);
    assert_eq!(table.0.rows.len(), 2, "generalists alone");
    table.row(&["Spec-Cyc"], &[("srr", 0.6667), ("more_calls", 6.0)]); // 50 / 75; 12 - 6
    table.row(&["Gen-Cyc"], &[("srr", 0.75), ("more_calls", 2.0)]); // 75 / 100; 7 - 5
}

/// Nine cells of crafting: eight of four episodes, one of one.
// covers: CYC-040, CYC-101
#[test]
fn table_4_counts_what_was_played() {
    let table = Read::of(4);
    let counts = |words: &[&str], numbers: [f64; 6]| {
        let keys = ["tasks", "runs", "cells", "planned", "episodes", "won"];
        table.row(words, &keys.into_iter().zip(numbers).collect::<Vec<_>>());
    };
    // 3 + 1 + 3 + 1 + 4 + 1 won without faults, 2 + 3 + 2 with them.
    counts(&[CRAFT], [2.0, 2.0, 9.0, 36.0, 33.0, 20.0]);
    counts(&["alfworld"], [2.0, 2.0, 1.0, 4.0, 3.0, 2.0]);
    counts(&["finance_agent"], [2.0, 1.0, 1.0, 4.0, 2.0, 1.0]);
}

/// Task `a` is for training: 8 x 2 episodes and the one of the larger model. Won: ReAct 2, list 1, Spec-Cyc 2, larger 1,
/// Gen-Cyc 2, specialists 1; with faults 1, 2, 2. Of `b`: 1, 0, 1, 0, 2, 0; 1, 1, 0.
// covers: CYC-041, CYC-101
#[test]
fn tables_5_to_7_count_tasks_by_their_part() {
    let keys = ["size", "tasks", "runs", "episodes", "won"];
    let part = |table: &Read, words: &[&str], numbers: [f64; 5]| {
        table.row(words, &keys.into_iter().zip(numbers).collect::<Vec<_>>());
    };
    let crafting = Read::of(5);
    part(&crafting, &["depth 2", "train"], [88.0, 1.0, 2.0, 17.0, 14.0]);
    part(&crafting, &["depth 2", "test 1"], [45.0, 1.0, 2.0, 16.0, 6.0]);
    assert_eq!(crafting.0.rows.len(), 2, "no other benchmark");
    let household = Read::of(6);
    assert_eq!(household.texts("set"), ["train", "unseen"]);
    part(&household, &["unseen"], [134.0, 1.0, 2.0, 2.0, 1.0]);
    part(&household, &["train"], [3553.0, 1.0, 1.0, 1.0, 1.0]);
    let finance = Read::of(7);
    part(&finance, &["public"], [35.0, 2.0, 1.0, 2.0, 1.0]);
    assert_eq!(finance.0.rows.len(), 1);
}

/// ReAct won a twice (50 and 70 tokens) and b once (90). Spec-Cyc won a twice (100, 140) and the other b (240), so that both
/// won a alone: 60 against 120. Gen-Cyc won all four (90, 110, 100, 300), three of them with ReAct: 70 against 500/3.
// covers: CYC-066, CYC-101
#[test]
fn table_8_compares_tokens_of_what_both_won() {
    let table = Read::of(8);
    let row = |words: &[&str], numbers: [f64; 6]| {
        let keys = ["agent_episodes", "cyclic_episodes", "agent_tokens", "cyclic_tokens", "excess", "percent"];
        table.row(words, &keys.into_iter().zip(numbers).collect::<Vec<_>>());
    };
    row(&["Spec-Cyc", "spec", "shared wins"], [2.0, 2.0, 60.0, 120.0, 60.0, 100.0]);
    row(&["Spec-Cyc", "spec", "all wins"], [3.0, 3.0, 70.0, 160.0, 90.0, 128.5714]);
    row(&["Gen-Cyc", "generalist", "shared wins"], [3.0, 3.0, 70.0, 166.6667, 96.6667, 138.0952]);
    row(&["Gen-Cyc", "generalist", "all wins"], [3.0, 4.0, 70.0, 150.0, 80.0, 114.2857]);
    row(&["DepDAG", "shared wins"], [1.0, 1.0, 50.0, 120.0, 70.0, 140.0]);
}

/// Won walks of Spec-Cyc: AAB visits A twice (2 visits, 1 subtask, 1 revisit), AB once, ABCB three subtasks once each.
// covers: CYC-060, CYC-061, CYC-081, CYC-101
#[test]
fn tables_9_and_10_measure_won_episodes_of_each_graph() {
    let table = Read::of(9);
    assert_eq!(table.0.rows.len(), 3, "generalists without faults");
    table.row(
        &["Spec-Cyc", "small"],
        &[
            ("sr", 75.0),
            ("sr.population_sd", 25.0),
            ("tc", 6.0),
            ("str", 12.5),
            ("ats", 2.0),                  // 2, 1, 3
            ("ats.population_sd", 0.8165), // root of 2/3
            ("ats.sample_sd", 1.0),
            ("aus", 1.6667), // 1, 1, 3
            ("asr", 0.3333), // 1, 0, 0
        ],
    );
    // AB, AAAB, A, ACA: 1, 3, 0, 2 visits of 1, 1, 0, 2 subtasks.
    table.row(&["Gen-Cyc"], &[("sr", 100.0), ("ats", 1.5), ("aus", 1.0), ("asr", 0.5)]);
    table.row(&["Spec-Cyc", "m/large"], &[("ats", 3.0), ("aus", 1.0), ("asr", 2.0)]);
    let table = Read::of(10);
    assert_eq!(table.0.rows.len(), 1);
    // One of four was won, ABA: two visits of two subtasks.
    let numbers = [("sr", 25.0), ("tc", 10.0), ("str", 2.5), ("ats", 2.0), ("aus", 2.0), ("asr", 0.0)];
    table.row(&["Gen-Cyc", "specialist"], &numbers);
}

// covers: CYC-063, CYC-064, CYC-101
#[test]
fn tables_11_and_12_set_faults_against_none() {
    let table = Read::of(12);
    assert_eq!(table.0.rows.len(), 2);
    table.row(
        &["Spec-Cyc"],
        &[
            ("sr_nominal", 75.0),
            ("tc_nominal", 6.0),
            ("sr_faulted", 50.0),
            ("sr_faulted.population_sd", 0.0), // one of two in either run
            ("tc_faulted", 12.0),
            ("tc_faulted.population_sd", 3.0), // 9, 15
            ("change_sr", -25.0),
            ("change_tc", 6.0),
            ("relative", 33.3333), // 25 of 75
        ],
    );
    let numbers = [("sr_faulted", 75.0), ("change_sr", -25.0), ("change_tc", 2.0), ("relative", 25.0)];
    table.row(&["Gen-Cyc"], &numbers);
    let table = Read::of(11);
    assert_eq!(table.0.rows.len(), 1);
    // Specialists happened to win more with faults: 50 after 25, with 11 and 13 calls after 10.
    let numbers =
        [("sr_nominal", 25.0), ("sr_faulted", 50.0), ("change_sr", 25.0), ("change_tc", 2.0), ("relative", 100.0)];
    table.row(&["Gen-Cyc", "specialist"], &numbers);
}

/// Spec-Cyc took AA, AB (graph of `a`) and AB, BC, CB, BA (graph of `b`): five pairs of names, BA in the lost episode alone.
// covers: CYC-062, CYC-101, CYC-R03
#[test]
fn tables_13_and_14_count_unique_transitions() {
    let keys = ["ut_all", "ut_won", "ut_never", "graphs", "nodes", "square", "ut_one", "ut_by_graph"];
    let row = |table: &Read, words: &[&str], numbers: [f64; 8]| {
        table.row(words, &keys.into_iter().zip(numbers).collect::<Vec<_>>());
    };
    let table = Read::of(13);
    row(&table, &["Spec-Cyc", "small"], [5.0, 4.0, 1.0, 2.0, 3.0, 9.0, 4.0, 6.0]);
    row(&table, &["Gen-Cyc"], [4.0, 4.0, 0.0, 1.0, 3.0, 9.0, 4.0, 4.0]); // AB, AA, AC, CA
    let table = Read::of(14);
    row(&table, &["Gen-Cyc", "specialist"], [3.0, 2.0, 1.0, 1.0, 2.0, 4.0, 3.0, 3.0]); // AB, BA; AA was lost
}

/// Least and most of the cells' means. Graphs of Spec-Cyc: 2, 2, 3, 3 subtasks with criteria of 4, 4, 6, 6 words; of the
/// larger model 4 with 8. Gen-Cyc: 3 with 5, specialists 2 with 7.
// covers: CYC-024, CYC-101
#[test]
fn tables_15_and_17_give_the_sizes_of_graphs() {
    let table = Read::of(15);
    table.row(&[CRAFT], &[("configurations", 2.0), ("planned", 0.0), ("given_up", 0.0)]);
    table.range(&[CRAFT], &[("nodes", 2.0, 3.0), ("words", 5.0, 7.0)]);
    let table = Read::of(17);
    table.row(&[CRAFT], &[("configurations", 2.0), ("planned", 4.0), ("given_up", 1.0)]);
    table.range(&[CRAFT], &[("nodes", 2.5, 4.0), ("words", 5.0, 8.0)]);
}

/// All episodes, won or lost. Gen-Cyc: AAAB stays twice, so 2 of 4; it moves 1, 1, 0, 2 times. Specialists: AA twice, so 2 of
/// 4; ABA and AB move 3 times. Spec-Cyc stays once and moves 1, 1, 3, 4 times; the larger model stays three times.
// covers: CYC-065, CYC-101
#[test]
fn tables_16_and_18_give_self_loops_and_moves() {
    Read::of(16).range(&[CRAFT], &[("self_loops", 0.5, 0.5), ("moves", 0.75, 1.0)]);
    Read::of(18).range(&[CRAFT], &[("self_loops", 0.25, 3.0), ("moves", 0.0, 2.25)]);
}
