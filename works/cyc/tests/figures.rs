//! The figures of cyclic control: complete, inside their frames, the same bytes for the same rows, honest about gaps.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::drawn;
use crate::made as cyclic;
use crate::support;

use self::drawn::drawing::{UNWRITTEN, check, wrong};
use cyclic::{Plan, episode, graph, info, plans, study, sweep};
use gimbal_analysis::Generator;
use gimbal_cyc::Cyc;
use gimbal_cyc::cyclic::{
    Act, Control, Cycles, Effect, Fold, Graph, GraphEdge, GraphNode, Routed, Segment, Setup, Trajectory,
};
use gimbal_view::Output;
use proptest::prelude::*;

const ENVIRONMENT: &str = "household unseen";

fn outputs_of(cycles: &Cycles) -> Vec<Output> {
    support::figures(cycles)
}

// covers: CYC-100
#[test]
fn a_whole_study_has_all_eight_figures() {
    let keys: Vec<String> = support::testing::drawings(&Cyc).map(|figure| figure.key.to_owned()).collect();
    let eight = (1..=8).map(|number| format!("cyc-f{number}"));
    assert_eq!(keys, eight.chain(["cyc-noise".to_owned()]).collect::<Vec<_>>());
    let cycles = study(&[ENVIRONMENT], |_| true);
    let outputs = outputs_of(&cycles);
    assert_eq!(outputs.len(), 9);
    assert!(outputs[8].missing.is_some(), "no player has a known error rate");
    for output in &outputs[..8] {
        assert_eq!(output.missing, None, "{}", output.file);
        assert_eq!(output.file, output.key);
    }
    check(&outputs, "whole");
    let svg = |key: &str| &outputs.iter().find(|output| output.key == key).unwrap().figure.svg;
    for name in ["Locate", "Take", "Clean", "Place"] {
        assert!(svg("cyc-f1").contains(name), "{name}");
    }
    let visited = ["Locate", "Take", "Clean", "Place"].iter().filter(|name| svg("cyc-f5").contains(**name)).count();
    assert!(visited >= 2, "{visited} subtasks are in the trace");
    assert!(svg("cyc-f2").contains("ReAct") && svg("cyc-f2").contains("4o-mini/5-mini/5-mini"));
    assert!(svg("cyc-f5").contains(">won<") && svg("cyc-f6").contains("lost (horizon)"));
    assert_eq!(outputs_of(&study(&[ENVIRONMENT], |_| true)), outputs, "the same rows give the same bytes");
}

/// Single controls and runs without episodes: what is missing is said.
// covers: CYC-100
#[test]
fn what_a_run_lacks_is_said_and_not_filled_in() {
    for (keep, missing) in [("react", 8), ("dag", 6), ("gen", 1), ("spec diverted", 2)] {
        let outputs = outputs_of(&study(&[ENVIRONMENT], |plan| plan.name == keep));
        check(&outputs, keep);
        let said: Vec<&str> =
            outputs.iter().filter(|output| output.missing.is_some()).map(|output| output.key).collect();
        assert!(said.len() >= missing, "{keep}: {said:?}");
    }
    let empty = Fold::new(plans(ENVIRONMENT).iter().map(|plan| (info(plan), Setup::default())).collect()).finish();
    let outputs = outputs_of(&empty);
    assert!(outputs.iter().all(|output| output.missing.is_some()));
    check(&outputs, "empty");
    let two = outputs_of(&study(&[ENVIRONMENT, "crafting depth 2"], |_| true));
    assert_eq!(two.len(), 17, "one drawing an environment, and one of noise for all");
    assert!(two.iter().any(|output| output.file == "cyc-f3-crafting-depth-2"));
    check(&two, "two");
}

/// A column an environment, a row a measure and kind of faults; four environments take two blocks.
// covers: CYC-100
#[test]
fn noise_is_one_drawing_of_all_environments() {
    for environments in
        [&[ENVIRONMENT][..], &[ENVIRONMENT, "crafting depth 2"], &[ENVIRONMENT, "crafting", "finance", "fourth"]]
    {
        let cycles = sweep(environments);
        let outputs = support::figure("cyc-noise", &cycles);
        assert_eq!((outputs.len(), &outputs[0].missing, outputs[0].file.as_str()), (1, &None, "cyc-noise"));
        check(&outputs, "noise");
        let svg = &outputs[0].figure.svg;
        for word in
            environments.iter().chain(&["ReAct", "DepDAG", "Spec-Cyc", "Gen-Cyc", "without faults", "diversion 50%"])
        {
            assert!(svg.contains(word), "{word}");
        }
        // A line a controller, measure and kind of faults in every environment.
        assert_eq!(svg.matches("<path d=\"M").count() % (16 * environments.len()), 0, "{environments:?}");
        assert!(outputs[0].figure.caption.contains("Clusters are tasks and instances"));
    }
}

/// One agent routes nothing, so that a plan has it once: its marks are in the rows of faults too, and the caption says why.
// covers: CYC-100
#[test]
fn noise_shows_the_agent_that_is_not_diverted_in_every_row() {
    let drawing = |cycles: &Cycles| support::figure("cyc-noise", cycles).remove(0).figure;
    let mut cycles = sweep(&[ENVIRONMENT]);
    let lines = |svg: &str| svg.matches("<path d=\"M").count();
    let (before, said) = (drawing(&cycles), "One agent routes nothing");
    assert!(!before.caption.contains(said));
    cycles.cells.retain(|cell| cell.condition.control != Control::React || cell.condition.faults.is_empty());
    let after = drawing(&cycles);
    assert_eq!(lines(&after.svg), lines(&before.svg));
    assert!(after.caption.contains(said), "{}", after.caption);
}

