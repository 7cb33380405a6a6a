//! The belief state: statuses, blocks, queries.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::future::Future;
use std::task::{Context, Poll, Waker};

use gimbal_core::{Catalogue, Observation, RejectionKind, Reply, Rng, Stepped, TaskId, ToolCall, Tracker};
use gimbal_yawning_titan::YawningTitan;
use gimbal_yawning_titan::tracker::{NodeTracker, Status, words};
use proptest::prelude::*;
use serde_json::{Value, json};

fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the environment waited"),
    }
}

fn seen(tree: Value) -> Observation {
    Observation { text: tree.to_string(), data: tree.into() }
}

fn begun() -> NodeTracker {
    let mut tracker = NodeTracker::default();
    let entry = |v: f64| json!({ "compromised": false, "vulnerability": v, "isolated": false, "connections": [] });
    tracker.begin(&seen(json!({ "nodes": { "node_0": entry(0.5), "node_1": entry(0.6), "node_2": entry(0.7) } })));
    tracker
}

fn update(tracker: &mut NodeTracker, step: u32, call: &ToolCall, tree: Value) {
    tracker.update(Stepped { step, call, observation: &seen(tree), justification: None });
}

fn status(tracker: &NodeTracker, node: &str) -> Status {
    tracker.belief().statuses().find(|(name, _)| *name == node).unwrap().1
}

fn on(tool: &str, node: &str) -> ToolCall {
    ToolCall::with(tool, &[("node", node)])
}

/// The attacks that an observation reports come before the action of the step.
// covers: BOG-085
#[test]
fn an_attack_before_a_node_was_cleared_says_nothing_of_it_any_more() {
    for tool in ["RestoreNode", "MakeNodeSafe"] {
        let mut tracker = begun();
        let shown = |compromised: bool| {
            json!({
                "attacking_nodes": ["node_1"], "attacked_nodes": ["node_1", "node_2"],
                "nodes": { "node_1": { "compromised": compromised } },
            })
        };
        update(&mut tracker, 1, &on(tool, "node_1"), shown(false));
        assert_eq!((status(&tracker, "node_1"), status(&tracker, "node_2")), (Status::Baseline, Status::Unknown));
        // What shows after the action counts, and so do attacks from nodes that were left alone.
        update(&mut tracker, 2, &on(tool, "node_1"), shown(true));
        assert_eq!(status(&tracker, "node_1"), Status::Changed);
        update(&mut tracker, 3, &on(tool, "node_1"), shown(false));
        update(&mut tracker, 4, &on(tool, "node_0"), shown(false));
        assert_eq!(status(&tracker, "node_1"), Status::Changed);
    }
}

// covers: BOG-082, BOG-083, BOG-085, BOG-086
#[test]
fn statuses_follow_what_is_seen_and_done() {
    let mut tracker = begun();
    let nothing = ToolCall::bare("DoNothing");
    assert!(tracker.belief().statuses().all(|(_, status)| status == Status::Baseline));
    assert_eq!(tracker.block("status").unwrap(), words::ALL_BASELINE);
    assert_eq!(tracker.block("observation").unwrap(), "No observation has been made yet.");
    update(
        &mut tracker,
        1,
        &nothing,
        json!({ "attacked_nodes": ["node_1"], "nodes": { "node_1": { "compromised": false } } }),
    );
    assert_eq!(status(&tracker, "node_1"), Status::Unknown);
    update(&mut tracker, 2, &ToolCall::bare("Scan"), json!({ "nodes": {} }));
    assert_eq!(status(&tracker, "node_1"), Status::Analysed(2));
    assert_eq!(status(&tracker, "node_0"), Status::Baseline, "a scan without a finding leaves the baseline");
    update(
        &mut tracker,
        3,
        &nothing,
        json!({ "attacked_nodes": ["node_1"], "nodes": { "node_1": { "compromised": true } } }),
    );
    assert_eq!(status(&tracker, "node_1"), Status::Changed);
    update(&mut tracker, 4, &ToolCall::bare("Scan"), json!({ "nodes": { "node_1": { "compromised": true } } }));
    assert_eq!(status(&tracker, "node_1"), Status::Changed);
    update(&mut tracker, 5, &on("MakeNodeSafe", "node_1"), json!({ "nodes": { "node_1": { "compromised": false } } }));
    assert_eq!(status(&tracker, "node_1"), Status::Baseline);
    update(
        &mut tracker,
        6,
        &nothing,
        json!({ "attacking_nodes": ["node_2"], "nodes": { "node_2": { "compromised": false } } }),
    );
    assert_eq!(status(&tracker, "node_2"), Status::Changed, "an attack came from it");
    let lowered = json!({ "nodes": { "node_2": { "compromised": false, "vulnerability": 0.5 } } });
    update(&mut tracker, 7, &on("ReduceVulnerability", "node_2"), lowered);
    assert_eq!(status(&tracker, "node_2"), Status::Changed, "that nothing shows now proves nothing");
    update(&mut tracker, 8, &on("RestoreNode", "node_2"), json!({ "nodes": {} }));
    assert_eq!(status(&tracker, "node_2"), Status::Baseline);
    let state = |name: &str| tracker.query(&ToolCall::with("subject_baseline", &[("subject", name)])).unwrap();
    assert!(state("node_2").contains("\"vulnerability\":0.5"), "what was done on purpose is part of the baseline");
}

