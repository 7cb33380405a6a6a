//! Layers side by side: who may be, what they read, and what Reflex may do there (Eq. 28).

use gimbal_core::Body;
use gimbal_messages::records::temporal::SubgoalReached;
use serde_json::{Value, json};

use super::{action, all, calls, hierarchy, light, plan, play, policy, sequence, told};
use crate::debate::Played;

/// The layers that were asked in a step, each with whether it had a lane of its own.
fn lanes(played: &Played, step: u32) -> Vec<(String, bool)> {
    let asked = |event: gimbal_core::Event| match event.body {
        Body::ModelCalled(call) if event.step == step => Some((call.role, event.lane != 0)),
        _ => None,
    };
    played.events().into_iter().filter_map(asked).collect()
}

fn expected(layers: &[(&str, bool)]) -> Vec<(String, bool)> {
    layers.iter().map(|(layer, own)| ((*layer).to_owned(), *own)).collect()
}

// covers: CTHA-093
#[tokio::test]
async fn side_by_side_layers_read_what_had_arrived_before_the_step() {
    let court = |parallel: bool| {
        hierarchy(json!({ "layers": 3, "parallel": parallel }))
            .says("strategic", [plan(&[("light all", &[])], &json!({}))])
            .says("tactical", [sequence(&[&light(1), &light(2), &light(3)], &[]), sequence(&[&light(4)], &[])])
            .says("reflex", [1, 2, 3, 4].map(|lamp| action(&light(lamp))))
    };
    let (one, other) = (play(court(true)).await, play(court(false)).await);
    assert!(!told(&one, "tactical", 0).contains("do light all"));
    assert!(told(&other, "tactical", 0).contains("do light all"));
    assert_eq!(one.outcome.episode_return, other.outcome.episode_return);
}

// covers: CTHA-093
#[tokio::test]
async fn layers_whose_messages_or_resources_meet_are_asked_one_after_the_other() {
    // The plan ends before step 4, in which Tactical is due by its period.
    let court = |policies: Value, settings: Value| {
        hierarchy(settings)
            .says("institutional", [policy(&policies)])
            .says("strategic", [1, 2].map(|_| plan(&[("a", &[])], &json!({ "deadline": 3 }))))
            .says("tactical", std::iter::repeat_n(sequence(&[], &[]), 20))
            .says("reflex", std::iter::repeat_n(action("Wait"), 40))
    };
    let parallel = || json!({ "layers": 4, "parallel": true });
    let free = play(court(json!({ "rules": [] }), parallel())).await;
    let bound = play(court(json!({ "rules": [], "forbidden": ["* lamp_4"] }), parallel())).await;
    let first = [("institutional", true), ("strategic", true), ("tactical", true), ("reflex", false)];
    for played in [&free, &bound] {
        // Nothing has come down yet. Reflex may want what Tactical wants.
        assert_eq!(lanes(played, 1), expected(&first));
        // What is in force comes to whoever is alone anyway.
        assert_eq!(lanes(played, 2), expected(&[("reflex", false)]));
    }
    assert_eq!(lanes(&free, 4), expected(&[("strategic", true), ("tactical", true), ("reflex", false)]));
    // One policy comes to both of them.
    assert_eq!(lanes(&bound, 4), expected(&[("strategic", false), ("tactical", false), ("reflex", false)]));
    let one_by_one = play(court(json!({ "rules": [] }), json!({ "layers": 4 }))).await;
    assert!((1..5).flat_map(|step| lanes(&one_by_one, step)).all(|(_, own)| !own));
}

// covers: CTHA-093
#[tokio::test]
async fn who_is_asked_about_a_plan_of_the_step_waits_for_it() {
    // The plan ends before step 3: Tactical is due because there is a new one.
    let played = play(
        hierarchy(json!({ "layers": 3, "parallel": true }))
            .says("strategic", [plan(&[("a", &[])], &json!({ "deadline": 2 })), plan(&[("b", &[])], &json!({}))])
            .says("tactical", std::iter::repeat_n(sequence(&[], &[]), 20))
            .says("reflex", std::iter::repeat_n(action("Wait"), 40)),
    )
    .await;
    assert_eq!(lanes(&played, 3), expected(&[("strategic", false), ("tactical", false), ("reflex", false)]));
    let request = told(&played, "tactical", 1);
    assert!(request.contains("\"why\": \"new_plan\"") && request.contains("do b"), "{request}");
}

// covers: CTHA-093
#[tokio::test]
async fn free_text_comes_to_all_so_that_nobody_who_has_heard_any_is_asked_beside_another() {
    let free = json!({ "contracts": false, "authority": false, "arbiter": "last", "layers": 2, "parallel": true });
    let remark = |text: &str| format!("Thought: so.\nAnswer: {text}");
    let played = play(
        hierarchy(free)
            .says("strategic", [remark("Lamp 4 comes first.")])
            .says("reflex", [1, 2, 3, 4].map(|lamp| remark(&format!("Do: {}", light(lamp))))),
    )
    .await;
    assert_eq!(lanes(&played, 1), expected(&[("strategic", false), ("reflex", false)]));
}

// covers: CTHA-051, CTHA-093
#[tokio::test]
async fn reflex_is_asked_once_more_with_the_reason_beside_another_layer_too() {
    let court = |parallel: bool| {
        hierarchy(json!({ "layers": 2, "parallel": parallel }))
            .says("strategic", [plan(&[("a", &[])], &json!({}))])
            .says(
                "reflex",
                ["lamp_9", "lamp_1", "lamp_2", "lamp_3", "lamp_4"].map(|lamp| action(&format!("Light lamp={lamp}"))),
            )
    };
    for parallel in [true, false] {
        let played = play(court(parallel)).await;
        let again = ("reflex", false);
        assert_eq!(lanes(&played, 1), expected(&[("strategic", parallel), ("reflex", parallel), again]));
        assert!(told(&played, "reflex", 1).contains("\"refused\": ["));
        assert_eq!(calls(&played)[0], (light(1), Some("reflex".to_owned())), "the step is not the idle call's");
        assert_eq!((played.outcome.steps, played.outcome.rejected, played.outcome.fallbacks), (4, 1, 0));
    }
}

// covers: CTHA-091, CTHA-093
#[tokio::test]
async fn a_word_about_the_plan_before_says_nothing_of_the_one_that_is_made_beside_it() {
    let court = |parallel: bool| {
        hierarchy(json!({ "layers": 3, "parallel": parallel }))
            .says("strategic", [1, 2].map(|_| plan(&[("a", &[])], &json!({ "deadline": 3 }))))
            .says("tactical", [sequence(&[], &[]), sequence(&[], &["a"]), sequence(&[], &[])])
            .says("reflex", std::iter::repeat_n(action("Wait"), 40))
    };
    let reached = |played: &Played| all::<SubgoalReached>(played).into_iter().map(|one| one.step).collect::<Vec<_>>();
    let (beside, after) = (play(court(true)).await, play(court(false)).await);
    assert_eq!(lanes(&beside, 4)[..2], expected(&[("strategic", true), ("tactical", true)]));
    assert_eq!((reached(&beside), reached(&after)), (vec![], vec![4]));
}
