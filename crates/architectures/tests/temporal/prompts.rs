//! What each layer is told, as it is sent.

use serde_json::json;

use super::{action, all, hierarchy, plan, play, told};
use gimbal_messages::records::temporal::LayerAsked;

// covers: CTHA-005, CTHA-042
#[tokio::test]
async fn requests_of_all_layers() {
    for (name, settings) in [
        ("contracts", json!({ "layers": 5 })),
        ("free", json!({ "layers": 5, "contracts": false, "authority": false, "arbiter": "last" })),
    ] {
        let mut court = hierarchy(settings);
        court.experts = true;
        let played = play(court).await;
        assert!(!all::<LayerAsked>(&played).is_empty());
        for layer in ["meta", "institutional", "strategic", "tactical", "reflex"] {
            insta::assert_snapshot!(format!("{name}_{layer}"), told(&played, layer, 0));
        }
        insta::assert_snapshot!(format!("{name}_tactical_later"), told(&played, "tactical", 1));
    }
}

/// What is a goal, and what excludes actions: a sentence among constraints cannot be kept to.
// covers: CTHA-042, CTHA-049
#[tokio::test]
async fn reflex_is_told_what_excludes_actions_apart_from_what_a_plan_wants_in_words() {
    let made = plan(&[("a", &[]), ("b", &["a"])], &json!({ "constraints": ["forbid Light lamp_3", "go slowly"] }));
    let court = hierarchy(json!({ "layers": 3 })).says("strategic", [made]).says("reflex", [action("Wait")]);
    let reflex = told(&play(court).await, "reflex", 0);
    for part in [r#""constraints": ["forbid Light lamp_3"]"#, r#""subgoals": ["do a"]"#, r#""advice": ["go slowly"]"#] {
        assert!(reflex.contains(part), "{part}\n{reflex}");
    }
}

/// The description of a subgoal is not something to keep to, and is told once.
// covers: CTHA-042, CTHA-049
#[tokio::test]
async fn tactical_is_told_constraints_apart_from_descriptions() {
    let made = plan(&[("a", &[]), ("b", &["a"])], &json!({ "constraints": ["forbid Light lamp_3", "go slowly"] }));
    let court = hierarchy(json!({ "layers": 3 })).says("strategic", [made]).says("reflex", [action("Wait")]);
    let tactical = told(&play(court).await, "tactical", 0);
    let (_, request) = tactical.split_once("<request>\n").unwrap();
    let (request, _) = request.split_once("\n</request>").unwrap();
    let request: serde_json::Value = serde_json::from_str(request).unwrap();
    assert_eq!(request["constraints"], json!(["forbid Light lamp_3"]));
    assert_eq!(request["advice"], json!(["go slowly"]));
    assert_eq!(request["subgoals"][0]["description"], "do a");
    assert!(request.get("plan").is_none(), "{request}");
    assert_eq!(request.to_string().matches("do a").count(), 1, "{request}");
}

// covers: CTHA-091
#[tokio::test]
async fn every_check_has_a_criterion_and_is_about_what_can_change() {
    let mut court = hierarchy(json!({ "layers": 3 }));
    court.experts = true;
    let strategic = told(&play(court).await, "strategic", 0);
    let (_, request) = strategic.split_once("<request>\n").unwrap();
    let (request, _) = request.split_once("\n</request>").unwrap();
    let request: serde_json::Value = serde_json::from_str(request).unwrap();
    let checks = request["checks"].as_array().unwrap();
    assert!(!checks.is_empty());
    for check in checks {
        assert!(check["criterion"].is_string(), "{check}");
        assert!(!check["query"].as_str().unwrap().contains("baseline"), "{check}");
    }
}
