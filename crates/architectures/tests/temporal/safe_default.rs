//! The call of a step in which no layer's call is left: within authority, also where the idle call is not (CTHA-063, CTHA-076).
//!
//! In the dossier the idle call closes the file, which its manifest gives the scope `plan`.

use gimbal_messages::records::temporal::LayerViolated;
use serde_json::{Value, json};

use super::{action, all, calls, hierarchy, plan, policy, scored};
use crate::debate::{Court, Played};

const CLOSES: &str = "close";

async fn in_the_dossier(court: Court) -> Played {
    court.on("case-1").play().await
}

fn cite(fact: u32) -> String {
    format!("cite fact=F00{fact}")
}

/// Institutional forbids this, and Reflex wants these facts cited, each twice in a step if it is refused.
fn forbidding(settings: &Value, forbidden: &[&str], facts: &[u32]) -> Court {
    hierarchy(settings.clone())
        .says("institutional", std::iter::repeat_n(policy(&json!({ "rules": [], "forbidden": forbidden })), 9))
        .says("strategic", std::iter::repeat_n(plan(&[("a", &[])], &json!({})), 20))
        .says("reflex", facts.iter().map(|fact| action(&cite(*fact))))
}

// covers: CTHA-063, CTHA-076
#[tokio::test]
async fn where_the_idle_call_ends_the_task_a_legal_call_within_authority_takes_the_place_of_a_denied_one() {
    let played = in_the_dossier(forbidding(&json!({}), &["cite F004"], &[4, 4, 1, 2, 3])).await;
    let made = calls(&played);
    // The nearest to what was wanted; of those as near the first in the order of their words.
    assert_eq!(made[0], (cite(1), None));
    assert!(all::<LayerViolated>(&played).iter().all(|one| one.kind == "policy" && !one.carried_out));
    assert!(played.outcome.steps > 1 && made.iter().all(|(call, _)| call != &cite(4)), "{made:?}");
    assert_eq!(played.outcome.fallbacks, made.iter().filter(|(_, caller)| caller.is_none()).count() as u64);
    // Without authority nothing is denied, and nothing is beyond it.
    let free = in_the_dossier(forbidding(&json!({ "authority": false }), &["cite F009"], &[4, 1, 2, 3, 5])).await;
    assert_eq!(calls(&free)[0], (cite(4), Some("reflex".to_owned())));
}

// covers: CTHA-076
#[tokio::test]
async fn where_nothing_else_is_left_it_is_the_idle_call_all_the_same() {
    let played = in_the_dossier(forbidding(&json!({}), &["cite *"], &[4; 9])).await;
    assert_eq!(calls(&played), [(CLOSES.to_owned(), None)]);
    // What a plan excludes is excluded for the default too.
    let only = hierarchy(json!({ "layers": 2 }))
        .says("strategic", [plan(&[("a", &[])], &json!({ "constraints": ["forbid cite *"] }))])
        .says("reflex", std::iter::repeat_n(scored(&cite(1), 0.0, 0.0), 9));
    assert_eq!(calls(&in_the_dossier(only).await)[0], (CLOSES.to_owned(), None));
}

// covers: CTHA-065
#[tokio::test]
async fn an_action_that_waits_for_a_plan_and_an_answer_that_cannot_be_read_do_not_end_the_task_either() {
    let planned = || std::iter::repeat_n(plan(&[("a", &[])], &json!({})), 20);
    let verdict = "conclude verdict=THREAT_CONFIRMED confidence=0.5 facts=none";
    let waits = hierarchy(json!({ "layers": 2 }))
        .says("strategic", planned())
        .says("reflex", [verdict.to_owned(), cite(2), cite(3)].map(|text| action(&text)));
    let made = calls(&in_the_dossier(waits).await);
    assert!(made[0].1.is_none() && made[0].0.starts_with("cite fact=F00"), "{made:?}");
    assert_eq!(made[1], (cite(2), Some("reflex".to_owned())));
    let unread = hierarchy(json!({ "layers": 2 }))
        .says("strategic", planned())
        .says("reflex", ["read the file".to_owned(), "read the file".to_owned(), cite(2)].map(|text| action(&text)));
    let made = calls(&in_the_dossier(unread).await);
    assert_eq!(made[..2], [(cite(1), None), (cite(2), Some("reflex".to_owned()))], "the first in order");
}
