//! What plans and policies change of what is done: each member with a test of its own.

use std::sync::Arc;

use gimbal_core::Milli;
use gimbal_messages::records::temporal::{
    LayerAsked, LayerCommitted, LayerDecided, LayerReleased, LayerSent, LayerViolated, SubgoalReached,
};
use gimbal_study::faults::{Fault, Faults, ONE};
use gimbal_study::stage::SessionMemory;
use serde_json::json;

use super::{action, all, calls, hierarchy, light, plan, play, policy, scored, sequence, told};
use crate::debate::{Played, answer};

fn why(played: &Played, layer: &str) -> Vec<String> {
    all::<LayerAsked>(played).into_iter().filter(|one| one.layer == layer).map(|one| one.why).collect()
}

fn lamps(order: [u32; 4]) -> [String; 4] {
    order.map(|lamp| action(&light(lamp)))
}

// covers: CTHA-045, CTHA-046, CTHA-053
#[tokio::test]
async fn a_plan_that_waits_for_itself_is_asked_for_again_and_then_empty() {
    let circle = || plan(&[("a", &["b"]), ("b", &["a"])], &json!({}));
    let played = play(
        hierarchy(json!({ "layers": 2 })).says("strategic", [circle(), circle()]).says("reflex", lamps([1, 2, 3, 4])),
    )
    .await;
    let sent = &all::<LayerSent>(&played)[0];
    assert_eq!((sent.kind.as_str(), sent.outcome.as_str()), ("plan", "default"));
    assert!(sent.refusal.as_ref().is_some_and(|why| why.contains("circle")), "{sent:?}");
    assert_eq!(sent.text, r#"{"goal_id": "none", "subgoals": [], "priority": 0}"#);
    assert_eq!(played.outcome.steps, 4);
    // A layer that answers prose is treated alike.
    let prose = || "I would light them all.".to_owned();
    let played = play(
        hierarchy(json!({ "layers": 2 })).says("strategic", [prose(), prose()]).says("reflex", lamps([1, 2, 3, 4])),
    )
    .await;
    assert_eq!(all::<LayerSent>(&played)[0].outcome, "default");
}

// covers: CTHA-042, CTHA-052
#[tokio::test]
async fn what_a_layer_may_not_send_is_taken_out_and_counted() {
    let claims = plan(
        &[("a", &[])],
        &json!({ "tool": "Light", "rules": [{ "id": "x", "condition": "always", "action": "deny" }] }),
    );
    let played =
        play(hierarchy(json!({ "layers": 2 })).says("strategic", [claims]).says("reflex", lamps([1, 2, 3, 4]))).await;
    let sent = &all::<LayerSent>(&played)[0];
    assert_eq!((sent.outcome.as_str(), sent.changes.get("field")), ("by_rule", Some(&2)));
    assert!(!sent.text.contains("rules") && !sent.text.contains("tool"));
}

// covers: CTHA-044, CTHA-110
#[tokio::test]
async fn a_constraint_of_the_plan_binds_reflex_until_the_plan_is_over() {
    let bound = plan(&[("wait", &[])], &json!({ "constraints": ["forbid Light *"], "deadline": 2, "priority": 1 }));
    let then = plan(&[("light", &[])], &json!({}));
    let more = [5, 5, 1, 2, 3, 4].map(|lamp| scored(&light(if lamp == 5 { 1 } else { lamp }), 0.1, 0.1));
    let played = play(hierarchy(json!({ "layers": 2 })).says("strategic", [bound, then]).says("reflex", more)).await;
    let made = calls(&played);
    assert_eq!(made[0], ("Wait".to_owned(), None));
    assert_eq!(made[1], ("Wait".to_owned(), None));
    assert_eq!(made[2], (light(1), Some("reflex".to_owned())));
    assert_eq!(why(&played, "strategic"), ["trial_begins", "deadline"]);
    let first = &all::<LayerDecided>(&played)[0];
    assert_eq!(first.conflicts.len(), 1);
    let clash = &first.conflicts[0];
    assert_eq!(
        (clash.faster.as_str(), clash.slower.as_str(), clash.kept.as_deref()),
        ("reflex", "strategic", Some("strategic"))
    );
    assert_eq!(clash.causes, ["directive light/constraints"]);
    assert!(first.carried_out.is_empty());
    assert!(all::<LayerReleased>(&played).iter().any(|one| one.by == "expired"));
    // Reflex reads the constraint.
    assert!(told(&played, "reflex", 0).contains("forbid Light *"));
}

// covers: CTHA-071, CTHA-073
#[tokio::test]
async fn an_urgent_call_overrules_a_plan_and_releases_its_constraint() {
    let bound = plan(&[("wait", &[])], &json!({ "constraints": ["forbid Light *"], "priority": 0 }));
    let urgent = [1, 2, 3, 4].map(|lamp| scored(&light(lamp), 1.0, 1.0));
    let played = play(hierarchy(json!({ "layers": 2 })).says("strategic", [bound]).says("reflex", urgent)).await;
    assert_eq!(played.outcome.steps, 4);
    assert_eq!(calls(&played)[0], (light(1), Some("reflex".to_owned())));
    let released: Vec<String> = all::<LayerReleased>(&played).into_iter().map(|one| one.by).collect();
    assert_eq!(released, ["overruled"]);
}

// covers: CTHA-048, CTHA-091
#[tokio::test]
async fn subgoals_become_ready_as_others_are_reached_and_a_finished_plan_asks_for_the_next() {
    let first = plan(&[("near", &[]), ("far", &["near"])], &json!({}));
    let second = plan(&[("rest", &[])], &json!({}));
    let played = play(
        hierarchy(json!({ "layers": 3, "tactical_period": 1 }))
            .says("strategic", [first, second])
            .says(
                "tactical",
                [
                    sequence(&[&light(1)], &[]),
                    sequence(&[&light(2)], &["far", "near"]),
                    sequence(&[&light(3)], &["far"]),
                    sequence(&[&light(4)], &[]),
                ],
            )
            .says("reflex", lamps([1, 2, 3, 4])),
    )
    .await;
    let reached: Vec<(u32, String)> =
        all::<SubgoalReached>(&played).into_iter().map(|one| (one.step, one.subgoal)).collect();
    // What is not ready cannot be reached.
    assert_eq!(reached, [(2, "near".to_owned()), (3, "far".to_owned())]);
    assert_eq!(why(&played, "strategic"), ["trial_begins", "goal_completion"]);
    let subjects: Vec<String> = all::<LayerCommitted>(&played).into_iter().map(|one| one.subject).collect();
    assert_eq!(subjects, ["light/near", "light/far", "light/rest"]);
}

// covers: CTHA-048
#[tokio::test]
async fn a_rollback_escalates_retries_or_aborts() {
    for (name, expected) in [("escalate", 2), ("retry", 2), ("abort", 1)] {
        let rollback = json!({ "rollback": { "condition": "return <= -2", "action": name } });
        let plans = || plan(&[("light", &[])], &rollback);
        let quiet = plan(&[("light", &[])], &json!({}));
        let played = play(
            hierarchy(json!({ "layers": 2 }))
                .says("strategic", [plans(), quiet])
                .says("reflex", [action("Wait"), action("Wait")].into_iter().chain(lamps([1, 2, 3, 4]))),
        )
        .await;
        assert_eq!(why(&played, "strategic").len(), expected, "{name}");
        let rolled = all::<LayerReleased>(&played).iter().any(|one| one.by == "rolled_back");
        assert_eq!(rolled, name != "retry", "{name}");
    }
}

// covers: CTHA-049
#[tokio::test]
async fn a_policy_ends_when_its_time_is_over_and_the_layer_is_asked_anew() {
    let brief = policy(&json!({ "rules": [], "forbidden": ["Light *"], "valid_until": 1 }));
    let none = policy(&json!({ "rules": [] }));
    let lit = [vec![action("Wait")], lamps([1, 2, 3, 4]).to_vec()].concat();
    let played = play(hierarchy(json!({ "layers": 4 })).says("institutional", [brief, none]).says("reflex", lit)).await;
    assert!(told(&played, "reflex", 0).contains("forbidden: light *"));
    assert!(!told(&played, "reflex", 1).contains("forbidden: light *"));
    assert_eq!(why(&played, "institutional"), ["trial_begins", "policy_expired"]);
    assert_eq!(played.outcome.steps, 5);
}

// covers: CTHA-049, CTHA-065
#[tokio::test]
async fn a_rule_escalates_an_action_until_a_plan_names_it() {
    let watched = policy(&json!({ "rules": [{ "id": "look", "condition": "call Light *", "action": "escalate" }] }));
    let vague = plan(&[("a", &[])], &json!({}));
    let forbidding = plan(&[("c", &[])], &json!({ "constraints": ["forbid Light *"] }));
    let naming = plan(&[("b", &[])], &json!({ "constraints": ["Light lamp_1 is right, and Light any lamp after it"] }));
    let lit = || [1, 2, 3, 4].map(|lamp| action(&light(lamp)));
    let court = || hierarchy(json!({ "layers": 4 }));
    let played = play(
        court()
            .says("institutional", [watched.clone()])
            .says("strategic", [vague.clone(), naming])
            .says("reflex", lit()),
    )
    .await;
    // The planner is asked in the same step, and lets it through.
    assert_eq!(all::<LayerViolated>(&played), []);
    assert_eq!(why(&played, "strategic"), ["trial_begins", "escalation"]);
    assert!(told(&played, "strategic", 1).contains("\"escalated\": \"Light lamp=lamp_1 (look)\""));
    assert_eq!(played.outcome.steps, 4);
    // A plan that does not name it leaves the step to the idle call.
    let played = play(
        court()
            .says("institutional", [watched.clone()])
            .says("strategic", std::iter::repeat_n(vague, 30))
            .says("reflex", std::iter::repeat_n(action(&light(1)), 30)),
    )
    .await;
    assert_eq!(played.outcome.steps, 20);
    let violated = all::<LayerViolated>(&played);
    assert_eq!(violated.len(), 20);
    assert_eq!((violated[0].kind.as_str(), violated[0].instead.as_str()), ("escalated", "escalation"));
    assert!(calls(&played).iter().all(|(call, _)| call == "Wait"));
    // Nor does one that names it in order to forbid it let it through.
    let played = play(
        court()
            .says("institutional", [watched])
            .says("strategic", std::iter::repeat_n(forbidding, 30))
            .says("reflex", std::iter::repeat_n(action(&light(1)), 30)),
    )
    .await;
    assert!(calls(&played).iter().all(|(call, _)| call == "Wait"));
}

// covers: CTHA-049
#[tokio::test]
async fn a_threshold_that_is_passed_has_actions_looked_at() {
    let limit = policy(&json!({ "rules": [], "thresholds": { "step": 2 } }));
    let vague = || plan(&[("a", &[])], &json!({}));
    let lit = [1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3].map(|lamp| action(&light(lamp)));
    let played = play(
        hierarchy(json!({ "layers": 4, "cache": false }))
            .says("institutional", [limit])
            .says("strategic", std::iter::repeat_with(vague).take(60))
            .says("reflex", lit),
    )
    .await;
    let made = calls(&played);
    assert_eq!(
        (made[0].0.as_str(), made[1].0.as_str(), made[2].0.as_str()),
        (light(1).as_str(), light(2).as_str(), "Wait")
    );
    assert!(all::<LayerViolated>(&played).iter().all(|one| one.step > 2 && one.kind == "escalated"));
}

// covers: CTHA-111
#[tokio::test]
async fn a_message_that_is_altered_on_its_way_still_follows_its_contract() {
    let mut court = hierarchy(json!({ "layers": 4 }));
    court.experts = true;
    court.faults = Faults::new([(Fault::Altered, ONE)]);
    let played = play(court).await;
    let contracts = gimbal_temporal::contracts::Contracts::published().unwrap();
    for sent in all::<LayerSent>(&played) {
        let value: serde_json::Value = serde_json::from_str(&sent.text).unwrap();
        let kind = gimbal_temporal::contracts::Kind::ALL.into_iter().find(|kind| kind.name() == sent.kind).unwrap();
        assert!(contracts.get(kind).accept(value, gimbal_messages::Tier::Direct).is_ok(), "{sent:?}");
    }
}

// covers: CTHA-051
#[tokio::test]
async fn an_action_that_cannot_be_read_is_asked_for_once_more_with_the_reason() {
    let played = play(
        hierarchy(json!({ "layers": 2 }))
            .says("strategic", [plan(&[("a", &[])], &json!({}))])
            .says("reflex", [vec![action("Light lamp=lamp_9")], lamps([1, 2, 3, 4]).to_vec()].concat()),
    )
    .await;
    assert_eq!((played.outcome.steps, played.outcome.rejected), (4, 1));
    assert!(told(&played, "reflex", 1).contains("\"refused\": ["));
    // Prose from Reflex leaves the step to the idle call.
    let prose = || "Let me see.".to_owned();
    let played = play(
        hierarchy(json!({ "layers": 2 }))
            .says("reflex", [vec![prose(), prose()], lamps([1, 2, 3, 4]).to_vec()].concat()),
    )
    .await;
    assert_eq!(calls(&played)[0], ("Wait".to_owned(), None));
    assert_eq!((played.outcome.steps, played.outcome.fallbacks), (5, 1));
    assert_eq!(Milli(-4000), played.outcome.episode_return);
    let _ = answer;
}

/// What a later trial is told about an earlier one is its whole return: the reward of its last step, which no transition brings, is in it.
// covers: CTHA-003
#[tokio::test]
async fn the_policy_store_keeps_the_whole_return_of_a_trial() {
    let memory = Arc::new(SessionMemory::default());
    let court = |trial| {
        let watched = policy(&json!({ "rules": [{ "id": "look", "condition": "call Light *", "action": "log" }] }));
        let mut court = hierarchy(json!({ "layers": 4 }))
            .says("institutional", [watched])
            .says("strategic", std::iter::repeat_n(plan(&[("a", &[])], &json!({})), 30))
            .says("reflex", std::iter::repeat_n(action("Wait"), 60));
        court.session = (Arc::clone(&memory), trial);
        court
    };
    let first = play(court(0)).await;
    assert_eq!((first.outcome.steps, first.outcome.episode_return), (20, Milli(-20_000)));
    let second = play(court(1)).await;
    let wanted = format!("\"return\": \"{}\"", first.outcome.episode_return);
    let request = told(&second, "institutional", 0);
    assert!(request.contains(&wanted), "{request}");
}
