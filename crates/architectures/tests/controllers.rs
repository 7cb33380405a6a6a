//! The controllers over subtasks: segments, routing, memory, budgets, graphs (CYC-001..028), on a stage that writes down
//! what passes.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::sync::Arc;

use common::Canned::{self, Calls, Fails, Says};
use common::{TestFiles, Workshop};
use gimbal_architectures::graph::{self, Node, TaskGraph, Ways};
use gimbal_core::{Architecture, Decoding, EpisodeStopped, Grammar, ModelErrorKind, Stop, ToolCall};
use gimbal_messages::records::{control, gate};
use proptest::prelude::*;
use serde_json::{Value, json};

fn node(name: &str, tools: &[&str]) -> Node {
    Node {
        name: name.to_owned(),
        goal: format!("{} until it is done.", name.to_lowercase()),
        tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
    }
}

pub(super) fn search_plan_execute() -> TaskGraph {
    let nodes = vec![node("SEARCH", &["Wait"]), node("PLAN", &["Wait"]), node("EXECUTE", &["Oil"])];
    TaskGraph { entry: "PLAN".to_owned(), ..TaskGraph::complete(nodes) }
}

fn build(base: &str, settings: Value) -> Arc<dyn Architecture> {
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == base).unwrap();
    kind.build(&settings, &TestFiles::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn error(base: &str, settings: Value) -> String {
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == base).unwrap();
    match kind.build(&settings, &TestFiles::default()) {
        Ok(_) => panic!("{settings} was taken"),
        Err(error) => error.to_string(),
    }
}

pub(super) fn workshop(horizon: u32, replies: impl IntoIterator<Item = Canned>) -> Workshop {
    Workshop { horizon, records: &[control::KINDS, gate::KINDS], ..Workshop::new(replies) }
}

pub(super) async fn play(
    base: &str,
    settings: Value,
    stage: Workshop,
) -> (Vec<String>, Workshop, Result<(), EpisodeStopped>) {
    let played = build(base, settings).play(&stage).await;
    (stage.log(), stage, played)
}

pub(super) fn notes(log: &[String], kind: &str) -> Vec<Value> {
    let head = format!("note {kind} ");
    log.iter().filter_map(|line| line.strip_prefix(&head)).map(|data| serde_json::from_str(data).unwrap()).collect()
}

pub(super) fn to(name: &str) -> Canned {
    let text = format!(
        r#"Thought: go on. Answer: {{"analysis": "x", "memory": {{"facts": ["at {name}"]}}, "next": "{name}", "reason": "y"}}"#
    );
    Says(Box::leak(text.replace(". Answer", "\nAnswer").into_boxed_str()))
}

pub(super) const WAIT: Canned = Says("Thought: calm\nAnswer: Wait");
pub(super) const OIL: Canned = Says("Thought: dry\nAnswer: Oil machine=lathe");
pub(super) const DONE: Canned = Says("Thought: enough\nTool: finish_subtask: all done\nPAUSE");

// covers: CYC-001, CYC-003, CYC-004, CYC-005, CYC-011, CYC-014, CYC-017, CYC-R01, CYC-016
#[tokio::test]
async fn the_toy_trace_goes_plan_search_search_execute() {
    let replies = [WAIT, DONE, to("SEARCH"), WAIT, WAIT, DONE, to("search"), WAIT, DONE, to("EXECUTE"), OIL];
    let (log, stage, played) = play("cyclic", json!({ "graph": search_plan_execute() }), workshop(5, replies)).await;
    assert_eq!(played, Err(EpisodeStopped::of(Stop::Horizon)));
    let segments: Vec<(String, u64, String)> = notes(&log, "segment")
        .iter()
        .map(|note| {
            let text = |key: &str| note[key].as_str().unwrap().to_owned();
            (text("node"), note["calls"].as_u64().unwrap(), text("ended"))
        })
        .collect();
    let told = |node: &str, calls, ended: &str| (node.to_owned(), calls, ended.to_owned());
    assert_eq!(
        segments,
        [told("PLAN", 1, "done"), told("SEARCH", 2, "done"), told("SEARCH", 1, "done"), told("EXECUTE", 1, "over")]
    );
    let ways: Vec<(String, String)> = notes(&log, "routed")
        .iter()
        .map(|note| (note["from"].as_str().unwrap().to_owned(), note["to"].as_str().unwrap().to_owned()))
        .collect();
    let way = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(ways, [way("PLAN", "SEARCH"), way("SEARCH", "SEARCH"), way("SEARCH", "EXECUTE")]);
    let asked = stage.asked.lock().unwrap().clone();
    assert_eq!(asked.iter().filter(|role| *role == "router").count(), 3, "routing only at the ends of segments");
    assert_eq!(asked.iter().filter(|role| *role == "executor").count(), 8);
}

