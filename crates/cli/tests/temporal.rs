//! What follows from the rules and the mathematics of the temporal hierarchy.

use crate::common::Place;

// covers: CTHA-140, CTHA-143
#[test]
fn papers_ctha_lists_every_miss_and_can_fail() {
    let place = Place::new();
    let said = place.gimbal(&["papers", "ctha", "--table", "summary", "--format", "csv"]).good();
    assert!(said.out.contains("Tab. 13"), "{}", said.out);
    let shipped = include_str!("../../../papers/ctha.yaml");
    let facts = place.write("ctha.yaml", &shipped.replace("[23.7, 3.2, -86.5]", "[23.7, 3.2, -80.5]"));
    let said = place.gimbal(&["papers", "ctha", "--facts", facts.to_str().unwrap()]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("Tab. 5, conflict rate, reduction"), "{}", said.err);
}

// covers: CTHA-R02
#[test]
fn the_search_says_that_the_printed_algorithm_may_leave_nobody() {
    let place = Place::new();
    let said = place.gimbal(&["temporal", "search", "--epsilon", "50", "--format", "csv"]).good();
    assert!(said.out.contains("literal,slower,by score,0.05,84750,370,0,24822,27150,0"), "{}", said.out);
    assert!(said.out.contains("greedy,faster,first,0.05,84750,0,0,0,0,0"), "{}", said.out);
    let wrong = place.gimbal(&["temporal", "search", "--epsilon", "100001"]);
    assert!(wrong.code == 2 && wrong.err.contains("--epsilon"), "{}", wrong.err);
}

// covers: CTHA-030, CTHA-135
#[test]
fn gains_are_printed_and_drawn_without_a_run() {
    let place = Place::new();
    let folder = place.path().join("gains");
    let draws = ["--draws", "5", "--depth", "5"];
    let asked = [&["temporal", "gains", "--figures", folder.to_str().unwrap(), "--format", "csv"][..], &draws].concat();
    let said = place.gimbal(&asked).good();
    assert_eq!(said.out.lines().filter(|line| line.starts_with("doubly stochastic,")).count(), 5, "{}", said.out);
    for name in ["ctha-f2b.svg", "ctha-f7b.svg"] {
        let drawn = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(drawn.contains("<svg") && drawn.contains("doubly stochastic"), "{name}");
    }
    let wrong = place.gimbal(&["temporal", "gains", "--layers", "0"]);
    assert!(wrong.code == 2 && wrong.err.contains("--layers"), "{}", wrong.err);
}

/// The texts of notes in the requests of Strategic.
fn notes(place: &Place, run: &str) -> Vec<String> {
    let said = place.gimbal(&["trace", run, "0", "--full"]).good().out;
    said.lines().filter_map(|line| Some(line.split_once("\"notes\": ")?.1.to_owned())).collect()
}

/// The program has the embedder that finds notes by meaning, and the same seed finds the same ones.
// covers: CTHA-003
#[test]
fn notes_of_strategic_are_found_by_the_hashed_embedder_unless_a_study_wants_none() {
    let place = Place::new();
    let study = |name: &str, settings: &str| {
        let text = format!(
            "study: {name}\nenvironment: {{ name: cage2, horizon: 24, tasks: {{ split: train, limit: 1 }} }}\narchitectures:\n  \
             - {{ base: temporal, configuration: ctha{settings} }}\nroles: {{ default: 'noisy/0.6' }}\nepisodes: {{ runs: 1, seed: 7 }}\n"
        );
        place.write(&format!("{name}.yaml"), &text);
        place.gimbal(&["run", &format!("{name}.yaml"), "--progress", "quiet", "--no-report"])
    };
    for (name, settings) in [("near", ""), ("again", ", embedder: hashed"), ("late", ", embedder: none")] {
        study(name, settings).good();
    }
    let digest = |run: &str| place.gimbal(&["digest", run]).good().out;
    assert_eq!(digest("near"), digest("again"));
    assert_ne!(digest("near"), digest("late"));
    let (near, late) = (notes(&place, "near"), notes(&place, "late"));
    assert!(near.len() > 1 && late.len() > 1, "{near:?} {late:?}");
    assert_ne!(near[0], late[0]);
    let wrong = study("wrong", ", embedder: hashd");
    assert!(wrong.code == 2 && wrong.err.contains("did you mean `hashed`?"), "{} {}", wrong.code, wrong.err);
}
