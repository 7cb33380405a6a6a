//! The scenario behind the seams: what a stage, a study and an architecture meet.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::future::Future;
use std::task::{Context, Poll, Waker};

use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Catalogue, Environment, Milli, Observation, RejectionKind, Reply, Rng, TaskId, ToolCall, Transition,
};
use gimbal_yawning_titan::YawningTitan;
use gimbal_yawning_titan::facts::MODES;
use gimbal_yawning_titan::policy::POLICIES;
use serde_json::{Value, json};

/// This environment never waits: a future is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the environment waited"),
    }
}

fn open(options: Value) -> Box<dyn Environment> {
    YawningTitan.open(&options).unwrap()
}

fn reset(environment: &mut dyn Environment, seed: u64) -> Observation {
    now(environment.reset(&TaskId("test".to_owned()), seed)).unwrap()
}

fn step(environment: &mut dyn Environment, call: &ToolCall) -> Transition {
    match now(environment.call(call)).unwrap() {
        Reply::Step(transition) => transition,
        Reply::Ask(_) => panic!("this environment asks nobody"),
    }
}

/// Every legal call, from tools and choices alone.
fn legal(environment: &dyn Environment) -> Vec<ToolCall> {
    let mut calls = Vec::new();
    for tool in environment.tools().iter() {
        match tool.required().next() {
            None => calls.push(ToolCall::bare(&tool.name)),
            Some(parameter) => {
                for choice in environment.choices(&tool.name, parameter).unwrap() {
                    calls.push(ToolCall::with(&tool.name, &[(parameter, &choice)]));
                }
            }
        }
    }
    calls
}

/// Everything that blue may do, and no loss.
fn all_actions() -> Value {
    json!({
        "loss": "never", "horizon": 200,
        "changes": {
            "blue.action_set.deceptive_nodes.use": true, "blue.action_set.restore_node": true,
            "blue.action_set.isolate_node": true, "blue.action_set.reconnect_node": true,
        }
    })
}

#[test]
fn tools_and_choices_give_the_legal_actions_and_text_is_their_inverse() {
    let mut environment = open(json!({}));
    reset(&mut *environment, 9);
    let names: Vec<&str> = environment.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["DoNothing", "Scan", "ReduceVulnerability", "MakeNodeSafe"]);
    assert_eq!(legal(&*environment).len(), 2 + 2 * 18);
    for options in [json!({}), all_actions(), json!({ "names": "shuffled", "mode": "dcbo", "network": "dcbo_base" })] {
        let mut environment = open(options);
        reset(&mut *environment, 9);
        for call in legal(&*environment) {
            assert_eq!(environment.parse(&environment.render(&call)), Ok(call.clone()));
            if step(&mut *environment, &call).done.is_some() {
                reset(&mut *environment, 9);
            }
        }
        for tool in environment.tools().iter().filter(|tool| tool.required().next() == Some("node")) {
            let literals = tool.parameters["properties"]["node"]["enum"].as_array().unwrap();
            let literals: Vec<&str> = literals.iter().map(|node| node.as_str().unwrap()).collect();
            assert_eq!(literals[..environment.brief().subjects.len()], environment.brief().subjects);
        }
        assert_eq!(environment.choices("Scan", "node"), None);
        assert_eq!(environment.choices("MakeNodeSafe", "edge"), None);
    }
}

