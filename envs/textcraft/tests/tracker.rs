//! The belief state: statuses, blocks, queries.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::{Observation, RejectionKind, Stepped, ToolCall, Tracker};
use gimbal_parity::Fast;
use gimbal_textcraft::action::SELECT;
use gimbal_textcraft::bench::Pool;
use gimbal_textcraft::tracker::{ItemTracker, Status, words};
use gimbal_textcraft::{Scene, Simulator};
use serde_json::Value;

fn seen(text: &str) -> Observation {
    Observation { text: text.to_owned(), ..Observation::default() }
}

fn select(command: &str) -> ToolCall {
    ToolCall::with(SELECT, &[("command", command)])
}

/// An environment and what is believed of it.
struct Pair {
    simulator: Simulator,
    tracker: ItemTracker,
}

impl Pair {
    fn of(seed: u64) -> Self {
        let simulator = common::simulator(seed);
        let mut tracker = ItemTracker::default();
        tracker.begin(&seen(simulator.scene().prompt()));
        Self { simulator, tracker }
    }

    fn step(&mut self, command: &str, justification: Option<&str>) -> String {
        let reply = common::say(&mut self.simulator, command);
        let step = u32::try_from(self.simulator.steps()).unwrap();
        let (call, observation) = (select(command), seen(&reply));
        self.tracker.update(Stepped { step, call: &call, observation: &observation, justification });
        reply
    }

    fn block(&self, name: &str) -> String {
        self.tracker.block(name).unwrap()
    }
}

// covers: BOG-082, BOG-083, BOG-090
#[test]
fn blocks_tell_what_was_done_and_seen() {
    let mut pair = Pair::of(418);
    assert_eq!(pair.block("observation"), "");
    assert_eq!(pair.block("status"), words::ALL_BASELINE);
    assert_eq!(pair.block("history"), words::NO_STEPS);
    for (command, why) in [
        ("inventory", None),
        ("get 8 string", Some("Wool is made of it.")),
        ("get 1 white wool", None),
        ("craft 1 white wool using 4 string", None),
        ("craft 1 yellow wool using 1 yellow dye, 1 white wool", Some("Now the goal.")),
        ("get 3 unobtainium", None),
        ("inventory", None),
        ("look", None),
    ] {
        pair.step(command, why);
    }
    assert_eq!(pair.tracker.block("nothing"), None);
    insta::assert_snapshot!(
        "blocks",
        [pair.block("observation"), pair.block("history"), pair.block("status")].join("\n---\n")
    );
    // The same steps give the same bytes.
    let mut again = Pair::of(418);
    for _ in 0..2 {
        again.step("inventory", None);
    }
    assert_eq!(again.block("history"), "Steps so far:\nSteps 1-2: inventory (no status change)");
}

// covers: BOG-063, BOG-064
#[test]
fn queries_answer_of_one_item() {
    let mut pair = Pair::of(418);
    let ask = |pair: &Pair, query: &str, item: &str| -> Value {
        serde_json::from_str(&pair.tracker.query(&ToolCall::with(query, &[("subject", item)])).unwrap()).unwrap()
    };
    let baseline = ask(&pair, "subject_baseline", "white wool");
    assert_eq!(baseline["baseline_state"]["made_by"], serde_json::json!(["craft 1 white wool using 4 string"]));
    assert!(
        baseline["baseline_state"]["taken_by"]
            .as_array()
            .unwrap()
            .iter()
            .any(|text| text.as_str().unwrap().contains("yellow wool"))
    );
    let state = ask(&pair, "subject_state", "String");
    assert_eq!(
        (&state["current_status"], &state["carried"], &state["notice"]),
        (&"baseline".into(), &0.into(), &words::NO_EVIDENCE.into())
    );
    pair.step("get 8 string", None);
    pair.step("get 1 white wool", None);
    let state = ask(&pair, "subject_state", "string");
    assert_eq!((&state["current_status"], &state["carried"]), (&"changed".into(), &8.into()));
    let state = ask(&pair, "subject_state", "white wool");
    assert_eq!((&state["current_status"], &state["notice"]), (&"unknown".into(), &words::NOT_FOUND.into()));
    let refused = |call: ToolCall| pair.tracker.query(&call).unwrap_err();
    assert_eq!(refused(ToolCall::bare("subject_state")).kind, RejectionKind::MissingArgument);
    assert!(
        refused(ToolCall::with("subject_state", &[("subject", "whit wool")]))
            .message
            .contains("the nearest name is `white wool`")
    );
    assert_eq!(refused(ToolCall::with("subject_state", &[("item", "string")])).kind, RejectionKind::UnknownArgument);
    assert_eq!(refused(ToolCall::with("subject_stat", &[("subject", "string")])).kind, RejectionKind::UnknownTool);
}

/// What is believed to be carried is what is carried, though no reply but `inventory` says so.
// covers: BOG-080
#[test]
fn the_belief_follows_the_truth() {
    let mut coin = Fast::new(9);
    for seed in (0..419).step_by(7) {
        let mut pair = Pair::of(seed);
        let scene: Arc<Scene> = Arc::clone(pair.simulator.scene());
        let pool = Pool::of(&scene);
        for _ in 0..60 {
            let command = pool.draw(&mut coin).to_owned();
            pair.step(&command, None);
            let names = scene.tree().names();
            let mut truth: BTreeMap<String, u64> = BTreeMap::new();
            for (item, count) in pair.simulator.inventory().iter() {
                truth.insert(names.shown(item).to_owned(), count.saturating());
            }
            let believed: BTreeMap<String, u64> = pair
                .tracker
                .belief()
                .statuses()
                .filter(|item| item.status == Status::Changed)
                .map(|item| (item.name.to_owned(), item.carried.saturating()))
                .collect();
            truth.retain(|_, count| *count > 0);
            assert_eq!(believed, truth, "{command}");
        }
        let status = pair.block("status");
        if let Some((_, list)) = status.split_once('\n') {
            let list: Value = serde_json::from_str(list).unwrap();
            assert!(list.as_array().is_some_and(|list| !list.is_empty()));
        }
    }
}

/// A reply that a fault has spoilt never breaks the belief.
#[test]
fn spoilt_replies_are_taken_as_they_come() {
    let mut tracker = ItemTracker::default();
    tracker.begin(&seen("Crafting commands:\ncraft\ncraft 1 a using\ncraft x using 1 \nGoal"));
    for (step, text) in
        ["Got", "Got x y", "Crafted 9", "Inventory: [a] (x) [b", "Inventory: ", "", "Could not find"].iter().enumerate()
    {
        for command in ["get 1 a", "craft 1 a using 1 b, c", "", "inventory"] {
            let (step, call, observation) = (step as u32 + 1, select(command), seen(text));
            tracker.update(Stepped { step, call: &call, observation: &observation, justification: None });
            assert!(["observation", "history", "status"].iter().all(|block| tracker.block(block).is_some()));
        }
    }
}

// covers: BOG-089
#[test]
fn no_word_of_its_own_is_advice() {
    for word in words::ALL {
        let lower = word.to_lowercase();
        for advice in ["should", "must", "try ", "recommend", "next", "best", "better", "instead"] {
            assert!(!lower.contains(advice), "{word}");
        }
    }
}
