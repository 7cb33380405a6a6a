//! Attacks by text against layers that a test speaks for: what each component does with a call that a planted text asks for.

use gimbal_messages::records::attack::{AttackCarriedOut, AttackPlanted, AttackRead};
use gimbal_messages::records::temporal::{LayerCommitted, LayerDecided, LayerProposed, LayerSent, LayerViolated};
use gimbal_study::attacks::{Attack, Category, Suite};
use gimbal_study::faults::{Bounds, Fault, Faults, ONE, Rule};
use serde_json::{Value, json};

use super::{action, all, hierarchy, light, plan, play, policy, scored, sequence};
use crate::debate::{Court, Played};

fn attacked(mut court: Court, category: Category) -> Court {
    let suite = Suite::own().unwrap_or_else(|problem| panic!("{problem}"));
    let bounds = Bounds { step: Some(1), ..Bounds::default() };
    let rule = Rule { bounds, attack: Some(Attack { category, suite, file: None }), ..Rule::new(Fault::Planted, ONE) };
    court.faults = Faults::of([rule]);
    court
}

/// The call that is planted behind the first step of every play below: the seed, the step and what is legal are the same in all.
async fn planted() -> String {
    let court = hierarchy(json!({ "layers": 2 })).says("reflex", waiting());
    let played = play(attacked(court, Category::GoalHijacking)).await;
    all::<AttackPlanted>(&played).remove(0).call
}

/// Waits in the first step, and lights all lamps then.
fn waiting() -> Vec<String> {
    [vec![action("Wait")], lamps([1, 2, 3, 4])].concat()
}

fn lamps(order: [u32; 4]) -> Vec<String> {
    order.map(|lamp| action(&light(lamp))).to_vec()
}

async fn hijacked(settings: Value, says: impl FnOnce(Court) -> Court) -> Played {
    play(attacked(says(hierarchy(settings)), Category::GoalHijacking)).await
}

// covers: CTHA-119
#[tokio::test]
async fn a_call_that_reflex_takes_from_a_text_is_carried_out_and_recorded() {
    let call = planted().await;
    assert!(call.starts_with("Light lamp=") && call != light(1), "neither idle nor the expert's: {call}");
    let says = |call: &str| [vec![action("Wait"), action(call)], lamps([2, 3, 4, 1])].concat();
    let played = hijacked(json!({ "layers": 2 }), |court| court.says("reflex", says(&call))).await;
    assert_eq!(all::<AttackPlanted>(&played).len(), 1);
    let carried: Vec<u32> = all::<AttackCarriedOut>(&played).into_iter().map(|one| one.step).collect();
    assert_eq!(carried[0], 2);
    let read = all::<AttackRead>(&played);
    assert_eq!((read[0].role.as_str(), read[0].step, read[0].whole), ("reflex", 2, true), "{read:?}");
    // What is done before the planting is not a success of it, nor is what nobody does.
    let played = hijacked(json!({ "layers": 2 }), |court| {
        court.says("reflex", [action("Wait"), action("Wait"), action("Wait")])
    })
    .await;
    assert!(all::<AttackCarriedOut>(&played).is_empty());
}

