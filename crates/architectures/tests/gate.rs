//! The gate before final answers (CYC-095), on a stage that writes down what passes: an answer is `Oil machine=...` here.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::sync::Arc;

use common::Canned::{self, Says};
use common::{TestFiles, Workshop};
use gimbal_core::{Answering, Architecture, Brief, EpisodeStopped, Offers, Stop};
use gimbal_messages::records::{control, gate};
use serde_json::{Value, json};

const OIL: Canned = Says("Thought: that is it\nAnswer: Oil machine=lathe");
const NOTHING: Canned = Says("Thought: no\nAnswer: {\"figures\": []}");
const VOUCHED: Canned = Says(
    "Thought: yes\nAnswer: {\"figures\": [{\"figure\": \"9.5%\", \"supported\": true, \"quotes\": [{\"key\": \"book\", \"quote\": \"19 of 200\"}], \"how\": \"19 over 200\"}]}",
);
const BARE: Canned = Says(
    "Thought: yes\nAnswer: {\"figures\": [{\"figure\": \"9.5%\", \"supported\": true, \"quotes\": [], \"how\": \"believe me\"}]}",
);

fn build(base: &str, settings: Value) -> Arc<dyn Architecture> {
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == base).unwrap();
    kind.build(&settings, &TestFiles::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The three controllers, and the agent of single steps.
fn all(gate: &Value) -> Vec<(&'static str, Arc<dyn Architecture>)> {
    let with = |own: Value| {
        let mut settings = own;
        settings.as_object_mut().unwrap().extend(gate.as_object().unwrap().clone());
        settings
    };
    vec![
        ("react", build("react", with(json!({ "conversation": "episode", "global_calls": 9 })))),
        ("react step", build("react", with(json!({})))),
        ("dag", build("dag", with(json!({ "graph": "suggested", "global_calls": 9, "local_calls": 9 })))),
        ("cyclic", build("cyclic", with(json!({ "graph": "suggested", "global_calls": 9, "local_calls": 9 })))),
    ]
}

/// An environment of one stored text, in which code finds the support `support` of the answer's one figure.
fn stage(support: &str, quotation: &Value, replies: impl IntoIterator<Item = Canned>) -> Workshop {
    let answer = Some(Answering { tool: "Oil".to_owned(), argument: "machine".to_owned() });
    let mut stage = Workshop { records: &[control::KINDS, gate::KINDS], ..Workshop::new(replies) };
    stage.brief = Arc::new(Brief { answer, ..gimbal_agent::sample::brief() });
    let figures = json!([{ "figure": "1,234.5", "support": "stored" }, { "figure": "9.5%", "support": support }]);
    stage.told.insert("evidence", json!({ "figures": figures }).to_string());
    let passages = json!({ "documents": [{ "key": "book", "characters": 900 }], "passages": [{ "key": "book", "text": "19 of 200" }] });
    stage.told.insert("passages", passages.to_string());
    stage.told.insert("quotation", quotation.to_string());
    stage
}

fn gated(log: &[String]) -> Vec<Value> {
    log.iter()
        .filter_map(|line| line.strip_prefix("note gated "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

fn count(log: &[String], head: &str) -> usize {
    log.iter().filter(|line| line.starts_with(head)).count()
}

// covers: CYC-095
#[tokio::test]
async fn with_the_last_call_of_the_budget_an_answer_goes_through() {
    for calls in 1..3 {
        let settings = [
            ("react", json!({ "gate": "evidence", "conversation": "episode", "global_calls": calls })),
            ("cyclic", json!({ "gate": "evidence", "graph": "suggested", "global_calls": calls, "local_calls": 9 })),
        ];
        for (name, settings) in settings {
            let replies = [OIL, NOTHING, OIL, NOTHING];
            let stage = stage("missing", &json!({ "found": false }), replies);
            let _ = build(name, settings).play(&stage).await;
            let held: Vec<bool> = gated(&stage.log()).iter().map(|note| note["held"].as_bool().unwrap()).collect();
            assert_eq!(held, [[true].repeat(calls - 1), vec![false]].concat(), "{name}, {calls} calls");
            assert_eq!(count(&stage.log(), "act Oil"), 1, "{name}, {calls} calls");
        }
    }
}

// covers: CYC-095
#[tokio::test]
async fn an_unsupported_answer_is_held_back_so_many_times_and_then_goes_through() {
    for (name, architecture) in all(&json!({ "gate": "evidence" })) {
        let replies = [OIL, NOTHING, OIL, NOTHING, OIL, NOTHING];
        let stage = stage("missing", &json!({ "found": false }), replies);
        assert_eq!(architecture.play(&stage).await, Err(EpisodeStopped::of(Stop::Horizon)), "{name}");
        let log = stage.log();
        let notes = gated(&log);
        assert_eq!(notes.len(), 3, "{name}: {log:?}");
        let held: Vec<(bool, u64)> =
            notes.iter().map(|note| (note["held"].as_bool().unwrap(), note["refusals"].as_u64().unwrap())).collect();
        assert_eq!(held, [(true, 1), (true, 2), (false, 2)], "{name}");
        assert!(notes.iter().all(|note| note["passed"] == false && note["figures"] == 2 && note["supported"] == 1));
        assert_eq!(notes[0]["unsupported"], json!(["9.5%"]));
        // Held back is a tool call that never reaches the environment.
        assert_eq!((count(&log, "reject unsupported"), count(&log, "act Oil")), (2, 1), "{name}: {log:?}");
        let asked = stage.asked.lock().unwrap().clone();
        assert_eq!(asked.iter().filter(|role| *role == "verifier").count(), 3, "{name}");
        // The agent reads which figure it was, and what is stored.
        let requests = stage.requests.lock().unwrap();
        let told = &requests[2].messages.last().unwrap().text;
        assert!(told.contains("9.5%") && told.contains("book (900 characters)"), "{name}: {told}");
    }
}

// covers: CYC-095
#[tokio::test]
async fn a_supported_answer_passes_without_a_model() {
    for support in ["stored", "derived"] {
        for (name, architecture) in all(&json!({ "gate": "evidence" })) {
            let stage = stage(support, &json!({ "found": false }), [OIL]);
            assert_eq!(architecture.play(&stage).await, Err(EpisodeStopped::of(Stop::Horizon)), "{name}");
            let log = stage.log();
            assert_eq!(
                (count(&log, "reject"), count(&log, "act Oil"), gated(&log).len()),
                (0, 1, 1),
                "{name}: {log:?}"
            );
            assert_eq!(gated(&log)[0]["passed"], true);
            assert!(!stage.asked.lock().unwrap().iter().any(|role| role == "verifier"));
        }
    }
}

// covers: CYC-095
#[tokio::test]
async fn the_verifiers_word_passes_only_with_a_quotation_that_stands() {
    let stands = json!({ "found": true, "figures": 2 });
    let play = |quotation: Value, reply: Canned| async move {
        let mut seen = Vec::new();
        for (name, architecture) in all(&json!({ "gate": "evidence", "gate_refusals": 1 })) {
            let stage = stage("missing", &quotation, [OIL, reply.clone()]);
            let _ = architecture.play(&stage).await;
            let log = stage.log();
            let note = gated(&log)[0].clone();
            assert_eq!(note["passed"] == true, count(&log, "act Oil") == 1, "{name}: {log:?}");
            seen.push((note["passed"] == true, note["claimed"].as_u64().unwrap(), note["verified"].as_u64().unwrap()));
        }
        seen.dedup();
        assert_eq!(seen.len(), 1, "the same under all controllers: {seen:?}");
        seen[0]
    };
    assert_eq!(play(stands.clone(), VOUCHED).await, (true, 1, 1));
    assert_eq!(play(json!({ "found": false, "figures": 2 }), VOUCHED).await, (false, 1, 0), "made up");
    assert_eq!(play(json!({ "found": true, "figures": 0 }), VOUCHED).await, (false, 1, 0), "words without a figure");
    assert_eq!(play(stands.clone(), BARE).await, (false, 1, 0), "no quotation");
    assert_eq!(play(stands.clone(), NOTHING).await, (false, 0, 0));
    assert_eq!(play(stands.clone(), Says("All figures are right.")).await, (false, 0, 0), "nonsense");
    assert_eq!(play(stands, Canned::Fails(gimbal_core::ModelErrorKind::Refusal, "no")).await, (false, 0, 0));
}

// covers: CYC-095
#[tokio::test]
async fn budgets_hold_and_what_cannot_be_read_passes_unchecked() {
    // An answer that is never repaired: C_g holds, and the environment sees at most the one of the last call.
    for base in ["react", "dag", "cyclic"] {
        let own = if base == "react" {
            json!({ "conversation": "episode" })
        } else {
            json!({ "graph": "suggested", "local_calls": 2 })
        };
        let mut settings = json!({ "gate": "evidence", "gate_refusals": 100, "global_calls": 4 });
        settings.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        let mut stage = stage("missing", &json!({}), (0..60).map(|_| OIL));
        // Nothing is stored, so that nobody is asked to quote it.
        stage.told.insert("passages", json!({ "documents": [], "passages": [] }).to_string());
        let played = build(base, settings).play(&stage).await;
        let log = stage.log();
        assert!(played.is_err() || base == "dag", "{base}");
        let held = count(&log, "reject unsupported");
        let seen = count(&log, "act");
        assert!(held > 0 && held + seen <= 4 && seen <= 1, "{base}: {log:?}");
        assert!(!stage.asked.lock().unwrap().iter().any(|role| role == "verifier"), "{base}");
    }
    let mut stage = stage("missing", &json!({}), [OIL]);
    stage.told.insert("evidence", "a block with a line torn out".to_owned());
    let _ = build("react", json!({ "gate": "evidence" })).play(&stage).await;
    let log = stage.log();
    assert!(count(&log, "act Oil") == 1 && gated(&log)[0]["unread"] == true, "{log:?}");
}

// covers: CYC-095
#[test]
fn the_plan_is_told_what_a_gate_needs_and_a_gate_that_is_off_changes_nothing() {
    for (name, architecture) in all(&json!({ "gate": "evidence" })) {
        let unmet = architecture.needs().unmet(&Offers::default()).join("; ");
        assert!(unmet.contains("a call that ends the task with an answer"), "{name}: {unmet}");
        assert!(unmet.contains("the query `evidence`") && unmet.contains("the query `quotation`"), "{name}: {unmet}");
        assert!(architecture.needs().roles.contains(&"verifier".to_owned()));
        assert_eq!(architecture.resolved()["gate"]["refusals"], 2);
    }
    for (name, architecture) in all(&json!({ "gate": "none" })) {
        assert!(architecture.resolved().get("gate").is_none() && !architecture.needs().answers, "{name}");
    }
    let kinds = gimbal_architectures::kinds();
    for base in ["react", "dag", "cyclic"] {
        let kind = kinds.iter().find(|kind| kind.name() == base).unwrap();
        let error = |settings: Value| {
            kind.build(&settings, &TestFiles::default()).err().map(|error| error.to_string()).unwrap()
        };
        assert!(error(json!({ "gate_refusals": 1 })).contains("needs `gate: evidence`"));
        assert!(error(json!({ "gate": "evidense" })).contains("gate"));
        assert!(error(json!({ "gate": "evidence", "verifier": { "persona": "router" } })).contains("verification"));
    }
}
