//! What the work on cyclic graphs reports about single episodes (CYC-098), with scripted agents: the control flow must do the
//! same with the same decisions.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::recited;

use gimbal_core::{Catalogue, Stop};
use recited::{acts, notes, observations, recite, to};
use serde_json::{Value, json};

fn gather_and_craft() -> Value {
    json!({ "ways": "complete", "entry": "GATHER",
        "nodes": [
            { "name": "GATHER", "goal": "Get what is missing.", "tools": ["textcraft_get_item"] },
            { "name": "CRAFT", "goal": "Make the goal.", "tools": ["textcraft_craft"] },
        ],
        "edges": [
            { "from": "GATHER", "to": "GATHER", "criterion": "Something is still missing." },
            { "from": "GATHER", "to": "CRAFT", "criterion": "Nothing is missing any more." },
            { "from": "CRAFT", "to": "GATHER", "criterion": "A craft failed for want of something." },
            { "from": "CRAFT", "to": "CRAFT", "criterion": "A craft succeeded and another one is needed." },
        ],
    })
}

// covers: CYC-098, CYC-R04, CYC-R06
#[tokio::test]
async fn polished_granite_with_specialists_ends_in_a_self_loop_at_the_cap() {
    let environment = (&gimbal_textcraft::TextCraft as &dyn Catalogue, json!({}), "polished_granite");
    let settings = json!({ "graph": gather_and_craft(), "exposure": "specialist", "local_calls": 5 });
    // Who may only get asks for what must be crafted, and now and then for a tool that belongs to the other subtask.
    let mut executor: Vec<String> = Vec::new();
    for _ in 0..20 {
        executor.extend(["get 2 cobblestone", "get 1 diorite", "get 4 granite"].map(acts));
        executor.push(acts("craft 2 diorite using 2 quartz, 2 cobblestone"));
    }
    let (outcome, recorded) =
        recite(environment, settings, executor, vec![to("GATHER", "granite is still missing")]).await;
    assert_eq!(outcome.stop, Stop::Horizon);
    assert_eq!(outcome.spent.tool_calls, 50, "the cap is never exceeded, whatever the published trace counted");
    let routed = notes(&recorded, "routed");
    assert!(routed.len() >= 9 && routed.iter().all(|note| note["from"] == "GATHER" && note["to"] == "GATHER"));
    let seen = observations(&recorded);
    assert!(seen.iter().any(|text| text.contains("Could not find granite")), "{seen:?}");
    assert!(!seen.iter().any(|text| text.starts_with("Crafted")), "the tool was not among those of the subtask");
    assert!(outcome.rejected >= 10);
}

// covers: CYC-098
#[tokio::test]
async fn polished_granite_with_a_generalist_drifts_and_never_makes_granite() {
    let environment = (&gimbal_textcraft::TextCraft as &dyn Catalogue, json!({}), "polished_granite");
    let settings = json!({ "graph": gather_and_craft(), "exposure": "generalist", "local_calls": 5 });
    let mut executor: Vec<String> = vec![
        acts("get 100 cobblestone"),
        acts("get 50 quartz"),
        acts("craft 4 polished granite using 4 granite"),
        acts("craft 2 diorite using 2 quartz, 2 cobblestone"),
        acts("textcraft_inventory"),
    ];
    for _ in 0..20 {
        executor.extend(
            ["craft 4 oak planks using 1 oak logs", "craft 4 polished granite using 4 granite", "get 100 cobblestone"]
                .map(acts),
        );
    }
    let router =
        vec![to("CRAFT", ""), to("GATHER", "the goal was tried early"), to("CRAFT", "the goal was tried early")];
    let (outcome, recorded) = recite(environment, settings, executor, router).await;
    assert_ne!(outcome.stop, Stop::Solved);
    assert_eq!(outcome.spent.tool_calls, 50);
    let seen = observations(&recorded);
    assert_eq!(seen[0], "Got 100 cobblestone");
    assert_eq!(seen[2], "Could not find enough items to craft minecraft:polished_granite");
    assert_eq!(seen[3], "Crafted 2 minecraft:diorite");
    assert!(
        !seen.iter().any(|text| text.contains("minecraft:granite") && text.starts_with("Crafted")),
        "never granite"
    );
}
