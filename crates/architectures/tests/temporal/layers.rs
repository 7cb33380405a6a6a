//! Who is asked when, what one layer alone is, and what layers without contracts do.

use gimbal_messages::records::temporal::{LayerAsked, LayerCommitted, LayerDecided, LayerSent, LayerViolated};
use serde_json::json;

use super::{action, all, calls, hierarchy, light, plan, play, policy, sequence, told};
use crate::debate::{Court, Played};

async fn experts(settings: serde_json::Value) -> Played {
    let mut court = hierarchy(settings);
    court.experts = true;
    play(court).await
}

// covers: CTHA-009
#[tokio::test]
async fn one_layer_sends_the_requests_of_react_and_makes_its_calls() {
    for context in [json!(["observation"]), json!(["history", "observation"])] {
        let alone = experts(json!({ "layers": 1, "context": context })).await;
        let mut react = Court::new(json!({ "context": context })).of("react").on("evening");
        react.experts = true;
        let react = play(react).await;
        let sent =
            |played: &Played| -> Vec<_> { played.requests.iter().map(|(_, request)| format!("{request:?}")).collect() };
        assert_eq!(sent(&alone), sent(&react));
        assert_eq!(alone.outcome.spent, react.outcome.spent);
        assert_eq!(alone.outcome.episode_return, react.outcome.episode_return);
        assert_eq!(alone.outcome.steps, 4);
    }
}

// covers: CTHA-001, CTHA-004, CTHA-010, CTHA-090
#[tokio::test]
async fn layers_are_asked_at_their_times_and_the_slowest_first() {
    for (layers, expected) in [
        (2, "strategic reflex reflex reflex reflex"),
        (3, "strategic tactical reflex reflex reflex tactical reflex"),
        (4, "institutional strategic tactical reflex reflex reflex tactical reflex"),
        (5, "meta institutional strategic tactical reflex reflex reflex tactical reflex"),
    ] {
        let played = experts(json!({ "layers": layers })).await;
        assert_eq!(played.asked().join(" "), expected);
        assert_eq!((played.outcome.steps, played.outcome.fallbacks, played.outcome.rejected), (4, 0, 0));
        let asked = all::<LayerAsked>(&played);
        let why = |layer: &str| asked.iter().find(|one| one.layer == layer).map(|one| one.why.clone());
        assert_eq!(why("strategic").as_deref(), Some("trial_begins"));
        assert_eq!(why("reflex").as_deref(), Some("period"));
        assert!(calls(&played).iter().all(|(_, caller)| caller.as_deref() == Some("reflex")));
    }
}

// covers: CTHA-003, CTHA-040, CTHA-041, CTHA-047
#[tokio::test]
async fn summaries_go_up_plans_go_down_and_policies_go_to_all() {
    let played = experts(json!({})).await;
    let sent: Vec<(String, String, String)> =
        all::<LayerSent>(&played).into_iter().map(|one| (one.from, one.to, one.kind)).collect();
    let one = |from: &str, to: &str, kind: &str| (from.to_owned(), to.to_owned(), kind.to_owned());
    assert_eq!(
        sent[..5],
        [
            one("institutional", "all", "policy"),
            one("strategic", "tactical", "plan"),
            one("strategic", "institutional", "summary"),
            one("tactical", "strategic", "summary"),
            one("reflex", "tactical", "summary"),
        ]
    );
    // At the second time Tactical reads what Reflex reported.
    let read = told(&played, "tactical", 1);
    assert!(
        read.contains("\"summary\": {") && read.contains("as it should be") && read.contains("\"recent\": ["),
        "{read}"
    );
}

