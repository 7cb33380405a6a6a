//! Crafting tasks: what a request says is enough to win.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{Cell, Tally, controllers, tasks};
use gimbal_textcraft::environment::TextCraft;
use serde_json::{Value, json};

async fn tally(cell: &Cell, split: &str, count: usize) -> Tally {
    let mut tally = Tally::default();
    for (seed, task) in tasks(&TextCraft, split, &Value::Null, count).iter().enumerate() {
        let played = cell.play(&TextCraft, &Value::Null, task, seed as u64).await;
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
    let settings = json!({ "persona": "solver", "conversation": "episode", "context": ["observation"] });
    for cell in Cell::all("react", &settings) {
        for split in ["depth-2-test", "depth-3-test", "depth-4-test"] {
            let tally = tally(&cell, split, 8).await;
            println!("{} {split}: {}", cell.name(), tally.line());
            assert!(tally.rate() >= 0.95, "{} {split}: {}", cell.name(), tally.line());
            assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{} {split}", cell.name());
        }
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
