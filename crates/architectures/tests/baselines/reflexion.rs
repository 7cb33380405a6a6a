//! One agent over trials: when a reflection is asked for, what it is about, and what later trials see of it.

use std::sync::Arc;

use gimbal_core::Stop;
use gimbal_core::event::Body;
use gimbal_messages::records::search::Reflected;
use gimbal_study::stage::SessionMemory;
use serde_json::{Value, json};

use super::{acts, evening, experts, light, lights, play, told, trial};
use crate::debate::{Court, Played, answer, build_of};

fn note(text: &str) -> String {
    answer(&json!({ "reflection": text }))
}

/// A trial in which nothing is lit.
fn waits() -> Vec<String> {
    vec![acts("Wait"); 20]
}

fn reflected(played: &Played) -> Vec<Reflected> {
    played.records::<Reflected>()
}

// covers: CTHA-131
#[tokio::test]
async fn with_one_trial_the_requests_are_those_of_react_byte_for_byte() {
    for protocol in ["react-text", "json", "native-tools"] {
        for settings in [
            json!({ "context": ["status", "history"] }),
            json!({ "context": ["observation", "history"], "flags": { "include_tool_raise_a_question": true } }),
            json!({ "persona": "solver", "conversation": "episode", "context": ["observation"] }),
        ] {
            for constrained in [false, true] {
                let mut settings: Value = settings.clone();
                settings["protocol"] = json!(protocol);
                let court = |base: &'static str| experts(base, settings.clone(), constrained);
                let (alone, over) = (play(court("react")).await, play(court("reflexion")).await);
                assert_eq!(alone.outcome.stop, Stop::Solved);
                assert_eq!(alone.requests.len(), over.requests.len());
                for (one, other) in alone.requests.iter().zip(&over.requests) {
                    assert_eq!(format!("{one:?}"), format!("{other:?}"), "{settings}");
                }
                assert_eq!(alone.outcome.spent.model_calls, over.outcome.spent.model_calls);
            }
        }
    }
}

// covers: CTHA-131
#[tokio::test]
async fn a_trial_that_failed_is_looked_back_on_and_a_goal_that_was_reached_is_not() {
    let memory = Arc::new(SessionMemory::default());
    let court = || evening("reflexion", json!({ "context": ["observation"] }));
    let first = trial(court().says("default", waits()), &memory, 0).await;
    assert_eq!((first.outcome.stop, told(&first, "reflector").len()), (Stop::Horizon, 0));

    let wrong = [vec![acts(&light(1))], vec![acts("Wait"); 19]].concat();
    let second =
        trial(court().says("default", wrong).says("reflector", [note("Light lamp_1 first.")]), &memory, 1).await;
    assert_eq!(second.asked()[0], "reflector", "the trial that a reflection serves pays for it");
    let asked = &told(&second, "reflector")[0];
    assert!(asked.contains("\"attempt\": 1") && asked.contains("all steps were used up"), "{asked}");
    assert!(asked.contains("\"return\": \"-20.0\""), "the reward of the last step too: {asked}");
    for prompt in told(&second, "default") {
        assert!(prompt.contains("- After attempt 1: Light lamp_1 first."), "{prompt}");
    }
    assert_eq!(second.outcome.spent.model_calls, 21);

    let third = trial(court().says("default", lights()).says("reflector", [note("Do not wait.")]), &memory, 2).await;
    let asked = &told(&third, "reflector")[0];
    assert!(asked.contains("\"notes\": [\"Light lamp_1 first.\"]"), "{asked}");
    assert!(asked.contains("Light lamp=lamp_1") && !asked.contains("\"attempt\": 1"), "the last trial alone: {asked}");
    assert_eq!(third.outcome.stop, Stop::Solved);
    let seen = &told(&third, "default")[0];
    assert!(seen.contains("After attempt 1: Light lamp_1 first.\n- After attempt 2: Do not wait."), "{seen}");

    // After a success nobody looks back, whatever comes then; the notes stay.
    for number in 3..5 {
        let later = trial(court().says("default", waits()), &memory, number).await;
        assert!(reflected(&later).is_empty() && told(&later, "reflector").is_empty());
        assert!(told(&later, "default")[0].contains("Do not wait."));
    }
}