// covers: BOG-104, BOG-105
#[test]
fn the_log_folds_what_is_quiet() {
    let mut tracker = begun();
    let nothing = ToolCall::bare("DoNothing");
    assert_eq!(tracker.block("history").unwrap(), words::NO_STEPS);
    for step in 1..=3 {
        let call = if step == 2 { ToolCall::bare("Scan") } else { nothing.clone() };
        update(&mut tracker, step, &call, json!({ "nodes": {} }));
    }
    update(&mut tracker, 4, &on("ReduceVulnerability", "node_0"), json!({ "nodes": {} }));
    update(
        &mut tracker,
        5,
        &nothing,
        json!({ "attacked_nodes": ["node_0"], "nodes": { "node_1": { "compromised": true } } }),
    );
    assert_eq!(
        tracker.block("history").unwrap(),
        "Steps so far:\nSteps 1-3: DoNothing, Scan (no status change)\n\
         Step 4: {\"action\":\"ReduceVulnerability node=node_0\"}\n\
         Step 5: {\"action\":\"DoNothing\",\"compared_with_baseline\":{\"node_1\":\"changed\",\"node_0\":\"unknown\"}}"
    );
    // Without verdicts the same steps are what the agent did, and nothing else.
    assert_eq!(
        tracker.block("own_history").unwrap(),
        "Steps so far:\nSteps 1-3: DoNothing, Scan\nStep 4: {\"action\":\"ReduceVulnerability node=node_0\"}\nStep 5: DoNothing"
    );
}

