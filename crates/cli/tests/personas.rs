//! Prompts of every configuration in every world.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use common::Place;

// covers: BOG-025
#[test]
fn no_prompt_of_any_agent_gives_a_world_away() {
    let place = Place::new();
    let text = place.gimbal(&["persona", "audit"]).good().out;
    for agent in ["default", "planner", "analyst", "chooser"] {
        assert!(text.lines().any(|line| line.split_whitespace().any(|word| word == agent)), "{agent}: {text}");
    }
    assert!(text.lines().skip(1).all(|line| line.ends_with("none")), "{text}");
    // A leak in one persona is found in every configuration that holds it, and nowhere else.
    std::fs::create_dir_all(place.path().join("personas/analyst")).unwrap();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../personas/analyst/core.yaml");
    let leaky = std::fs::read_to_string(shipped).unwrap().replacen("You are a specialist", "In CybORG you are one", 1);
    place.write("personas/analyst/core.yaml", &leaky);
    let said = place.gimbal(&["persona", "audit", "--environment", "cage2", "--config", "."]);
    let text = said.out;
    assert_eq!(said.code, 1, "{text}");
    let found: Vec<&str> = text.lines().filter(|line| line.contains("`cyborg` in identity")).collect();
    assert!(!found.is_empty() && found.iter().all(|line| line.contains("hier-") && line.contains("analyst")), "{text}");
}

// covers: BOG-134, BOG-231
#[test]
fn the_prompts_of_a_hierarchy_are_shown_agent_by_agent() {
    let shown = |arguments: &[&str]| Place::new().gimbal(&[&["persona", "show"], arguments].concat()).good().out;
    let text = shown(&["--configuration", "hier-analyst-only"]);
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("=== ")).collect();
    assert_eq!(
        heads,
        [
            "=== planner, system",
            "=== planner, user, step 2",
            "=== analyst, system",
            "=== analyst, user, step 2",
            "=== chooser, system",
            "=== chooser, user, step 2"
        ]
    );
    assert_eq!(text.matches("Tool: raise_a_question: <").count(), 1);
    let text = shown(&["chooser", "--plain"]);
    assert!(text.contains("<available_actions_list>") && text.contains("\"target_host\": \"Defender\""), "{text}");
    assert!(!text.contains("planner, "));
}
