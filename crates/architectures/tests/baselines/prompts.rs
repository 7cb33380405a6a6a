//! What proposer, valuer and reflector are told, as it is sent.

use std::sync::Arc;

use gimbal_study::stage::SessionMemory;
use serde_json::json;

use super::{acts, evening, experts, play, told, trial};
use crate::debate::answer;

// covers: CTHA-131
#[tokio::test]
async fn requests_of_a_search() {
    let played = play(experts("lats", json!({ "depth": 2, "iterations": 2 }), false)).await;
    let (proposer, valuer) = (told(&played, "proposer"), told(&played, "valuer"));
    insta::assert_snapshot!("lats_proposer", proposer[0]);
    insta::assert_snapshot!("lats_proposer_deeper", proposer[1]);
    insta::assert_snapshot!("lats_valuer", valuer[0]);
    insta::assert_snapshot!("lats_valuer_deeper", valuer[1]);
    // An answer that cannot be used.
    let played = play(evening("lats", json!({ "iterations": 1 })).says("proposer", ["Light them.".to_owned()])).await;
    insta::assert_snapshot!("lats_repair", told(&played, "proposer")[1]);
    let proposed = answer(&json!({ "actions": ["Wait", "Light lamp=lamp_1"] }));
    let court = evening("lats", json!({ "iterations": 1 })).says("proposer", [proposed]);
    let played = play(court.says("valuer", [answer(&json!({ "values": [0.5] }))])).await;
    insta::assert_snapshot!("lats_valuer_repair", told(&played, "valuer")[1]);
}

// covers: CTHA-131
#[tokio::test]
async fn requests_of_reflexion() {
    let memory = Arc::new(SessionMemory::default());
    let court = || {
        let tried = [vec![acts("Wait"), acts("Light lamp=lamp_9")], vec![acts("Light lamp=lamp_1"); 19]].concat();
        let court = evening("reflexion", json!({ "context": ["observation"], "trajectory_tokens": 200 }));
        court.says("default", tried)
    };
    trial(court(), &memory, 0).await;
    let note = || answer(&json!({ "reflection": "Light each lamp once; lamp_1 alone is not enough." }));
    let second = trial(court().says("reflector", ["No idea.".to_owned(), note()]), &memory, 1).await;
    insta::assert_snapshot!("reflexion_reflector", told(&second, "reflector")[0]);
    insta::assert_snapshot!("reflexion_repair", told(&second, "reflector")[1]);
    insta::assert_snapshot!("reflexion_agent", told(&second, "default")[0]);
    let third = trial(court().says("reflector", [note()]), &memory, 2).await;
    insta::assert_snapshot!("reflexion_reflector_again", told(&third, "reflector")[0]);
}
