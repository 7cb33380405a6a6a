//! `gimbal env yawning_titan`.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

use crate::common;

use common::Place;
use gimbal_yawning_titan::Scenario;
use gimbal_yawning_titan::policy::PolicyKind;
use gimbal_yawning_titan::recording::{RecordOptions, record};

const NAME: &str = "yawning_titan";

fn recording(place: &Place) {
    let options = RecordOptions {
        mode: "default".to_owned(),
        changes: serde_json::Map::new(),
        scenario: Scenario::default(),
        policy: PolicyKind::Random,
        episodes: 3,
        horizon: 30,
        seed: 8,
    };
    let mut bytes = Vec::new();
    record(&options, &mut bytes).unwrap();
    place.write("own.jsonl", &String::from_utf8(bytes).unwrap());
}

#[test]
fn a_recording_agrees_by_tape_and_by_seed_and_a_spoilt_one_does_not() {
    let place = Place::new();
    recording(&place);
    for draws in ["tape", "seed"] {
        let found =
            place.gimbal(&["env", NAME, "replay", "own.jsonl", "--draws", draws, "--checksum", "--json"]).good();
        let found = found.json();
        assert_eq!((&found["episodes"], &found["mismatches"]), (&3.into(), &0.into()));
        assert_eq!(found["checksum"], found["checksum_recorded"]);
    }
    let text = std::fs::read_to_string(place.path().join("own.jsonl")).unwrap();
    place.write("spoilt.jsonl", &text.replacen("\"done\":false", "\"done\":true", 1));
    let said = place.gimbal(&["env", NAME, "replay", "spoilt.jsonl", "--json"]);
    assert_eq!(said.code, 1);
    let first = &said.json()["first"];
    for key in ["file", "environment", "episode", "step", "field", "expected", "got"] {
        assert!(!first[key].is_null(), "{key}: {first}");
    }
    let missing = place.gimbal(&["env", NAME, "replay", "nowhere.jsonl"]);
    assert_eq!(missing.code, 2);
}

