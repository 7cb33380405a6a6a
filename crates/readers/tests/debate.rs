//! Debates over evidence packets: every side by a player that sees its requests only, over scenarios.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeMap;

use common::{Cell, Played, tasks};
use gimbal_core::event::Body;
use gimbal_triage::Triage;
use serde_json::{Value, json};

/// How a verdict was concluded: the word, and whether it was right.
fn concluded(played: &Played) -> (String, bool) {
    let last = played.notes("verdict").pop().unwrap();
    let last: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(last["last"], true);
    (last["verdict"].as_str().unwrap().to_owned(), played.won())
}

fn count(played: &Played, kind: &str) -> usize {
    played.notes(kind).len()
}

// covers: ARES-022, ARES-040, ARES-042, ARES-046
#[tokio::test]
async fn readers_play_every_seat_of_a_debate_in_every_form() {
    let options = json!({});
    for settings in [
        json!({ "configuration": "single" }),
        json!({ "configuration": "anchored", "stops_early": false, "rounds": 2 }),
        json!({ "configuration": "debate+neutral", "stops_early": false, "rounds": 2 }),
        json!({ "configuration": "gate+oracle", "gate": { "low": 0, "high": 1 }, "active_oracle": "model", "narrator": "model" }),
        json!({ "configuration": "claims+audit" }),
    ] {
        for cell in Cell::all("debate", &settings) {
            let (mut right, mut asserted) = (0, 0);
            let all: Vec<_> = tasks(&Triage, "dev", &options, 60).into_iter().step_by(10).collect();
            for (seed, task) in all.iter().enumerate() {
                let played = cell.play(&Triage, &options, task, seed as u64).await;
                let what = format!("{} on {task}", cell.name());
                // Nothing fell back, was refused or was asked for again.
                let lost = ["fell_back", "refused", "prompt_lacks"].map(|kind| played.notes(kind));
                assert!(lost.iter().all(Vec::is_empty), "{what}: {lost:?}\n{}", played.story());
                assert_eq!((played.outcome.rejected, played.outcome.fallbacks), (0, 0), "{what}");
                assert!(
                    played.notes("parsed").iter().all(|one| one.contains("\"direct\"")),
                    "{what}: {:?}",
                    played.notes("parsed")
                );
                assert!(count(&played, "confidence") >= 2, "{what}");
                asserted += count(&played, "asserted");
                right += usize::from(concluded(&played).1);
            }
            println!("{}: {right} of {} right, {asserted} assertions", cell.name(), all.len());
            assert!(asserted > 0, "{}", cell.name());
            assert!(2 * right >= all.len(), "{}: {right} of {}", cell.name(), all.len());
        }
    }
}

/// The shipped configurations of `debate`.
pub fn shipped() -> Vec<String> {
    let all = gimbal_agent::persona::configurations(&common::files()).unwrap();
    all.into_iter().filter(|known| known.base == "debate").map(|known| known.name).collect()
}

// covers: ARES-035, ARES-R7
#[tokio::test]
async fn nothing_that_an_expert_says_is_refused_in_any_configuration() {
    let options = json!({});
    let all: Vec<_> = tasks(&Triage, "dev", &options, 200).into_iter().step_by(7).collect();
    let configurations = shipped();
    assert!(configurations.len() >= 23 && all.len() >= 8, "{configurations:?}, {} scenarios", all.len());
    let mut lost = Vec::new();
    for name in &configurations {
        // Everything goes on behind a gate, so that what follows it is played too.
        let mut settings = json!({ "configuration": name });
        if name.starts_with("gate") {
            let certainty = if name.contains("oracle") { "oracle" } else { "winner" };
            settings["gate"] = json!({ "low": 0, "high": 1, "certainty": certainty });
        }
        for narrator in ["template", "model"] {
            settings["narrator"] = json!(narrator);
            let cell = Cell::new("debate", settings.clone(), "react-text", false);
            for (seed, task) in all.iter().enumerate() {
                let played = cell.play_as("noisy/1.0", &Triage, &options, task, seed as u64).await;
                for kind in ["fell_back", "refused", "reshaped"] {
                    lost.extend(played.notes(kind).into_iter().map(|what| format!("{name} on {task}: {kind}: {what}")));
                }
                let narrated = played.notes("narrated");
                assert!(
                    narrated.iter().all(|one| one.contains("\"fallback\":false")),
                    "{name} on {task}: {narrated:?}"
                );
                let repaired = played.notes("parsed").into_iter().filter(|one| !one.contains("\"direct\""));
                lost.extend(repaired.map(|what| format!("{name} on {task}: parsed: {what}")));
            }
        }
    }
    assert!(lost.is_empty(), "{} messages:\n{}", lost.len(), lost.join("\n"));
}

// covers: ARES-136
#[tokio::test]
async fn by_rule_every_scenario_is_concluded_and_cites_facts_of_its_packet() {
    let options = json!({});
    for (configuration, settings) in [
        ("by-rule", json!({ "configuration": "by-rule" })),
        ("by-rule under V2", json!({ "configuration": "by-rule", "judge": "v2" })),
    ] {
        let cell = Cell::new("debate", settings, "react-text", false);
        let (mut right, mut verdicts) = (0, BTreeMap::<String, u32>::new());
        let (mut turns, mut silent) = (0, 0);
        let all = tasks(&Triage, "dev", &options, 200);
        for (seed, task) in all.iter().enumerate() {
            let played = cell.play(&Triage, &options, task, seed as u64).await;
            let asked = played.events().iter().any(|event| matches!(event.body, Body::ModelCalled(_)));
            assert!(!asked && played.outcome.rejected == 0, "{configuration} on {task}: {:?}", played.refusals());
            let said = played.notes("confidence");
            turns += said.len();
            silent += said.iter().filter(|one| one.contains("\"assertions\":0,")).count();
            let (verdict, won) = concluded(&played);
            *verdicts.entry(verdict).or_default() += 1;
            right += usize::from(won);
        }
        println!(
            "{configuration}: {right} of {} right; {silent} of {turns} turns assert nothing; {verdicts:?}",
            all.len()
        );
        assert!(!all.is_empty() && right > 0);
        // Who finds nothing says so: an answer without an assertion is a position.
        assert!(silent > 0, "{configuration}");
    }
}
