//! Calls on another layer's time scale, masks that leave out what policies deny, and criteria that the tracker answers.

use gimbal_core::Grammar;
use gimbal_messages::records::temporal::{LayerAsked, LayerMasked, LayerViolated, SubgoalReached};
use gimbal_testkit::environments::repository::Repository;
use serde_json::{Value, json};

use super::{action, all, calls, hierarchy, light, plan, play, policy, sequence, told};
use crate::debate::{Court, Played, answer};

fn repair(settings: Value) -> Court {
    hierarchy(settings).on("issue")
}

async fn play_issue(court: Court) -> Played {
    court.play_in(&Repository, json!({})).await
}

fn waits() -> impl Iterator<Item = String> {
    std::iter::repeat_n(action("Wait"), 30)
}

// covers: CTHA-060, CTHA-065
#[tokio::test]
async fn a_call_that_decides_for_longer_is_for_the_layer_of_that_time() {
    let renames = || [action("Refactor file=auth.py")].into_iter().chain(waits());
    let naming = |words: &str| plan(&[("a", &[])], &json!({ "constraints": [words] }));
    // Sixty seconds and more are not for Reflex: the planner is asked, and does not name it.
    let held = play_issue(
        repair(json!({ "layers": 2 })).says("strategic", [naming("wait"), naming("wait")]).says("reflex", renames()),
    )
    .await;
    let violated = all::<LayerViolated>(&held);
    assert_eq!((violated[0].kind.as_str(), violated[0].over.as_deref()), ("untimely", Some("strategic")));
    assert_eq!((violated[0].instead.as_str(), calls(&held)[0].0.as_str()), ("escalation", "Wait"));
    assert!(told(&held, "strategic", 1).contains("it is on the time scale of strategic"));
    // A plan that names it lets it through, and so does a hierarchy without authority.
    let named = play_issue(
        repair(json!({ "layers": 2 })).says("strategic", [naming("Refactor auth.py first")]).says("reflex", renames()),
    )
    .await;
    let free = play_issue(
        repair(json!({ "layers": 2, "authority": false }))
            .says("strategic", [naming("wait")])
            .says("reflex", renames()),
    )
    .await;
    for played in [named, free] {
        assert_eq!((all::<LayerViolated>(&played), calls(&played)[0].0.as_str()), (vec![], "Refactor file=auth.py"));
    }
}

// covers: CTHA-060
#[tokio::test]
async fn what_is_on_the_time_of_tactical_waits_for_its_order_and_what_is_sooner_is_left_to_reflex() {
    let plain = || plan(&[("a", &[])], &json!({}));
    let played = play_issue(
        repair(json!({ "layers": 3 }))
            .says("strategic", [plain()])
            .says("tactical", [sequence(&[], &[]), sequence(&["Review", "Peek"], &[]), sequence(&[], &[])])
            .says("reflex", [action("Review"), action("Review"), action("Peek")].into_iter().chain(waits())),
    )
    .await;
    let violated: Vec<(u32, String)> =
        all::<LayerViolated>(&played).into_iter().map(|one| (one.step, one.kind)).collect();
    assert_eq!(violated, [(1, "untimely".to_owned())]);
    let asked = all::<LayerAsked>(&played).into_iter().filter(|one| one.layer == "tactical").nth(1).unwrap();
    assert_eq!((asked.step, asked.why.as_str()), (2, "escalation"));
    let made = calls(&played);
    assert_eq!((made[0].0.as_str(), made[1].0.as_str(), made[2].0.as_str()), ("Wait", "Review", "Peek"));
    // Tactical ordered it and may not take it: it is Reflex that does, who was shown it.
    assert_eq!(made[2].1.as_deref(), Some("reflex"));
    assert!(told(&played, "reflex", 2).contains("\"next\": \"Peek\""));
}

