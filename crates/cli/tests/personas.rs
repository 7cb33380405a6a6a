//! Prompts of every configuration in every environment.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::sync::OnceLock;

use common::Place;

/// What `gimbal persona audit` prints of the shipped personas; it looks at some hundred thousand texts.
fn audit() -> &'static str {
    static SAID: OnceLock<String> = OnceLock::new();
    SAID.get_or_init(|| Place::new().gimbal(&["persona", "audit"]).good().out)
}

// covers: BOG-025
#[test]
fn no_prompt_of_any_agent_gives_an_environment_away() {
    let text = audit();
    for agent in ["default", "planner", "analyst", "chooser"] {
        assert!(text.lines().any(|line| line.split_whitespace().any(|word| word == agent)), "{agent}: {text}");
    }
    assert!(text.lines().skip(1).all(|line| line.ends_with("none")), "{text}");
    // A leak in one persona is found in every configuration that holds it, and nowhere else.
    let place = Place::new();
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

// covers: BOG-025
#[test]
fn words_of_every_environment_are_looked_for_in_every_text() {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../personas/");
    for (file, old, new, found) in [
        // In the answer to a deliberation tool, which no first prompt holds; a word of the other environment.
        (
            "engine.yaml",
            "You raised this question:",
            "As in YawningTitan, you asked:",
            "`titan` in wording (personas/engine.yaml: deliberation.raise_a_question.reply)",
        ),
        (
            "engine.yaml",
            "It was rejected:",
            "Cyb-ORG says:",
            "`cyborg` in wording (personas/engine.yaml: feedback.rejected)",
        ),
        (
            "planner/core.yaml",
            "Your goal:",
            "As in cage 2:",
            "`cage` in identity (personas/planner/core.yaml: system_message)",
        ),
        (
            "chooser/core.yaml",
            "You turn a text into",
            "In Scenario2 you turn a text into",
            "`scenario2` in text (personas/chooser/core.yaml: repair.system)",
        ),
    ] {
        for environment in ["cage2", "yawning_titan"] {
            let place = Place::new();
            std::fs::create_dir_all(place.path().join("personas").join(file).parent().unwrap()).unwrap();
            let text = std::fs::read_to_string(format!("{shipped}{file}")).unwrap();
            assert!(text.contains(old), "{file}: {old}");
            place.write(&format!("personas/{file}"), &text.replacen(old, new, 1));
            let said = place.gimbal(&["persona", "audit", "--environment", environment, "--config", "."]);
            assert_eq!(said.code, 1, "{}", said.out);
            assert!(said.out.contains(found), "{file} in {environment}: {}", said.out);
        }
    }
}

#[test]
fn the_columns_of_the_audit_stand_in_line() {
    let text = audit();
    let head = text.lines().next().unwrap();
    let at = ["configuration", "agent", "findings"].map(|name| head.find(name).unwrap());
    for line in text.lines() {
        assert!(
            at.iter().all(|at| line.as_bytes()[at - 1] == b' ' && line.as_bytes()[*at] != b' '),
            "{line:?}\n{head:?}"
        );
    }
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

// covers: BOG-062
#[test]
fn the_shown_list_of_actions_is_the_one_that_is_sent() {
    let place = Place::new();
    let text = place.gimbal(&["persona", "show", "chooser", "--plain"]).good().out;
    let list = text.rsplit_once("<available_actions_list>").and_then(|(_, rest)| rest.split("</").next()).unwrap();
    assert!(list.contains("Monitor") && list.contains("Restore hostname=Defender"), "{list}");
    // A tool of the environment that no entry of its glossary explains.
    assert!(!list.contains("Sleep"), "{list}");
}