// covers: CYC-008, CYC-009, CYC-010
#[tokio::test]
async fn the_memory_goes_to_the_next_executor_and_the_router_sees_what_was_done() {
    let replies = [OIL, DONE, to("SEARCH"), WAIT];
    let (_, stage, _) = play("cyclic", json!({ "graph": search_plan_execute() }), workshop(2, replies)).await;
    let requests = stage.requests.lock().unwrap();
    let told = |index: usize| requests[index].messages[1].text.to_string();
    let router = told(2);
    assert!(router.contains(r#""call": "Oil machine=lathe""#), "{router}");
    assert!(router.contains(r#""ended": "the agent ended it and said: all done""#), "{router}");
    assert_eq!(router.matches("\"criterion\"").count(), 3, "all ways out of PLAN, the one to itself too");
    let executor = told(3);
    assert!(executor.contains("The name of your subtask is \"SEARCH\"."), "{executor}");
    assert!(executor.contains(r#""facts": ["at SEARCH"]"#), "{executor}");
    assert_eq!(requests[1].messages.len(), 4, "a segment is one conversation");
    assert_eq!(requests[3].messages.len(), 2, "and the next one is another");
}

/// How much of a segment its analyzer reads is the study's to say, and the summary keeps to it; what is left out says that it is.
// covers: CYC-008
#[tokio::test]
async fn a_study_sets_the_lengths_of_a_segments_summary() {
    const LONG: Canned =
        Says("Thought: enough\nTool: finish_subtask: the lathe hums along and nothing else is to be done here\nPAUSE");
    let told = async |summary: Value| {
        let replies = [OIL, WAIT, WAIT, LONG, to("SEARCH"), WAIT];
        let settings = json!({ "graph": search_plan_execute(), "summary": summary });
        let (_, stage, _) = play("cyclic", settings, workshop(4, replies)).await;
        let requests = stage.requests.lock().unwrap();
        requests[4].messages[1].text.to_string()
    };
    let usual = told(json!({})).await;
    assert_eq!((usual.matches("\"call\"").count(), usual.contains("\"earlier_calls\": 0")), (3, true), "{usual}");
    assert!(usual.contains("Oil machine=lathe") && usual.contains("nothing else is to be done here"), "{usual}");
    let short = told(json!({ "calls": 1, "characters": 20 })).await;
    assert_eq!((short.matches("\"call\"").count(), short.contains("\"earlier_calls\": 2")), (1, true), "{short}");
    assert!(!short.contains("Oil machine=lathe") && !short.contains("nothing else"), "{short}");
    assert!(short.contains("the agent ended it and said: the lathe hums"), "{short}");
    for (summary, says) in [
        (json!({ "calls": 0 }), "summary: `calls: 0` is out of bounds; from 1 to 200"),
        (json!({ "characters": 5 }), "from 20 to 20000"),
        (json!({ "segments": 51 }), "from 1 to 50"),
        (json!({ "letters": 5 }), "letters"),
    ] {
        let message = error("cyclic", json!({ "graph": search_plan_execute(), "summary": summary }));
        assert!(message.contains(says), "{message}");
    }
    let resolved = |settings: Value| build("cyclic", settings).resolved();
    let plain = resolved(json!({ "graph": search_plan_execute() }));
    assert_eq!(plain, resolved(json!({ "graph": search_plan_execute(), "summary": { "calls": 12 } })));
    assert!(plain.get("summary").is_none(), "cells of earlier runs are the same cells");
    assert_ne!(plain, resolved(json!({ "graph": search_plan_execute(), "summary": { "calls": 3 } })));
}

/// Each tier of planner plays the graph that it planned for the family; where there is none yet, it says how to make it, and
/// what an estimate plays in its place is marked.
// covers: CYC-021
#[tokio::test]
async fn each_planner_plays_the_graph_that_it_planned() {
    let file = |nodes: &[&str], environment: &str, model: &str| {
        let mut graph = TaskGraph::complete(nodes.iter().map(|name| node(name, &["Wait"])).collect());
        graph.made = [("environment", environment), ("model", model)].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        graph::write(&graph)
    };
    let brief = workshop(2, []).brief.environment.clone();
    let files = TestFiles(
        [
            ("graphs/one.yaml", file(&["LOOK", "DO"], &brief, "a/small")),
            ("graphs/two.yaml", file(&["SEE", "ACT", "CHECK"], &brief, "a/large")),
            ("graphs/three.yaml", file(&["OTHER"], "elsewhere", "a/small")),
        ]
        .map(|(path, text)| (path.to_owned(), text))
        .into(),
    );
    let kinds = gimbal_architectures::kinds();
    let kind = |name: &str| kinds.iter().find(|kind| kind.name() == name).unwrap();
    let all = kind("cyclic").build(&json!({ "graph": "family-planned" }), &files).unwrap();
    assert!(all.needs().roles.contains(&"planner".to_owned()), "its model decides, so a study must name it");
    let by = |model: &str| all.for_models(&[("planner".to_owned(), model.to_owned())].into()).unwrap();
    for (model, entry, subtasks) in [("a/small", "LOOK", 2), ("a/large", "SEE", 3)] {
        let own = by(model);
        assert_eq!(own.lacks(&brief), None);
        let stage = workshop(1, [WAIT]);
        assert_eq!(own.play(&stage).await, Err(EpisodeStopped::of(Stop::Horizon)));
        let graph = &notes(&stage.log(), "graph")[0];
        let shown = (graph["entry"].as_str(), graph["source"].as_str(), graph["planner"].as_str());
        assert_eq!(shown, (Some(entry), Some("family"), Some(model)));
        assert_eq!(graph["nodes"].as_array().unwrap().len(), subtasks);
    }
    assert_ne!(by("a/small").resolved(), by("a/large").resolved(), "two tiers are two cells");
    let none = by("b/none");
    let said = none.lacks(&brief).unwrap();
    assert!(said.contains(&format!("`gimbal graph plan {brief} --model b/none --name {brief}-by-none`")), "{said}");
    let stage = workshop(1, [WAIT]);
    let _ = none.play(&stage).await;
    assert_eq!(notes(&stage.log(), "graph")[0]["source"], "fallback");
    // Two files of one planner leave it open which plays.
    let mut twice = TestFiles(files.0.clone());
    twice.0.insert("graphs/four.yaml".to_owned(), file(&["LOOK"], &brief, "a/small"));
    let said = kind("cyclic").build(&json!({ "graph": "family-planned" }), &twice).err().unwrap().to_string();
    assert!(said.contains("graphs/four.yaml and graphs/one.yaml were both planned"), "{said}");
    // No list was planned.
    let list = kind("dag").build(&json!({ "graph": "family-planned" }), &files).unwrap();
    let list = list.for_models(&[("planner".to_owned(), "a/small".to_owned())].into()).unwrap();
    assert!(list.lacks(&brief).unwrap().contains("--kind list"));
}

/// The state before segment m is (k, i, H, M), and each part is used and evolves by its equation: k grows by the calls of the
/// segment (1) and bounds the next one; H holds what the segment just played brought (2) and goes to the router with M, who
/// makes the next M of both (5) and, by the criteria of the ways out of i, the next i (6).
// covers: CYC-005, CYC-007, CYC-008, CYC-009, CYC-010
#[tokio::test]
async fn the_state_of_a_run_evolves_by_the_equations() {
    let replies = [WAIT, DONE, to("SEARCH"), WAIT, WAIT, DONE, to("EXECUTE"), OIL];
    let settings = json!({ "graph": search_plan_execute(), "global_calls": 4 });
    let (log, stage, played) = play("cyclic", settings, workshop(20, replies)).await;
    assert_eq!(played.unwrap_err().stop, Stop::Horizon, "k reached C_g");
    let (segments, routed, memories) = (notes(&log, "segment"), notes(&log, "routed"), notes(&log, "memory"));
    assert_eq!((segments.len(), routed.len(), memories.len()), (3, 2, 2));
    let requests = stage.requests.lock().unwrap();
    let asked = stage.asked.lock().unwrap();
    let of = |role: &str| -> Vec<String> {
        let own = asked.iter().zip(requests.iter()).filter(|(name, _)| name.as_str() == role);
        own.map(|(_, request)| request.messages[1].text.to_string()).collect()
    };
    let (executors, routers) = (of("executor"), of("router"));
    // The first message of each segment's conversation: two, three and one calls of the executor.
    let begun = [&executors[0], &executors[2], &executors[5]];
    assert_eq!(routers.len(), 2);
    let mut k = 0;
    let mut node = "PLAN".to_owned();
    for m in 0..3 {
        // i: the journal, the executor's subtask and where the last decision went are one.
        assert_eq!(
            (segments[m]["index"].as_u64(), segments[m]["node"].as_str()),
            (Some(m as u64), Some(node.as_str()))
        );
        assert!(begun[m].contains(&format!("The name of your subtask is \"{node}\".")), "{}", begun[m]);
        // k: what is left of C_g is what the next segment may use.
        assert!(begun[m].contains(&format!(r#""calls_left": {}"#, 4 - k)), "{m}: {}", begun[m]);
        k += segments[m]["calls"].as_u64().unwrap();
        if m == 2 {
            break;
        }
        // H: of this segment alone, as often as it was called.
        assert_eq!(routers[m].matches(r#""call": "Wait""#).count(), [1, 2][m], "{}", routers[m]);
        assert_eq!(routers[m].matches("\"criterion\"").count(), 3, "the ways out of {node}");
        // M: what the router was shown is the last it made; what it made is noted, and goes to the next executor.
        let next = ["SEARCH", "EXECUTE"][m];
        assert_eq!(routers[m].contains("at SEARCH"), m == 1, "{}", routers[m]);
        assert_eq!(memories[m]["memory"]["facts"], json!([format!("at {next}")]));
        assert!(begun[m + 1].contains(&format!(r#""facts": ["at {next}"]"#)), "{}", begun[m + 1]);
        assert_eq!((routed[m]["from"].as_str(), routed[m]["to"].as_str()), (Some(node.as_str()), Some(next)));
        node = next.to_owned();
    }
    assert_eq!(k, 4);
}

// covers: CYC-009
#[tokio::test]
async fn the_objective_of_a_long_task_is_its_last_line() {
    let goal = format!("{}\nGoal: craft torch.", "craft 1 plank using 1 log\n".repeat(40));
    let mut stage = workshop(90, [WAIT, DONE, to("PLAN"), OIL]);
    stage.brief = Arc::new(gimbal_core::Brief { goal, ..gimbal_agent::sample::brief() });
    let settings = json!({ "graph": search_plan_execute(), "global_calls": 2 });
    let (log, _, _) = play("cyclic", settings, stage).await;
    assert_eq!(notes(&log, "memory")[0]["memory"]["objective"], "Goal: craft torch.");
}

// covers: CYC-015
#[tokio::test]
async fn an_invalid_choice_is_asked_for_once_more_and_then_the_subtask_is_repeated() {
    let settings = json!({ "graph": search_plan_execute() });
    let replies = [WAIT, DONE, to("COOK"), to("EXECUTE"), OIL, DONE, to("COOK"), to("DANCE"), OIL];
    let (log, stage, _) = play("cyclic", settings, workshop(3, replies)).await;
    let routed = notes(&log, "routed");
    assert_eq!(
        routed[0],
        json!({
            "index": 0, "from": "PLAN", "wanted": "EXECUTE", "to": "EXECUTE", "valid": true, "repaired": true,
            "cached": false, "faulted": false, "candidates": 3,
        })
    );
    assert_eq!((&routed[1]["valid"], &routed[1]["to"]), (&json!(false), &json!("EXECUTE")));
    let requests = stage.requests.lock().unwrap();
    assert!(requests[3].messages[1].text.contains("`next` must be one of: SEARCH, PLAN, EXECUTE"));
}

// covers: CYC-027, CYC-004
#[tokio::test]
async fn a_specialist_has_the_tools_of_its_subtask_only() {
    let settings = json!({ "graph": search_plan_execute(), "exposure": "specialist", "protocol": "native-tools" });
    let oil = || Calls("", vec![("1", "Oil", json!({ "machine": "lathe" }))]);
    let wait = || Calls("", vec![("2", "Wait", json!({}))]);
    let replies = [oil(), wait(), Calls("", vec![("3", "finish_subtask", json!({ "summary": "x" }))])];
    let (log, stage, _) = play("cyclic", settings, workshop(9, replies)).await;
    assert!(log.iter().any(|line| line.starts_with("reject forbidden")), "{log:?}");
    let requests = stage.requests.lock().unwrap();
    let names = |index: usize| requests[index].tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(0), ["finish_subtask", "Wait"]);
    assert!(requests[1].messages.last().unwrap().text.contains("`Oil` is not a tool of this subtask, which has: Wait"));
    assert_eq!(notes(&log, "segment")[0]["calls"], 2);
}

/// Where all attempts fail, a specialist that lacks the idle call makes a call that it has.
// covers: CYC-027, BOG-034
#[tokio::test]
async fn a_specialist_without_the_idle_call_falls_back_on_a_call_of_its_own() {
    let list = TaskGraph::list(vec![node("WORK", &["Oil"])]);
    let settings = json!({ "graph": list, "exposure": "specialist", "local_calls": 1 });
    let fail = || Fails(ModelErrorKind::Refusal, "");
    let (log, ..) = play("dag", settings, workshop(9, [fail(), fail(), fail()])).await;
    assert!(log.iter().any(|line| line.starts_with("act Oil machine=")), "{log:?}");
    assert!(!log.iter().any(|line| line.starts_with("reject forbidden")), "{log:?}");
}

// covers: CYC-025
#[tokio::test]
async fn a_list_is_gone_through_once_and_nothing_leads_back() {
    let list = TaskGraph::list(vec![node("FIRST", &[]), node("SECOND", &[])]);
    let guided = Says(r#"Answer: {"analysis": "x", "memory": {"hint": "hurry"}}"#);
    let replies = [WAIT, WAIT, guided.clone(), OIL, DONE];
    let (log, stage, played) = play("dag", json!({ "graph": list, "local_calls": 2 }), workshop(50, replies)).await;
    assert_eq!(played, Ok(()), "it had nothing left to do");
    // The analyzer is asked between subtasks, and not when there is nothing left to be advised on.
    assert_eq!(*stage.asked.lock().unwrap(), ["executor", "executor", "analyzer", "executor", "executor"]);
    assert!(stage.requests.lock().unwrap()[3].messages[1].text.contains(r#""hint": "hurry""#));
    assert_eq!(notes(&log, "routed").len(), 1);
    // With retries a subtask whose calls were used up is done again.
    let settings = json!({ "graph": list, "local_calls": 1, "retries": 2 });
    let replies = [WAIT, guided.clone(), WAIT, guided.clone(), WAIT, guided.clone(), OIL, guided];
    let (log, _, _) = play("dag", settings, workshop(50, replies)).await;
    let nodes: Vec<String> =
        notes(&log, "segment").iter().map(|note| note["node"].as_str().unwrap().to_owned()).collect();
    assert_eq!(nodes[..4], ["FIRST", "FIRST", "FIRST", "SECOND"].map(str::to_owned));
}

// covers: CYC-002, CYC-020, CYC-022, CYC-004, CYC-014
#[tokio::test]
async fn a_planner_makes_the_graph_and_what_is_no_graph_is_corrected_once() {
    let good = serde_json::to_value(search_plan_execute()).unwrap();
    let good = format!("Answer: {}", json!({ "nodes": good["nodes"], "entry": "PLAN", "edges": good["edges"] }));
    let good = Says(Box::leak(good.into_boxed_str()));
    let one = Says(r#"Answer: {"nodes": [{"name": "ALL", "goal": "everything"}], "edges": []}"#);
    let (log, stage, _) = play("cyclic", json!({}), workshop(1, [good.clone(), WAIT])).await;
    let graph = &notes(&log, "graph")[0];
    assert_eq!((graph["source"].as_str(), graph["entry"].as_str()), (Some("planner"), Some("PLAN")));
    assert_eq!((graph["edges"].as_array().unwrap().len(), graph["id"].as_str().unwrap().len()), (9, 12));
    let told = stage.requests.lock().unwrap()[0].messages[1].text.to_string();
    assert!(told.contains("\"tools\": [{\"name\": \"Wait\"") && told.contains("\"task\""), "{told}");
    // One subtask is not a graph; the corrected one is.
    let (log, stage, _) = play("cyclic", json!({}), workshop(1, [one.clone(), good, WAIT])).await;
    let planned = &notes(&log, "planned")[0];
    assert_eq!((&planned["valid"], &planned["attempts"]), (&json!(true), &json!(2)));
    assert!(planned["problems"][0].as_str().unwrap().contains("1 subtasks; from 2 to 12"), "{planned}");
    assert!(stage.requests.lock().unwrap()[1].messages[1].text.contains("from 2 to 12"));
    // Two hundred, a way that is missing, prose: the environment's own classes of action take their place, and it is said.
    let many: Vec<Value> = (0..200).map(|index| json!({ "name": format!("N{index}"), "goal": "x" })).collect();
    let many = Says(Box::leak(format!("Answer: {}", json!({ "nodes": many, "edges": [] })).into_boxed_str()));
    let torn = Says(
        r#"Answer: {"nodes": [{"name": "A", "goal": "x"}, {"name": "B", "goal": "y"}], "edges": [{"from": "A", "to": "B", "criterion": "z"}]}"#,
    );
    for (first, second, says) in
        [(many, torn, "ways are missing (from `A` to `A`, from `B` to `A`"), (Says("Well."), one, "1 subtasks")]
    {
        let (log, _, _) = play("cyclic", json!({}), workshop(1, [first, second, WAIT])).await;
        let planned = &notes(&log, "planned")[0];
        assert_eq!(planned["valid"], false);
        assert!(planned["problems"][1].as_str().unwrap().contains(says), "{planned}");
        assert_eq!(notes(&log, "graph")[0]["source"], "fallback", "a table must not take it for the planner's");
    }
}

/// An answer that cannot be read at all, since it has not the form or was cut, is asked for once more like any other that is not a
/// graph; a refusal is not asked again.
// covers: CYC-020
#[tokio::test]
async fn a_plan_of_bad_shape_gets_its_repair_call() {
    use gimbal_core::ModelErrorKind::{BadShape, Refusal, Truncated};
    let good = serde_json::to_value(search_plan_execute()).unwrap();
    let good = json!({ "nodes": good["nodes"], "entry": "PLAN", "edges": good["edges"] }).to_string();
    let good = Says(Box::leak(good.into_boxed_str()));
    for (kind, says) in [(BadShape, "did not have the form"), (Truncated, "cut off before its end")] {
        let (log, stage, _) = play("cyclic", json!({}), workshop(1, [Fails(kind, "{"), good.clone(), WAIT])).await;
        let planned = &notes(&log, "planned")[0];
        assert_eq!((&planned["valid"], &planned["attempts"]), (&json!(true), &json!(2)), "{planned}");
        assert_eq!(notes(&log, "graph")[0]["source"], "planner");
        assert_eq!(stage.asked.lock().unwrap()[..2], ["planner", "planner"]);
        assert!(stage.requests.lock().unwrap()[1].messages[1].text.contains(says));
    }
    let (log, stage, _) = play("cyclic", json!({}), workshop(1, [Fails(Refusal, ""), WAIT])).await;
    assert_eq!(
        (&notes(&log, "planned")[0]["attempts"], &notes(&log, "graph")[0]["source"]),
        (&json!(1), &json!("fallback"))
    );
    assert_ne!(stage.asked.lock().unwrap()[1], "planner");
}

/// Plays with an expert whose every hint is taken, and checks each against its grammar.
async fn follow(base: &str, settings: Value, decoding: Decoding) -> (Vec<String>, Vec<String>) {
    let expert = Some(ToolCall::with("Oil", &[("machine", "lathe")]));
    let architecture = build(base, settings);
    let mut said: Vec<&'static str> = Vec::new();
    loop {
        let replies = said.iter().map(|text| Says(text)).collect::<Vec<_>>();
        let stage = Workshop { decoding, expert: expert.clone(), ..workshop(3, replies) };
        let _ = architecture.play(&stage).await;
        let requests = stage.requests.lock().unwrap();
        for (request, text) in requests.iter().zip(&said) {
            match request.grammar.as_deref() {
                Some(Grammar::Regex(pattern)) => {
                    assert!(
                        regex::Regex::new(&format!("^(?:{pattern})$")).unwrap().is_match(text),
                        "{text}\n{pattern}"
                    );
                }
                Some(Grammar::JsonSchema(schema)) => {
                    let value = serde_json::from_str(text).unwrap();
                    assert!(jsonschema::validator_for(schema).unwrap().is_valid(&value), "{text}\n{schema}");
                }
                _ => assert_eq!(decoding, Decoding::Free),
            }
        }
        if requests.len() <= said.len() {
            return (stage.log(), stage.asked.lock().unwrap().clone());
        }
        let hint = requests.last().unwrap().hint.as_ref().unwrap();
        assert!(!hint.answer.is_empty());
        said.push(Box::leak(hint.answer.clone().into_boxed_str()));
    }
}

// covers: CYC-013, CYC-028, CYC-086
#[tokio::test]
async fn a_competent_player_finds_its_subtask_and_stays_there() {
    for decoding in [Decoding::Free, Decoding::Constrained] {
        for protocol in ["react-text", "json", "native-tools"] {
            let settings = json!({ "graph": search_plan_execute(), "protocol": protocol });
            let (log, asked) = follow("cyclic", settings, decoding).await;
            assert_eq!(asked, ["executor", "executor", "router", "executor", "executor"], "{protocol}: {log:?}");
            assert_eq!(notes(&log, "routed")[0]["to"], "EXECUTE");
            let (_, asked) = follow("cyclic", json!({ "protocol": protocol }), decoding).await;
            assert_eq!(asked[0], "planner");
            let (log, asked) = follow("dag", json!({ "protocol": protocol }), decoding).await;
            assert_eq!(asked[0], "planner", "{log:?}");
            assert_eq!(notes(&log, "planned")[0]["valid"], true, "{log:?}");
        }
    }
}

// covers: CYC-092, CYC-097, CYC-069
#[tokio::test]
async fn a_router_may_be_shown_the_likeliest_ways_and_need_not_be_asked_twice() {
    let nodes: Vec<Node> = (0..20)
        .map(|index| Node { goal: format!("Handle the matter of kind {index}."), ..node(&format!("KIND{index}"), &[]) })
        .chain([Node { goal: "Oil a machine that runs hot.".to_owned(), ..node("OIL", &[]) }])
        .collect();
    let graph = TaskGraph::complete(nodes);
    let settings = json!({ "graph": graph, "candidates": 3 });
    let (log, stage, _) = play("cyclic", settings, workshop(2, [OIL, DONE, to("OIL"), WAIT])).await;
    let told = stage.requests.lock().unwrap()[2].messages[1].text.to_string();
    assert_eq!(told.matches("\"criterion\"").count(), 3);
    assert!(told.contains(r#""to": "OIL""#) && told.contains(r#""to": "KIND0""#), "{told}");
    assert_eq!(notes(&log, "routed")[0]["candidates"], 3);
    let settings = json!({ "graph": search_plan_execute(), "cache_routes": true, "global_calls": 4 });
    // The memory stays empty, so that each empty segment looks like the one before.
    let same = Says(r#"Answer: {"next": "PLAN"}"#);
    let (log, stage, _) = play("cyclic", settings, workshop(9, [DONE, same, DONE, DONE, DONE])).await;
    assert_eq!(stage.asked.lock().unwrap().iter().filter(|role| *role == "router").count(), 1);
    let cached: Vec<Value> = notes(&log, "routed").iter().map(|note| note["cached"].clone()).collect();
    assert_eq!(cached, [json!(false), json!(true), json!(true)]);
}

// covers: CYC-026, CYC-050
#[tokio::test]
async fn react_in_one_conversation_sees_what_came_of_its_actions_within_its_limit() {
    let settings = json!({ "conversation": "episode", "global_calls": 3, "context": ["observation"] });
    let replies = [WAIT, Says("Answer: Jump"), OIL, OIL];
    let (log, stage, played) = play("react", settings, workshop(90, replies)).await;
    assert_eq!(played.unwrap_err().stop, Stop::Horizon);
    assert_eq!(log.iter().filter(|line| line.starts_with("act ")).count(), 2);
    let talk = stage.last_talk();
    assert_eq!(talk.len(), 5, "{talk:?}");
    assert!(talk[2].starts_with("user: Observation:") && talk[4].contains("expected Wait or Oil"), "{talk:?}");
    assert!(error("react", json!({ "global_calls": 3 })).contains("set `conversation: episode`"));
}

// covers: CYC-023, CYC-R07
#[tokio::test]
async fn summaries_of_won_episodes_go_to_the_planner_alone() {
    let shots = "shots:\n  - First gather, then craft.\n  - Look before you leap.\nmade: { model: some-writer }\n";
    let files = TestFiles([("shots/won.yaml".to_owned(), shots.to_owned())].into());
    let kinds = gimbal_architectures::kinds();
    let cyclic = kinds.iter().find(|kind| kind.name() == "cyclic").unwrap();
    let built = cyclic.build(&json!({ "shots": "won", "shots_shown": 1 }), &files).unwrap();
    let stage = workshop(1, [Says("no"), Says("no"), WAIT]);
    let _ = built.play(&stage).await;
    let requests = stage.requests.lock().unwrap();
    let holds = |index: usize| requests[index].messages.iter().any(|message| message.text.contains("First gather"));
    assert_eq!((holds(0), holds(2)), (true, false));
    assert!(!requests[0].messages[1].text.contains("Look before"));
    let told =
        |request: &gimbal_core::AskRequest| request.messages.iter().any(|message| message.text.contains("some-writer"));
    assert!(!requests.iter().any(told), "who wrote them is for people");
    assert!(error("cyclic", json!({ "shots": "lost" })).contains("there is no file shots/lost.yaml"));
}

#[test]
fn settings_that_cannot_be_are_refused_with_what_would_be_right() {
    let list = TaskGraph::list(vec![node("A", &[]), node("B", &[])]);
    for (base, settings, says) in [
        ("cyclic", json!({ "graph": "nowhere" }), "there is no graph `nowhere`"),
        (
            "cyclic",
            json!({ "graph": list }),
            "the graph is a list; cyclic needs `ways: complete`, `sparse` or `machine`",
        ),
        ("dag", json!({ "graph": search_plan_execute() }), "dag needs `ways: list`"),
        ("cyclic", json!({ "size": [5, 2] }), "[5, 2] is not a range"),
        ("cyclic", json!({ "local_calls": 0 }), "at least 1"),
        ("cyclic", json!({ "locall_calls": 5 }), "did you mean `local_calls`"),
        ("cyclic", json!({ "executor": { "persona": "planner" } }), "no way to give control back"),
        (
            "cyclic",
            json!({ "analyzer": { "persona": "analyst" } }),
            "the router must answer with the message `routing`",
        ),
        ("react", json!({ "persona": "executor" }), "finish_subtask"),
        ("hierarchy", json!({ "planner": { "persona": "executor" } }), "finish_subtask"),
    ] {
        let message = error(base, settings);
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn a_graph_file_is_read_drawn_and_compared_and_says_where_it_is_wrong() {
    let graph = search_plan_execute();
    let text = graph::write(&graph);
    assert_eq!(graph::read(&text, "a.yaml").unwrap(), graph);
    insta::assert_snapshot!("graph_file", text);
    insta::assert_snapshot!("graph_dot", graph::dot(&graph));
    insta::assert_snapshot!("graph_mermaid", graph::mermaid(&graph));
    for (from, to, says) in [
        (r#"entry: "PLAN""#, r#"entry: "COOK""#, "there is no subtask `COOK`, which `entry` names"),
        (
            r#"  - { from: "SEARCH", to: "PLAN", criterion: "This is needed next: plan until it is done." }"#,
            "",
            "the way from `SEARCH` to `PLAN` is missing: a complete graph of 3 subtasks has 9 ways, this one 8",
        ),
        (r#"to: "PLAN", criterion: "This"#, r#"to: "PLAN", criterium: "This"#, "criterium"),
        (r#"name: "PLAN""#, r#"name: "SEARCH""#, "two subtasks are called `SEARCH`"),
        (r#"goal: "plan until it is done.""#, r#"goal: " ""#, "says nothing of what is to be done"),
    ] {
        assert!(text.contains(from), "{from}");
        let message = graph::read(&text.replacen(from, to, 1), "a.yaml").unwrap_err().to_string();
        assert!(message.contains(says) && message.starts_with("a.yaml:"), "{message}");
    }
    // The line is told however names are written.
    let quoted = "entry: \"A\"\nnodes:\n  - name: \"A\"\n    goal: \"x\"\n  - name: B\n    goal: y\nedges:\n";
    let line = |ways: &str, edges: &str| {
        let text = format!("ways: {ways}\n{quoted}{edges}");
        let message = graph::read(&text, "a.yaml").unwrap_err().to_string();
        message.split(':').nth(1).unwrap().parse::<u32>().unwrap()
    };
    let (ab, blank) =
        (r#"  - { from: "A", to: "B", criterion: "c" }"#, r#"  - { from: "A", to: "B", criterion: " " }"#);
    let block = "  - from: B\n    to: \"A\"\n    criterion: ''\n";
    assert_eq!(line("sparse", &format!("{ab}\n{ab}\n")), 10, "twice");
    assert_eq!(line("sparse", &format!("{ab}\n{blank}\n").replacen("to: \"B\"", "to: \"A\"", 1)), 10, "no criterion");
    assert_eq!(line("sparse", &format!("{ab}\n{block}")), 10, "no criterion, in a block");
    assert_eq!(line("sparse", &ab.replace('A', "C")), 9, "from nowhere");
    assert_eq!(line("complete", &format!("{ab}\n")), 9, "missing");
    assert_eq!(line("sparse", &format!("{ab}\n")), 6, "no way out of B");
    let list = "ways: list\nentry: B\nnodes:\n  - { name: A, goal: x }\n  - { name: B, goal: y }\n";
    let message = graph::read(list, "l.yaml").unwrap_err().to_string();
    assert_eq!(message, "l.yaml:2: a list begins with its first subtask, `A`; its entry cannot be `B`");
    let mut other = graph.clone();
    other.nodes[1].goal = "plan well".to_owned();
    other.edges.pop();
    other.ways = Ways::Sparse;
    let changes: Vec<String> = graph::diff(&graph, &other).iter().map(ToString::to_string).collect();
    assert_eq!(
        changes,
        [
            "~ ways: complete -> sparse",
            "~ subtask PLAN: plan until it is done. [Wait] -> plan well [Wait]",
            "- way EXECUTE -> EXECUTE",
        ]
    );
    assert!(graph::diff(&graph, &graph).is_empty());
}

proptest! {
    // covers: CYC-002, CYC-R08, CYC-001
    #[test]
    fn a_complete_graph_of_n_has_n_squared_ways_and_lacks_none(n in 1_usize..12, gone in 0_usize..144) {
        let nodes: Vec<Node> = (0..n).map(|index| node(&format!("N{index}"), &[])).collect();
        let mut graph = TaskGraph::complete(nodes);
        prop_assert_eq!(graph.edges.len(), n * n);
        prop_assert!(graph.check(None).is_ok());
        prop_assert!((0..n).all(|place| graph.out_of(place).count() == n), "one decision is linear in n");
        prop_assert_eq!(graph::read(&graph::write(&graph), "x").unwrap(), graph.clone());
        graph.edges.remove(gone % (n * n));
        prop_assert!(graph.check(None).is_err());
    }
}
