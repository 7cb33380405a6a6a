//! What comes before the score, reached in play: stops in an emergency (CTHA-076), and policies that only a mask makes felt.

use std::sync::Arc;

use gimbal_core::Scorer;
use gimbal_messages::records::temporal::{LayerAsked, LayerDecided, LayerReleased};
use gimbal_temporal::Layer;
use gimbal_temporal::rollout::COLUMNS;
use serde_json::json;

use super::{action, all, calls, hierarchy, light, plan, play, policy, told};
use crate::debate::{Court, Played, answer};

/// An action of Reflex that is neither urgent nor sure.
fn reflex(action: &str, emergency: bool) -> String {
    answer(&json!({ "action": action, "urgency": 0.0, "confidence": 0.0, "emergency": emergency, "summary": "now" }))
}

/// Tactical as urgent and as sure as can be.
fn tactical(actions: &[&str]) -> String {
    answer(&json!({
        "action_sequence": actions, "working_memory_update": "", "reached": [], "urgency": 1.0, "confidence": 1.0,
        "summary": "in order"
    }))
}

// covers: CTHA-076, CTHA-R18
#[tokio::test]
async fn a_stop_in_an_emergency_goes_before_what_is_more_urgent() {
    let court = |first: String| {
        hierarchy(json!({ "layers": 3 }))
            .says("strategic", [plan(&[("a", &[])], &json!({}))])
            .says("tactical", std::iter::repeat_n(tactical(&[&light(1), &light(2), &light(3)]), 10))
            .says("reflex", [first].into_iter().chain(std::iter::repeat_n(reflex("Wait", false), 40)))
    };
    let stopped = play(court(reflex("Wait", true))).await;
    let decided = &all::<LayerDecided>(&stopped)[0];
    assert_eq!((decided.call.as_str(), decided.caller.as_deref()), ("Wait", Some("reflex")));
    assert_eq!(decided.conflicts[0].kept.as_deref(), Some("reflex"));
    // What was ordered is still the next action: it was put off.
    assert_eq!(calls(&stopped)[1], (light(1), Some("tactical".to_owned())));
    let unmarked = play(court(reflex("Wait", false))).await;
    assert_eq!(calls(&unmarked)[0], (light(1), Some("tactical".to_owned())));
    // What begins something does not go before the score.
    let begins = play(court(reflex(&light(4), true))).await;
    assert_eq!(calls(&begins)[0], (light(1), Some("tactical".to_owned())));
}

// covers: CTHA-076, CTHA-R18
#[tokio::test]
async fn a_stop_in_an_emergency_passes_a_policy_over_for_one_step_and_ends_it_not() {
    let court = |emergency: bool| {
        hierarchy(json!({ "layers": 4 }))
            .says("institutional", [policy(&json!({ "rules": [], "forbidden": ["*"] }))])
            .says("strategic", [plan(&[("a", &[])], &json!({}))])
            .says("reflex", [reflex("Wait", emergency), reflex("Wait", false)])
    };
    let first = |played: &Played| {
        let decided = all::<LayerDecided>(played).remove(0);
        (decided.call, decided.caller, decided.conflicts[0].kept.clone())
    };
    let (stopped, held) = (play(court(true)).await, play(court(false)).await);
    let of = |layer: &str| Some(layer.to_owned());
    assert_eq!(first(&stopped), ("Wait".to_owned(), of("reflex"), of("reflex")));
    assert_eq!(first(&held), ("Wait".to_owned(), None, of("institutional")), "the idle call, and nobody's");
    // It holds on: the same wish without an emergency gives way to it in the next step.
    assert!(all::<LayerReleased>(&stopped).iter().all(|one| one.by != "overruled"));
    assert_eq!(all::<LayerDecided>(&stopped)[1].conflicts[0].kept, of("institutional"));
    assert_eq!(stopped.outcome.fallbacks + 1, held.outcome.fallbacks);
}

