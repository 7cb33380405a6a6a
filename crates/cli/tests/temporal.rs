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
