//! Seats of a game by ballots: each on its own lane, with the view of its agent and nothing else.

use gimbal_consensus::Consensus;
use gimbal_core::event::Body;
use gimbal_messages::Tier;
use gimbal_messages::records::consensus::{Ended, Outcome};
use gimbal_messages::records::panel::Balloted;
use gimbal_messages::records::reading::Parsed;
use serde_json::{Value, json};

use super::panel;
use crate::debate::{Played, answer};

fn ballot(value: Value, reason: &str, vote: &str) -> String {
    answer(&json!({ "strategy": format!("secret of {reason}"), "value": value, "reason": reason, "vote": vote }))
}

fn ended(played: &Played) -> Ended {
    let last = played.events().into_iter().rev().find_map(|event| match event.body {
        Body::Stepped(step) => Some(played.text(&step.observation)),
        _ => None,
    });
    Ended::read(&last.unwrap()).unwrap()
}

/// A seat for each of four agents, each with a role of its own.
fn seats() -> Value {
    json!({ "rounds": true, "members": [{ "role": "a" }, { "role": "b" }, { "role": "c" }, { "role": "d" }] })
}

// covers: ARES-121
#[tokio::test]
async fn ballots_of_a_round_are_one_call_and_each_seat_sees_values_reasons_and_votes_but_no_plan() {
    let mut court = panel(seats()).on("game-01");
    for (role, value) in [("a", 11), ("b", 12), ("c", 13), ("d", 14)] {
        let reason = format!("reason {role}");
        court = court.says(role, [ballot(json!(value), &reason, "continue"), ballot(json!(12), "agreed", "stop")]);
    }
    let played = court.play_in(&Consensus, json!({})).await;
    assert_eq!(played.requests.len(), 8);
    let ended = ended(&played);
    assert_eq!((ended.rounds, ended.stopped, ended.agreed, ended.value), (2, true, true, Some(12)));
    for at in 0..4 {
        let (first, second) = (played.prompt(at), played.prompt(at + 4));
        assert!(first.contains(&format!("You are agent_{}, one of 4 agents", at + 1)), "{first}");
        assert!(!first.contains("Round 1:") && !first.contains("secret"), "{first}");
        assert_eq!(first.matches("at the start was").count(), 1);
        for (other, (role, value)) in [("a", 11), ("b", 12), ("c", 13), ("d", 14)].into_iter().enumerate() {
            let own = if other == at { " (you)" } else { "" };
            let line = format!("agent_{}{own} {value} continue \"reason {role}\"", other + 1);
            assert!(second.contains(&line), "{line}\n{second}");
        }
        assert!(!second.contains("secret"), "{second}");
    }
    let records = played.records::<Balloted>();
    assert_eq!(records.len(), 8);
    assert!(records[0].strategy.contains("secret of reason a") && !records[0].fallback);
}

#[tokio::test]
async fn a_seat_that_gives_nothing_keeps_its_value_and_the_game_goes_on() {
    let mut court = panel(seats()).on("game-01");
    for role in ["a", "b", "c"] {
        court = court.says(role, [ballot(json!(20), "x", "continue"), ballot(json!(20), "x", "stop")]);
    }
    // Out of range, out of range again after the repair, then nothing that is JSON.
    court = court.says("d", [ballot(json!(51), "x", "stop"), ballot(json!(null), "x", "stop"), "no".to_owned()]);
    let played = court.play_in(&Consensus, json!({})).await;
    let own: Vec<Balloted> = played.records::<Balloted>().into_iter().filter(|one| one.role == "d").collect();
    assert!(own.len() == 2 && own.iter().all(|one| one.fallback && one.value.is_none()), "{own:?}");
    let ended = ended(&played);
    assert_eq!((ended.outcome, ended.agreed, ended.stopped), (Outcome::Invalid, false, true));
    assert_eq!((played.outcome.rejected, played.outcome.fallbacks), (0, 0));
}

#[tokio::test]
async fn nobody_is_asked_for_an_adversary_that_the_game_plays_and_a_played_one_may_abstain() {
    let many = |value: Value| vec![ballot(value, "x", "continue"); 3];
    for (strategy, asked) in [("silent", 3), ("played", 4)] {
        let mut court = panel(seats()).on("game-01");
        for role in ["a", "b", "c", "d"] {
            court = court.says(role, many(json!(7)));
        }
        let options = json!({ "adversaries": 1, "strategy": strategy, "rounds": 1 });
        let played = court.play_in(&Consensus, options).await;
        assert_eq!(played.requests.len(), asked, "{strategy}");
        assert_eq!(ended(&played).outcome, Outcome::None);
        let told = (0..asked).filter(|at| played.prompt(*at).contains("You are one of those who do not follow"));
        assert_eq!(told.count(), usize::from(strategy == "played"));
    }
}

#[tokio::test]
async fn experts_reach_a_valid_value_in_two_rounds_under_every_protocol_free_and_constrained() {
    for protocol in ["react-text", "json", "native-tools"] {
        for constrained in [false, true] {
            let mut court = panel(json!({ "configuration": "seats", "protocol": protocol })).on("game-01");
            (court.experts, court.constrained) = (true, constrained);
            let played =
                court.play_in(&Consensus, json!({ "agents": 8, "adversaries": 2, "strategy": "equivocating" })).await;
            let what = format!("{protocol}, constrained: {constrained}");
            let ended = ended(&played);
            assert_eq!((ended.outcome, ended.rounds), (Outcome::Valid, 2), "{what}");
            assert!(played.records::<Parsed>().iter().all(|one| one.tier == Tier::Direct), "{what}");
            assert!(played.records::<Balloted>().iter().all(|one| !one.fallback), "{what}");
        }
    }
}

#[tokio::test]
async fn the_prompt_of_a_seat_as_it_is_sent() {
    let mut court = panel(seats()).on("game-02");
    for (role, value) in [("a", 11), ("b", 12), ("c", 13), ("d", 14)] {
        let all = [("continue", value), ("continue", 12)].map(|(vote, value)| ballot(json!(value), "the middle", vote));
        court = court.says(role, all.into_iter().chain([ballot(json!(12), "done", "stop")]));
    }
    let played = court.play_in(&Consensus, json!({ "mentioned": true })).await;
    insta::assert_snapshot!("panel_seat_first", played.prompt(0));
    insta::assert_snapshot!("panel_seat_third", played.prompt(9));
}
