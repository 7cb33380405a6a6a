//! How many calls controllers and their agents may make, and what agents read of it (CYC-006, CYC-012, CYC-050).

use std::sync::Arc;

use gimbal_core::{ModelErrorKind, Stop};
use serde_json::json;

use crate::common::Canned::{Calls, Fails, Says};
use crate::common::Workshop;
use crate::controllers::{DONE, OIL, WAIT, notes, play, search_plan_execute, to, workshop};

/// The part behind a result that says how many actions are left.
fn left_of(left: usize, most: usize) -> String {
    format!("\n\n<actions_left>\nYou have {left} of your {most} actions left.\n</actions_left>")
}

/// Behind each result is how many of the agent's own actions are left, also behind a refusal, and it stays in the conversation.
// covers: CYC-026
#[tokio::test]
async fn who_acts_many_times_reads_how_many_of_its_actions_are_left() {
    let refused = Says("Thought: guess\nAnswer: Oil machine=drill");
    let settings = json!({ "conversation": "episode", "context": ["observation"], "global_calls": 4 });
    let (_, stage, _) = play("react", settings, workshop(9, [WAIT, refused, WAIT, OIL])).await;
    let requests = stage.requests.lock().unwrap();
    assert_eq!(requests.len(), 4);
    for (request, made) in requests.iter().zip(0..) {
        let texts = request.messages.iter().map(|message| &message.text);
        let told: Vec<_> = texts.filter(|text| text.contains(" actions left.")).collect();
        assert_eq!(told.len(), made, "one for each result");
        for (text, left) in told.iter().zip([3, 2, 1]) {
            assert!(text.ends_with(&left_of(left, 4)), "{text}");
        }
    }
}

// covers: CYC-026
#[tokio::test]
async fn an_executor_counts_the_actions_of_its_own_subtask() {
    let replies = [WAIT, WAIT, DONE, to("SEARCH"), WAIT, WAIT];
    let settings = json!({ "graph": search_plan_execute(), "local_calls": 3, "global_calls": 4 });
    let (_, stage, _) = play("cyclic", settings, workshop(9, replies)).await;
    let (requests, asked) = (stage.requests.lock().unwrap(), stage.asked.lock().unwrap());
    let own = asked.iter().zip(requests.iter()).filter(|(role, _)| role.as_str() == "executor");
    let last: Vec<String> = own.map(|(_, request)| request.messages.last().unwrap().text.to_string()).collect();
    let ends: Vec<bool> = last.iter().map(|text| text.contains(" actions left.")).collect();
    assert_eq!(ends, [false, true, true, false, true]);
    for (at, left, most) in [(1, 2, 3), (2, 1, 3), (4, 1, 2)] {
        assert!(last[at].ends_with(&left_of(left, most)), "{}", last[at]);
    }
}

/// Natively the count is in the result of the call that was carried out or refused, and not in that of a call beside it.
// covers: CYC-026
#[tokio::test]
async fn a_native_call_has_the_actions_left_in_its_own_result() {
    let calls = |id, machine, other| {
        let call = |id, tool, arguments| (id, tool, arguments);
        Calls("", vec![call(id, "Oil", json!({ "machine": machine })), call(other, "get_machine_state", json!({}))])
    };
    let settings = json!({
        "persona": "solver", "protocol": "native-tools", "conversation": "episode", "context": ["observation"],
    });
    let replies = [calls("1", "lathe", "2"), calls("3", "drill", "4"), calls("5", "lathe", "6")];
    let (_, stage, _) = play("react", settings, workshop(9, replies)).await;
    let requests = stage.requests.lock().unwrap();
    let results = requests[2].messages.iter().filter_map(|message| Some((message.answers.as_deref()?, &*message.text)));
    let told: Vec<(&str, bool)> = results.map(|(id, text)| (id, text.contains(" actions left."))).collect();
    assert_eq!(told, [("1", true), ("2", false), ("3", true), ("4", false)]);
}

