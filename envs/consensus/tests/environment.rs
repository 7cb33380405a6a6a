//! The game behind the seams: calls and their rejections, policies through the stage's door, ends, options, determinism.

use gimbal_consensus::{Consensus, action};
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{Catalogue, EnvError, Environment, RejectionKind, Reply, Rng, TaskId, ToolCall, Transition};
use gimbal_messages::records::consensus::{Ended, Outcome};
use proptest::prelude::*;
use serde_json::{Value, json};

fn task() -> TaskId {
    TaskId("game-01".to_owned())
}

fn round(ballots: Value) -> ToolCall {
    let mut call = ToolCall::bare("round");
    call.arguments.insert("ballots".to_owned(), ballots);
    call
}

async fn step(environment: &mut dyn Environment, call: &ToolCall) -> Result<Transition, gimbal_core::Rejection> {
    match environment.call(call).await? {
        Reply::Step(step) => Ok(step),
        Reply::Ask(_) => panic!(),
    }
}

#[tokio::test]
async fn policies_end_as_their_outcome_says() {
    for (policy, ending) in [
        ("median", EnvironmentStop::Solved),
        ("expert", EnvironmentStop::Solved),
        ("stubborn", EnvironmentStop::Horizon),
    ] {
        let mut environment = Consensus.open(&json!({ "agents": 8 })).unwrap();
        environment.reset(&task(), 5).await.unwrap();
        let mut draws = Rng::stream(5, "policy");
        let last = loop {
            let call = environment.decide(policy, &mut draws).unwrap();
            let step = step(&mut *environment, &call).await.unwrap();
            // An end is told in the last observation alone.
            assert_eq!(Ended::read(&step.observation.text).is_some(), step.done.is_some());
            if step.done.is_some() {
                break step;
            }
        };
        assert_eq!(last.done, Some(ending), "{policy}");
        assert_eq!(last.reward.0, if ending == EnvironmentStop::Solved { 1000 } else { 0 });
        let ended = Ended::read(&last.observation.text).unwrap();
        assert_eq!(ended.outcome == Outcome::Valid, ending == EnvironmentStop::Solved);
        let again = environment.call(&round(json!([]))).await.unwrap_err();
        assert_eq!(again.kind, RejectionKind::NotNow);
    }
    assert!(Consensus.open(&json!({})).unwrap().decide("mode", &mut Rng::stream(0, "")).is_none());
}

#[tokio::test]
async fn a_ballot_that_is_none_is_refused_with_its_place_and_changes_nothing() {
    let mut environment = Consensus.open(&json!({ "adversaries": 1 })).unwrap();
    environment.reset(&task(), 1).await.unwrap();
    let before = environment.state();
    let mut refused = Vec::new();
    for agent in 1..=4 {
        let one = json!([{ "agent": format!("agent_{agent}"), "value": 3, "vote": "continue" }]);
        if environment.call(&round(one)).await.is_err() {
            refused.push(agent);
        } else {
            environment.reset(&task(), 1).await.unwrap();
        }
    }
    assert_eq!(refused.len(), 1, "nobody speaks for the adversary");
    let honest = format!("agent_{}", if refused[0] == 1 { 2 } else { 1 });
    for (ballots, kind, words) in [
        (json!({}), RejectionKind::BadValue, "is no list"),
        (json!([3]), RejectionKind::BadValue, "ballot 1: it is no object"),
        (
            json!([{ "agent": "agent_9", "value": 3, "vote": "stop" }]),
            RejectionKind::BadValue,
            "there is no agent `agent_9`",
        ),
        (json!([{ "agent": honest, "value": 51, "vote": "stop" }]), RejectionKind::BadValue, "from 0 to 50"),
        (json!([{ "agent": honest, "value": -1, "vote": "stop" }]), RejectionKind::BadValue, "from 0 to 50"),
        (json!([{ "agent": honest, "value": 2.5, "vote": "stop" }]), RejectionKind::BadValue, "from 0 to 50"),
        (json!([{ "agent": honest, "value": null, "vote": "stop" }]), RejectionKind::BadValue, "`value` is missing"),
        (json!([{ "agent": honest, "value": 5, "vote": "halt" }]), RejectionKind::BadValue, "`vote` is `halt`"),
        (json!([{ "agent": honest, "value": 5, "vote": "stop", "role": 1 }]), RejectionKind::BadValue, "no key `role`"),
        (
            json!([{ "agent": honest, "value": 5, "vote": "stop" }, { "agent": honest, "value": 5, "vote": "stop" }]),
            RejectionKind::BadValue,
            "ballot 2: ",
        ),
    ] {
        let rejection = environment.call(&round(ballots)).await.unwrap_err();
        assert_eq!(rejection.kind, kind, "{rejection:?}");
        assert!(rejection.message.contains(words), "{words}: {rejection:?}");
        assert_eq!(environment.state(), before);
    }
    for (call, kind) in [
        (ToolCall::bare("round"), RejectionKind::MissingArgument),
        (ToolCall::bare("wait"), RejectionKind::UnknownTool),
    ] {
        assert_eq!(environment.call(&call).await.unwrap_err().kind, kind);
    }
}