// covers: CTHA-131
#[tokio::test]
async fn the_latest_notes_are_kept_and_each_is_bounded_in_tokens() {
    let memory = Arc::new(SessionMemory::default());
    let settings = json!({ "context": ["observation"], "kept": 2, "reflection_tokens": 32 });
    let mut last = None;
    for number in 0..5 {
        let long = format!("note {number} {}", "and so on ".repeat(40));
        let mut court =
            evening("reflexion", settings.clone()).says("default", waits()).says("reflector", [note(&long)]);
        court.letters = true;
        let played = trial(court, &memory, number).await;
        for one in reflected(&played) {
            assert!(one.exact && one.tokens <= 32 && one.kept <= 2, "{one:?}");
            assert_eq!(one.attempt, number);
        }
        last = Some(played);
    }
    let seen = told(&last.unwrap(), "default")[0].clone();
    assert!(!seen.contains("note 2") && seen.contains("note 3") && seen.contains("note 4"), "{seen}");
}

#[tokio::test]
async fn a_reflector_that_writes_nothing_usable_costs_two_calls_and_changes_no_prompt() {
    let memory = Arc::new(SessionMemory::default());
    let court = || evening("reflexion", json!({ "context": ["observation"] })).says("default", waits());
    let first = trial(court(), &memory, 0).await;
    let second = trial(court().says("reflector", ["Well.".to_owned(), "{}".to_owned()]), &memory, 1).await;
    assert_eq!(told(&second, "reflector").len(), 2, "one repair");
    let record = &reflected(&second)[0];
    assert_eq!((record.text.clone(), record.tokens, record.kept), (None, 0, 0));
    assert_eq!(told(&first, "default"), told(&second, "default"));
}

/// What the last step shows, and what an answer was worth, are in the journal and in no request and no memory.
// covers: CTHA-131
#[tokio::test]
async fn an_answer_that_is_judged_elsewhere_is_not_reflected_on_and_its_reward_is_remembered_nowhere() {
    let memory = Arc::new(SessionMemory::default());
    for number in 0..3 {
        let mut court = Court::new(json!({ "context": ["observation"] })).of("reflexion");
        court.session = (Arc::clone(&memory), number);
        let conclude = "conclude verdict=THREAT_DISMISSED confidence=0.5 facts=none";
        let played = court.says("default", vec![acts(conclude); 3]).play().await;
        assert!(reflected(&played).is_empty());
        let kept = played.events().into_iter().filter(|event| matches!(event.body, Body::Remembered(_)));
        assert_eq!((played.outcome.stop, kept.count()), (Stop::Answered, 0), "trial {number}");
    }
}

#[test]
fn settings_are_those_of_react_with_bounds() {
    let refused = |settings: Value| {
        let kinds = gimbal_architectures::kinds();
        let kind = kinds.iter().find(|kind| kind.name() == "reflexion").unwrap();
        kind.build(&settings, &crate::common::TestFiles::default()).err().unwrap()
    };
    assert_eq!(refused(json!({ "kept": 0 })).to_string(), "reflexion: kept is 0; it must be from 1 to 32");
    assert_eq!(refused(json!({ "reflection_tokens": 4 })).key, "reflection_tokens");
    assert!(refused(json!({ "contxt": [] })).to_string().contains("did you mean `context`?"));
    assert!(refused(json!({ "global_calls": 3 })).to_string().contains("conversation: episode"));
    assert!(
        refused(json!({ "reflector": { "persona": "planner" } })).to_string().contains("with the message `reflection`")
    );
    assert!(refused(json!({ "configuration": "obs" })).to_string().contains("is one of `react`"));
    let needs = build_of("reflexion", &json!({ "reflector": { "role": "coach" } })).needs();
    assert!(
        needs.messages && needs.roles == ["default", "coach"] && needs.blocks == ["status", "history"],
        "{needs:?}"
    );
    let resolved = |settings: Value| build_of("reflexion", &settings).resolved();
    let whole = resolved(json!({}));
    for other in [json!({ "kept": 4 }), json!({ "reflection_tokens": 64 }), json!({ "trajectory_tokens": 64 })] {
        assert_ne!(resolved(other), whole);
    }
    assert_eq!(resolved(json!({ "configuration": "reflexion" })), whole, "the default is the configuration");
}
