//! The network of the arbiter, on the command line.

use crate::common::Place;

#[test]
fn conflicts_are_generated_and_wrong_files_are_refused() {
    let place = Place::new();
    place.gimbal(&["arbiter", "generate", "--conflicts", "200", "--out", "c.jsonl"]).good();
    let text = std::fs::read_to_string(place.path().join("c.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 201);
    let said = place.gimbal(&["arbiter", "eval", "c.jsonl", "c.jsonl"]);
    assert!(said.code == 2 && said.err.contains("not a file of weights"), "{}", said.err);
    let said = place.gimbal(&["arbiter", "show", "missing.weights"]);
    assert!(said.code == 2 && said.err.contains("missing.weights: cannot be read"), "{}", said.err);
}

// covers: CTHA-080
#[test]
fn the_rule_is_tuned_on_conflicts_that_a_run_labelled() {
    let place = Place::new();
    // With this seed one of the eight episodes is of the test part.
    let study = "study: small\nenvironment: { name: cage2, horizon: 12, tasks: { split: train } }\narchitectures:\n  - { base: temporal, \
                 configuration: ctha, experts: { overconfident: 500, excluding: true }, rollouts: { policy: restore_changed, second: remove_then_restore, \
                 futures: 2, steps: 4 } }\nroles: { default: 'noisy/0.6' }\nepisodes: { runs: 8, seed: 7 }\n";
    place.write("small.yaml", study);
    place.gimbal(&["run", "small.yaml", "--progress", "quiet", "--no-report"]).good();
    place.gimbal(&["arbiter", "collect", "small", "-o", "c.jsonl"]).good();
    let collected = std::fs::read_to_string(place.path().join("c.jsonl")).unwrap();
    let header = collected.lines().next().unwrap();
    assert!(header.contains("\"bias\",\"action\"]") && header.contains("\"context\":384"), "{header}");
    // Weights without actions and context read what they were made for.
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../weights/arbiter/arbiter.weights");
    place.gimbal(&["arbiter", "eval", shipped, "c.jsonl", "--part", "all", "--by", "all"]).good();
    // A file of the version before is refused with what to do.
    place.write("old.jsonl", &collected.replacen("\"version\":2", "\"version\":1", 1));
    let said = place.gimbal(&["arbiter", "stats", "old.jsonl"]);
    assert!(said.code == 2 && said.err.contains("old.jsonl: line 1: `version` is 1"), "{}", said.err);
    assert!(said.err.contains("play the study anew and collect it"), "{}", said.err);
    let stats = place.gimbal(&["arbiter", "stats", "c.jsonl", "--format", "csv"]).good().out;
    assert!(stats.lines().any(|line| line.starts_with("cage2,")), "{stats}");
    assert!(
        stats.lines().any(|line| line.starts_with("published,100000,") && line.contains("0.423,0.318,0.259")),
        "{stats}"
    );
    let said = place.gimbal(&["arbiter", "tune", "c.jsonl", "--starts", "1", "-o", "rule.json"]).good();
    let words =
        said.err.lines().find_map(|line| line.strip_prefix("gimbal: the default rule takes its recorded way in "));
    let words: Vec<&str> = words.unwrap_or_else(|| panic!("{}", said.err)).split(' ').collect();
    assert!(words[0] == words[2] && words[0].parse::<u32>().unwrap() > 10, "{words:?}");
    let first = std::fs::read(place.path().join("rule.json")).unwrap();
    place.gimbal(&["arbiter", "tune", "c.jsonl", "--starts", "1", "-o", "rule.json"]).good();
    assert_eq!(std::fs::read(place.path().join("rule.json")).unwrap(), first);
    let held = ["arbiter", "tune", "c.jsonl", "--starts", "0", "-o", "h.json", "--hold-out", "cage2"];
    let said = place.gimbal(&held);
    assert!(said.code == 2 && said.err.contains("there is no conflict in which the choice matters"), "{}", said.err);
    // Two episodes, neither of which is of the test part: nothing is searched and nothing written.
    place.gimbal(&["arbiter", "generate", "--conflicts", "2", "--seed", "2", "--out", "few.jsonl"]).good();
    let said = place.gimbal(&["arbiter", "tune", "few.jsonl", "-o", "few.json"]);
    assert!(said.code == 2 && said.err.contains("the test part holds no conflict"), "{}", said.err);
    assert!(!place.path().join("few.json").exists());
    // A folder that is missing is named before the search.
    let said = place.gimbal(&["arbiter", "tune", "c.jsonl", "-o", "none/rule.json"]);
    assert!(said.code == 2 && said.err.contains("there is no folder `none`"), "{}", said.err);
    assert!(!said.err.contains("recorded way"), "{}", said.err);
    let synthetic = ["arbiter", "generate", "--conflicts", "400", "--out", "s.jsonl"];
    place.gimbal(&synthetic).good();
    let tune = ["arbiter", "tune", "s.jsonl", "--starts", "0", "-o", "s.json", "--format", "csv"];
    let worth = place.gimbal(&tune).good().out;
    assert!(worth.lines().any(|line| line.starts_with("all,all,tuned,")), "{worth}");
    assert!(worth.lines().any(|line| line.starts_with("all,all,published,")), "{worth}");
    // What it writes is what a study takes.
    let rule: serde_json::Value = serde_json::from_slice(&first).unwrap();
    place.write(
        "tuned.yaml",
        &study.replace("configuration: ctha,", &format!("configuration: ctha, weights: {},", rule["weights"])),
    );
    place.gimbal(&["run", "tuned.yaml", "--dry-run"]).good();
    let labels = place.gimbal(&["report", "small", "--table", "ctha-labels", "--format", "csv"]).good().out;
    assert!(labels.contains("second_kappa"), "{labels}");
    let said = place.gimbal(&["arbiter", "tune", "small.yaml"]);
    assert!(said.code == 2 && said.err.contains("line 1"), "{}", said.err);
}

#[cfg(not(feature = "arbiter-train"))]
#[test]
fn a_build_without_training_names_the_feature() {
    let place = Place::new();
    let said = place.gimbal(&["arbiter", "train", "c.jsonl"]);
    assert!(said.code == 2 && said.err.contains("--features arbiter-train"), "{}", said.err);
}

// covers: CTHA-077, CTHA-081
#[cfg(feature = "arbiter-train")]
#[test]
fn a_network_is_trained_shown_and_measured() {
    let place = Place::new();
    place.gimbal(&["arbiter", "generate", "--conflicts", "1500", "--out", "c.jsonl"]).good();
    let train = ["arbiter", "train", "c.jsonl", "--preset", "test", "--epochs", "3", "--out", "a.weights"];
    let said = place.gimbal(&train).good();
    assert!(said.err.contains("epoch 3: training loss"), "{}", said.err);
    assert!(!place.path().join("a.weights.checkpoint").exists());
    let first = std::fs::read(place.path().join("a.weights")).unwrap();
    place.gimbal(&train).good();
    assert_eq!(std::fs::read(place.path().join("a.weights")).unwrap(), first);
    let shown = place.gimbal(&["arbiter", "show", "a.weights"]).good().out;
    assert!(shown.contains("encoder, 1 blocks of 32") && shown.contains("preset test, seed 1"), "{shown}");
    let figures =
        place.gimbal(&["arbiter", "eval", "a.weights", "c.jsonl", "--by", "all", "--format", "csv"]).good().out;
    assert!(figures.lines().any(|line| line.starts_with("all,all,published,")), "{figures}");
    place.gimbal(&["arbiter", "tune", "c.jsonl", "--starts", "0", "-o", "rule.json"]).good();
    let eval = ["arbiter", "eval", "a.weights", "c.jsonl", "--rule", "rule.json", "--by", "all", "--format", "csv"];
    let figures = place.gimbal(&eval).good().out;
    assert!(figures.lines().any(|line| line.starts_with("all,all,tuned,")), "{figures}");
    let wrong = place.gimbal(&["arbiter", "train", "c.jsonl", "--mask", "confidenze"]);
    assert!(wrong.code == 2 && wrong.err.contains("`confidence`"), "{}", wrong.err);
    let wrong = place.gimbal(&["arbiter", "eval", "a.weights", "c.jsonl", "--hold-out", "cage2"]);
    assert!(wrong.code == 2 && wrong.err.contains("--hold-out"), "{}", wrong.err);
}

// covers: CTHA-136
#[test]
fn the_shipped_arbiter_is_found_away_from_the_repository() {
    let place = Place::new();
    let plan = place.gimbal(&["run", "studies/ctha-arbiters-again.yaml", "--only", "learned", "--dry-run"]).good();
    let said = format!("{}{}", plan.out, plan.err);
    assert!(said.contains("weights/arbiter/arbiter.weights, 2587 bytes, SHA-256 37cfa5decfe0"), "{said}");
}
