//! Input that fits nothing: typed, counted, with a safe default, and nothing lost.

use gimbal_core::Catalogue;
use gimbal_core::fit::Offers;
use gimbal_messages::Tier;
use gimbal_messages::records::reading::Parsed;
use gimbal_messages::records::temporal::{LayerDecided, LayerSent};
use gimbal_testkit::environments::lamps::Lamps;
use gimbal_testkit::environments::repository::Repository;
use serde_json::json;

use super::{action, all, calls, hierarchy, light, plan, play, policy, sequence, told};
use crate::debate::build_of;

// covers: CTHA-046, CTHA-051
#[tokio::test]
async fn a_layer_that_answers_for_another_is_asked_again_and_then_passed_over() {
    // Reflex writes a policy, Institutional an action: neither is a message of its own.
    let takes_over = || policy(&json!({ "rules": [], "forbidden": ["light *"] }));
    let mut says = vec![takes_over(), takes_over()];
    says.extend([1, 2, 3, 4].map(|lamp| action(&light(lamp))));
    let played = play(
        hierarchy(json!({ "layers": 4 }))
            .says("institutional", [action(&light(1)), action(&light(1))])
            .says("strategic", [plan(&[("a", &[])], &json!({}))])
            .says("reflex", says),
    )
    .await;
    let sent = all::<LayerSent>(&played);
    let policies: Vec<&LayerSent> = sent.iter().filter(|one| one.kind == "policy").collect();
    assert_eq!(
        (policies.len(), policies[0].outcome.as_str(), policies[0].from.as_str()),
        (1, "default", "institutional")
    );
    assert!(policies[0].refusal.is_some());
    let read: Vec<Tier> =
        all::<Parsed>(&played).into_iter().filter(|one| one.contract == "reflex_action").map(|one| one.tier).collect();
    assert_eq!(read[0], Tier::Default);
    // The step is the idle call's; nothing that Reflex wrote is binding.
    assert_eq!(calls(&played)[0], ("Wait".to_owned(), None));
    assert_eq!(calls(&played)[1].0, light(1));
    assert_eq!(played.outcome.steps, 5);
}

// covers: CTHA-049
#[tokio::test]
async fn of_policies_that_contradict_one_another_the_strictest_decides() {
    let rule = |id: &str, action: &str| json!({ "id": id, "condition": "call Light lamp_1", "action": action });
    let denies = policy(&json!({ "rules": [rule("b", "allow"), rule("a", "deny"), rule("c", "log")] }));
    let allows = policy(&json!({ "rules": [rule("d", "allow")] }));
    let lit = |court: crate::debate::Court| {
        court.says("strategic", [plan(&[("a", &[])], &json!({}))]).says(
            "reflex",
            [1, 1, 2, 3, 4].map(|lamp| action(&light(lamp))).into_iter().chain(std::iter::repeat_n(action("Wait"), 30)),
        )
    };
    // Of rules alike in priority the strictest; of two layers the one that denies.
    for (institutional, meta) in
        [(denies.clone(), None), (allows.clone(), Some(denies.clone())), (denies, Some(allows))]
    {
        let layers = if meta.is_some() { 5 } else { 4 };
        let mut court = hierarchy(json!({ "layers": layers })).says("institutional", [institutional]);
        if let Some(meta) = meta {
            court = court.says("meta", [meta]);
        }
        let played = play(lit(court)).await;
        assert!(all::<LayerDecided>(&played).iter().all(|one| one.call != light(1)));
        assert!(told(&played, "reflex", 1).contains("the policy does not allow it"));
    }
}

// covers: CTHA-060, CTHA-079
#[tokio::test]
async fn an_environment_that_cannot_be_forked_is_refused_before_anything_is_played() {
    let rollouts = json!({ "arbiter": "rollout", "rollouts": { "policy": "light" } });
    let needs = build_of("temporal", &rollouts).needs();
    let unmet = |offers: &Offers| needs.unmet(offers).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(unmet(&Lamps.offers()), Vec::<String>::new());
    let missing = unmet(&Offers { simulator: false, ..Repository.offers() });
    assert!(missing.iter().any(|one| one.contains("fork") || one.contains("simulator")), "{missing:?}");
}

// covers: CTHA-070
#[tokio::test]
async fn a_tool_that_the_manifest_does_not_name_uses_nothing_and_is_played_all_the_same() {
    let environments = gimbal_testkit::environments();
    let corridor = environments.iter().find(|one| one.name() == "corridor").unwrap();
    assert!(corridor.open(&json!({})).unwrap().brief().manifest.is_empty());
    let played = hierarchy(json!({ "layers": 3 }))
        .on("test-0")
        .says("strategic", [plan(&[("a", &[])], &json!({}))])
        .says("tactical", std::iter::repeat_n(sequence(&["go to=place-1"], &[]), 40))
        .says("reflex", std::iter::repeat_n(action("wait"), 40))
        .play_in(&**corridor, json!({}))
        .await;
    // Two calls of one step exclude one another by that alone.
    let decided = all::<LayerDecided>(&played);
    let causes: Vec<&String> = decided.iter().flat_map(|one| &one.conflicts).flat_map(|one| &one.causes).collect();
    assert!(!causes.is_empty() && causes.iter().all(|cause| *cause == "call"), "{causes:?}");
    assert!(decided.iter().any(|one| one.caller.is_some()));
}
