//! The shipped studies of the three axes, played as far as this machine can.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

mod common;

use common::Place;

fn shipped(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../studies/{name}.yaml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

// covers: BOG-180, BOG-233
#[test]
fn the_twelve_configurations_play_in_both_worlds_by_yaml_alone() {
    let place = Place::new();
    place.write("second-world.yaml", &shipped("second-world"));
    let run = ["run", "second-world.yaml", "--limit", "1", "--only", "noisy/0.9", "--progress", "quiet", "--no-report"];
    place.gimbal(&run).good();
    let said = place.gimbal(&["verify", "second-world", "--json"]).good().json();
    assert_eq!((said["episodes"].as_u64(), said["problems"].as_array().unwrap().len()), (Some(36), 0));
    let table = place.gimbal(&["report", "second-world", "--table", "second-world"]).good().out;
    for world in ["cage2 b_line 30", "yawning_titan"] {
        assert!(table.contains(world), "{table}");
    }
}

// covers: BOG-131, BOG-132
#[test]
fn the_local_grid_plays_every_cell_that_needs_no_weights() {
    let place = Place::new();
    place.write("bog-local.yaml", &shipped("bog-local"));
    let run = ["run", "bog-local.yaml", "--limit", "1", "--only", "noisy/", "--progress", "quiet", "--no-report"];
    place.gimbal(&run).good();
    let said = place.gimbal(&["verify", "bog-local", "--json"]).good().json();
    assert_eq!((said["episodes"].as_u64(), said["problems"].as_array().unwrap().len()), (Some(39), 0));
    // Every role of the hierarchy has rows of its own in the ledger.
    let roles = place.gimbal(&["report", "bog-local", "--table", "roles", "--format", "csv"]).good().out;
    for role in ["planner", "analyst", "chooser"] {
        assert!(roles.lines().any(|line| line.starts_with("hier-delib,") && line.contains(role)), "{roles}");
    }
}