#[test]
fn an_action_is_written_in_many_ways() {
    let environment = open(all_actions());
    let wanted = ToolCall::with("RestoreNode", &[("node", "node_3")]);
    for text in [
        "RestoreNode node=node_3",
        "restore_node(node=\"node_3\")",
        "`Restore-Node NODE_3`.",
        "RestoreNode: node: 'node_3'",
        "RestoreNode 3",
        "RestoreNode name=node_3",
        "RestoreNode node=Node3",
        "RestoreNode node-3",
        "RestoreNode node=node_3 now",
        "RestoreNode node=node_3, as MakeNodeSafe may change more",
        "RestoreNode node=node_3</answer>",
        "[RestoreNode node=node_3](http://x)",
    ] {
        assert_eq!(environment.parse(text), Ok(wanted.clone()), "{text}");
    }
    let edge = ToolCall::with("AddDeceptiveNode", &[("edge", "node_0-node_1")]);
    for text in ["edge=node_1-node_0", "node-0-node-1", "Node0-Node1", "0-1"] {
        assert_eq!(environment.parse(&format!("AddDeceptiveNode {text}")), Ok(edge.clone()), "{text}");
    }
    let refused = |text: &str| environment.parse(text).unwrap_err();
    assert!(refused("RestorNode node_3").message.contains("did you mean `RestoreNode`?"));
    assert_eq!(refused("RestoreNode").message, "`RestoreNode` needs a node; write `RestoreNode node=<node>`");
    assert!(refused("RestoreNode node_99").message.contains("did you mean"));
    // No form is told that no name has.
    assert_eq!(
        refused("RestoreNode router").message,
        "there is no node `router`; nodes are named as they were shown to you"
    );
    for text in ["node_1-1-node_2", "node_0"] {
        let message = refused(&format!("AddDeceptiveNode {text}")).message;
        assert!(message.contains("named by two nodes that are connected, as in `<node>-<node>`"), "{message}");
    }
    assert!(refused("{\"node\": \"node_1\"}").message.contains("does not begin with the name of an action"));
    assert_eq!(refused("RestoreNode node_1 node_2").kind, RejectionKind::BadValue);
    assert_eq!(refused("RestoreNode host=node_1").kind, RejectionKind::UnknownArgument);
    assert_eq!(refused("Scan node_1").kind, RejectionKind::UnknownArgument);
    assert_eq!(refused("AddDeceptiveNode node_0-node_17").kind, RejectionKind::BadValue);
    assert_eq!(refused(" ").kind, RejectionKind::Unreadable);
    assert_eq!(refused("Fly").kind, RejectionKind::UnknownTool);
}

// covers: BOG-025, BOG-062
#[test]
fn the_brief_explains_the_tools_and_gives_nothing_away() {
    for mode in MODES.iter() {
        let mut environment = open(json!({ "mode": mode.name, "horizon": 50 }));
        reset(&mut *environment, 1);
        let brief = environment.brief();
        let mut tools: Vec<&str> = environment.tools().iter().map(|tool| tool.name.as_str()).collect();
        let mut explained: Vec<&str> = brief.glossary.iter().map(|entry| entry.name.as_str()).collect();
        tools.sort_unstable();
        explained.sort_unstable();
        assert_eq!(tools, explained, "{}", mode.name);
        assert_eq!((brief.horizon, brief.subject.as_str(), brief.subjects.len()), (50, "node", 18));
        assert_eq!(brief.subjects[0], "node_0");
        assert_eq!(brief.idle, ToolCall::bare("DoNothing"));
        assert_eq!(brief.tool_name("subject_state"), "get_node_current_state");
        assert_eq!(brief.tool_name("subject_baseline"), "get_node_baseline_state");
        let (least, most) = brief.reward_range.unwrap();
        assert!(least <= most);
        let mut shown = format!("{} {}", brief.role, brief.goal);
        for entry in &brief.glossary {
            shown.push_str(&format!(" {} {} {}", entry.name, entry.description, entry.usage));
        }
        for tool in environment.tools().iter() {
            shown.push_str(&format!(" {}", tool.description));
        }
        let shown = shown.to_lowercase();
        for word in brief.forbidden_words.iter().chain(&brief.subjects) {
            assert!(!shown.contains(&word.to_lowercase()), "{word}");
        }
    }
    let environment = open(json!({}));
    assert_eq!(environment.brief().thresholds.catastrophic, Some(Milli(-50_000)));
    assert_eq!(environment.brief().thresholds.success, Some(Milli(50_000)));
    let environment = open(json!({ "mode": "dcbo", "network": "dcbo_base" }));
    assert_eq!(environment.brief().thresholds.catastrophic, Some(Milli(-250_000)));
}