#[test]
fn options_are_arms_and_too_many_adversaries_are_refused() {
    for (options, key, words) in [
        (json!({ "agents": 4, "adversaries": 2 }), "adversaries", "from 0 to 1"),
        (json!({ "agents": 2 }), "agents", "from 3 to 16"),
        (json!({ "strategy": "silen" }), "strategy", "did you mean `silent`"),
        (json!({ "round": 3 }), "round", "did you mean `rounds`"),
    ] {
        match Consensus.resolve(&options).unwrap_err() {
            EnvError::Option { key: found, message } => assert!(found == key && message.contains(words), "{message}"),
            other => panic!("{other:?}"),
        }
    }
    let of = |options: Value| Consensus.environment(&Consensus.resolve(&options).unwrap());
    assert_eq!(of(json!({ "agents": 8, "adversaries": 2 })), of(json!({ "agents": 8, "mentioned": true })));
    assert_ne!(of(json!({ "agents": 8 })), of(json!({ "agents": 4 })));
    let count = |split: &str| Consensus.tasks(split, &Value::Null).unwrap().len();
    assert_eq!((count("test"), count("dev"), count("controls")), (25, 10, 10));
    assert!(Consensus.tasks("train", &Value::Null).unwrap_err().to_string().contains("known: test, dev, controls"));
}

#[tokio::test]
async fn a_task_that_does_not_exist_is_refused() {
    for task in ["game-26", "game-0", "game-01x", "", "alike"] {
        let mut environment = Consensus.open(&json!({})).unwrap();
        assert!(environment.reset(&TaskId(task.to_owned()), 1).await.is_err(), "{task}");
    }
}

#[tokio::test]
async fn a_fork_goes_its_own_way() {
    let mut environment = Consensus.open(&json!({ "adversaries": 1, "strategy": "equivocating" })).unwrap();
    environment.reset(&task(), 4).await.unwrap();
    let mut fork = environment.simulator().unwrap().fork(9);
    assert_eq!(fork.state(), environment.state());
    let seen = step(&mut *fork, &round(json!([]))).await.unwrap();
    assert_ne!(fork.state(), environment.state());
    assert_eq!(step(&mut *environment, &round(json!([]))).await.unwrap(), seen);
}

#[test]
fn calls_are_read_in_many_ways_and_written_in_one() {
    let call = round(json!([{ "agent": "agent_1", "value": 12, "vote": "stop" }]));
    let list = r#"[{"agent":"agent_1","value":12,"vote":"stop"}]"#;
    for text in [
        format!("round ballots={list}"),
        format!("`round ballots={list}`"),
        format!("Round(ballots: {list})."),
        format!("round {list}"),
        format!("round {{\"ballots\": {list}}}"),
    ] {
        assert_eq!(action::parse(&text).unwrap(), call, "{text}");
    }
    assert_eq!(action::parse(&action::render(&call)).unwrap(), call);
    for (text, kind) in [
        ("", RejectionKind::Unreadable),
        ("wait", RejectionKind::UnknownTool),
        ("round ballots=12", RejectionKind::Unreadable),
        ("round {\"ballots\": 12}", RejectionKind::Unreadable),
        ("round {\"ballot\": []}", RejectionKind::Unreadable),
        ("round ballots=[{]", RejectionKind::Unreadable),
        ("round ballots=[] round ballots=[]", RejectionKind::Unreadable),
    ] {
        assert_eq!(action::parse(text).unwrap_err().kind, kind, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text: String) {
        if let Ok(call) = action::parse(&format!("round {text}")) {
            prop_assert_eq!(action::parse(&action::render(&call)), Ok(call));
        }
    }
}
