//! Two models get the same requests, but for what is known of them beforehand (BOG-026).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::common::{Place, provider};

/// A small run of everything that asks in its own way: one agent in three forms of answers, deliberation tools, a hierarchy.
const STUDY: &str = "\
study: same
environment: { name: cage2, red: b_line, horizon: 2 }
architectures:
  - { base: react, configuration: obs }
  - { base: react, configuration: hist+net, name: json, protocol: json }
  - { base: react, configuration: hist+net, name: native, protocol: native-tools }
  - { base: react, configuration: +COT }
  - { base: hierarchy, configuration: hier-delib }
roles:
  - { default: { model: MODEL, temperature: 0, top_p: 0.7, max_output_tokens: 400 } }
episodes: { runs: 1, seed: 3 }
";

/// What a model was asked, by cell of the study and in order: each request is one line of the answer's script long.
fn asked(model: &str, variable: &str) -> BTreeMap<&'static str, Vec<Value>> {
    let mut all = BTreeMap::new();
    for cell in ["obs", "json", "native", "+COT", "hier-delib"] {
        let place = Place::new();
        let (address, heard) = provider(vec!["Thought: nothing to do.\nAnswer: Monitor".to_owned()]);
        place.write("same.yaml", &STUDY.replace("MODEL", model));
        let mut command = place.command();
        command.env(variable, address).env("OPENAI_API_KEY", "k").env("OPENROUTER_API_KEY", "k");
        let only = ["run", "same.yaml", "--only", cell, "--jobs", "1", "--progress", "quiet", "--no-report"];
        let output = command.args(only).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{model} {cell}: {said}");
        let requests = heard.lock().unwrap().clone();
        assert!(requests.len() >= 2, "{model} {cell}: {} requests", requests.len());
        all.insert(cell, requests);
    }
    all
}

/// Members in which two requests differ.
fn differing(one: &Value, other: &Value) -> BTreeSet<String> {
    let (one, other) = (one.as_object().unwrap(), other.as_object().unwrap());
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}

/// Compares every request of two models: as many, in the same order, different in these members and no others.
fn compare(first: &BTreeMap<&str, Vec<Value>>, second: &BTreeMap<&str, Vec<Value>>, members: &[&str]) {
    for (cell, requests) in first {
        let others = &second[cell];
        assert_eq!(requests.len(), others.len(), "{cell}");
        for (number, (one, other)) in requests.iter().zip(others).enumerate() {
            assert_eq!(one["messages"], other["messages"], "{cell}, request {number}");
            assert_eq!(one.get("tools"), other.get("tools"), "{cell}, request {number}");
            let differing = differing(one, other);
            let known = differing.iter().all(|name| members.contains(&name.as_str()));
            assert!(
                known,
                "{cell}, request {number}: {differing:?} differ, and the table of facts explains {members:?}"
            );
        }
    }
}

// covers: BOG-026
#[test]
fn two_models_get_the_same_requests_but_for_what_the_table_of_facts_says() {
    let plain = asked("openai/gpt-4o", "OPENAI_BASE_URL");
    assert!(plain["obs"].iter().all(|request| request["stop"].is_array() && request["temperature"] == 0.0));
    assert!(plain["native"].iter().all(|request| request["tools"].as_array().is_some_and(|tools| !tools.is_empty())));
    // Another model of the same provider, and one of another provider: nothing but the name.
    compare(&plain, &asked("openai/gpt-4.1", "OPENAI_BASE_URL"), &["model"]);
    compare(&plain, &asked("openrouter/x-ai/grok-4.1-fast", "OPENROUTER_BASE_URL"), &["model"]);
    // A reasoning model takes no stop texts and no sampling, and its bound has another name, with the same number.
    let reasoning = asked("openai/o3", "OPENAI_BASE_URL");
    let facts = ["model", "stop", "temperature", "top_p", "max_tokens", "max_completion_tokens"];
    compare(&plain, &reasoning, &facts);
    for (one, other) in plain.values().flatten().zip(reasoning.values().flatten()) {
        assert_eq!((&one["max_tokens"], other.get("stop")), (&other["max_completion_tokens"], None));
    }
}