// covers: BOG-063, BOG-064
#[test]
fn queries_are_read_only_and_refuse_what_they_do_not_know() {
    let mut tracker = begun();
    let ask =
        |tracker: &NodeTracker, tool: &str, node: &str| tracker.query(&ToolCall::with(tool, &[("subject", node)]));
    let state = ask(&tracker, "subject_state", "NODE_0").unwrap();
    assert!(
        state.starts_with(r#"{"node_name":"node_0","current_status":"baseline","source":"baseline","notice":"no evi"#)
    );
    update(&mut tracker, 1, &ToolCall::bare("DoNothing"), json!({ "nodes": { "node_0": { "compromised": true } } }));
    let state = ask(&tracker, "subject_state", "node_0").unwrap();
    assert!(state.contains(r#""source":"current observation","step":1,"state":{"compromised":true,"#), "{state}");
    update(&mut tracker, 2, &ToolCall::bare("DoNothing"), json!({ "nodes": {} }));
    let state = ask(&tracker, "subject_state", "node_0").unwrap();
    assert!(state.contains(r#""source":"last recorded change","step":1"#), "{state}");
    let baseline = ask(&tracker, "subject_baseline", "node_0").unwrap();
    assert!(baseline.contains(r#""baseline_state":{"compromised":false,"#), "{baseline}");
    let refused = |call: ToolCall| tracker.query(&call).unwrap_err();
    assert!(refused(ToolCall::with("subject_state", &[("subject", "node_9")])).message.contains("nearest name"));
    assert_eq!(refused(ToolCall::bare("subject_state")).kind, RejectionKind::MissingArgument);
    assert_eq!(refused(ToolCall::with("subject_state", &[("node", "node_0")])).kind, RejectionKind::UnknownArgument);
    assert_eq!(refused(ToolCall::bare("subject_fate")).kind, RejectionKind::UnknownTool);
    assert_eq!(tracker.queries().len(), 2);
}

/// An episode with everything in play: what a model would read after each of a few steps.
#[test]
fn the_blocks_of_an_episode_read_like_this() {
    let mut out = String::new();
    for names in ["ordered", "shuffled"] {
        let changes = json!({ "blue.action_set.deceptive_nodes.use": true, "blue.action_set.isolate_node": true });
        let options = json!({ "network": "mesh_5", "names": names, "changes": changes, "loss": "never" });
        let mut environment = YawningTitan.open(&options).unwrap();
        let first = now(environment.reset(&TaskId("test".to_owned()), 3)).unwrap();
        let mut tracker = environment.tracker();
        tracker.begin(&first);
        out.push_str(&format!("== {names}\n{}\n", first.text));
        let edge = environment.choices("AddDeceptiveNode", "edge").unwrap()[0].clone().into_owned();
        let calls = [
            ToolCall::bare("DoNothing"),
            ToolCall::with("AddDeceptiveNode", &[("edge", &edge)]),
            ToolCall::bare("Scan"),
            on("MakeNodeSafe", "node_1"),
            on("IsolateNode", "node_2"),
            ToolCall::bare("DoNothing"),
        ];
        for (at, call) in calls.iter().enumerate() {
            let Reply::Step(transition) = now(environment.call(call)).unwrap() else {
                panic!("this environment asks nobody")
            };
            let observation = &*transition.observation;
            tracker.update(Stepped { step: at as u32 + 1, call, observation, justification: Some("as planned") });
            for block in tracker.blocks() {
                out.push_str(&format!(
                    "-- {} after {}\n{}\n",
                    block,
                    environment.render(call),
                    tracker.block(block).unwrap()
                ));
            }
        }
        for node in ["node_1", "decoy_0"] {
            for tool in ["subject_state", "subject_baseline"] {
                let answer = tracker.query(&ToolCall::with(tool, &[("subject", node)])).unwrap();
                out.push_str(&format!("-- {tool} {node}\n{answer}\n"));
            }
        }
        assert_eq!(tracker.block("plan"), None);
    }
    insta::assert_snapshot!("blocks", out);
}

fn played(seed: u64, steps: usize) -> (Vec<String>, Box<dyn Tracker>, Vec<String>) {
    let changes = json!({ "blue.action_set.deceptive_nodes.use": true, "blue.action_set.restore_node": true });
    let mut environment = YawningTitan.open(&json!({ "changes": changes, "loss": "never", "horizon": 60 })).unwrap();
    let first = now(environment.reset(&TaskId("test".to_owned()), seed)).unwrap();
    let mut tracker = environment.tracker();
    tracker.begin(&first);
    let mut draws = Rng::stream(seed, "calls");
    let (mut blocks, mut shown) = (Vec::new(), vec![first.text.clone()]);
    for step in 1..=steps {
        let call = environment.decide("random", &mut draws).unwrap();
        let Reply::Step(transition) = now(environment.call(&call)).unwrap() else {
            panic!("this environment asks nobody")
        };
        let observation = &*transition.observation;
        shown.push(format!("{} {}", environment.render(&call), observation.text));
        tracker.update(Stepped { step: step as u32, call: &call, observation, justification: None });
        blocks.extend(tracker.blocks().iter().map(|block| tracker.block(block).unwrap()));
    }
    (blocks, tracker, shown)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    // covers: BOG-080, BOG-089, BOG-090
    #[test]
    fn the_same_sequence_gives_the_same_bytes_and_no_other_words(seed in any::<u64>(), steps in 1_usize..40) {
        let (blocks, _, shown) = played(seed, steps);
        prop_assert_eq!(&blocks, &played(seed, steps).0);
        // Whatever the blocks say is a word of the tracker, or was seen or done by the agent, or is a number.
        let known: Vec<String> = words::ALL.iter().map(|word| (*word).to_owned()).chain(shown).collect();
        let known = known.join(" ");
        for block in &blocks {
            for word in block.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()) {
                prop_assert!(word.bytes().all(|byte| byte.is_ascii_digit()) || known.contains(word), "{}", word);
            }
        }
    }

    #[test]
    fn nothing_that_an_observation_holds_breaks_it(text in "\\PC{0,80}", list in any::<Vec<bool>>()) {
        let mut tracker = begun();
        for tree in [
            json!(text), json!(list), json!({ "nodes": text }), json!({ "nodes": { text.clone(): list } }),
            json!({ "nodes": { text.clone(): { "compromised": text } }, "attacked_nodes": [text], "attacking_nodes": [1] }),
        ] {
            update(&mut tracker, 1, &ToolCall::bare(&text), tree);
        }
        prop_assert!(tracker.block("status").is_some() && tracker.block("history").is_some());
    }
}