// covers: CTHA-049, CTHA-063, CTHA-091
#[tokio::test]
async fn a_policy_that_only_a_mask_makes_felt_is_looked_at_again_where_something_goes_wrong() {
    // The first policy forbids what has to be done; Reflex, who cannot write it, waits. The same is seen three times.
    let court = |forbidden: &str, constrained: bool| {
        let waits = std::iter::repeat_n(action("Wait"), 3);
        let mut court = hierarchy(json!({ "layers": 4 }))
            .says(
                "institutional",
                [json!({ "rules": [], "forbidden": [forbidden] }), json!({ "rules": [] })].map(|one| policy(&one)),
            )
            .says("strategic", std::iter::repeat_n(plan(&[("a", &[])], &json!({})), 10))
            .says("reflex", waits.chain([1, 2, 3, 4].map(|lamp| action(&light(lamp)))));
        court.constrained = constrained;
        court
    };
    let asked = |played: &Played| {
        let asked = all::<LayerAsked>(played).into_iter().filter(|one| one.layer == "institutional");
        asked.map(|one| (one.step, one.why)).collect::<Vec<_>>()
    };
    let begins = (1, "trial_begins".to_owned());
    let masked = play(court("light lamp_1", true)).await;
    assert_eq!(asked(&masked), [begins.clone(), (4, "denied".to_owned())]);
    let words = "\"denied\": \"Light lamp=lamp_1: the policy does not allow it: forbidden light lamp_1\"";
    assert!(told(&masked, "institutional", 1).contains(words), "{}", told(&masked, "institutional", 1));
    assert_eq!((masked.outcome.steps, calls(&masked)[3].0.as_str()), (7, light(1).as_str()));
    // A policy that leaves nothing out is not in the way, and without a mask it is a refusal that asks.
    for (forbidden, constrained) in [("light lamp_9", true), ("light lamp_1", false)] {
        let played = play(court(forbidden, constrained)).await;
        assert_eq!(asked(&played)[0], begins);
        assert!(!asked(&played).contains(&(4, "denied".to_owned())), "{forbidden}");
    }
}

/// A learned arbiter that is for one layer and against all others.
struct For(Layer);

impl Scorer for For {
    fn identity(&self) -> String {
        "for".to_owned()
    }
    fn width(&self) -> usize {
        1 + COLUMNS.len()
    }
    fn score(&self, parties: &[Vec<f32>]) -> Vec<i64> {
        let own = self.0.index() as f32;
        parties.iter().map(|row| if row[0] == own { 1_000_000 } else { -1_000_000 }).collect()
    }
}

fn for_layer(layer: Layer, mut court: Court) -> Court {
    court.scorer = Some(Arc::new(For(layer)));
    court
}

/// A learned part is one part of the priority: it decides among those that come before the score no earlier than others.
// covers: CTHA-076, CTHA-077, CTHA-R18
#[tokio::test]
async fn a_learned_arbiter_and_a_ceiling_keep_what_comes_before_the_score() {
    let tactical = || std::iter::repeat_n(tactical(&[&light(1), &light(2)]), 10);
    let planned = || std::iter::repeat_n(plan(&[("a", &[])], &json!({})), 10);
    let rollouts = json!({ "policy": "light", "futures": 1 });
    let learned = json!({ "layers": 3, "arbiter": "learned" });
    // A stop in an emergency, and a scorer that is for Tactical; lighting is worth more than to wait.
    for settings in [&learned, &json!({ "layers": 3, "arbiter": "rollout", "rollouts": rollouts })] {
        for (emergency, first) in [(true, "Wait".to_owned()), (false, light(1))] {
            let waits = [reflex("Wait", emergency)].into_iter().chain(std::iter::repeat_n(reflex("Wait", false), 30));
            let court = hierarchy(settings.clone())
                .says("strategic", planned())
                .says("tactical", tactical())
                .says("reflex", waits);
            assert_eq!(calls(&play(for_layer(Layer::Tactical, court)).await)[0].0, first, "{settings} {emergency}");
        }
    }
    // A policy, and a scorer that is for Reflex.
    let court = hierarchy(json!({ "layers": 4, "arbiter": "learned" }))
        .says("institutional", [policy(&json!({ "rules": [], "forbidden": ["*"] }))])
        .says("strategic", planned())
        .says("reflex", std::iter::repeat_n(reflex("Wait", false), 30));
    let played = play(for_layer(Layer::Reflex, court)).await;
    let decided = &all::<LayerDecided>(&played)[0];
    assert_eq!((decided.call.as_str(), decided.caller.as_deref()), ("Wait", None), "the idle call, and nobody's");
    assert_eq!(decided.conflicts[0].kept.as_deref(), Some("institutional"));
    // Without authority nothing comes before the score.
    let court = hierarchy(json!({ "layers": 4, "arbiter": "learned", "authority": false }))
        .says("institutional", [policy(&json!({ "rules": [], "forbidden": ["*"] }))])
        .says("strategic", planned())
        .says("reflex", std::iter::repeat_n(reflex("Wait", false), 30));
    let played = play(for_layer(Layer::Reflex, court)).await;
    assert_eq!(all::<LayerDecided>(&played)[0].conflicts[0].kept.as_deref(), Some("reflex"));
}
