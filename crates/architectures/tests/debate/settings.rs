//! Settings: what cannot be meant is refused with its key, and what decides an episode is in its key.

use gimbal_agent::{Family, Placed};
use gimbal_architectures::debate::DebateKind;
use gimbal_architectures::kinds;
use gimbal_core::Offers;
use gimbal_evidence::claim::Predicate;
use serde_json::{Value, json};

use super::build;
use crate::common::TestFiles;

fn refused(settings: Value) -> (String, String) {
    let kinds = kinds();
    let kind = kinds.iter().find(|kind| kind.name() == "debate").unwrap();
    let error = kind.build(&settings, &TestFiles::default()).err().unwrap_or_else(|| panic!("{settings} was built"));
    (error.key.clone(), error.to_string())
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_key() {
    for (settings, key) in [
        (json!({ "rounds": 0 }), "rounds"),
        (json!({ "rounds": 17 }), "rounds"),
        (json!({ "votes": 0 }), "votes"),
        (json!({ "votes": 3, "rounds": 2 }), "votes"),
        (json!({ "votes": 3, "gate": {} }), "votes"),
        (json!({ "votes": 3, "active_oracle": "rules" }), "votes"),
        (json!({ "self_correction": 1, "rounds": 2 }), "self_correction"),
        (json!({ "self_correction": 1, "anchored": true }), "self_correction"),
        (json!({ "neutral": true, "skeptic": { "strategy": "rules" } }), "neutral"),
        (json!({ "neutral": true, "anchored": true }), "neutral"),
        (json!({ "anchored": true, "rounds": 1 }), "anchored"),
        (json!({ "gate": {}, "rounds": 1 }), "gate"),
        (json!({ "gate": { "low": 0.7, "high": 0.2 } }), "gate"),
        (json!({ "gate": { "certainty": "sure" } }), "gate.certainty"),
        (json!({ "audit": true }), "audit"),
        (json!({ "judge": "v3" }), "judge"),
        (json!({ "judge": "calibrated" }), "means"),
        (json!({ "means": { "architect": 0.7, "skeptic": 0.7 } }), "means"),
        (json!({ "architect": { "strategy": "deterministic" } }), "architect.strategy"),
        (json!({ "judge": "claims", "active_oracle": "rules" }), "active_oracle"),
        (json!({ "skeptic": { "persona": "skeptik" } }), "skeptic.persona"),
        (json!({ "architect": { "persona": "planner" } }), "architect.persona"),
        (json!({ "context": [] }), "context"),
        (json!({ "context": ["status"] }), "context"),
        (json!({ "roundz": 2 }), "roundz"),
    ] {
        let (found, message) = refused(settings.clone());
        assert_eq!(found, key, "{settings}: {message}");
        assert!(message.starts_with("debate: "), "{message}");
    }
    assert!(
        refused(json!({ "judge": "v3" })).1.contains("did you mean `v1`"),
        "{}",
        refused(json!({ "judge": "v3" })).1
    );
}

#[test]
fn the_plan_is_told_what_a_debate_needs() {
    let needs = build(&json!({})).needs();
    let unmet = needs.unmet(&Offers::default()).join("; ");
    assert!(unmet.contains("the material `packet`") && unmet.contains("ends the task with an answer"), "{unmet}");
    assert_eq!(needs.roles, ["architect", "skeptic"]);
    assert!(needs.messages && needs.blocks == ["packet"]);
    let alone = build(&json!({ "configuration": "by-rule" })).needs();
    assert!(alone.roles.is_empty() && alone.blocks.is_empty() && !alone.messages);
    for (settings, sends) in [
        (json!({ "configuration": "self-correction" }), false),
        (json!({ "configuration": "single" }), false),
        (json!({ "configuration": "single+thesis" }), true),
        (json!({ "configuration": "claims+audit" }), true),
        (json!({ "rounds": 1, "narrator": "model" }), true),
    ] {
        assert_eq!(build(&settings).needs().messages, sends, "{settings}");
    }
}

#[test]
fn whatever_decides_an_episode_is_in_what_is_resolved() {
    let base = json!({ "rounds": 3 });
    let whole = build(&base).resolved();
    for (key, value) in [
        ("judge", json!("v1")),
        ("arithmetic", json!("float_compat")),
        ("certainty", json!("margin")),
        ("anchored", json!(true)),
        ("swap", json!(true)),
        ("neutral", json!(true)),
        ("calibration", json!(false)),
        ("stops_early", json!(false)),
        ("skeptic_sees_thesis", json!(true)),
        ("gate", json!({ "low": 0.1 })),
        ("active_oracle", json!("rules")),
        ("narrator", json!("off")),
        ("rounds", json!(2)),
        ("context", json!(["packet", "status"])),
        ("skeptic", json!({ "strategy": "rules" })),
    ] {
        let mut settings = base.clone();
        settings[key] = value;
        assert_ne!(build(&settings).resolved(), whole, "{settings}");
    }
}

#[test]
fn what_a_pipeline_does_not_use_makes_no_cell_of_its_own() {
    for (base, key, value) in [
        (json!({ "rounds": 1 }), "stops_early", json!(false)),
        (json!({ "rounds": 2 }), "stops_early", json!(false)),
        (json!({ "configuration": "votes" }), "stops_early", json!(false)),
        (json!({ "self_correction": 1 }), "stops_early", json!(false)),
        (json!({ "rounds": 1 }), "vote_temperature", json!(0.5)),
        (json!({ "rounds": 1 }), "swap", json!(true)),
        (json!({ "configuration": "votes" }), "swap", json!(true)),
        (json!({ "configuration": "code-skeptic" }), "skeptic_sees_thesis", json!(true)),
        (json!({ "configuration": "code-skeptic" }), "swap", json!(true)),
        (json!({ "configuration": "claims" }), "arithmetic", json!("float_compat")),
        (json!({ "configuration": "claims" }), "certainty", json!("margin")),
        (json!({ "configuration": "by-rule" }), "context", json!(["packet", "status"])),
        (json!({ "configuration": "by-rule" }), "calibration", json!(false)),
        (json!({ "configuration": "by-rule", "rounds": 2 }), "anchored", json!(true)),
        (json!({ "rounds": 1 }), "challenger", json!({ "role": "other" })),
        (json!({ "rounds": 1 }), "narrator_agent", json!({ "role": "other" })),
    ] {
        let mut settings = base.clone();
        settings[key] = value;
        assert_eq!(build(&settings).resolved(), build(&base).resolved(), "{settings}");
    }
    // Where they are used they decide.
    for (base, key, value) in [
        (json!({ "rounds": 3 }), "stops_early", json!(false)),
        (json!({ "rounds": 1, "skeptic_sees_thesis": true }), "swap", json!(true)),
        (json!({ "rounds": 2 }), "swap", json!(true)),
        (json!({ "rounds": 1, "skeptic": { "strategy": "rules" } }), "certainty", json!("margin")),
    ] {
        let mut settings = base.clone();
        settings[key] = value;
        assert_ne!(build(&settings).resolved(), build(&base).resolved(), "{settings}");
    }
}

// covers: ARES-030
#[test]
fn every_persona_that_states_predicates_explains_all_of_them() {
    let settings = json!({ "anchored": true, "active_oracle": "model" });
    let team = |settings: &Value| DebateKind.team(settings, &TestFiles::default()).unwrap().agents;
    let mut agents = team(&settings);
    agents.extend(team(&json!({ "neutral": true })));
    assert_eq!(agents.len(), 7);
    for Placed { place, agent, .. } in agents {
        let prompt = agent.show(&gimbal_agent::sample::brief(), &[], "Wait", &[]).unwrap().text();
        for form in Predicate::FORMS {
            let word = form.split(' ').next().unwrap();
            assert!(prompt.contains(&format!("\n  \"{word}")), "{place}: {word}");
        }
        // What is shown as an example reads as what it is.
        let examples = prompt.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next());
        let read: Vec<&str> = examples.filter(|text| text.parse::<Predicate>().is_ok()).collect();
        assert_eq!(read.len(), Predicate::FORMS.len(), "{place}: {read:?}");
    }
}
