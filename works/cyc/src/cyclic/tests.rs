//! The work's traces in small, and each detector on a walk made for it.

use proptest::prelude::*;

use gimbal_core::Stop;

use super::SegmentStop;
use super::detect::{Finding, LastActs, Signal, findings};
use super::trajectory::{Act, Effect, Graph, GraphNode, Routed, Segment, Trajectory};
use super::{Visits, visits};

fn act(text: &str, effect: Effect) -> Act {
    Act { tool: "do".to_owned(), arguments: serde_json::json!({ "command": text }).to_string(), effect }
}

/// Segments from (node, acts), each routed to the next; the last one ends the episode.
fn walk(won: bool, nodes: &[(&str, &[(&str, Effect)])]) -> Trajectory {
    let segments = nodes.iter().enumerate().map(|(place, (node, acts))| {
        let next = nodes.get(place + 1).map(|next| next.0);
        Segment {
            index: place as u32,
            node: (*node).to_owned(),
            calls: acts.len() as u32,
            ended: if next.is_none() { SegmentStop::Over } else { SegmentStop::Done },
            acts: acts.iter().map(|(text, effect)| act(text, *effect)).collect(),
            routed: next.map(|to| Routed {
                wanted: to.to_owned(),
                to: to.to_owned(),
                valid: true,
                candidates: 3,
                ..Routed::default()
            }),
            ..Segment::default()
        }
    });
    let segments: Vec<Segment> = segments.collect();
    let tool_calls = segments.iter().map(|segment| segment.calls).sum();
    Trajectory {
        won,
        segments,
        tool_calls,
        stop: if won { Stop::Solved } else { Stop::Horizon },
        ..Trajectory::default()
    }
}

fn found(walk: &Trajectory, signal: Signal) -> Vec<(u32, u32)> {
    let all = findings(walk, &LastActs::default());
    all.into_iter().filter(|one| one.signal == signal).map(|Finding { first, last, .. }| (first, last)).collect()
}

use Effect::{Back, New, Nothing, Rejected};

/// PLAN, SEARCH, SEARCH again, EXECUTE with 2, 1, 1 and 3 calls: seven calls, three visits (the last segment is followed
/// by no decision), two different nodes, one revisit, one self-loop.
// covers: CYC-003, CYC-005, CYC-017, CYC-061
#[test]
fn the_toy_trace_is_counted_as_the_work_counts() {
    let toy = walk(
        true,
        &[
            ("PLAN", &[("a", New), ("b", New)]),
            ("SEARCH", &[("c", New)]),
            ("SEARCH", &[("d", New)]),
            ("EXECUTE", &[("e", New), ("f", New), ("g", New)]),
        ],
    );
    let totals: Vec<u32> = toy
        .segments
        .iter()
        .scan(0, |k, segment| {
            *k += segment.calls;
            Some(*k)
        })
        .collect();
    assert_eq!((totals, toy.tool_calls), (vec![2, 3, 4, 7], 7));
    assert_eq!(visits(&toy), Visits { total: 3, unique: 2, self_loops: 1, moves: 2, idle_revisits: 0, revisits: 1 });
    let transitions: Vec<(&str, &str)> = toy.transitions().collect();
    assert_eq!(transitions, [("PLAN", "SEARCH"), ("SEARCH", "SEARCH"), ("SEARCH", "EXECUTE")]);
    assert!(findings(&toy, &LastActs::default()).is_empty());
    // Success within the first segment: nothing was visited.
    assert_eq!(visits(&walk(true, &[("PLAN", &[("a", New)])])), Visits::default());
}

// covers: CYC-094, CYC-099
#[test]
fn cycles_are_told_apart_by_their_length() {
    let idle: &[(&str, Effect)] = &[];
    let of = |names: &str| {
        let nodes: Vec<(&str, &[(&str, Effect)])> = names.split(' ').map(|name| (name, idle)).collect();
        walk(false, &nodes)
    };
    assert_eq!(found(&of("A B A B A"), Signal::Oscillation), [(0, 4)]);
    assert_eq!(found(&of("C A B A B C"), Signal::Oscillation), [(1, 4)]);
    assert!(found(&of("A B A C"), Signal::Oscillation).is_empty());
    assert!(found(&of("A A A A"), Signal::Oscillation).is_empty());
    assert_eq!(found(&of("B A A A B"), Signal::SelfLoops), [(1, 3)]);
    assert!(found(&of("A A B B"), Signal::SelfLoops).is_empty());
    assert_eq!(found(&of("A B C A B C D"), Signal::Cycle), [(0, 5)]);
    assert_eq!(found(&of("A B C D A B C D"), Signal::Cycle), [(0, 7)]);
    assert!(found(&of("A B A B A B"), Signal::Cycle).is_empty(), "an oscillation is no longer cycle");
}

