//! Panels over packets and games of agreement: every agent by a player that sees its requests only.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use common::{Cell, tasks};
use gimbal_consensus::Consensus;
use gimbal_triage::Triage;
use serde_json::{Value, json};

// covers: ARES-098, ARES-122
#[tokio::test]
async fn readers_play_every_member_of_a_panel_in_every_form() {
    let options = json!({});
    for cell in Cell::all("panel", &json!({ "configuration": "panel" })) {
        let all: Vec<_> = tasks(&Triage, "dev", &options, 60).into_iter().step_by(10).collect();
        let mut right = 0;
        for (seed, task) in all.iter().enumerate() {
            let played = cell.play(&Triage, &options, task, seed as u64).await;
            let what = format!("{} on {task}", cell.name());
            let lost = ["no_opinion", "prompt_lacks"].map(|kind| played.notes(kind));
            assert!(lost.iter().all(Vec::is_empty), "{what}: {lost:?}\n{}", played.story());
            assert_eq!((played.outcome.rejected, played.outcome.fallbacks), (0, 0), "{what}: {:?}", played.refusals());
            assert!(played.notes("parsed").iter().all(|one| one.contains("\"direct\"")), "{what}");
            // The same player as every agent is always of one mind.
            let rows: Vec<Value> =
                played.notes("tabulated").iter().map(|row| serde_json::from_str(row).unwrap()).collect();
            assert!(rows.len() == 5 && rows.iter().all(|row| row["agreement"] == "unanimous"), "{what}: {rows:?}");
            right += usize::from(played.won());
        }
        println!("{}: {right} of {} right", cell.name(), all.len());
        assert!(2 * right >= all.len(), "{}: {right} of {}", cell.name(), all.len());
    }
}

// covers: ARES-121
#[tokio::test]
async fn readers_play_every_seat_of_a_game_in_every_form() {
    let options = json!({});
    for cell in Cell::all("panel", &json!({ "configuration": "seats" })) {
        for (seed, task) in tasks(&Consensus, "dev", &options, 3).iter().enumerate() {
            let played = cell.play(&Consensus, &options, task, seed as u64).await;
            let what = format!("{} on {task}", cell.name());
            assert!(played.notes("prompt_lacks").is_empty(), "{what}: {:?}", played.notes("prompt_lacks"));
            assert!(played.notes("parsed").iter().all(|one| one.contains("\"direct\"")), "{what}\n{}", played.story());
            assert!(played.notes("balloted").iter().all(|one| one.contains("\"fallback\":false")), "{what}");
            assert!(played.won() && played.outcome.steps == 3, "{what}: {}", played.outcome.steps);
        }
    }
    // With adversaries too, and when they are mentioned, every agent acts.
    let cell = &Cell::all("panel", &json!({ "configuration": "seats" }))[0];
    for strategy in ["silent", "equivocating", "drifting", "stop_early", "played"] {
        let options = json!({ "agents": 8, "adversaries": 2, "strategy": strategy, "mentioned": true, "rounds": 6 });
        let task = tasks(&Consensus, "dev", &options, 1).remove(0);
        let played = cell.play(&Consensus, &options, &task, 5).await;
        assert_eq!((played.outcome.rejected, played.outcome.fallbacks), (0, 0), "{strategy}: {:?}", played.refusals());
        assert!(played.notes("prompt_lacks").is_empty(), "{strategy}");
        println!("{strategy}: {} after {} rounds", played.outcome.stop.name(), played.outcome.steps);
    }
}