#[test]
fn a_bench_and_returns_repeat_and_choose_their_environment() {
    let place = Place::new();
    let bench = |extra: &[&str]| {
        let arguments = [&["env", NAME, "bench", "--steps", "2000", "--json"], extra].concat();
        place.gimbal(&arguments).good().json()
    };
    let one = bench(&[]);
    assert!(one["steps"] == 2000 && one["vector"] == 543 && one["steps_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(one["checksum"], bench(&[])["checksum"]);
    let other = bench(&["--mode", "dcbo", "--network", "dcbo_base", "--red", "sine", "--horizon", "10"]);
    assert_eq!(other["vector"], 229);
    let returns = ["env", NAME, "returns", "--policy", "reactive", "--episodes", "50", "--set", "rewards.for_loss=-10"];
    let report = place.gimbal(&[&returns[..], &["--json"]].concat()).good().json();
    assert!(report["episodes"] == 50 && report["min"].as_f64().unwrap() > -50.0, "{report}");
    let table = place.gimbal(&["env", NAME, "evaluate", "--episodes", "5", "--json"]).good().json();
    assert_eq!(table.as_array().unwrap().len(), 4);
    let cell = serde_json::json!({
        "mode": "default", "network": "default_18", "red": "standard", "blue": "nothing", "n": 500, "mean": -118.8765,
        "se": 1.0179, "length_mean": 21.596, "length_sd": 13.313
    });
    place.write("returns.json", &serde_json::json!({ "cells": [cell] }).to_string());
    let against = ["env", NAME, "returns", "--against", "returns.json", "--episodes", "400", "--json"];
    let found = place.gimbal(&against).good().json();
    assert!(found["largest_z"].as_f64().unwrap() < 3.0 && found["cells"][0]["policy"] == "nothing");
}

#[test]
fn wrong_words_are_refused_with_what_would_be_right() {
    let place = Place::new();
    for (arguments, fix) in [
        (&["bench", "--mode", "defalt"][..], "did you mean `default`?"),
        (&["bench", "--network", "default_81"], "did you mean `default_18`?"),
        (&["bench", "--red", "sinus"], "standard, sine"),
        (&["bench", "--set", "rewards.for_los=1"], "did you mean `rewards.for_loss`?"),
        (&["bench", "--set", "nothing"], "NAME=VALUE"),
        (&["bench", "--observe", "raw"], "give `vector`"),
        (&["returns", "--policy", "reactiv"], "did you mean `reactive`?"),
        (&["bench", "--horizon", "0"], "`horizon` is 0; give a whole number from 1"),
    ] {
        let said = place.gimbal(&[&["env", NAME], arguments].concat());
        assert_eq!(said.code, 2, "{arguments:?}");
        assert!(said.err.contains(fix), "{arguments:?}: {}", said.err);
    }
    let said = place.gimbal(&["env", "cage2", "bench", "--mode", "default"]);
    assert!(said.code == 2 && said.err.contains("unexpected argument '--mode'"), "{}", said.err);
    let said = place.gimbal(&["env", "cage2", "bench", "--set", "mode=default"]);
    assert!(said.code == 2 && said.err.contains("--set mode: `cage2` has no option `mode`"), "{}", said.err);
    let tasks = place.gimbal(&["env", NAME, "tasks"]).good();
    assert!(tasks.out.contains("train") && tasks.out.contains("test"));
}

#[test]
fn flags_of_the_other_environment_are_refused_by_name() {
    let place = Place::new();
    for (arguments, flag) in [
        (&["play", "--green", "scan"][..], "--green"),
        (&["play", "--names", "neutral"], "`names` is \"neutral\" (known: ordered, shuffled)"),
        (&["bench", "--save", "x.jsonl"], "--save"),
        (&["evaluate", "--policy", "sleep"], "--policy"),
    ] {
        let said = place.gimbal(&[&["env", "yawning_titan"], arguments].concat());
        assert!(said.code == 2 && said.err.contains(flag), "{arguments:?}: {} {}", said.code, said.err);
    }
    // The flags of a verb are the options of the environment that is named.
    let help = |environment: &str, verb: &str| place.gimbal(&["env", environment, verb, "--help"]).good().out;
    let titan = help("yawning_titan", "bench");
    assert!(titan.contains("--network <VALUE>") && titan.contains("Options of yawning_titan"), "{titan}");
    for other in ["--green", "--games", "--corpus", "only)"] {
        assert!(!titan.contains(other), "{other}: {titan}");
    }
    let cage = help("cage2", "play");
    assert!(
        cage.contains("The users of the network (sleep, scan) [default: sleep]") && !cage.contains("--network"),
        "{cage}"
    );
    let replay = help("alfworld", "replay");
    assert!(replay.contains("--variant <VALUE>") && !replay.contains("--max_calls"), "{replay}");
    assert!(help("finance_agent", "serve").contains("--companies <VALUE>"));
    assert!(place.gimbal(&["env", "--help"]).good().out.contains("`gimbal env NAME VERB --help` lists them"));
    let said = place.gimbal(&["env", "yawning_titan", "returns", "--set", "foo=1"]);
    assert!(said.code == 2 && said.err.contains("; in `changes`: red.agent_attack.ignores_defences, "), "{}", said.err);
}

#[test]
fn a_flag_and_a_setting_that_differ_are_both_named() {
    let place = Place::new();
    for (environment, arguments, parts) in [
        ("cage2", &["play", "--horizon", "3", "--set", "horizon=4"][..], &["`--horizon 3`", "`--set horizon=4`"][..]),
        (
            "textcraft",
            &["returns", "--horizon", "3", "--set", "max_calls=4"],
            &["`--horizon 3`", "`--set max_calls=4`"],
        ),
        (
            "textcraft",
            &["play", "--task", "lectern", "--set", "task=torch"],
            &["`--task lectern`", "`--set task=torch`"],
        ),
        (
            "cage2",
            &["play", "--horizon", "-5"],
            &["--horizon -5: ", "`horizon` is -5; give a whole number from 1 to 10000"],
        ),
        ("alfworld", &["bench", "--max_calls", "-1"], &["--max_calls -1: ", "give a whole number from 1 to 10000"]),
        ("cage2", &["returns", "--horizon", "many"], &["--horizon many: ", "`horizon` is \"many\""]),
        ("yawning_titan", &["show", "--red", "sines"], &["--red sines: ", "did you mean `sine`?"]),
    ] {
        let said = place.gimbal(&[&["env", environment], arguments].concat());
        assert_eq!(said.code, 2, "{arguments:?}: {}", said.err);
        for part in parts {
            assert!(said.err.contains(part), "{arguments:?}: {}", said.err);
        }
    }
    let agree = ["env", "cage2", "play", "--policy", "sleep", "--horizon", "3", "--set", "horizon=3"];
    assert!(place.gimbal(&agree).good().out.contains("3 steps"));
}

#[test]
fn the_matrix_names_the_policies_of_each_environment() {
    let place = Place::new();
    let text = place.gimbal(&["matrix"]).good().out;
    let line = |environment: &str| {
        let words: Vec<&str> = text
            .lines()
            .find(|line| line.starts_with(environment) && line.contains("baseline"))
            .unwrap()
            .split_whitespace()
            .collect();
        words[2..].join(" ")
    };
    assert_eq!(line("yawning_titan"), "yes, with the policy nothing, random, reactive, restore_changed");
    assert!(line("cage2").starts_with("yes, with the policy ") && line("cage2").contains("sleep"), "{text}");
    // What does not fit is a debate or a panel over a packet, where there is none.
    let unfit: Vec<&str> = text.lines().filter(|line| line.contains("no: ")).collect();
    let argues = |line: &str| line.contains("debate") || line.contains("panel");
    assert!(unfit.iter().all(|line| argues(line) && !line.starts_with("triage")), "{text}");
    let found = place.gimbal(&["matrix", "--json"]).good().json();
    let baseline = found.as_array().unwrap().iter().find(|row| row["architecture"] == "baseline").unwrap();
    assert!(baseline["unmet"].as_array().unwrap().is_empty() && !baseline["policies"].as_array().unwrap().is_empty());
}
