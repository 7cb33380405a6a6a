//! The maps between layers in play: what they change, and what they leave alone.

use gimbal_messages::records::temporal::LayerAsked;
use gimbal_messages::records::temporal::{LayerMapped, LayerTrimmed};
use serde_json::json;

use super::{action, all, hierarchy, plan, play, sequence, told};
use crate::debate::{Court, Played};

/// Three layers that wait through the evening.
fn waiting(maps: &str) -> Court {
    let mut settings = json!({ "layers": 3, "cache": false });
    if !maps.is_empty() {
        settings["maps"] = json!(maps);
    }
    let plan = plan(&[("light all", &[])], &json!({}));
    hierarchy(settings)
        .says("strategic", std::iter::repeat_n(plan, 30))
        .says("tactical", std::iter::repeat_n(sequence(&["Wait", "Wait", "Wait"], &[]), 60))
        .says("reflex", std::iter::repeat_n(action("Wait"), 60))
}

fn sent(played: &Played) -> Vec<String> {
    played.requests.iter().map(|(role, request)| format!("{role} {request:?}")).collect()
}

/// Steps that the last request of Tactical tells.
fn remembered(played: &Played) -> usize {
    let times = played.asked().iter().filter(|role| **role == "tactical").count();
    told(played, "tactical", times - 1).matches("\"result\":").count()
}

// covers: CTHA-031
#[tokio::test]
async fn without_maps_requests_are_those_of_the_layers_alone() {
    let (left_out, none) = (play(waiting("")).await, play(waiting("none")).await);
    assert_eq!(sent(&left_out), sent(&none));
    assert_eq!(left_out.outcome.chain, none.outcome.chain);
    assert!(all::<LayerMapped>(&none).is_empty() && all::<LayerTrimmed>(&none).is_empty());
    assert_eq!(remembered(&none), 8);
}

// covers: CTHA-025, CTHA-031
#[tokio::test]
async fn maps_divide_the_context_and_a_free_one_asks_whenever_it_may() {
    let mut due = Vec::new();
    for kind in ["projected", "free"] {
        let played = play(waiting(kind)).await;
        assert_eq!(played.outcome.steps, 20);
        let mapped = all::<LayerMapped>(&played);
        assert_eq!(mapped.len(), 20);
        assert!(mapped.iter().all(|one| one.maps == kind && one.shares.iter().sum::<u32>() == 1000), "{mapped:?}");
        let bounded = mapped.iter().all(|one| one.scores.iter().all(|score| score.0 <= 1000));
        assert_eq!(bounded, kind == "projected", "{mapped:?}");
        let asked = all::<LayerAsked>(&played);
        due.push(asked.iter().filter(|one| one.why == "due").count());
        // Memories give way, and what binds stays.
        let trimmed = all::<LayerTrimmed>(&played);
        assert!(!trimmed.is_empty() && trimmed.iter().all(|one| one.after < one.before && one.left_out > 0));
        assert!(trimmed.iter().all(|one| one.layer != "reflex"), "{trimmed:?}");
        assert!(remembered(&played) < 8);
        assert!(told(&played, "tactical", 3).contains("do light all"));
    }
    assert!(due[1] > due[0], "{due:?}");
}