// covers: CYC-100
#[test]
fn small_figures_stay_as_they_are() {
    let outputs = outputs_of(&study(&[ENVIRONMENT], |plan| ["react", "spec", "gen diverted"].contains(&plan.name)));
    for key in ["cyc-f1", "cyc-f3", "cyc-f5"] {
        let output = outputs.iter().find(|output| output.key == key).unwrap();
        insta::assert_snapshot!(key, output.figure.svg);
    }
}

/// A walk over A, B and C with a segment without a call: A and B both ways, A's self-loop never, nothing to or from C.
fn small_walk() -> Trajectory {
    let act = |command: &str| Act {
        tool: "do".to_owned(),
        arguments: format!("{{\"command\":\"{command}\"}}"),
        effect: Effect::New,
    };
    let names = ["A", "B", "C"];
    let edge = |from: &str, to: &str| GraphEdge { from: from.into(), to: to.into(), criterion: "when".into() };
    let graph = Graph {
        id: "0123456789ab".to_owned(),
        source: "family".to_owned(),
        entry: "A".to_owned(),
        nodes: names.map(|name| GraphNode { name: name.to_owned(), ..GraphNode::default() }).to_vec(),
        edges: names.iter().flat_map(|from| names.map(|to| edge(from, to))).collect(),
        ways: "complete".to_owned(),
        planner: String::new(),
        shots: String::new(),
    };
    let segment = |index: u32, node: &str, calls: u32, to: Option<&str>| Segment {
        index,
        node: node.to_owned(),
        calls,
        acts: (0..calls).map(|number| act(&format!("go {index} {number}"))).collect(),
        routed: to.map(|to| Routed { wanted: to.to_owned(), to: to.to_owned(), valid: true, ..Routed::default() }),
        ..Segment::default()
    };
    let segments = vec![
        segment(0, "A", 10, Some("B")),
        segment(1, "B", 0, Some("B")),
        segment(2, "B", 0, Some("A")),
        segment(3, "A", 10, Some("B")),
        segment(4, "B", 6, None),
    ];
    Trajectory {
        won: true,
        tool_calls: 26,
        stop: gimbal_analysis::Stop::Solved,
        graphs: vec![graph],
        segments,
        ..Trajectory::default()
    }
}

/// What was never taken is dashed, self-loops too, and nothing else is; an axis of calls ends at the number of calls.
// covers: CYC-100
#[test]
fn untaken_ways_alone_are_dashed_and_calls_are_counted_by_the_axis() {
    let plan = Plan { ..plans(ENVIRONMENT)[3] };
    let walk = Trajectory { cell: info(&plan).id, environment: ENVIRONMENT.to_owned(), ..small_walk() };
    let setup = Setup { architecture: plan.architecture.to_owned(), ..Setup::default() };
    let mut fold = Fold::new(vec![(info(&plan), setup)]);
    fold.add(&walk);
    let outputs = outputs_of(&fold.finish());
    check(&outputs, "small walk");
    let svg = |key: &str| &outputs.iter().find(|output| output.key == key).unwrap().figure.svg;
    let drawing = svg("cyc-f1");
    let quiet = |tag: &str| {
        let lines = drawing.split('<').filter(|line| line.starts_with(tag) && line.contains("class=\"grid\""));
        lines.filter(|line| line.contains("stroke-dasharray")).count()
    };
    // A-C and B-C were never gone, A-B was both ways; A and C never stayed, B did.
    assert_eq!((quiet("line"), quiet("path")), (2, 2), "{drawing}");
    let trace = svg("cyc-f5");
    assert!(trace.contains(">25</text>") && !trace.contains(">30</text>"), "26 calls: {trace}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Graphs of one node to sixty with strange names, walks of any kind: every figure is whole and inside its frame.
    // covers: CYC-100
    #[test]
    fn every_figure_of_any_walks_is_whole(
        nodes in 1..60_usize,
        seed in any::<u64>(),
        // A node whose whole name is `NaN` would look like a number that was drawn wrongly.
        names in prop::collection::vec("[ -~]{1,60}".prop_filter("reads as a number", |name: &String| {
            !UNWRITTEN.contains(&name.trim_end_matches('%').trim())
        }), 60),
        kind in 0..4_usize,
    ) {
        let plan = Plan { ..plans(ENVIRONMENT)[[3, 4, 6, 8][kind]] };
        let mut generator = Generator::new(seed);
        let setup = Setup { architecture: plan.architecture.to_owned(), ..Setup::default() };
        let mut fold = Fold::new(vec![(info(&plan), setup)]);
        for place in 0..12 {
            let mut walk = episode(&plan, place % 4, place / 4, &mut generator);
            let mut strange = graph("0123456789ab", plan.source, "complete", nodes, plan.specialists);
            for (node, name) in strange.nodes.iter_mut().zip(&names) {
                node.name.clone_from(name);
            }
            for segment in &mut walk.segments {
                segment.node = names[generator.below(nodes as u64) as usize].clone();
                if let Some(routed) = &mut segment.routed {
                    routed.to = names[generator.below(nodes as u64) as usize].clone();
                }
            }
            walk.graphs = vec![strange];
            fold.add(&walk);
        }
        for output in outputs_of(&fold.finish()) {
            let wrong = wrong(&output.figure.svg);
            prop_assert!(wrong.is_none(), "{}: {}", output.file, wrong.unwrap_or_default());
        }
    }
}