#[test]
fn the_same_seed_and_calls_give_the_same_episode() {
    for options in [json!({}), all_actions(), json!({ "red": "sine", "draws": "mersenne", "names": "shuffled" })] {
        let play = || {
            let mut environment = open(options.clone());
            let mut seen = vec![(reset(&mut *environment, 7), environment.state(), environment.situation())];
            let mut choice = Rng::stream(3, "calls");
            for _ in 0..30 {
                let calls = legal(&*environment);
                let transition = step(&mut *environment, choice.choose(&calls).unwrap());
                seen.push(((*transition.observation).clone(), environment.state(), environment.situation()));
                let (least, most) = environment.brief().reward_range.unwrap();
                assert!((least..=most).contains(&transition.reward), "{:?}", transition.reward);
                if transition.done.is_some() {
                    break;
                }
            }
            seen
        };
        let first = play();
        assert_eq!(first, play());
        let mut states: Vec<_> = first.iter().map(|(_, state, _)| *state).collect();
        states.sort_unstable();
        states.dedup();
        assert_eq!(states.len(), first.len());
    }
    let mut environment = open(json!({}));
    let (one, other) = (reset(&mut *environment, 1), reset(&mut *environment, 2));
    assert_ne!(one, other, "special nodes and vulnerabilities are drawn anew");
}

/// What an agent reads holds what blue's vector holds, and nothing of the truth besides.
#[test]
fn observations_tell_the_vector_and_nothing_else() {
    use gimbal_yawning_titan::draws::Fast;
    use gimbal_yawning_titan::policy::{Policy, PolicyKind};
    use gimbal_yawning_titan::{Config, Scenario, Simulator};
    let mut hidden = 0;
    for seed in 0..30 {
        let mut environment = open(json!({ "horizon": 60 }));
        let first = reset(&mut *environment, seed);
        let mut config = Config::default();
        config.set("game_rules.max_steps", &json!(60)).unwrap();
        let mut alone = Simulator::new(&Scenario { config, ..Scenario::default() }, Fast::new(0)).unwrap();
        alone.rebuild(seed).unwrap();
        let nodes = first.data.tree()["nodes"].as_object().unwrap().clone();
        assert_eq!(nodes.len(), 18);
        let mut policy = Policy::new(PolicyKind::Random);
        policy.reset(seed);
        while !alone.done() {
            let action = policy.act(&alone);
            let intent = alone.intent(action);
            let call = match intent {
                gimbal_yawning_titan::Intent::Scan => ToolCall::bare("Scan"),
                gimbal_yawning_titan::Intent::On(kind, node) => {
                    let tool = gimbal_yawning_titan::action::tool(kind);
                    ToolCall::with(tool, &[("node", &format!("node_{node}"))])
                }
                _ => ToolCall::bare("DoNothing"),
            };
            let transition = step(&mut *environment, &call);
            let reward = alone.step(action).unwrap();
            assert_eq!(transition.reward, Milli::from_f64(reward));
            assert_eq!(environment.state().0, alone.digest());
            let tree = transition.observation.data.tree().clone();
            assert_eq!(tree, serde_json::from_str::<Value>(&transition.observation.text).unwrap());
            if alone.lost() {
                assert_eq!(transition.done, Some(EnvironmentStop::Failed));
                break;
            }
            assert_eq!(transition.done, alone.done().then_some(EnvironmentStop::Horizon));
            for node in 0..18_u16 {
                let entry = &tree["nodes"][format!("node_{node}")];
                let shown = entry["compromised"] == true;
                assert_eq!(shown, alone.seen_compromised(node));
                hidden += usize::from(alone.compromised(node) && !shown);
            }
        }
        let late = now(environment.call(&ToolCall::bare("Scan"))).unwrap_err();
        assert_eq!(late.kind, RejectionKind::NotNow);
    }
    assert!(hidden > 100, "the truth was more than what was shown: {hidden}");
}