// covers: CTHA-131
#[tokio::test]
async fn without_contracts_every_layer_reads_all_others_and_the_last_action_is_carried_out() {
    let remark = |text: &str| format!("Thought: so.\nAnswer: {text}");
    let free = json!({ "contracts": false, "authority": false, "arbiter": "last" });
    let played = play(
        hierarchy(free)
            .says("institutional", [remark("Careful. Forbid: Light *")])
            .says("strategic", [remark("Lamp 4 comes first. Do: Light lamp=lamp_4")])
            .says("tactical", [remark("Do: Light lamp=lamp_3"), remark("Nothing new.")])
            .says("reflex", [1, 2, 3, 4].map(|lamp| remark(&format!("Do: {}", light(lamp))))),
    )
    .await;
    assert_eq!(played.outcome.steps, 4);
    let made = calls(&played);
    assert_eq!(made[0], (light(1), Some("reflex".to_owned())));
    let reflex = told(&played, "reflex", 0);
    for heard in ["Careful. Forbid: Light *", "Lamp 4 comes first", "lamp_3"] {
        assert!(reflex.contains(heard), "{reflex}");
    }
    // The same detectors see what was carried out against others.
    let first = &all::<LayerDecided>(&played)[0];
    let clashes: Vec<(&str, &str)> =
        first.carried_out.iter().map(|one| (one.faster.as_str(), one.slower.as_str())).collect();
    assert_eq!(clashes, [("reflex", "tactical"), ("reflex", "strategic"), ("reflex", "institutional")]);
    let violated = all::<LayerViolated>(&played);
    assert!(violated.iter().any(|one| one.layer == "strategic" && one.kind == "authority" && !one.carried_out));
    assert!(violated.iter().any(|one| one.over.as_deref() == Some("institutional") && one.carried_out));
    assert_eq!(all::<LayerCommitted>(&played).len(), 1);
}

/// What Institutional forbids in free text holds faster layers back under authority, and nobody without it.
// covers: CTHA-076, CTHA-132
#[tokio::test]
async fn authority_alone_holds_layers_to_what_institutional_forbids_in_words() {
    let remark = |text: &str| format!("Thought: so.\nAnswer: {text}");
    let court = |authority: bool| {
        hierarchy(json!({ "contracts": false, "authority": authority, "arbiter": "last" }))
            .says("institutional", [remark("Forbid: * lamp_1"), remark("Nothing is forbidden any more.")])
            .says("reflex", [1, 1, 2, 3, 4, 1].map(|lamp| remark(&format!("Do: {}", light(lamp)))))
    };
    let (held, free) = (play(court(true)).await, play(court(false)).await);
    assert_eq!(calls(&free)[0], (light(1), Some("reflex".to_owned())));
    assert_eq!(calls(&held)[0], ("Wait".to_owned(), None), "refused twice in the step");
    let violated = all::<LayerViolated>(&held);
    assert_eq!((violated[0].kind.as_str(), violated[0].carried_out), ("policy", false));
    assert_eq!(violated[0].over.as_deref(), Some("institutional"));
    assert!(told(&held, "reflex", 1).contains("the policy does not allow it: forbid * lamp_1"));
    // Whoever forbade it is asked, and takes it back.
    assert!(told(&held, "institutional", 1).contains("\"denied\": \"Light lamp=lamp_1: the policy does not allow it"));
    let made: Vec<String> = calls(&held).into_iter().map(|(call, _)| call).collect();
    assert_eq!(made[1..], [light(2), light(3), light(4), light(1)]);
}

// covers: CTHA-044, CTHA-112
#[tokio::test]
async fn a_call_of_tactical_that_authority_drops_is_on_record() {
    let forbid = policy(&json!({ "rules": [], "forbidden": ["* lamp_4"] }));
    let played = play(
        hierarchy(json!({}))
            .says("institutional", [forbid])
            .says("strategic", [plan(&[("a", &[])], &json!({}))])
            .says("tactical", [sequence(&[&light(4), &light(3)], &[]), sequence(&[], &[])])
            .says("reflex", std::iter::repeat_n(action("Wait"), 20)),
    )
    .await;
    let violated = all::<LayerViolated>(&played);
    assert_eq!(violated.len(), 1, "{violated:?}");
    let one = &violated[0];
    assert_eq!(
        (one.step, one.layer.as_str(), one.kind.as_str(), one.text.as_str()),
        (1, "tactical", "policy", light(4).as_str())
    );
    assert_eq!((one.carried_out, one.over.as_deref(), one.instead.as_str()), (false, Some("institutional"), "dropped"));
    assert_eq!(calls(&played)[1].0, "Wait", "what was meant to follow it is dropped too");
}