/// The clean egg: taken out, put back; taken, put back; at nodes visited before, without a state that is new.
// covers: CYC-094, CYC-098, CYC-099
#[test]
fn the_clean_egg_oscillates_thrashes_and_drifts() {
    let back: &[(&str, Effect)] = &[
        ("take egg 1 from fridge 1", Back),
        ("move egg 1 to fridge 1", Back),
        ("take egg 1 from fridge 1", Back),
        ("move egg 1 to fridge 1", Back),
    ];
    let egg = walk(
        false,
        &[
            ("LOCATE", &[("open fridge 1", New), ("take egg 1 from fridge 1", New), ("move egg 1 to fridge 1", Back)]),
            ("TAKE", &[("go to microwave 1", New), ("go to fridge 1", Back)]),
            ("PLACE", back),
            ("TAKE", back),
            ("PLACE", back),
        ],
    );
    assert_eq!(found(&egg, Signal::Oscillation), [(1, 4)]);
    assert_eq!(found(&egg, Signal::Thrashing), [(3, 4)]);
    assert_eq!(found(&egg, Signal::Drift), [(2, 2), (3, 3), (4, 4)]);
    assert_eq!(visits(&egg).idle_revisits, 1, "the last segment is no visit");
}

/// A specialist for raw materials asks for what cannot be gathered, and stays.
// covers: CYC-094, CYC-098, CYC-099
#[test]
fn the_polished_granite_specialist_is_in_a_dead_end() {
    let gather: &[(&str, Effect)] = &[("get 1 diorite", Nothing), ("get 1 granite", Nothing), ("get 4 quartz", New)];
    let mut granite = walk(false, &[("GATHER", gather), ("GATHER", gather), ("GATHER", gather), ("GATHER", &[])]);
    let node = |name: &str, tools: &[&str]| GraphNode {
        name: name.to_owned(),
        goal: String::new(),
        tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        suggested: Vec::new(),
    };
    granite.graphs =
        vec![Graph { nodes: vec![node("GATHER", &["get"]), node("CRAFT", &["craft"])], ..Graph::default() }];
    assert_eq!(found(&granite, Signal::DeadEnd), [(0, 2)]);
    assert_eq!(found(&granite, Signal::SelfLoops), [(0, 3)]);
    // The same with all tools at every node is not a dead end.
    granite.graphs[0].nodes = vec![node("GATHER", &[]), node("CRAFT", &[])];
    assert!(found(&granite, Signal::DeadEnd).is_empty());
    // Calls that are all refused are one, in a single segment.
    let mut refused = walk(false, &[("GATHER", &[("craft a", Rejected)]), ("CRAFT", &[("craft a", New)])]);
    refused.graphs =
        vec![Graph { nodes: vec![node("GATHER", &["get"]), node("CRAFT", &["get", "craft"])], ..Graph::default() }];
    assert_eq!(found(&refused, Signal::DeadEnd), [(0, 0)]);
}

