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
    let wrong = place.gimbal(&["arbiter", "train", "c.jsonl", "--mask", "confidenze"]);
    assert!(wrong.code == 2 && wrong.err.contains("`confidence`"), "{}", wrong.err);
    let wrong = place.gimbal(&["arbiter", "eval", "a.weights", "c.jsonl", "--hold-out", "cage2"]);
    assert!(wrong.code == 2 && wrong.err.contains("--hold-out"), "{}", wrong.err);
}