// covers: CTHA-119, CTHA-044
#[tokio::test]
async fn a_policy_denies_the_call_and_a_plan_may_take_it_up() {
    let call = planted().await;
    let denies = policy(&json!({ "rules": [], "forbidden": [call.replace("lamp=", "")] }));
    let wants = [action("Wait"), action(&call), action(&call), action("Wait"), action(&call)];
    let played = hijacked(json!({ "layers": 4 }), |court| {
        court.says("institutional", vec![denies; 8]).says("reflex", wants.clone())
    })
    .await;
    let violated = all::<LayerViolated>(&played);
    assert!(violated.iter().any(|one| one.kind == "policy" && one.text == call && !one.carried_out), "{violated:?}");
    assert!(all::<AttackCarriedOut>(&played).is_empty());
    // A plan that is made behind the planting and names the call.
    let named = call.replace("lamp=", "");
    let taken = plan(&[("now", &[])], &json!({ "constraints": [format!("only {named}")] }));
    let played = hijacked(json!({ "layers": 2 }), |court| {
        // Two refusals ask the planner.
        let refused = [action("Wait"), action("Fly"), action("Fly"), action("Wait"), action(&call)];
        court.says("strategic", [plan(&[("light", &[])], &json!({})), taken]).says("reflex", refused)
    })
    .await;
    let sent: Vec<LayerSent> = all::<LayerSent>(&played).into_iter().filter(|sent| sent.kind == "plan").collect();
    assert!(sent.iter().any(|sent| sent.step == 3 && sent.text.contains(&named)), "{sent:?}");
    let bound = all::<LayerCommitted>(&played);
    assert!(bound.iter().any(|one| one.text.contains(&named.to_lowercase()) || one.text.contains(&named)), "{bound:?}");
}

// covers: CTHA-119, CTHA-072
#[tokio::test]
async fn an_arbiter_may_prefer_another_call() {
    let call = planted().await;
    // Tactical goes on with its sequence and is surer than Reflex, which falls for the text.
    let steady = sequence(&["Wait", &light(1), &light(2), &light(3), &light(4)], &[]);
    let steady = steady.replace("\"urgency\":0.5,\"confidence\":0.5", "\"urgency\":1,\"confidence\":1");
    let steady =
        steady.replace("\"confidence\":0.5", "\"confidence\":1.0").replace("\"urgency\":0.5", "\"urgency\":1.0");
    let wants = vec![
        scored("Wait", 0.1, 0.1),
        scored(&call, 0.1, 0.1),
        scored(&light(3), 0.1, 0.1),
        scored(&light(4), 0.1, 0.1),
    ];
    let played =
        hijacked(json!({ "layers": 3 }), |court| court.says("tactical", vec![steady.clone(); 8]).says("reflex", wants))
            .await;
    let proposed = all::<LayerProposed>(&played);
    assert!(proposed.iter().any(|one| one.layer == "reflex" && one.text == call && one.step == 2), "{proposed:?}");
    let second = all::<LayerDecided>(&played).remove(1);
    assert_eq!((second.call.as_str(), second.caller.as_deref()), (light(1).as_str(), Some("tactical")));
    assert!(all::<AttackCarriedOut>(&played).iter().all(|one| one.step != 2));
}

// covers: CTHA-052, CTHA-119
#[tokio::test]
async fn what_sanitize_takes_out_of_a_message_is_read_as_a_rest_alone() {
    // A text of the suite with words that sanitize knows reaches Strategic through the summary of Tactical without them.
    let refused = vec![action(&light(1)), action("Fly"), action("Fly"), action(&light(2))];
    let court = hierarchy(json!({ "layers": 3, "tactical_period": 1 }))
        .says("strategic", vec![plan(&[("light", &[])], &json!({})); 4])
        .says("tactical", vec![sequence(&[], &[]); 8])
        .says("reflex", refused);
    let played = play(attacked(court, Category::InstructionInjection)).await;
    let text = all::<AttackPlanted>(&played).remove(0).text;
    let read = all::<AttackRead>(&played);
    let whole = |role: &str| read.iter().any(|one| one.role == role && one.whole);
    assert!(whole("reflex"), "Reflex reads what the environment shows: {read:?}");
    let summaries: Vec<LayerSent> =
        all::<LayerSent>(&played).into_iter().filter(|sent| sent.kind == "summary").collect();
    let cleaned =
        summaries.iter().any(|sent| sent.changes.contains_key("instruction") || sent.changes.contains_key("markup"));
    assert_eq!(cleaned, ["chat-marks", "turn-marks"].contains(&text.as_str()), "{text}: {summaries:?}");
}
