//! The belief state of the sources.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{call, open, reset, step};
use gimbal_core::{Observation, RejectionKind, Stepped, ToolCall, Tracker};
use gimbal_finance_agent::tools::{EDGAR_SEARCH, PARSE_PAGE, RETRIEVE};
use gimbal_finance_agent::tracker::{KINDS, words};
use serde_json::{Value, json};

/// An episode's tracker and blocks after each step.
async fn play(calls: &[ToolCall]) -> (Box<dyn Tracker>, Vec<String>) {
    let mut environment = open(json!({ "reader": "extract" }));
    let first = reset(&mut *environment, "s02", 1).await;
    let mut tracker = environment.tracker();
    tracker.begin(&first);
    let mut seen = vec![tracker.block("status").unwrap() + "\n" + &tracker.block("history").unwrap()];
    for (at, call) in calls.iter().enumerate() {
        let taken = step(&mut *environment, call).await;
        tracker.update(Stepped {
            step: at as u32 + 1,
            call,
            observation: &taken.observation,
            justification: Some("it seemed right"),
        });
        seen.push(["status", "history"].map(|name| tracker.block(name).unwrap()).join("\n"));
        assert_eq!(
            tracker.block("observation").unwrap(),
            format!("{}\n{}", words::OBSERVATION, taken.observation.text)
        );
    }
    (tracker, seen)
}

fn calls() -> Vec<ToolCall> {
    let url = "https://www.sec.example/Archives/edgar/data/9000001/000900000125000012/none.htm";
    vec![
        call(
            EDGAR_SEARCH,
            json!({ "query": "\"non-employee directors\"", "form_types": ["10-K"], "top_n_results": 2 }),
        ),
        call(PARSE_PAGE, json!({ "url": url, "key": "missing" })),
        call(RETRIEVE, json!({ "prompt": "" })),
    ]
}

// covers: BOG-080, BOG-090
#[tokio::test]
async fn blocks_tell_what_was_found_stored_and_read_and_repeat_to_the_byte() {
    let mut environment = open(json!({ "reader": "extract" }));
    let first = reset(&mut *environment, "s02", 1).await;
    let found = step(&mut *environment, &calls()[0]).await;
    let rows: Vec<Value> = serde_json::from_str(&found.observation.text).unwrap();
    let url = rows[0]["filingUrl"].as_str().unwrap();
    let mut calls = calls();
    calls.push(call(PARSE_PAGE, json!({ "url": url, "key": "report" })));
    calls.push(call(RETRIEVE, json!({ "prompt": "What are the totals of directors? {{report}}" })));
    let (tracker, seen) = play(&calls).await;
    let (_, again) = play(&calls).await;
    assert_eq!(seen, again);
    assert_eq!(tracker.block("weather"), None);
    assert_eq!(first.text, environment.brief().goal);
    insta::assert_snapshot!("blocks", seen.join("\n----\n"));
}

// covers: BOG-063, BOG-064, CYC-095
#[tokio::test]
async fn queries_tell_of_kinds_and_of_the_figures_of_an_answer() {
    let mut environment = open(json!({ "reader": "extract" }));
    let first = reset(&mut *environment, "s02", 1).await;
    let mut tracker = environment.tracker();
    tracker.begin(&first);
    let mut number = 0;
    let answer = loop {
        let call = environment.expert().unwrap().next_call().unwrap();
        if let Some(answer) = call.string("answer") {
            break answer.to_owned();
        }
        number += 1;
        let taken = step(&mut *environment, &call).await;
        tracker.update(Stepped { step: number, call: &call, observation: &taken.observation, justification: None });
    };
    let ask = |name: &str, argument: &str, value: &str| tracker.query(&ToolCall::with(name, &[(argument, value)]));
    let state: Value = serde_json::from_str(&ask("subject_state", "subject", "10-k").unwrap()).unwrap();
    assert_eq!(state, json!({ "source": "10-K", "current_status": "read", "found": 1, "keys": ["10-K"] }));
    let baseline: Value = serde_json::from_str(&ask("subject_baseline", "subject", "exhibit").unwrap()).unwrap();
    assert_eq!(baseline, json!({ "source": "exhibit", "baseline": "none found" }));
    let evidence: Value =
        serde_json::from_str(&ask("evidence", "answer", &format!("{answer} And $77.7 million.")).unwrap()).unwrap();
    assert_eq!((&evidence["all"], &evidence["stored"]), (&json!(3), &json!(2)), "{evidence}");
    assert_eq!(evidence["figures"][0]["spans"][0]["key"], "10-K");
    assert_eq!(evidence["figures"][2]["support"], "missing");
    for (name, argument, value, kind) in [
        ("subject_state", "subject", "10-X", RejectionKind::BadValue),
        ("subject_state", "name", "10-K", RejectionKind::UnknownArgument),
        ("state", "subject", "10-K", RejectionKind::UnknownTool),
    ] {
        assert_eq!(ask(name, argument, value).unwrap_err().kind, kind);
    }
    assert_eq!(tracker.query(&ToolCall::bare("evidence")).unwrap_err().kind, RejectionKind::MissingArgument);
    let names: Vec<&str> = tracker.queries().iter().map(|query| query.name.as_str()).collect();
    assert_eq!(names, ["subject_state", "subject_baseline", "evidence", "passages", "quotation"]);
    // What a verifier is shown, and what its quotations are held to.
    let passages: Value = serde_json::from_str(&ask("passages", "about", &answer).unwrap()).unwrap();
    assert_eq!(passages["documents"][0]["key"], "10-K", "{passages}");
    let shown = passages["passages"].as_array().unwrap();
    assert!(!shown.is_empty() && shown.len() <= 24, "{passages}");
    let quoted = |key: &str, text: &str| -> Value {
        let call = ToolCall::with("quotation", &[("key", key), ("text", text)]);
        serde_json::from_str(&tracker.query(&call).unwrap()).unwrap()
    };
    for passage in shown {
        let said = quoted("10-K", passage["text"].as_str().unwrap());
        assert_eq!(said["found"], true, "{passage}");
    }
    let figure = evidence["figures"][0]["spans"][0].clone();
    let said = quoted("10-K", figure["text"].as_str().unwrap());
    assert!(said["found"] == true && said["figures"] == 1, "{said}");
    assert_eq!(quoted("10-K", "sales of $77.7 million")["found"], false);
    assert_eq!(quoted("10-Q", figure["text"].as_str().unwrap())["found"], false, "another key");
    assert_eq!(quoted("10-K", " 1 ")["found"], false, "too short to be one");
    assert_eq!(
        tracker.query(&ToolCall::with("quotation", &[("key", "k")])).unwrap_err().kind,
        RejectionKind::MissingArgument
    );
    assert_eq!(environment.brief().subjects, KINDS);
    // Blind to what no observation told.
    let mut blind = environment.tracker();
    blind.begin(&Observation::default());
    let nothing: Value =
        serde_json::from_str(&blind.query(&ToolCall::with("evidence", &[("answer", &answer)])).unwrap()).unwrap();
    assert_eq!(nothing["stored"], 0);
}