// covers: CTHA-045, CTHA-063
#[tokio::test]
async fn under_a_mask_a_layer_cannot_write_what_a_policy_denies() {
    let forbid = |patterns: &[&str]| policy(&json!({ "rules": [], "forbidden": patterns }));
    let court = |patterns: &[&str]| {
        hierarchy(json!({ "layers": 4 }))
            .says("institutional", [forbid(patterns)])
            .says("strategic", [plan(&[("a", &[])], &json!({}))])
            .says("tactical", std::iter::repeat_n(sequence(&[], &[]), 30))
            .says("reflex", [2, 3, 4].map(|lamp| action(&light(lamp))).into_iter().chain(waits()))
    };
    let held = |played: &Played| {
        let request = played.requests.iter().find(|(role, _)| role == "reflex").unwrap();
        match request.1.grammar.as_deref() {
            Some(Grammar::Regex(regex)) => Some(regex.clone()),
            _ => None,
        }
    };
    let mut masked = court(&["light lamp_1"]);
    masked.constrained = true;
    let masked = play(masked).await;
    let regex = held(&masked).unwrap();
    assert!(!regex.contains("lamp_1") && regex.contains("lamp_2") && regex.contains("Wait"), "{regex}");
    let record = &all::<LayerMasked>(&masked)[0];
    assert_eq!((record.step, record.layer.as_str(), record.left_out, record.left), (1, "tactical", 1, 4));
    // A role that decodes freely is held to nothing, and its actions are projected.
    let free = play(court(&["light lamp_1"])).await;
    assert_eq!((held(&free), all::<LayerMasked>(&free)), (None, vec![]));
    // Where everything is denied the idle call is left.
    let mut all_denied = court(&["light *"]);
    all_denied.constrained = true;
    let all_denied = play(all_denied).await;
    let regex = held(&all_denied).unwrap();
    assert!(!regex.contains("Light") && regex.contains("Wait"), "{regex}");
}

/// A plan of one subgoal for each lamp, each after the one before, that the tracker judges.
fn judged(lamps: &[u32]) -> String {
    let mut before: Option<String> = None;
    let subgoals: Vec<Value> = lamps
        .iter()
        .map(|lamp| {
            let id = format!("lamp {lamp}");
            let needs: Vec<String> = before.replace(id.clone()).into_iter().collect();
            let met = format!("subject_state(lamp_{lamp}).state is lit");
            json!({ "id": id, "description": "have it burn", "success_criteria": met, "dependencies": needs })
        })
        .collect();
    answer(&json!({ "goal_id": "light", "subgoals": subgoals, "priority": 0.5 }))
}

// covers: CTHA-091
#[tokio::test]
async fn a_criterion_that_names_a_query_is_met_by_its_answer_and_by_nobodys_word() {
    let played = play(
        hierarchy(json!({ "layers": 3 }))
            .says("strategic", [judged(&[1, 2]), judged(&[3])])
            // Tactical says at step 4 that the second is met, and it is not.
            .says("tactical", [sequence(&[], &[]), sequence(&[], &["lamp 2"]), sequence(&[], &[])])
            .says(
                "reflex",
                [
                    action("Wait"),
                    action("Wait"),
                    action(&light(1)),
                    action(&light(2)),
                    action(&light(3)),
                    action(&light(4)),
                ],
            ),
    )
    .await;
    let reached: Vec<(u32, String, String)> =
        all::<SubgoalReached>(&played).into_iter().map(|one| (one.step, one.subgoal, one.by)).collect();
    let by = |step: u32, lamp: u32| (step, format!("lamp {lamp}"), "query".to_owned());
    assert_eq!(reached, [by(4, 1), by(5, 2), by(6, 3)]);
    let asked: Vec<(u32, String)> = all::<LayerAsked>(&played)
        .into_iter()
        .filter(|one| one.layer == "strategic")
        .map(|one| (one.step, one.why))
        .collect();
    assert!(asked.contains(&(5, "goal_completion".to_owned())), "{asked:?}");
    // The planner is told how a check is written, with an answer of now.
    let request = told(&played, "strategic", 0);
    let example = r#""example": {"query": "subject_state(lamp_1)", "answer": {"subject": "lamp_1", "state": "dark"}}"#;
    assert!(request.contains(example), "{request}");
}
