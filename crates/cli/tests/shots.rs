//! Summaries of won episodes that a model writes for planners, from the run to the prompt.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use std::net::TcpListener;
use std::process::{Command, Stdio};

use common::{HANGS, NO_KEY, Place, Said, provider};
use serde_json::{Value, json};

fn study(name: &str, split: &str, limit: u32, more: &str) -> String {
    format!(
        "study: {name}\nenvironment: {{ name: textcraft, tasks: {{ split: {split}, limit: {limit} }} }}\n\
         architectures:\n  - {{ base: cyclic, name: spec, graph: planner, local_calls: 5{more} }}\n\
         roles: {{ default: 'noisy/0.9' }}\nepisodes: {{ seed: 5 }}\n"
    )
}

/// Task-specific graphs on three training tasks, all of them won.
fn trained() -> Place {
    let place = Place::new();
    place.write("train.yaml", &study("train", "depth-2-train", 5, ""));
    place.gimbal(&["run", "train.yaml", "--progress", "quiet", "--no-report"]).good();
    place
}

/// The summaries in a file.
fn shots(text: &str) -> Vec<String> {
    let items = text.lines().filter_map(|line| line.strip_prefix("  - "));
    items.map(|item| serde_json::from_str(item).unwrap()).collect()
}

/// What a file says of how it was made.
fn made(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("  \"{key}\": ")))?;
    serde_json::from_str(line).unwrap()
}

/// The noisy expert writes what code writes; the planner of other tasks reads it, and nobody else does.
// covers: CYC-023, CYC-086
#[test]
fn a_model_sums_up_training_and_the_planner_alone_reads_it() {
    let place = trained();
    let by_code = shots(&place.gimbal(&["graph", "shots", "train", "--most", "3"]).good().out);
    let ask = ["graph", "shots", "train", "--most", "3", "--model", "noisy/1.0"];
    let said = place.gimbal(&[&ask[..], &["--out", "shots/learned.yaml"]].concat()).good();
    assert!(said.err.contains("noisy/1.0: 3 calls, "), "{}", said.err);
    let frozen = std::fs::read_to_string(place.path().join("shots/learned.yaml")).unwrap();
    let learned = shots(&frozen);
    assert_eq!(learned.len(), 3, "{frozen}");
    for (learned, code) in learned.iter().zip(&by_code) {
        let start: String = code.chars().take(400).collect();
        assert_eq!(learned.trim(), start.trim());
    }
    assert_eq!(made(&frozen, "model").as_deref(), Some("noisy/1.0"));
    assert_eq!(made(&frozen, "decoding").as_deref(), Some("free"));
    assert_eq!(made(&frozen, "episodes").as_deref(), Some("3 of 3 won episodes"));
    assert_eq!(made(&frozen, "prompt").unwrap().len(), 12);
    assert_eq!(made(&frozen, "tasks").unwrap().split(", ").count(), 3);
    assert_eq!(place.gimbal(&ask).good().out, frozen, "the same bytes again");
    // Other tasks: the planner is told all three, and no executor and no router is told one.
    place.write("test.yaml", &study("test", "depth-2-test", 1, ", shots: learned"));
    place.gimbal(&["run", "test.yaml", "--config", ".", "--progress", "quiet", "--no-report"]).good();
    let events = place.gimbal(&["trace", "test", "0", "--json"]).good().out;
    let (mut planners, mut others) = (0, 0);
    for line in events.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let called = &event["body"]["model_called"];
        let Some(role) = called["role"].as_str() else { continue };
        let prompt = place.gimbal(&["trace", "test", "0", "--call", &called["call"].to_string()]).good().out;
        let told = learned.iter().filter(|shot| prompt.contains(shot.as_str())).count();
        assert_eq!(told, if role == "planner" { 3 } else { 0 }, "{role}: {prompt}");
        assert!(!prompt.contains("noisy/1.0"), "who wrote them is for people: {prompt}");
        *(if role == "planner" { &mut planners } else { &mut others }) += 1;
    }
    assert!(planners == 1 && others > 3, "{planners} {others}");
}

// covers: CYC-023
#[test]
fn a_reader_sums_up_what_its_request_says_with_and_without_a_mask() {
    let place = trained();
    let ask = ["graph", "shots", "train", "--most", "2", "--model", "reader/careful"];
    let free = place.gimbal(&ask).good();
    let masked = place.gimbal(&[&ask[..], &["--constrained"]].concat()).good();
    let texts = shots(&free.out);
    assert_eq!(texts.len(), 2, "{}", free.out);
    assert!(texts.iter().all(|text| text.starts_with("The work was divided into ")), "{texts:?}");
    assert_eq!(shots(&masked.out), texts);
    assert_eq!(made(&masked.out, "decoding").as_deref(), Some("constrained"));
    let said = place.gimbal(&["graph", "shots", "train", "--constrained"]);
    assert!(said.code == 2 && said.err.contains("--model"), "{}", said.err);
}

fn asking(place: &Place, address: &str, more: &[&str]) -> Command {
    let mut command = place.command();
    command.env("VLLM_BASE_URL", address).args(["graph", "shots", "train", "--most", "3", "--model", "vllm/writer"]);
    command.args(more);
    command
}

fn asked_of(place: &Place, address: &str, more: &[&str]) -> Said {
    asking(place, address, more).output().unwrap().into()
}

