//! The belief state.

use gimbal_core::{Stepped, ToolCall, Tracker};
use serde_json::{Value, json};

use crate::play::{act, begin};

fn played(calls: &[ToolCall]) -> Box<dyn Tracker> {
    let (mut environment, first) = begin("SC-001", &json!({}));
    let mut tracker = environment.tracker();
    tracker.begin(&first);
    for (step, call) in (1..).zip(calls) {
        let transition = act(&mut *environment, call).unwrap();
        tracker.update(Stepped { step, call, observation: &transition.observation, justification: Some("to see") });
    }
    tracker
}

fn asked(tracker: &dyn Tracker, query: &str, arguments: &[(&str, &str)]) -> Value {
    serde_json::from_str(&tracker.query(&ToolCall::with(query, arguments)).unwrap()).unwrap()
}

// covers: ARES-009
#[test]
fn blocks_show_what_was_shown_and_the_packet_block_shows_all() {
    let tracker = played(&[ToolCall::with("show_fact", &[("id", "F003")]), ToolCall::bare("overview")]);
    assert_eq!(tracker.blocks(), ["observation", "history", "own_history", "status", "packet"]);
    let block = |name: &str| tracker.block(name).unwrap();
    assert!(block("observation").starts_with("Result of the latest call:\nEvidence packet with"));
    assert!(block("history").contains("show_fact id=") && block("own_history").contains("overview"));
    assert!(
        block("status").starts_with("Facts shown so far: ")
            && block("status").contains("Looked at on their own: F003.")
    );
    let packet = block("packet");
    let lines = packet.lines().skip(1).collect::<Vec<_>>();
    let ordered = lines.iter().zip(1..).all(|(line, number)| line.starts_with(&format!("F{number:03} ")));
    assert!(ordered && lines.len() > 20, "{packet}");
    assert!(tracker.block("none").is_none());
    assert_eq!(
        block("status"),
        played(&[ToolCall::with("show_fact", &[("id", "F003")]), ToolCall::bare("overview")]).block("status").unwrap()
    );
}

// covers: CYC-095, ARES-008
#[test]
fn cited_facts_are_stored_where_they_were_shown_and_missing_where_not() {
    let tracker = played(&[]);
    let packet = tracker.block("packet").unwrap();
    let last = packet.lines().last().unwrap().split(' ').next().unwrap().to_owned();
    let tracker = played(&[]);
    let of = |tracker: &dyn Tracker, answer: &str| {
        let found = asked(tracker, "evidence", &[("answer", answer)]);
        let figures = found["figures"].as_array().unwrap().clone();
        figures.iter().map(|one| one["support"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(of(&*tracker, "F001 F999"), ["stored", "missing"]);
    assert_eq!(of(&*tracker, ""), Vec::<String>::new());
    let unseen = of(&*tracker, &last);
    tracker.block("packet");
    assert_eq!(of(&*tracker, &last), ["stored"], "who was shown the packet has seen every fact");
    assert!(unseen == ["missing"] || unseen == ["stored"]);
}

// covers: CYC-095
#[test]
fn passages_and_quotations_are_those_of_shown_facts() {
    let tracker = played(&[]);
    let found = asked(&*tracker, "passages", &[("about", "logon of root from 198.51.100.23")]);
    let passages = found["passages"].as_array().unwrap();
    assert!(!passages.is_empty() && passages.len() <= 24);
    let (key, text) = (passages[0]["key"].as_str().unwrap(), passages[0]["text"].as_str().unwrap());
    assert!(text.starts_with(key));
    let quoted = asked(&*tracker, "quotation", &[("key", key), ("text", text)]);
    assert!(quoted["found"] == true && quoted["figures"].as_u64().unwrap() > 0, "{quoted}");
    assert_eq!(asked(&*tracker, "quotation", &[("key", key), ("text", "an approved test")])["found"], false);
    assert_eq!(asked(&*tracker, "quotation", &[("key", "F999"), ("text", text)])["found"], false);
}

// covers: BOG-063, BOG-064
#[test]
fn an_entity_is_known_by_the_facts_that_were_shown_and_by_what_people_stated() {
    let tracker = played(&[]);
    let state = asked(&*tracker, "subject_state", &[("subject", "address:198.51.100.23")]);
    assert!(state["facts_shown"].as_u64().unwrap() > 0 && state["facts"][0].as_str().unwrap().starts_with('F'));
    let baseline = asked(&*tracker, "subject_baseline", &[("subject", "address:198.51.100.23")]);
    assert_eq!(baseline["stated"], "nothing");
    let unknown = tracker.query(&ToolCall::with("subject_state", &[("subject", "address:x")])).unwrap_err();
    assert!(unknown.message.contains("there is no entity"), "{unknown:?}");
}