#[test]
fn parts_that_the_mode_switches_off_are_not_shown() {
    let changes = json!({
        "observation_space.compromised_status": false, "observation_space.vulnerabilities": false,
        "observation_space.node_connections": false, "observation_space.average_vulnerability": false,
        "observation_space.graph_connectivity": false, "observation_space.attacking_nodes": false,
        "observation_space.attacked_nodes": false, "observation_space.special_nodes": false,
        "observation_space.red_agent_skill": false,
    });
    let mut environment = open(json!({ "changes": changes }));
    let first = reset(&mut *environment, 1);
    assert!(first.data.tree()["nodes"].as_object().unwrap().values().all(|entry| *entry == json!({})));
    for _ in 0..8 {
        let transition = step(&mut *environment, &ToolCall::bare("DoNothing"));
        assert_eq!(transition.observation.text, r#"{"nodes":{}}"#);
        if transition.done.is_some() {
            break;
        }
    }
}

#[test]
fn a_rejection_names_the_fault_and_changes_nothing() {
    let mut environment = open(all_actions());
    reset(&mut *environment, 5);
    let before = environment.state();
    let cases = [
        (ToolCall::bare("Fly"), RejectionKind::UnknownTool),
        (ToolCall::bare("RestoreNode"), RejectionKind::MissingArgument),
        (ToolCall::with("RestoreNode", &[("node", "node_99")]), RejectionKind::BadValue),
        (ToolCall::with("RestoreNode", &[("host", "node_1")]), RejectionKind::UnknownArgument),
        (ToolCall::with("Scan", &[("node", "node_1")]), RejectionKind::UnknownArgument),
        (ToolCall::with("RestoreNode", &[("node", "decoy_0")]), RejectionKind::NotNow),
    ];
    for (call, kind) in cases {
        let rejection = now(environment.call(&call)).unwrap_err();
        assert_eq!(rejection.kind, kind, "{}", rejection.message);
        assert_eq!(environment.state(), before);
    }
    let mut number = ToolCall::bare("RestoreNode");
    number.arguments.insert("node".to_owned(), json!(4));
    assert_eq!(now(environment.call(&number)).unwrap_err().kind, RejectionKind::BadValue);
    let mut odd = ToolCall::with("RestoreNode", &[("node", "node_1")]);
    odd.arguments.insert("x".to_owned(), json!(1));
    assert_eq!(now(environment.call(&odd)).unwrap_err().kind, RejectionKind::UnknownArgument);
    let place = ToolCall::with("AddDeceptiveNode", &[("edge", "node_0-node_1")]);
    let free = environment.choices("AddDeceptiveNode", "edge").unwrap().len();
    let transition = step(&mut *environment, &place);
    assert!(transition.observation.data.tree()["nodes"]["decoy_0"].is_object());
    assert_eq!(environment.choices("AddDeceptiveNode", "edge").unwrap().len(), free - 1);
    assert!(environment.choices("RestoreNode", "node").unwrap().iter().any(|node| node == "decoy_0"));
    step(&mut *environment, &ToolCall::with("RestoreNode", &[("node", "decoy_0")]));
}

#[test]
fn every_policy_plays_an_episode_of_its_own_seed() {
    for policy in POLICIES {
        let play = |seed| {
            let mut environment = open(json!({}));
            reset(&mut *environment, 4);
            let mut draws = Rng::stream(seed, "policy");
            let mut calls = Vec::new();
            loop {
                let call = environment.decide(policy.name(), &mut draws).unwrap();
                let transition = step(&mut *environment, &call);
                calls.push(call);
                if transition.done.is_some() {
                    return calls;
                }
            }
        };
        assert_eq!(play(1), play(1));
        if policy.name() == "random" {
            assert_ne!(play(1), play(2));
        }
    }
    assert_eq!(open(json!({})).decide("guess", &mut Rng::stream(1, "x")), None);
}

#[test]
fn a_fork_has_the_same_state_and_a_future_of_its_own() {
    for draws in ["fast", "mersenne"] {
        let mut environment = open(json!({ "draws": draws, "horizon": 100, "loss": "never" }));
        reset(&mut *environment, 21);
        for _ in 0..6 {
            step(&mut *environment, &ToolCall::bare("DoNothing"));
        }
        let before = environment.state();
        let future = |name: u64| {
            let mut fork = environment.simulator().unwrap().fork(name);
            assert_eq!(fork.state(), before);
            (0..20).map(|_| step(&mut *fork, &ToolCall::bare("DoNothing")).observation.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(future(1), future(1));
        assert_ne!(future(1), future(2));
        assert_eq!(environment.state(), before);
        let expert = environment.expert().unwrap().next_call().unwrap();
        assert!(now(environment.call(&expert)).is_ok());
    }
}

#[test]
fn the_expert_is_the_best_of_the_baselines() {
    let play = |expert: bool| -> i64 {
        (0..60)
            .map(|seed| {
                let mut environment = open(json!({}));
                reset(&mut *environment, seed);
                let mut total = 0;
                loop {
                    let call = if expert {
                        environment.expert().unwrap().next_call().unwrap()
                    } else {
                        ToolCall::bare("DoNothing")
                    };
                    let transition = step(&mut *environment, &call);
                    total += transition.reward.0;
                    if transition.done.is_some() {
                        return total;
                    }
                }
            })
            .sum()
    };
    assert!(play(true) > play(false) + 60 * 30_000);
}

#[test]
fn options_are_resolved_or_refused_with_their_mend() {
    let resolved = YawningTitan.resolve(&json!({})).unwrap();
    let defaults = json!({
        "mode": "default", "changes": {}, "network": "default_18", "red": "standard", "horizon": 30, "loss": "mode",
        "names": "ordered", "draws": "fast"
    });
    assert_eq!(resolved, defaults);
    assert_eq!(YawningTitan.resolve(&Value::Null).unwrap(), defaults);
    let shuffled = YawningTitan.resolve(&json!({ "names": "shuffled" })).unwrap();
    assert_eq!(YawningTitan.environment(&shuffled), YawningTitan.environment(&resolved));
    let other = YawningTitan.resolve(&json!({ "red": "sine" })).unwrap();
    assert_ne!(YawningTitan.environment(&other), YawningTitan.environment(&resolved));
    let made = json!({ "network": { "generator": "create_ring", "arguments": { "ring_size": 12 }, "seed": 4 } });
    let made = YawningTitan.resolve(&made).unwrap();
    assert_eq!(made["network"]["vulnerability"], json!([0.1, 1.0]));
    assert_eq!(YawningTitan.resolve(&made).unwrap(), made, "what is resolved resolves to itself");
    assert_eq!(open(made).brief().subjects.len(), 12);
    let shipped = open(json!({ "horizon": null }));
    assert_eq!(shipped.brief().horizon, 1000);
    let refused = |options: Value| YawningTitan.resolve(&options).unwrap_err().to_string();
    assert!(refused(json!({ "horizn": 3 })).contains("did you mean `horizon`?"));
    assert!(refused(json!({ "mode": "defalt" })).contains("did you mean `default`?"));
    assert!(refused(json!({ "network": "default_81" })).contains("did you mean `default_18`?"));
    assert!(refused(json!({ "network": { "generator": "create_ring", "sed": 1 } })).contains("did you mean `seed`?"));
    assert!(refused(json!({ "network": { "generator": "create_ring", "vulnerability": [0, 1] } })).contains("above 0"));
    assert!(refused(json!({ "changes": { "rewards.for_los": 1 } })).contains("did you mean `rewards.for_loss`?"));
    assert!(refused(json!({ "changes": { "red.agent_attack.skill.value": 2 } })).contains("at most 1"));
    assert!(
        refused(json!({ "horizon": 0 }))
            .contains("give a whole number from 1 to 10000, or null for the mode's own number")
    );
    assert!(refused(json!({ "loss": 7 })).contains("`loss` is 7 (known: mode, never)"));
    assert!(refused(json!([])).contains("expected a map"));
    let none =
        json!({ "changes": { "red.action_set.basic_attack.use": false, "red.action_set.do_nothing.use": false } });
    assert!(refused(none).contains("red has no action switched on"));
    assert!(
        YawningTitan.tasks("tst", &serde_json::Value::Null).unwrap_err().to_string().contains("did you mean `test`?")
    );
    assert!(now(open(json!({})).reset(&TaskId("other".to_owned()), 1)).is_err());
    let offers = YawningTitan.offers();
    assert_eq!(offers.blocks, ["observation", "history", "own_history", "status"]);
    assert_eq!(offers.queries, ["subject_state", "subject_baseline"]);
}

/// Where the original raises an exception, the episode ends and the environment stays whole.
#[test]
fn what_breaks_the_original_ends_the_episode() {
    let changes = json!({
        "red.target_mechanism.random": false, "red.target_mechanism.prioritise_vulnerable_nodes": true,
    });
    let mut environment = open(json!({ "mode": "dcbo", "network": "dcbo_base", "changes": changes }));
    reset(&mut *environment, 1);
    let transition = step(&mut *environment, &ToolCall::bare("DoNothing"));
    assert_eq!((transition.reward, transition.done), (Milli::ZERO, Some(EnvironmentStop::Broken)));
    assert_eq!(now(environment.call(&ToolCall::bare("DoNothing"))).unwrap_err().kind, RejectionKind::NotNow);
    reset(&mut *environment, 2);
}