/// No agent is promised more actions than its episode has steps, whatever its architecture is allowed.
// covers: CYC-026, CYC-050
#[tokio::test]
async fn what_is_said_of_actions_is_the_least_of_both_bounds() {
    let shorter = |steps, replies: Vec<_>| {
        let brief = Arc::new(gimbal_core::Brief { horizon: steps, ..gimbal_agent::sample::brief() });
        Workshop { brief, ..workshop(steps, replies) }
    };
    let texts = |stage: &Workshop, at: usize| -> Vec<String> {
        stage.requests.lock().unwrap()[at].messages.iter().map(|message| message.text.to_string()).collect()
    };
    let settings = json!({ "conversation": "episode", "context": ["observation"], "global_calls": 40 });
    let (_, stage, _) = play("react", settings, shorter(8, vec![WAIT, WAIT])).await;
    let told = texts(&stage, 1);
    assert!(told[1].contains("You have at most 8 actions"), "{}", told[1]);
    assert!(told.last().unwrap().ends_with(&left_of(7, 8)), "{told:?}");
    for base in ["cyclic", "dag"] {
        let settings = json!({ "graph": "suggested", "local_calls": 30, "global_calls": 40 });
        let (_, stage, _) = play(base, settings, shorter(8, vec![WAIT, WAIT, DONE])).await;
        let told = texts(&stage, 2);
        assert!(told[1].contains(r#""calls_left": 8"#), "{base}: {}", told[1]);
        assert!(told.last().unwrap().ends_with(&left_of(6, 8)), "{base}: {told:?}");
        let asked = stage.asked.lock().unwrap().clone();
        assert_ne!(asked[3], "executor", "{base}: {asked:?}");
        assert!(texts(&stage, 3)[1].contains(r#""calls_left": 6"#), "{base}: {:?}", texts(&stage, 3));
    }
}

// covers: CYC-006, CYC-012, CYC-016, CYC-050, CYC-051, CYC-R04
#[tokio::test]
async fn both_budgets_hold_also_for_a_model_that_writes_only_nonsense() {
    let settings = json!({ "graph": search_plan_execute(), "local_calls": 3, "global_calls": 7 });
    let replies = (0..500).map(|_| Says("I cannot decide."));
    let (log, stage, played) = play("cyclic", settings, workshop(100, replies)).await;
    assert_eq!(played.unwrap_err().stop, Stop::Horizon);
    let calls: Vec<u64> = notes(&log, "segment").iter().map(|note| note["calls"].as_u64().unwrap()).collect();
    assert_eq!(calls, [3, 3, 1]);
    assert_eq!(log.iter().filter(|line| line.starts_with("reject ")).count(), 7);
    // Two segments were routed, each with one repair, and neither choice was one.
    let routed = notes(&log, "routed");
    assert_eq!(routed.len(), 2);
    assert!(routed.iter().all(|note| note["valid"] == false && note["to"] == "PLAN" && note["repaired"] == true));
    assert_eq!(stage.asked.lock().unwrap().iter().filter(|role| *role == "router").count(), 4);
    // An executor that gives back at once, forever, comes to an end too.
    let settings = json!({ "graph": search_plan_execute(), "global_calls": 5 });
    let replies = (0..400).map(|index| if index % 2 == 0 { DONE } else { to("PLAN") });
    let (log, _, played) = play("cyclic", settings, workshop(100, replies)).await;
    assert_eq!(played.unwrap_err().stop, Stop::Horizon);
    assert_eq!(notes(&log, "segment").len(), 5);
    // With a larger budget it ends once every subtask could have been worked on twice: no call was made, and none was used up.
    let settings = json!({ "graph": search_plan_execute(), "global_calls": 50 });
    let replies = (0..400).map(|index| if index % 2 == 0 { DONE } else { to("PLAN") });
    let (log, _, played) = play("cyclic", settings, workshop(100, replies)).await;
    let stopped = played.unwrap_err();
    assert_eq!(stopped.stop, Stop::Finished);
    assert_eq!(stopped.detail.as_deref(), Some("no executor made a call in 6 segments in a row"));
    assert_eq!(notes(&log, "segment").len(), 6);
    // One that fails without a word makes the idle call after its attempts.
    let settings = json!({ "graph": search_plan_execute(), "global_calls": 2, "local_calls": 9 });
    let replies = (0..9).map(|_| Fails(ModelErrorKind::Refusal, ""));
    let (log, _, played) = play("cyclic", settings, workshop(100, replies)).await;
    assert_eq!(played.unwrap_err().stop, Stop::Horizon);
    assert_eq!(log.iter().filter(|line| line.starts_with("act Wait")).count(), 2);
}

// covers: CYC-012, CYC-050
#[tokio::test]
async fn segments_without_a_call_use_up_no_tool_call() {
    let settings = json!({ "graph": search_plan_execute(), "global_calls": 3 });
    let replies = [DONE, to("PLAN"), DONE, to("PLAN"), WAIT, DONE, to("EXECUTE"), OIL, OIL];
    let (log, _, played) = play("cyclic", settings, workshop(100, replies)).await;
    assert_eq!(played.unwrap_err().stop, Stop::Horizon);
    let calls: u64 = notes(&log, "segment").iter().map(|note| note["calls"].as_u64().unwrap()).sum();
    assert_eq!(calls, 3, "all three calls were to be had");
}

// covers: CYC-006, CYC-051
#[tokio::test]
async fn the_bound_of_a_segment_is_the_environments_own_where_none_is_named() {
    for (named, own, expected) in [(None, None, 5), (None, Some(7), 7), (Some(2), Some(7), 2), (Some(9), None, 9)] {
        let mut stage = workshop(90, (0..12).map(|_| WAIT));
        stage.brief = Arc::new(gimbal_core::Brief { segment_calls: own, ..gimbal_agent::sample::brief() });
        let settings = json!({ "graph": search_plan_execute(), "local_calls": named, "global_calls": 12 });
        let (log, _, _) = play("cyclic", settings, stage).await;
        assert_eq!(notes(&log, "segment")[0]["calls"], expected, "{named:?} {own:?}");
    }
}