/// A layer that would see the same as last time is not asked again. Under contracts that takes a step that changed nothing that the layer is shown: its
/// own directives, what the layer below reported, what it finds in its notes, its blocks.
// covers: CTHA-094
#[tokio::test]
async fn what_a_layer_would_see_unchanged_is_not_asked_again() {
    // Everything is forbidden and nothing changes: Institutional is asked about the same denial step after step.
    let forbid = || std::iter::repeat_n(policy(&json!({ "rules": [], "forbidden": ["*"] })), 30);
    let court = |cache: bool| {
        hierarchy(json!({ "layers": 4, "cache": cache }))
            .says("institutional", forbid())
            .says("reflex", (0..60).map(|_| action(&light(1))))
    };
    let (with, without) = (play(court(true)).await, play(court(false)).await);
    let asked = |played: &Played| played.asked().iter().filter(|role| **role == "institutional").count();
    let due =
        |played: &Played| all::<LayerAsked>(played).into_iter().filter(|one| one.layer == "institutional").count();
    let hits = |played: &Played| all::<LayerAsked>(played).iter().filter(|one| one.cached).count();
    assert!(due(&with) > 2 && due(&with) == due(&without));
    assert_eq!((asked(&without), hits(&without)), (due(&without), 0));
    let cached = all::<LayerAsked>(&with).iter().filter(|one| one.cached && one.layer == "institutional").count();
    assert!(cached > 0, "it must hit");
    assert_eq!(asked(&with) + cached, due(&with), "whoever is due is asked or has the same before it");
    // The policy is the same, so that the calls are.
    assert_eq!(calls(&with), calls(&without));
}

/// Steps are in what Tactical is shown (`recent`), and a plan that is over is never asked for from memory: there is nothing to hit.
// covers: CTHA-094
#[tokio::test]
async fn a_layer_that_is_shown_the_steps_since_sees_something_else_each_time() {
    let lasting = || plan(&[("a", &[])], &json!({ "deadline": 2 }));
    let waits = || std::iter::repeat_n(action("Wait"), 30);
    let tactical = hierarchy(json!({ "layers": 3, "tactical_period": 1 }))
        .says("strategic", std::iter::repeat_n(plan(&[("a", &[])], &json!({})), 20))
        .says("tactical", std::iter::repeat_n(sequence(&[], &[]), 30))
        .says("reflex", waits());
    let strategic =
        hierarchy(json!({ "layers": 2 })).says("strategic", std::iter::repeat_n(lasting(), 30)).says("reflex", waits());
    for (layer, court) in [("tactical", tactical), ("strategic", strategic)] {
        let asked = all::<LayerAsked>(&play(court).await);
        let own: Vec<&LayerAsked> = asked.iter().filter(|one| one.layer == layer).collect();
        assert!(own.len() > 2 && own.iter().all(|one| !one.cached), "{layer}: {own:?}");
    }
}

// covers: CTHA-006, CTHA-007, CTHA-133, CTHA-R06
#[tokio::test]
async fn temperatures_and_bounds_of_output_are_those_of_the_layers() {
    for (named, expected) in [("published", [700, 500, 300, 100]), ("zero", [0, 0, 0, 0])] {
        let played = experts(json!({ "temperatures": named })).await;
        let of = |role: &str| {
            let request = played.requests.iter().find(|(name, _)| name == role).unwrap();
            (request.1.sampling.temperature.0, request.1.sampling.max_output_tokens)
        };
        let found = ["institutional", "strategic", "tactical", "reflex"].map(of);
        assert_eq!(found.map(|one| one.0), expected);
        assert_eq!(found.map(|one| one.1), [2048, 1024, 512, 256]);
    }
}

