//! Household tasks: what a request says is enough to win.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod common;

use std::path::PathBuf;

use common::{Cell, Tally, controllers, solver, tasks};
use gimbal_alfworld::Alfworld;
use gimbal_core::TaskId;
use serde_json::{Value, json};

/// The user's data, if games are at hand.
fn real() -> Option<Alfworld> {
    let set = std::env::var_os("GIMBAL_DATA").map(PathBuf::from);
    let data = set.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")));
    let folder = data.join("alfworld");
    if !folder.join("games").is_dir() {
        println!("skipped: no games in {}", folder.display());
        return None;
    }
    Some(Alfworld::over(Some(folder)))
}

async fn tally(cell: &Cell, world: &Alfworld, options: &Value, tasks: &[TaskId]) -> Tally {
    let mut tally = Tally::default();
    for (seed, task) in tasks.iter().enumerate() {
        let played = cell.play(world, options, task, seed as u64).await;
        if (!played.won() || played.outcome.rejected > 0) && std::env::var("READER_STORY").is_ok() {
            println!("{}", played.story());
        }
        tally.add(&played);
    }
    println!("{}: {}", cell.name(), tally.line());
    tally
}

fn spread(all: Vec<TaskId>, count: usize) -> Vec<TaskId> {
    let step = (all.len() / count.max(1)).max(1);
    all.into_iter().step_by(step).take(count).collect()
}

// covers: CYC-026, CYC-036
#[tokio::test]
async fn a_solver_wins_generated_games_in_every_form() {
    let world = Alfworld::over(None);
    let options = json!({ "tools": "split" });
    for cell in Cell::all("react", &solver()) {
        let tally = tally(&cell, &world, &options, &tasks(&world, "generated", &options, 24)).await;
        assert!(tally.rate() >= 0.9, "{}: {}", cell.name(), tally.line());
        assert_eq!((tally.rejected, tally.fallbacks), (0, 0), "{}", cell.name());
    }
}

// covers: CYC-036
#[tokio::test]
async fn a_prompt_that_lacks_something_is_told_and_played_on() {
    let world = Alfworld::over(None);
    let options = json!({ "tools": "split" });
    let mut settings = solver();
    settings["flags"] = json!({ "list_literals": false });
    let cell = &Cell::all("react", &settings)[0];
    let played = cell.play(&world, &options, &tasks(&world, "generated", &options, 1)[0], 0).await;
    let lacks = played.notes("prompt_lacks");
    assert!(lacks[0].contains("names: a list of the commands that are possible now"), "{}", lacks[0]);
    assert!(played.outcome.steps > 1 && played.outcome.stop.is_outcome());
}

#[tokio::test]
async fn a_solver_wins_real_games() {
    let Some(world) = real() else { return };
    for options in [json!({ "tools": "split" }), json!({ "tools": "split", "wording": "2.1.1" })] {
        let games = spread(tasks(&world, "unseen", &options, 1000), 24);
        let cells = [Cell::all("react", &solver()), Cell::all("cyclic", &json!({ "graph": "family" }))];
        for cell in cells.iter().map(|forms| &forms[0]) {
            let tally = tally(cell, &world, &options, &games).await;
            assert!(tally.rate() >= 0.9, "{}: {}", cell.name(), tally.line());
            assert_eq!((tally.rejected, tally.fallbacks), (0, 0), "{}", cell.name());
        }
    }
}

// covers: CYC-027, CYC-036
#[tokio::test]
async fn controllers_win_with_every_exposure() {
    let world = Alfworld::over(None);
    let options = json!({ "tools": "split" });
    for (name, base, settings) in controllers() {
        for (at, cell) in Cell::all(base, &settings).into_iter().enumerate() {
            let games: Vec<TaskId> =
                tasks(&world, "generated", &options, 60).into_iter().skip(at * 10).take(10).collect();
            let tally = tally(&cell, &world, &options, &games).await;
            println!("{name}, {}: {}", cell.name(), tally.line());
            let least = if base == "dag" { f64::MIN_POSITIVE } else { 0.9 };
            assert!(tally.rate() >= least, "{name}, {}: {}", cell.name(), tally.line());
            assert_eq!((tally.rejected, tally.fallbacks, tally.lacks), (0, 0, 0), "{name}, {}", cell.name());
        }
    }
}
