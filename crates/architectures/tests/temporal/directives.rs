//! Directives as proposals: with an urgency, through the arbiter, and in force where they are kept (CTHA-070).

use gimbal_messages::records::temporal::{LayerCommitted, LayerDecided, LayerProposed, LayerReleased};
use serde_json::{Value, json};

use super::{all, calls, hierarchy, light, plan, play, policy, scored};
use crate::debate::{Court, Played};

fn court(directives: &str, plan_made: Value, sure: f64) -> Court {
    hierarchy(json!({ "layers": 2, "directives": directives }))
        .says("strategic", std::iter::repeat_n(plan(&[("wait", &[])], &plan_made), 20))
        .says("reflex", [1, 2, 3, 4].into_iter().cycle().take(40).map(|lamp| scored(&light(lamp), sure, sure)))
}

fn proposed(played: &Played) -> Vec<(String, i64, i64)> {
    let directives = all::<LayerProposed>(played).into_iter().filter(|one| one.kind == "directive" && one.step == 1);
    directives.map(|one| (one.text, one.urgency.0, one.confidence.0)).collect()
}

// covers: CTHA-070, CTHA-071
#[tokio::test]
async fn a_directive_is_as_urgent_as_its_deadline_and_holds_where_it_is_kept() {
    let soon = || json!({ "constraints": ["forbid Light *"], "deadline": 1, "priority": 0 });
    // 0.3 of its layer alone loses against 0.5 of Reflex; with an urgency of 1 it wins.
    let committed = play(court("committed", soon(), 0.5)).await;
    let kept = play(court("proposed", soon(), 0.5)).await;
    assert_eq!(calls(&committed)[0], (light(1), Some("reflex".to_owned())));
    assert_eq!(calls(&kept)[0], ("Wait".to_owned(), None));
    assert_eq!(proposed(&committed), []);
    let both = [("forbid Light *".to_owned(), 1000, 0), ("do wait".to_owned(), 1000, 0)];
    assert_eq!(proposed(&kept), both);
    let held = |played: &Played| all::<LayerCommitted>(played).into_iter().filter(|one| one.step == 1).count();
    assert_eq!((held(&committed), held(&kept)), (2, 2));
    // A layer that is asked in the same step reads the same.
    let request = |played: &Played, place: usize| format!("{:?}", played.requests[place]);
    for place in [0, 1] {
        assert_eq!(request(&committed, place), request(&kept, place));
    }
}

// covers: CTHA-070, CTHA-073
#[tokio::test]
async fn a_directive_that_gives_way_was_never_in_force() {
    let whenever = json!({ "constraints": ["forbid Light *"], "priority": 0 });
    let played = play(court("proposed", whenever, 1.0)).await;
    assert_eq!(calls(&played)[0], (light(1), Some("reflex".to_owned())));
    assert_eq!(proposed(&played)[0], ("forbid Light *".to_owned(), 0, 0));
    let first = &all::<LayerDecided>(&played)[0];
    assert_eq!(first.conflicts[0].kept.as_deref(), Some("reflex"));
    let released: Vec<(u32, String)> =
        all::<LayerReleased>(&played).into_iter().map(|one| (one.step, one.by)).collect();
    assert_eq!(released[0], (1, "overruled".to_owned()));
    // The subgoal that excludes nothing holds, the constraint does not.
    let held: Vec<String> = all::<LayerCommitted>(&played).into_iter().map(|one| one.text).collect();
    assert_eq!(held[0], "do wait");
    assert!(!held.contains(&"forbid Light *".to_owned()), "{held:?}");
    assert_eq!(played.outcome.steps, 4);
}

// covers: CTHA-070, CTHA-076
#[tokio::test]
async fn a_policy_is_as_urgent_as_its_rules_and_goes_before_the_score_from_its_first_step() {
    let rule = |id: &str, priority: Value| {
        let mut rule = json!({ "id": id, "condition": format!("call Light {id}"), "action": "deny" });
        if !priority.is_null() {
            rule["priority"] = priority;
        }
        rule
    };
    let rules = json!([rule("lamp_2", json!(80)), rule("lamp_3", Value::Null)]);
    // Reflex wants to stop, which what is forbidden here does not let through.
    let played = play(
        hierarchy(json!({ "layers": 4, "directives": "proposed" }))
            .says("institutional", [policy(&json!({ "rules": rules, "forbidden": ["Wait"] }))])
            .says("strategic", std::iter::repeat_n(plan(&[("a", &[])], &json!({})), 30))
            .says("reflex", std::iter::repeat_n(scored("Wait", 1.0, 1.0), 40)),
    )
    .await;
    let urgent: Vec<(String, i64, i64)> = proposed(&played).into_iter().filter(|one| one.0 != "do a").collect();
    let of = |text: &str, urgency: i64| (text.to_owned(), urgency, 500);
    assert_eq!(
        urgent,
        [of("forbidden: wait", 1000), of("denied: call Light lamp_2", 800), of("denied: call Light lamp_3", 500)]
    );
    let first = &all::<LayerDecided>(&played)[0];
    assert_eq!((first.caller.as_deref(), first.conflicts[0].kept.as_deref()), (None, Some("institutional")));
    let held = all::<LayerCommitted>(&played).into_iter().filter(|one| one.layer == "institutional").count();
    assert_eq!(held, 3, "each once, though the step after it is decided too");
}

// covers: CTHA-070
#[test]
fn directives_are_proposed_to_an_arbiter_and_under_contracts_alone() {
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == "temporal").unwrap();
    let files = crate::common::TestFiles::default();
    for more in [json!({ "contracts": false }), json!({ "arbiter": "last" }), json!({ "layers": 1 })] {
        let mut settings = json!({ "directives": "proposed" });
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert!(kind.build(&settings, &files).is_err(), "{settings}");
    }
    let of = |settings: Value| crate::debate::build_of("temporal", &settings).resolved();
    assert!(of(json!({})).get("directives").is_none());
    assert_eq!(of(json!({ "directives": "proposed" }))["directives"], "proposed");
}
