//! Crafting tasks: what a request says is enough to win.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{Cell, Tally, controllers, solver, tasks};
use gimbal_core::TaskId;
use gimbal_textcraft::environment::TextCraft;
use serde_json::{Value, json};

async fn tally(cell: &Cell, split: &str, count: usize) -> Tally {
    tally_with(cell, &Value::Null, split, count).await
}

async fn tally_with(cell: &Cell, options: &Value, split: &str, count: usize) -> Tally {
    let mut tally = Tally::default();
    for (seed, task) in tasks(&TextCraft, split, options, count).iter().enumerate() {
        let played = cell.play(&TextCraft, options, task, seed as u64).await;
        if !played.won() && std::env::var("READER_STORY").is_ok() {
            println!("{}", played.story());
        }
        tally.add(&played);
    }
    tally
}

// covers: CYC-026, CYC-032
#[tokio::test]
async fn a_solver_wins_in_every_form() {
    for cell in Cell::all("react", &solver()) {
        for split in ["depth-2-test", "depth-3-test", "depth-4-test"] {
            let tally = tally(&cell, split, 8).await;
            println!("{} {split}: {}", cell.name(), tally.line());
            assert!(tally.rate() >= 0.95, "{} {split}: {}", cell.name(), tally.line());
            assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{} {split}", cell.name());
        }
    }
}

// covers: CYC-026, CYC-031, CYC-032
#[tokio::test]
async fn every_set_of_tools_can_be_played_from_its_requests() {
    for offered in ["separate", "unified"] {
        let options = json!({ "tools": offered });
        for (base, settings) in [("react", solver()), ("react", json!({ "configuration": "hist+net" }))] {
            for cell in Cell::all(base, &settings) {
                for split in ["depth-2-test", "depth-3-test"] {
                    let tally = tally_with(&cell, &options, split, 3).await;
                    println!("{offered}, {} {split}: {}", cell.name(), tally.line());
                    assert_eq!(
                        (tally.won, tally.rejected, tally.fallbacks, tally.lacks),
                        (3, 0, 0, 0),
                        "{offered}, {} {split}",
                        cell.name()
                    );
                }
            }
        }
    }
}

/// Some tasks show so many commands and items that the calls with each number which recipes name are more than a mask may list.
// covers: CYC-032, CYC-036
#[tokio::test]
async fn every_test_task_is_won_under_a_mask() {
    for cell in Cell::all("react", &solver()).into_iter().filter(|cell| cell.constrained) {
        let count = if cell.protocol == "react-text" { usize::MAX } else { 40 };
        let tally = tally_with(&cell, &Value::Null, "test", count).await;
        println!("{}: {}", cell.name(), tally.line());
        assert_eq!((tally.rate(), tally.rejected, tally.fallbacks), (1.0, 0, 0), "{}: {}", cell.name(), tally.line());
    }
    for cell in Cell::all("react", &solver()) {
        let played = cell.play(&TextCraft, &Value::Null, &TaskId("painting".to_owned()), 1).await;
        assert!(played.won(), "{}: {}", cell.name(), played.story());
    }
}

/// Tasks of each depth that a controller plays in each form.
const TASKS: usize = 3;
/// Depths, and how many of the tasks whoever goes through a list once wins: that is decided by the tasks and no form of answers.
const DEPTHS: [(&str, usize); 3] = [("depth-2-test", 3), ("depth-3-test", 3), ("depth-4-test", 2)];

// covers: CYC-027, CYC-032, CYC-080, CYC-083
#[tokio::test]
async fn controllers_win_with_every_exposure() {
    for (name, base, settings) in controllers() {
        for cell in Cell::all(base, &settings) {
            for (split, once) in DEPTHS {
                let tally = tally(&cell, split, TASKS).await;
                println!("{name}, {} {split}: {}", cell.name(), tally.line());
                let wanted = if base == "dag" { once } else { TASKS };
                assert_eq!(tally.won, wanted, "{name}, {} {split}: {}", cell.name(), tally.line());
                assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{name}, {}", cell.name());
            }
        }
    }
}

/// What is won at every depth by agents whose single request does not hold all that was seen, in every n-th of the test tasks.
async fn at_every_depth(name: &str, cell: &Cell, every: usize) {
    for split in ["depth-2-test", "depth-3-test", "depth-4-test"] {
        let mut tally = Tally::default();
        let all = tasks(&TextCraft, split, &Value::Null, usize::MAX);
        for (seed, task) in all.iter().enumerate().step_by(every) {
            tally.add(&cell.play(&TextCraft, &Value::Null, task, seed as u64).await);
        }
        println!("{name}, {} {split}, every {every}: {}", cell.name(), tally.line());
        assert!(tally.episodes > 0 && tally.rate() >= 0.95, "{name}, {} {split}: {}", cell.name(), tally.line());
        assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{name}, {}", cell.name());
    }
}

// covers: CYC-027, CYC-032
#[tokio::test]
async fn specialists_win_at_least_95_percent_of_the_test_tasks_at_every_depth() {
    for (name, base, settings) in controllers().into_iter().filter(|(name, ..)| name.ends_with("specialist")) {
        at_every_depth(name, &Cell::new(base, settings.clone(), "react-text", false), 1).await;
        at_every_depth(name, &Cell::new(base, settings, "react-text", true), 7).await;
    }
}

// covers: CYC-020, CYC-032
#[tokio::test]
async fn planned_graphs_win_at_least_95_percent_of_the_test_tasks_at_every_depth() {
    for (name, base, settings) in controllers().into_iter().filter(|(name, ..)| *name == "Spec-Cyc") {
        at_every_depth(name, &Cell::new(base, settings.clone(), "react-text", false), 1).await;
        at_every_depth(name, &Cell::new(base, settings, "react-text", true), 7).await;
    }
}

// covers: CYC-032
#[tokio::test]
async fn agents_of_single_steps_win_at_least_95_percent_of_the_test_tasks_at_every_depth() {
    for configuration in ["hist+net", "obs+hist+net", "hier-base"] {
        let settings = json!({ "configuration": configuration });
        let base = if configuration == "hier-base" { "hierarchy" } else { "react" };
        at_every_depth(configuration, &Cell::new(base, settings.clone(), "react-text", false), 1).await;
        at_every_depth(configuration, &Cell::new(base, settings, "react-text", true), 7).await;
    }
}