// covers: CTHA-076
#[tokio::test]
async fn a_policy_that_forbids_everything_leaves_the_idle_call() {
    let forbid = policy(&json!({ "rules": [], "forbidden": ["*"] }));
    let lit = (0..60).map(|_| action(&light(1)));
    let played = play(
        hierarchy(json!({ "layers": 4 })).says("institutional", std::iter::repeat_n(forbid, 30)).says("reflex", lit),
    )
    .await;
    assert_eq!(played.outcome.steps, 20);
    assert!(calls(&played).iter().all(|(call, caller)| call == "Wait" && caller.is_none()));
    let violated = all::<LayerViolated>(&played);
    assert!(!violated.is_empty() && violated.iter().all(|one| one.kind == "policy" && !one.carried_out));
    // The layer whose policy it is hears of it, and holds to it.
    let asked = all::<LayerAsked>(&played);
    assert!(asked.iter().any(|one| one.layer == "institutional" && one.why == "denied"));
    assert!(
        told(&played, "institutional", 1).contains("\"denied\": \"Light lamp=lamp_1: the policy does not allow it")
    );
    // Reflex is told why, once in each step.
    assert!(told(&played, "reflex", 1).contains("the policy does not allow it: forbidden *"));
}

// covers: CTHA-132
#[test]
fn every_configuration_of_a_hierarchy_can_be_built_and_no_two_are_the_same() {
    let files = crate::common::TestFiles::default();
    let all = gimbal_agent::persona::configurations(&files).unwrap();
    let mut resolved: Vec<serde_json::Value> = Vec::new();
    for one in all.iter().filter(|one| one.base == "temporal") {
        let built = crate::debate::build_of("temporal", &json!({ "configuration": one.name }));
        let own = built.resolved();
        assert!(!resolved.contains(&own), "{}", one.name);
        resolved.push(own);
    }
    assert_eq!(resolved.len(), 19);
}

#[test]
fn settings_that_mean_nothing_are_refused() {
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == "temporal").unwrap();
    let files = crate::common::TestFiles::default();
    let policy = json!({ "policy": "wait" });
    for (settings, key, words) in [
        (json!({ "layers": 6 }), "layers", "1 to 5 layers"),
        (json!({ "tactical_period": 0 }), "tactical_period", "1 to 1000"),
        (json!({ "rollouts": { "policy": "wait", "steps": 0 } }), "rollouts", "at least 1"),
        (json!({ "arbiter": "rollout" }), "rollouts", "say how they are played out"),
        (json!({ "rollouts": { "policy": "wait", "futures": 0 } }), "rollouts", "1 to 1024 futures"),
        (json!({ "layers": 1, "rollouts": policy }), "layers", "one layer has no conflicts"),
        (json!({ "layer": 3 }), "layer", "unknown setting"),
        (json!({ "arbiter": "faster", "weights": weights() }), "weights", "does not go by the score"),
        (json!({ "experts": { "overconfident": 1001 } }), "experts", "0 to 1000"),
        (json!({ "layers": 1, "experts": { "overconfident": 1 } }), "layers", "one layer has no arbiter"),
        (json!({ "layers": 1, "embedder": "none" }), "embedder", "one layer has no notes to find"),
        (json!({ "layers": 1, "maps": "free" }), "maps", "nobody to share with"),
        (json!({ "maps": "half" }), "maps", "known: none, free, projected"),
    ] {
        let error = kind.build(&settings, &files).err().unwrap();
        assert!(error.key == key && error.message.contains(words), "{settings}: {error}");
    }
    let part = json!({ "weights": { "base": [1, 2, 3, 4, 5], "urgency": 1 } });
    let error = kind.build(&part, &files).err().unwrap().to_string();
    assert!(error.contains("weights.confidence"), "{error}");
}

