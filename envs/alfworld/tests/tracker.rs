//! The belief state: statuses, blocks, queries.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::future::Future;
use std::task::{Context, Poll, Waker};

use gimbal_alfworld::Alfworld;
use gimbal_alfworld::tracker::{ReceptacleTracker, Status, words};
use gimbal_core::{Catalogue, Observation, RejectionKind, Reply, Rng, Stepped, TaskId, ToolCall, Tracker};
use proptest::prelude::*;
use serde_json::{Value, json};

fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the environment waited"),
    }
}

fn begun() -> ReceptacleTracker {
    let mut tracker = ReceptacleTracker::default();
    let names = json!({ "receptacles": ["fridge 1", "shelf 2", "shelf 1"] });
    tracker.begin(&Observation { text: "A house.".to_owned(), data: names.into() });
    tracker
}

fn update(tracker: &mut ReceptacleTracker, step: u32, command: &str, data: Value) {
    let observation = Observation { text: format!("text {step}"), data: data.into() };
    let call = ToolCall::with("select_command", &[("command", command)]);
    tracker.update(Stepped { step, call: &call, observation: &observation, justification: Some("so") });
}

fn status(tracker: &ReceptacleTracker, name: &str) -> Status {
    tracker.belief().statuses().find(|(known, _)| *known == name).unwrap().1
}

fn query(tracker: &ReceptacleTracker, tool: &str, subject: &str) -> Value {
    serde_json::from_str(&tracker.query(&ToolCall::with(tool, &[("subject", subject)])).unwrap()).unwrap()
}

// covers: BOG-082, BOG-083, BOG-086, BOG-104
#[test]
fn statuses_follow_what_is_seen_and_done() {
    let mut tracker = begun();
    assert!(tracker.belief().statuses().all(|(_, status)| status == Status::Baseline));
    assert_eq!(tracker.block("status").unwrap(), words::ALL_BASELINE);
    assert_eq!(tracker.block("observation").unwrap(), "Latest observation:\nA house.");
    assert_eq!(tracker.block("history").unwrap(), words::NO_STEPS);
    update(&mut tracker, 1, "go to fridge 1", json!({ "receptacle": "fridge 1", "state": "closed", "effect": "went" }));
    assert_eq!(status(&tracker, "fridge 1"), Status::Unknown);
    let open = json!({ "receptacle": "fridge 1", "state": "open", "holds": ["egg 1", "egg 2"], "effect": "opened" });
    update(&mut tracker, 2, "open fridge 1", open);
    assert_eq!(status(&tracker, "fridge 1"), Status::Analysed(2));
    update(&mut tracker, 3, "dance", json!({ "effect": false }));
    update(&mut tracker, 4, "inventory", json!({ "carried": [], "effect": "looked" }));
    let took = json!({ "receptacle": "fridge 1", "object": "egg 2", "effect": "taken" });
    update(&mut tracker, 5, "take egg 2 from fridge 1", took);
    assert_eq!(status(&tracker, "fridge 1"), Status::Changed);
    let went = json!({ "receptacle": "shelf 1", "state": "plain", "holds": [], "effect": "went" });
    update(&mut tracker, 6, "go to shelf 1", went);
    update(
        &mut tracker,
        7,
        "put egg 2 in/on shelf 1",
        json!({ "receptacle": "shelf 1", "object": "egg 2", "effect": "put" }),
    );
    assert_eq!(status(&tracker, "shelf 1"), Status::Changed);
    assert_eq!(status(&tracker, "shelf 2"), Status::Baseline);
    let blocks: Vec<String> = tracker.blocks().iter().map(|name| tracker.block(name).unwrap()).collect();
    insta::assert_snapshot!("blocks", blocks.join("\n---\n"));
    assert_eq!(
        query(&tracker, "subject_baseline", "fridge 1"),
        json!({ "receptacle_name": "fridge 1", "baseline_state": "egg 1, egg 2" })
    );
    let now = query(&tracker, "subject_state", "fridge 1");
    assert_eq!(
        (&now["current_status"], &now["holds"], &now["door"]),
        (&"changed".into(), &"egg 1".into(), &"open".into())
    );
    assert_eq!(query(&tracker, "subject_state", "Shelf 2")["notice"], words::NO_EVIDENCE);
    // Seen again as it is held to be, nothing is news; seen otherwise, it is.
    let same = json!({ "receptacle": "shelf 1", "state": "plain", "holds": ["egg 2"], "effect": "looked" });
    update(&mut tracker, 8, "examine shelf 1", same);
    assert!(tracker.block("history").unwrap().ends_with("Step 8: examine shelf 1 (no status change)"));
}

#[test]
fn wrong_queries_are_refused_with_their_mend() {
    let tracker = begun();
    let refused = |call: &ToolCall| tracker.query(call).unwrap_err();
    assert_eq!(refused(&ToolCall::bare("subject_stat")).kind, RejectionKind::UnknownTool);
    assert_eq!(refused(&ToolCall::bare("subject_state")).kind, RejectionKind::MissingArgument);
    let wrong = refused(&ToolCall::with("subject_state", &[("subject", "shelf 3")]));
    assert!(wrong.kind == RejectionKind::BadValue && wrong.message.contains("shelf"), "{wrong}");
    let wrong = refused(&ToolCall::with("subject_state", &[("subject", "shelf 1"), ("x", "y")]));
    assert_eq!(wrong.kind, RejectionKind::UnknownArgument);
    assert_eq!(tracker.block("other"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    // covers: BOG-080, BOG-089, BOG-090
    #[test]
    fn the_same_walk_gives_the_same_bytes_and_no_other_words(seed in any::<u64>(), task in 0_u64..500, steps in 1_u32..50) {
        let play = || {
            let mut environment = Alfworld::over(None).open(&json!({})).unwrap();
            let first = now(environment.reset(&TaskId(format!("generated/{task}")), 0)).unwrap();
            let mut tracker = environment.tracker();
            tracker.begin(&first);
            let mut shown = first.text.clone();
            let mut draws = Rng::stream(seed, "test");
            let mut blocks = Vec::new();
            for step in 1..=steps {
                let call = environment.decide("random", &mut draws).unwrap();
                let Ok(Reply::Step(transition)) = now(environment.call(&call)) else { panic!("a step") };
                tracker.update(Stepped { step, call: &call, observation: &transition.observation, justification: None });
                shown.push_str(&transition.observation.text);
                shown.push_str(call.string("command").unwrap());
                blocks = tracker.blocks().iter().map(|name| tracker.block(name).unwrap()).collect();
                if transition.done.is_some() {
                    break;
                }
            }
            (blocks, shown)
        };
        let (blocks, shown) = play();
        prop_assert_eq!(&blocks, &play().0);
        // Every word of a block is the belief state's own, or was seen or written by the agent.
        let known: Vec<String> = words::ALL.iter().flat_map(|text| text.split_whitespace()).map(letters).collect();
        let seen: Vec<String> = shown.split_whitespace().map(letters).collect();
        for word in blocks.iter().flat_map(|block| block.split(|c: char| !(c.is_alphabetic() || c == '_' || c == '/'))) {
            let word = letters(word);
            prop_assert!(word.is_empty() || known.iter().any(|other| other.contains(&word)) || seen.iter().any(|other| other.contains(&word)), "{}", word);
        }
    }
}

fn letters(word: &str) -> String {
    word.chars().filter(|c| c.is_alphabetic() || *c == '_' || *c == '/').flat_map(char::to_lowercase).collect()
}