fn says(summary: &str) -> String {
    format!("Thought: so.\nAnswer: {}", json!({ "summary": summary }))
}

/// One call for each episode, one more for an answer without a summary; what holds none then is left out and said, and
/// nothing takes its place.
// covers: CYC-023
#[test]
fn an_answer_without_a_summary_is_repaired_once_and_then_left_out() {
    let place = trained();
    let sorry = "Sorry, I would rather not.".to_owned();
    let rtl = says("Third: \u{202e}look, then\ncraft.");
    let (address, asked) = provider(vec![sorry, says("First gather, then craft."), says(""), says(" . "), rtl]);
    let said = asked_of(&place, &address, &["--out", "shots/written.yaml", "--max-tokens", "99"]).good();
    assert!(
        said.err.contains("vllm/writer: 5 calls, 6000 prompt and 1725 completion tokens, price unknown"),
        "{}",
        said.err
    );
    assert!(said.err.contains(": the first answer held no summary: this holds no JSON object"), "{}", said.err);
    assert!(said.err.contains(": no summary: `summary` is empty; once more: `summary` is empty"), "{}", said.err);
    assert!(said.err.contains("shots/written.yaml: summaries of 2 of 3 won episodes"), "{}", said.err);
    let frozen = std::fs::read_to_string(place.path().join("shots/written.yaml")).unwrap();
    assert_eq!(shots(&frozen), ["First gather, then craft.", "Third: \\u202elook, then craft."], "{frozen}");
    assert_eq!(made(&frozen, "calls").as_deref(), Some("5, 2 of them repairs"));
    assert_eq!(made(&frozen, "tokens").as_deref(), Some("6000 prompt, 1725 completion"));
    assert_eq!(made(&frozen, "episodes").as_deref(), Some("2 of 3 won episodes"));
    assert_eq!(made(&frozen, "model").as_deref(), Some("vllm/writer"));
    // The file is one that planners read.
    let plan = ["graph", "plan", "textcraft", "--model", "noisy/1.0", "--shots", "written", "--config", "."];
    place.gimbal(&plan).good();
    // Each request shows the record of its episode: the calls with their results, and no summary by code.
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 5);
    for request in [0, 2, 4].map(|at| &asked[at]) {
        assert!(request.to_string().contains("99"), "{request}");
        let told = request["messages"][1]["content"].as_str().unwrap();
        let record = told.split("<record>").nth(1).unwrap().split("</record>").next().unwrap();
        let record: Value = serde_json::from_str(record.trim()).unwrap();
        assert!(record["task"].as_str().unwrap().starts_with("craft "), "{record}");
        let calls: Vec<&Value> =
            record["work"].as_array().unwrap().iter().flat_map(|one| one["calls"].as_array().unwrap()).collect();
        let got = |call: &&&Value| call["result"].as_str().unwrap().starts_with("Got ");
        assert!(calls.iter().any(|call| got(&call)), "{record}");
        assert!(calls.last().unwrap()["result"].as_str().unwrap().starts_with("Crafted "), "{record}");
        assert!(!told.contains("Won with"), "{told}");
    }
    let tasks: Vec<&str> = [0, 2, 4].iter().map(|at| asked[*at]["messages"][1]["content"].as_str().unwrap()).collect();
    assert!(tasks[0] != tasks[1] && tasks[1] != tasks[2], "an episode each");
}

// covers: CYC-023
#[test]
fn without_any_summary_it_is_an_error_and_what_was_made_before_a_failure_is_kept() {
    let place = trained();
    let (address, asked) = provider(vec!["Sorry, I would rather not.".to_owned()]);
    let said = asked_of(&place, &address, &["--out", "shots/never.yaml"]);
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.err.contains("vllm/writer gave no summary of 3 won episodes: "), "{}", said.err);
    assert!(said.err.contains("no JSON object with a summary"), "{}", said.err);
    assert_eq!(asked.lock().unwrap().len(), 6, "one repair each");
    // A provider that stops answering: what it wrote is paid for.
    let (address, _) = provider(vec![says("First gather, then craft."), NO_KEY.to_owned()]);
    let said = asked_of(&place, &address, &["--out", "shots/partly.yaml"]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("stopped early: there are summaries of 1 of 3 won episodes"), "{}", said.err);
    let partly = std::fs::read_to_string(place.path().join("shots/partly.yaml")).unwrap();
    assert_eq!(shots(&partly), ["First gather, then craft."]);
    // One that is not there.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let said = asked_of(&place, &nobody, &["--out", "shots/never.yaml"]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(!place.path().join("shots/never.yaml").exists(), "nothing is left of it");
}

// covers: CYC-023
#[cfg(unix)]
#[test]
fn what_was_made_before_an_interruption_is_kept() {
    let place = trained();
    let (address, asked) = provider(vec![says("First gather, then craft."), HANGS.to_owned()]);
    let mut command = asking(&place, &address, &["--out", "shots/partly.yaml"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while asked.lock().unwrap().len() < 2 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it asked twice");
        std::thread::yield_now();
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let partly = std::fs::read_to_string(place.path().join("shots/partly.yaml")).unwrap();
    assert_eq!(shots(&partly), ["First gather, then craft."]);
    assert_eq!(made(&partly, "episodes").as_deref(), Some("1 of 3 won episodes"));
}