/// What each way is worth where lamps burn without wind: lighting another lamp is worth a step.
// covers: CTHA-080
#[tokio::test]
async fn conflicts_are_played_out_and_the_best_way_can_be_taken() {
    use gimbal_temporal::rollout::LayerLabelled;
    let rollouts = json!({ "policy": "light", "futures": 2 });
    // Tactical wants to wait, and is sure; Reflex wants to light.
    let court = |arbiter: &str| {
        let waits = || sequence(&["Wait", "Wait", "Wait"], &[]);
        hierarchy(json!({ "layers": 3, "arbiter": arbiter, "rollouts": rollouts, "tactical_period": 1 }))
            .says("strategic", std::iter::repeat_n(plan(&[("a", &[])], &json!({})), 20))
            .says("tactical", std::iter::repeat_n(waits(), 20))
            .says("reflex", [1, 2, 3, 4].into_iter().cycle().take(20).map(|lamp| action(&light(lamp))))
    };
    let slow = play(court("slower")).await;
    let best = play(court("rollout")).await;
    assert_eq!((slow.outcome.steps, best.outcome.steps), (20, 4));
    let labels = all::<LayerLabelled>(&best);
    assert_eq!(labels.len(), 4);
    let first = &labels[0];
    assert_eq!((first.kind.as_str(), first.policy.as_str(), first.futures), ("call", "light", 2));
    assert!(!first.labelled.tied);
    // Waiting costs one step of -1.
    assert_eq!((first.labelled.regret["slower"].0, first.labelled.regret["faster"].0), (1000, 0));
    let branched = best.outcome.spent.tool_calls;
    assert_eq!(branched, 4, "calls in branches are no calls of the episode");
}

/// Weights under which the fastest layer wins.
fn weights() -> serde_json::Value {
    json!({ "base": [900, 0, 0, 0, 0], "urgency": 0, "confidence": 0, "epsilon": 0 })
}

// covers: CTHA-071, CTHA-080
#[tokio::test]
async fn weights_of_the_score_decide_and_are_a_rule_of_labels() {
    use gimbal_temporal::rollout::LayerLabelled;
    let court = |settings: serde_json::Value| {
        let mut all = json!({ "layers": 3, "tactical_period": 1 });
        all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        hierarchy(all)
            .says("strategic", std::iter::repeat_n(plan(&[("a", &[])], &json!({})), 20))
            .says("tactical", std::iter::repeat_n(sequence(&["Wait", "Wait", "Wait"], &[]), 20))
            .says("reflex", [1, 2, 3, 4].into_iter().cycle().take(20).map(|lamp| action(&light(lamp))))
    };
    let rollouts = json!({ "policy": "light", "futures": 2, "second": "wait" });
    let plain = play(court(json!({ "rollouts": rollouts }))).await;
    let faster = play(court(json!({ "rollouts": rollouts, "weights": weights() }))).await;
    assert_eq!((plain.outcome.steps, faster.outcome.steps), (20, 4), "the weights decide");
    let (plain, faster) = (all::<LayerLabelled>(&plain), all::<LayerLabelled>(&faster));
    assert!(plain.iter().all(|one| !one.labelled.by_rule.contains_key("tuned")));
    assert!(faster.iter().all(|one| one.labelled.by_rule["tuned"] == one.labelled.by_rule["faster"]));
    assert_eq!((faster[0].labelled.regret["tuned"].0, faster[0].labelled.regret["slower"].0), (0, 1000));
    // A policy that waits forever is paid alike whatever was done before the last lamp.
    let second = plain[0].second.as_ref().unwrap();
    assert_eq!((second.policy.as_str(), second.means.len()), ("wait", 2));
    assert!(second.tied && second.means[0] == second.means[1]);
    // Every way says which sets lead to it, so that the rule can be played on a file.
    let sets: Vec<_> = plain[0].labelled.ways.iter().filter_map(|way| way.sets.first().cloned()).collect();
    assert_eq!(sets, [vec![0], vec![1]]);
    // Where all priorities are the same, the tie rule decides.
    let even = |tie: &str| json!({ "base": [0, 0, 0, 0, 0], "urgency": 0, "confidence": 0, "epsilon": 0, "rules": false, "tie": tie });
    let steps = |tie: &str| play(court(json!({ "weights": even(tie) })));
    assert_eq!((steps("keep_faster").await.outcome.steps, steps("keep_slower").await.outcome.steps), (4, 20));
    // Keys of settings without weights are as they were.
    let of = |settings: serde_json::Value| crate::debate::build_of("temporal", &settings).resolved();
    assert!(of(json!({})).get("weights").is_none() && of(json!({})).get("experts").is_none());
    assert_eq!(of(json!({ "weights": weights() }))["weights"], weights());
}
