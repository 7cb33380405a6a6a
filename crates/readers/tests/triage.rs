//! Evidence packets: what a request says is enough to weigh them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{Cell, Tally, controllers, solver, tasks};
use gimbal_triage::Triage;
use serde_json::json;

// covers: ARES-001
#[tokio::test]
async fn a_solver_concludes_in_every_form() {
    let options = json!({});
    for cell in Cell::all("react", &solver()) {
        let mut tally = Tally::default();
        for (seed, task) in tasks(&Triage, "dev", &options, 30).iter().enumerate() {
            let played = cell.play(&Triage, &options, task, seed as u64).await;
            if !played.won() && std::env::var("READER_STORY").is_ok() {
                println!("{}", played.story());
            }
            tally.add(&played);
        }
        println!("{}: {}", cell.name(), tally.line());
        assert!(tally.rate() >= 0.5, "{}: {}", cell.name(), tally.line());
        assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{}", cell.name());
    }
}

#[tokio::test]
async fn controllers_conclude_with_every_exposure() {
    let options = json!({});
    for (name, base, settings) in controllers() {
        for (at, cell) in Cell::all(base, &settings).into_iter().enumerate() {
            let mut tally = Tally::default();
            for (seed, task) in tasks(&Triage, "dev", &options, 30).iter().skip(at * 3).take(3).enumerate() {
                let played = cell.play(&Triage, &options, task, seed as u64).await;
                if !played.won() && std::env::var("READER_STORY").is_ok() {
                    println!("{}", played.story());
                }
                tally.add(&played);
            }
            println!("{name}, {}: {}", cell.name(), tally.line());
            assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{name}, {}", cell.name());
        }
    }
}

/// Both sides of a debate can argue from their requests, in one round and in several.
// covers: ARES-020
#[tokio::test]
async fn both_sides_of_a_debate_argue_in_every_form() {
    let options = json!({});
    for name in ["single", "debate", "anchored"] {
        for cell in Cell::all("debate", &json!({ "configuration": name })) {
            let mut tally = Tally::default();
            for (seed, task) in tasks(&Triage, "dev", &options, 70).iter().step_by(7).enumerate() {
                let played = cell.play(&Triage, &options, task, seed as u64).await;
                if !played.won() && std::env::var("READER_STORY").is_ok() {
                    println!("{}", played.story());
                }
                tally.add(&played);
            }
            println!("{name}, {}: {}", cell.name(), tally.line());
            assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{name}, {}", cell.name());
            assert!(tally.rate() >= 0.3, "{name}, {}: {}", cell.name(), tally.line());
        }
    }
}