/// The generalist: wrong crafts, and the goal tried before its ingredient is there.
// covers: CYC-094, CYC-098, CYC-099
#[test]
fn the_polished_granite_generalist_drifts_and_ends_too_early() {
    let mut generalist = walk(
        false,
        &[
            ("IDENTIFY", &[("craft 4 polished granite using 4 granite", Nothing), ("get 4 quartz", New)]),
            (
                "DETERMINE",
                &[
                    ("craft 2 diorite using 2 quartz, 2 cobblestone", New),
                    ("craft dark oak planks using 1 dark oak log", Nothing),
                    ("get 1 granite", Nothing),
                    ("get 1 diorite", Nothing),
                    ("inventory", Nothing),
                ],
            ),
        ],
    );
    assert!(found(&generalist, Signal::PrematureAct).is_empty(), "the goal is not known");
    generalist.goal = Some("craft polished_granite.".to_owned());
    assert_eq!(found(&generalist, Signal::PrematureAct), [(0, 0)]);
    assert_eq!(found(&generalist, Signal::Drift), [(1, 1)]);
    // Of a question the same call is a search with its words, with a question mark or without.
    let asked = Trajectory { is_question: true, ..generalist.clone() };
    assert!(found(&asked, Signal::PrematureAct).is_empty());
    // Without words for the goal, a won episode of the same task tells what ends it.
    generalist.goal = None;
    let won = walk(true, &[("X", &[("craft 4 polished granite using 4 granite", New)])]);
    let mut last = LastActs::default();
    last.learn(&won);
    let signals: Vec<Signal> = findings(&generalist, &last).into_iter().map(|one| one.signal).collect();
    assert_eq!(signals, [Signal::Drift, Signal::PrematureAct]);
    let elsewhere = Trajectory { task: "another".to_owned(), ..won };
    let mut last = LastActs::default();
    last.learn(&elsewhere);
    assert!(!findings(&generalist, &last).iter().any(|one| one.signal == Signal::PrematureAct));
}

// covers: CYC-015, CYC-094, CYC-099
#[test]
fn decisions_are_examined() {
    let mut astray =
        walk(false, &[("A", &[("x", New)]), ("B", &[("y", Nothing)]), ("A", &[("z", Nothing)]), ("C", &[("w", New)])]);
    assert_eq!(found(&astray, Signal::BrittleCriterion), [(0, 1)]);
    assert_eq!(found(&astray, Signal::Contradiction), [(2, 2)], "A led to B and, nothing having changed, to C");
    astray.segments[1].loops_noted = 2;
    astray.segments[0].routed.as_mut().unwrap().valid = false;
    assert_eq!(found(&astray, Signal::Hallucination), [(0, 0)]);
    assert_eq!(found(&astray, Signal::LoopNoted), [(1, 1)]);
    assert!(found(&astray, Signal::Contradiction).is_empty(), "what is no choice contradicts none");
}

prop_compose! {
    fn any_walk()(
        nodes in prop::collection::vec((0..4_usize, prop::collection::vec(0..4_usize, 0..6)), 0..24),
        won in any::<bool>(),
    ) -> Trajectory {
        const NAMES: [&str; 4] = ["A", "B", "C", "D"];
        const EFFECTS: [Effect; 4] = [New, Back, Nothing, Rejected];
        let acts: Vec<(&str, Vec<(&str, Effect)>)> = nodes
            .iter()
            .map(|(node, effects)| (NAMES[*node], effects.iter().map(|kind| (NAMES[*kind], EFFECTS[*kind])).collect()))
            .collect();
        let borrowed: Vec<(&str, &[(&str, Effect)])> = acts.iter().map(|(node, acts)| (*node, acts.as_slice())).collect();
        walk(won, &borrowed)
    }
}

proptest! {
    /// ATS = AUS + ASR, visits are self-loops and moves, no more different nodes than visits, and transitions within n².
    // covers: CYC-061, CYC-062, CYC-065
    #[test]
    fn counts_of_any_walk_agree(walk in any_walk()) {
        let counts = visits(&walk);
        prop_assert_eq!(counts.total, counts.unique + counts.revisits);
        prop_assert_eq!(counts.total, counts.self_loops + counts.moves);
        prop_assert!(counts.idle_revisits <= counts.revisits);
        prop_assert_eq!(walk.visits().count(), walk.segments.len().saturating_sub(1));
        let different: std::collections::BTreeSet<(&str, &str)> = walk.transitions().collect();
        prop_assert!(different.len() <= 16, "n^2 of four nodes");
    }

    /// Findings lie within the episode, in order, and the same walk gives the same ones.
    // covers: CYC-094
    #[test]
    fn findings_of_any_walk_lie_within_it(walk in any_walk()) {
        let all = findings(&walk, &LastActs::default());
        let most = walk.segments.len() as u32;
        prop_assert!(all.iter().all(|one| one.first <= one.last && one.last < most));
        prop_assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!(&all, &findings(&walk, &LastActs::default()));
    }
}
