//! Every prompt once, as it is sent, and every role by an expert under every protocol, free and constrained.

use gimbal_messages::Tier;
use gimbal_messages::records::debate::{FellBack, Narrated, Refused};
use gimbal_messages::records::reading::{Parsed, Reshaped};
use gimbal_model::shape::fits;
use serde_json::{Value, json};

use super::{Court, EXPLAINED, Played, answer, architect, position, skeptic};

fn held(confidence: f64) -> String {
    let claim = json!({ "kind": "ASSERT", "predicate": "count 300", "facts": ["F001"], "confidence": confidence });
    answer(&json!({ "assertions": [claim], "confidence": confidence, "changes": [], "conceded": [] }))
}

/// A play in which every agent that the settings know is asked.
async fn whole(settings: Value) -> Played {
    let court = Court::new(settings)
        .on(EXPLAINED)
        .says("architect", [architect(0.86), held(0.8)])
        .says("skeptic", [skeptic(0.6), held(0.6)])
        .says("oracle", [answer(&json!({ "confidence": 0.5, "reason": "close" }))])
        .says("challenger", [position("ALT", &["F006"], 0.7)])
        .says("narrator", [answer(&json!({ "text": "It is open: F001." }))]);
    court.play().await
}

// covers: ARES-031, ARES-032, ARES-033, ARES-034, ARES-045, ARES-046
#[tokio::test]
async fn every_prompt_as_it_is_sent() {
    let settings = json!({
        "rounds": 2, "anchored": true, "gate": { "certainty": "oracle" }, "active_oracle": "model", "narrator": "model"
    });
    let played = whole(settings).await;
    let order = ["architect", "skeptic", "oracle", "architect", "skeptic", "challenger", "narrator"];
    assert_eq!(played.asked(), order);
    let names = ["architect", "skeptic", "oracle", "architect-anchored", "skeptic-anchored", "challenger", "narrator"];
    for (at, name) in names.into_iter().enumerate() {
        insta::assert_snapshot!(format!("debate_{name}"), played.prompt(at));
    }
    let court = Court::new(json!({ "rounds": 2, "neutral": true }));
    let played =
        court.says("architect", [0.9, 0.8].map(architect)).says("skeptic", [0.3, 0.4].map(skeptic)).play().await;
    insta::assert_snapshot!("debate_neutral", played.prompt(2));
    let court = Court::new(json!({ "rounds": 2 }));
    let played =
        court.says("architect", [0.9, 0.8].map(architect)).says("skeptic", [0.3, 0.4].map(skeptic)).play().await;
    insta::assert_snapshot!("debate_architect_round_2", played.prompt(2));
    insta::assert_snapshot!("debate_skeptic_round_2", played.prompt(3));
    let court = Court::new(json!({ "self_correction": 1 }));
    let played =
        court.says("architect", [0.9, 0.8].map(architect)).says("skeptic", [0.3, 0.4].map(skeptic)).play().await;
    insta::assert_snapshot!("debate_self_correction", played.prompt(2));
    let court = Court::new(json!({ "configuration": "claims+audit" }));
    let played = court.says("architect", [architect(0.9)]).says("skeptic", [skeptic(0.3)]).play().await;
    insta::assert_snapshot!("debate_auditor", played.prompt(2));
    // The repair of an answer of which nothing can be used.
    let court = Court::new(json!({ "rounds": 1 }));
    let broken = position("ASSERT", &["F001"], 0.9).replace("means as told", "guilty");
    let played = court.says("architect", [broken]).says("skeptic", [skeptic(0.3)]).play().await;
    let at = played.asked().iter().rposition(|role| *role == "architect").unwrap();
    insta::assert_snapshot!("debate_repair", played.prompt(at));
}

#[tokio::test]
async fn experts_of_the_rules_play_every_role_under_every_protocol_free_and_constrained() {
    let everybody = [
        json!({ "rounds": 2, "anchored": true, "stops_early": false, "gate": { "low": 0, "high": 1, "certainty": "oracle" }, "active_oracle": "model", "narrator": "model" }),
        json!({ "rounds": 2, "neutral": true, "judge": "claims", "stops_early": false, "audit": true }),
        json!({ "rounds": 1, "judge": "claims", "audit": true }),
    ];
    for settings in everybody {
        for protocol in ["react-text", "json", "native-tools"] {
            for constrained in [false, true] {
                let mut settings = settings.clone();
                settings["protocol"] = json!(protocol);
                let court = Court { experts: true, constrained, ..Court::new(settings.clone()).on(EXPLAINED) };
                let played = court.play().await;
                let what = format!("{settings}, constrained: {constrained}");
                assert_eq!(played.outcome.stop.name(), "answered", "{what}");
                assert!(
                    played.records::<Parsed>().iter().all(|one| one.tier == Tier::Direct),
                    "{what}: {:?}",
                    played.records::<Parsed>()
                );
                assert!(
                    played.records::<FellBack>().is_empty() && played.records::<Refused>().is_empty(),
                    "{what}: {:?}",
                    played.records::<Refused>()
                );
                assert!(played.records::<Reshaped>().is_empty(), "{what}: {:?}", played.records::<Reshaped>());
                assert!(played.records::<Narrated>().iter().all(|one| !one.fallback), "{what}");
                for (role, request) in &played.requests {
                    assert_eq!(request.grammar.is_some(), constrained, "{role}: {what}");
                }
            }
        }
    }
}

// covers: ARES-008
#[tokio::test]
async fn a_mask_lets_no_made_up_citation_through() {
    let court = Court::new(json!({ "rounds": 1 }));
    let court = Court { constrained: true, ..court };
    let played = court.says("architect", [architect(0.9)]).says("skeptic", [skeptic(0.3)]).play().await;
    let grammar = played.requests[0].1.grammar.clone().unwrap();
    let said = |fact: &str| {
        let item = json!({ "kind": "ASSERT", "predicate": "count 300", "facts": [fact], "interpretation": "" });
        format!("Thought: x\nAnswer: {}", gimbal_messages::spaced(&json!({ "assertions": [item], "confidence": 0.9 })))
    };
    assert!(fits(&grammar, &said("F006")), "{grammar:?}");
    assert!(!fits(&grammar, &said("F007")) && !fits(&grammar, &said("F000")));
}

/// An absence can be stated of every class that is an observation or a statement, so that every prompt that asks for one names them all.
#[test]
fn prompts_name_the_classes_that_can_be_absent() {
    let classes: Vec<&str> =
        gimbal_evidence::Class::ALL.iter().filter(|class| !class.is_opinion()).map(|class| class.name()).collect();
    let listed = format!("whether or not the packet has facts of it: {}.\n", classes.join(", "));
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../personas");
    let mut found = 0;
    for persona in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(persona.unwrap().path().join("core.yaml")).unwrap_or_default();
        if text.contains("\"absent logon\"") {
            found += 1;
            assert!(text.contains(&listed), "{}", text.lines().next().unwrap_or_default());
        }
    }
    assert_eq!(found, 6);
}
