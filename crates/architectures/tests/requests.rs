//! What the requests of the controllers hold: all that a player needs, and nothing that is not so.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;
use crate::routing::PlannerOf;

use std::sync::Arc;

use common::Canned::{self, Says};
use common::{TestFiles, Workshop};
use gimbal_architectures::control::{CallResult, Summarised, Summariser, Won, WorkSegment};
use gimbal_architectures::graph::{Node, TaskGraph};
use gimbal_architectures::{cyclic, dag};
use gimbal_core::{Architecture, AskRequest, Brief, Decoding, ModelErrorKind, Speaker, ToolCall};
use gimbal_messages::records::{control, gate};
use gimbal_model::shape::fits;
use serde_json::{Value, json};

const WAIT: Canned = Says("Thought: calm\nAnswer: Wait");
const DONE: Canned = Says("Thought: enough\nTool: finish_subtask: all done\nPAUSE");
const SEEN: &str = "The lathe hums and the press stands still.";
const PROTOCOLS: [&str; 3] = ["react-text", "native-tools", "json"];

fn node(name: &str, tools: &[&str]) -> Node {
    let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
    Node { name: name.to_owned(), goal: format!("{} until it is done.", name.to_lowercase()), tools }
}

fn graph() -> TaskGraph {
    TaskGraph::complete(vec![node("LOOK", &["Wait"]), node("WORK", &["Oil"])])
}

fn workshop(horizon: u32, replies: impl IntoIterator<Item = Canned>) -> Workshop {
    let mut tools = Workshop::new([]).tools.to_vec();
    tools[1].parameters["properties"]["machine"]["enum"] = json!(["lathe", "press"]);
    Workshop {
        horizon,
        records: &[control::KINDS, gate::KINDS],
        seen: SEEN,
        tools: tools.into(),
        ..Workshop::new(replies)
    }
}

fn build(base: &str, settings: &Value) -> Arc<dyn Architecture> {
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == base).unwrap();
    kind.build(settings, &TestFiles::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The requests of a play, each with its role.
async fn requests(base: &str, settings: Value, stage: Workshop) -> Vec<(String, AskRequest)> {
    let _ = build(base, &settings).play(&stage).await;
    let roles = stage.asked.lock().unwrap().clone();
    roles.into_iter().zip(stage.requests.lock().unwrap().clone()).collect()
}

fn text(request: &AskRequest) -> String {
    request.messages.iter().map(|message| format!("{}\n\n", message.text)).collect()
}

fn to(name: &str) -> Canned {
    let answer = json!({ "analysis": "x", "memory": { "hint": "y" }, "next": name, "reason": "z" });
    Says(Box::leak(format!("Thought: on.\nAnswer: {answer}").into_boxed_str()))
}

// covers: CYC-020, CYC-036
#[tokio::test]
async fn what_was_seen_first_stays_in_sight_in_every_segment_and_every_role() {
    let settings = json!({ "graph": graph() });
    let all = requests("cyclic", settings, workshop(9, [WAIT, DONE, to("WORK"), WAIT, DONE, to("LOOK"), WAIT])).await;
    assert_eq!(all.len(), 7 + 1);
    for (role, request) in &all {
        assert!(
            request.messages[1].text.contains(&format!("<first_observation>\n{SEEN}")),
            "{role}: {}",
            text(request)
        );
    }
    let settings = json!({ "persona": "solver", "conversation": "episode" });
    let all = requests("react", settings.clone(), workshop(9, [WAIT, WAIT])).await;
    assert!(all.iter().all(|(_, request)| request.messages[1].text.contains(SEEN)));
    // Nothing is told twice.
    let mut stage = workshop(9, [WAIT]);
    stage.brief = Arc::new(Brief { goal: format!("{SEEN}\nKeep it so."), ..gimbal_agent::sample::brief() });
    let all = requests("react", settings, stage).await;
    assert_eq!(text(&all[0].1).matches(SEEN).count(), 1);
}

// covers: CYC-032, CYC-036
#[tokio::test]
async fn possible_actions_stand_behind_the_latest_message_and_nowhere_else_where_they_change() {
    for protocol in ["react-text", "json"] {
        for (change, before) in [(true, 0), (false, 1)] {
            let say = |tool: &str| -> Canned {
                match protocol {
                    "json" => Says(Box::leak(json!({ "thought": "x", "action": tool }).to_string().into_boxed_str())),
                    _ => Says(Box::leak(format!("Thought: x\nAnswer: {tool}").into_boxed_str())),
                }
            };
            let mut stage = workshop(9, [say("Wait"), say("Oil machine=press"), say("Dance")]);
            stage.brief = Arc::new(Brief { literals_change: change, ..gimbal_agent::sample::brief() });
            let settings = json!({ "persona": "solver", "conversation": "episode", "protocol": protocol });
            let all = requests("react", settings, stage).await;
            assert_eq!(all.len(), 4, "{protocol}");
            for (_, request) in &all {
                let shown = |text: &str| text.matches("<possible_actions>").count();
                let (last, rest) = request.messages.split_last().unwrap();
                let earlier: usize = rest.iter().map(|message| shown(&message.text)).sum();
                let opening = rest.len() == 1;
                assert_eq!((shown(&last.text), earlier), if change || opening { (1, 0) } else { (0, before) });
                let whole = text(request);
                for line in ["\nWait\n", "\nOil machine=lathe\n", "\nOil machine=press\n"] {
                    assert_eq!(whole.matches(line).count(), 1, "{line:?}: {whole}");
                }
                assert_eq!(last.speaker, Speaker::User);
            }
            let refused = &all[3].1.messages.last().unwrap().text;
            assert!(refused.starts_with("The action was refused and nothing was done."), "{refused}");
            assert!(!refused.contains("Attempt"), "each answer is a call: there are no attempts to count");
        }
    }
    // A study may take the list away.
    let settings = json!({ "persona": "solver", "conversation": "episode", "flags": { "list_literals": false } });
    let all = requests("react", settings, workshop(9, [WAIT])).await;
    assert!(!text(&all[0].1).contains("<possible_actions>"));
}

// covers: CYC-027, CYC-036
#[tokio::test]
async fn a_specialist_is_told_of_its_own_tools_and_no_others_in_every_protocol() {
    for protocol in PROTOCOLS {
        for (decoding, change) in [(Decoding::Free, false), (Decoding::Constrained, true)] {
            let mut stage = workshop(9, []);
            stage.decoding = decoding;
            stage.brief = Arc::new(Brief { literals_change: change, ..gimbal_agent::sample::brief() });
            let settings = json!({ "graph": graph(), "exposure": "specialist", "protocol": protocol });
            let all = requests("cyclic", settings, stage).await;
            let request = &all[0].1;
            assert!(!text(request).contains("Oil"), "{protocol}: {}", text(request));
            assert!(text(request).contains(r#""tools": ["Wait"]"#), "{}", text(request));
            let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
            assert_eq!(names, if protocol == "native-tools" { &["finish_subtask", "Wait"][..] } else { &[] });
            if let Some(grammar) = &request.grammar {
                assert!(!format!("{grammar:?}").contains("Oil"), "{grammar:?}");
            }
        }
        // A generalist is told about all of them.
        let settings = json!({ "graph": graph(), "protocol": protocol });
        let all = requests("cyclic", settings, workshop(9, [])).await;
        assert!(text(&all[0].1).contains("Oil"));
    }
}

// covers: CYC-010
#[tokio::test]
async fn a_router_sees_the_goal_and_the_tools_of_every_way_and_a_repair_what_was_asked() {
    let settings = json!({ "graph": graph() });
    let all = requests("cyclic", settings, workshop(9, [WAIT, DONE, to("COOK"), to("WORK")])).await;
    let way = r#"{"to": "WORK", "goal": "work until it is done.", "tools": ["Oil"], "criterion": "#;
    assert_eq!((all[2].0.as_str(), all[3].0.as_str()), ("router", "router"));
    for (_, request) in &all[2..4] {
        assert!(request.messages[1].text.contains(way), "{}", text(request));
    }
    assert!(all[3].1.messages[1].text.contains("`next` must be one of: LOOK, WORK"));
}

// covers: CYC-020, CYC-021, CYC-022
#[tokio::test]
async fn planners_of_a_task_and_of_a_family_are_two_and_both_are_told_the_size() {
    for (base, planner, personas) in [
        ("cyclic", cyclic::family_planner as PlannerOf, ["graph-planner", "family-planner"]),
        ("dag", dag::family_planner, ["list-planner", "family-list-planner"]),
    ] {
        let settings = json!({ "size": [3, 5] });
        let one = requests(base, settings.clone(), workshop(9, [Says("Well."), Says("Well.")])).await;
        let planner = planner(&settings, &TestFiles::default()).unwrap();
        let stage = workshop(9, [Says("Well."), Says("Well.")]);
        planner.play(&stage).await.unwrap();
        let family = stage.requests.lock().unwrap().clone();
        let size = r#""size": {"least": 3, "most": 5}"#;
        let goal = gimbal_agent::sample::brief().goal;
        for (at, request) in [&one[0].1, &one[1].1, &family[0], &family[1]].into_iter().enumerate() {
            let told = text(request);
            assert!(told.contains(size) && told.contains(r#""tools": [{"name": "Wait""#), "{told}");
            assert_eq!((told.contains(&goal), told.contains(SEEN)), (at < 2, at < 2), "{told}");
        }
        assert_ne!(one[0].1.messages[0].text, family[0].messages[0].text, "{personas:?}");
        assert!(family[0].messages[0].text.contains("family of tasks"));
        assert!(!one[0].1.messages[0].text.contains("family"));
    }
}

// covers: CYC-023
#[test]
fn summaries_for_a_planner_are_refused_where_nobody_plans() {
    let kinds = gimbal_architectures::kinds();
    for (base, from) in [("cyclic", "family"), ("cyclic", "suggested"), ("dag", "family")] {
        let kind = kinds.iter().find(|kind| kind.name() == base).unwrap();
        let built = kind.build(&json!({ "graph": from, "shots": "x" }), &TestFiles::default());
        let error = built.err().unwrap().to_string();
        assert!(error.starts_with(&format!("{base}: shots: nobody plans here")), "{error}");
    }
}

/// The hints of a play by an expert whose next call is `Oil`.
async fn hints(settings: Value, replies: impl IntoIterator<Item = Canned>) -> Vec<(String, String)> {
    let mut stage = workshop(9, replies);
    stage.expert = Some(ToolCall::with("Oil", &[("machine", "lathe")]));
    let all = requests("cyclic", settings, stage).await;
    all.into_iter().map(|(role, request)| (role, request.hint.unwrap().answer)).collect()
}

// covers: CYC-086, CYC-084
#[tokio::test]
async fn a_displaced_player_does_what_its_tools_allow_before_it_hands_back() {
    let oil = "Thought: Best now.\nAnswer: Oil machine=lathe";
    let back = "Thought: Best now.\nTool: finish_subtask: Done as far as it goes.\nPAUSE";
    // A generalist may make the call, and makes it; then the work goes on elsewhere.
    let all = hints(json!({ "graph": graph() }), [WAIT]).await;
    assert_eq!(all, [("executor".to_owned(), oil.to_owned()), ("executor".to_owned(), back.to_owned())]);
    // A specialist looks around first: being sent to the wrong place costs something.
    let all = hints(json!({ "graph": graph(), "exposure": "specialist" }), [WAIT]).await;
    let wait = "Thought: Best now.\nAnswer: Wait";
    assert_eq!(all, [("executor".to_owned(), wait.to_owned()), ("executor".to_owned(), back.to_owned())]);
}

// covers: CYC-015, CYC-020
#[tokio::test]
async fn a_repair_can_succeed_and_a_planned_graph_names_its_task() {
    let all = hints(json!({}), [Says("Well."), Says("Well.")]).await;
    assert_eq!((all[0].0.as_str(), all[1].0.as_str()), ("planner", "planner"));
    assert!(all[0].1.contains("The task: Keep every machine of the workshop running."), "{}", all[0].1);
    let bare: Value = serde_json::from_str(&all[1].1).unwrap();
    assert!(all[0].1.ends_with(&all[1].1) && bare["nodes"].is_array());
    let all = hints(json!({ "graph": graph() }), [DONE, Says("Well.")]).await;
    assert_eq!(all[2].0, "router");
    assert_eq!(serde_json::from_str::<Value>(&all[2].1).unwrap()["next"], "WORK");
}

fn call_result(result: &str) -> CallResult {
    CallResult { call: ToolCall::with("Oil", &[("machine", "press")]), result: result.to_owned() }
}

fn work_segment(subtask: &str, calls: Vec<CallResult>) -> WorkSegment {
    WorkSegment { subtask: subtask.to_owned(), goal: format!("{subtask} until done."), calls, ended: "done".to_owned() }
}

/// What a summariser came to that was answered with these replies, and the stage that it was played on.
async fn summed_up(protocol: &str, won: Won, stage: Workshop) -> (Summarised, Workshop) {
    let summariser = Summariser::new(&json!({ "protocol": protocol }), &TestFiles::default()).unwrap();
    let work = summariser.of(won);
    work.play(&stage).await.unwrap();
    (work.made().unwrap(), stage)
}

fn said(protocol: &str, answer: &Value) -> Canned {
    let text = match protocol {
        "react-text" => format!("Thought: so.\nAnswer: {answer}"),
        "json" => json!({ "thought": "so", "answer": answer }).to_string(),
        _ => json!({ "reasoning": "so", "answer": answer }).to_string(),
    };
    Says(Box::leak(text.into_boxed_str()))
}

// covers: CYC-023
#[tokio::test]
async fn a_summariser_is_told_the_work_in_order_within_bounds_and_asked_once() {
    let good = json!({ "summary": "First look, then work." });
    for protocol in PROTOCOLS {
        let won = Won {
            task: Some("Keep the press running.".to_owned()),
            segments: vec![
                work_segment("LOOK", vec![call_result("It is dry.")]),
                work_segment("WORK", vec![call_result("It is oiled.")]),
            ],
            plain: "never shown".to_owned(),
        };
        let (made, stage) = summed_up(protocol, won, workshop(1, [said(protocol, &good)])).await;
        assert_eq!(made, Summarised { summary: Some("First look, then work.".to_owned()), problems: Vec::new() });
        assert_eq!(*stage.asked.lock().unwrap(), ["summariser"], "{protocol}");
        let told = text(&stage.requests.lock().unwrap()[0]);
        assert!(told.contains("\"task\": \"Keep the press running.\""), "{told}");
        assert!(told.contains("\"name\": \"LOOK\", \"goal\": \"LOOK until done.\""), "{told}");
        let at = |words: &str| told.find(words).unwrap_or_else(|| panic!("{words}: {told}"));
        assert!(
            at("\"call\": \"Oil machine=press\", \"result\": \"It is dry.\"") < at("\"result\": \"It is oiled.\""),
            "{told}"
        );
        assert!(!told.contains("never shown"), "what code would write is shown to nobody");
    }
    // A long episode: its latest segments, the latest calls of each, and no long text.
    let long = |segment: usize| {
        let calls = (0..30).map(|call| call_result(&format!("s{segment}c{call} {}", "x".repeat(9_000)))).collect();
        work_segment(&format!("S{segment}"), calls)
    };
    let won = Won { task: Some("y".repeat(90_000)), segments: (0..100).map(long).collect(), plain: String::new() };
    let (_, stage) = summed_up("react-text", won, workshop(1, [said("react-text", &good)])).await;
    let request = stage.requests.lock().unwrap()[0].clone();
    let told = &request.messages[1].text;
    let record = told.split("<record>").nth(1).unwrap().split("</record>").next().unwrap();
    let record: Value = serde_json::from_str(record.trim()).unwrap();
    let work = record["work"].as_array().unwrap();
    assert_eq!((work.len(), &record["earlier_segments"]), (40, &json!(60)));
    let counts: Vec<(usize, u64)> = work
        .iter()
        .map(|one| (one["calls"].as_array().unwrap().len(), one["earlier_calls"].as_u64().unwrap()))
        .collect();
    assert_eq!(counts[34..], [(0, 30), (12, 18), (12, 18), (12, 18), (12, 18), (12, 18)], "60 calls in all");
    assert!(counts[..34].iter().all(|count| *count == (0, 30)));
    let last = work[39]["calls"].as_array().unwrap();
    assert!(last[11]["result"].as_str().unwrap().starts_with("s99c29 "), "the latest are shown");
    assert!(last.iter().all(|call| call["result"].as_str().unwrap().chars().count() == 300));
    assert_eq!(record["task"].as_str().unwrap().len(), 2_000);
    assert!(told.len() < 40_000, "{}", told.len());
}

// covers: CYC-023
#[tokio::test]
async fn what_holds_no_summary_is_asked_for_once_more_and_never_replaced() {
    let won = || Won {
        segments: vec![work_segment("LOOK", vec![call_result("dry")])],
        plain: "by code".to_owned(),
        ..Won::default()
    };
    let good = Says("{\"summary\": \"Look first.\"}");
    for (bad, says) in [
        (said("react-text", &json!({ "text": "Look first." })), "the key `summary` is missing"),
        (said("react-text", &json!({ "summary": "" })), "`summary` is empty"),
        (Says("The weather is fine."), "no JSON object"),
    ] {
        let (made, stage) = summed_up("react-text", won(), workshop(1, [bad.clone(), good.clone()])).await;
        assert_eq!(made.clone().into_summary().as_deref(), Ok("Look first."));
        assert!(made.problems[0].contains(says), "{made:?}");
        let repair = text(&stage.requests.lock().unwrap()[1]);
        assert!(repair.contains(says) && repair.contains("\"subtask\": \"LOOK\""), "{repair}");
        let (made, stage) = summed_up("react-text", won(), workshop(1, [bad, Says("Never."), good.clone()])).await;
        assert_eq!(stage.requests.lock().unwrap().len(), 2, "asked once more and not again");
        let error = made.into_summary().unwrap_err();
        assert_eq!(error.problems.len(), 2);
        assert!(error.to_string().contains(says) && error.to_string().contains("; once more: "), "{error}");
    }
    let refuses = Canned::Fails(ModelErrorKind::Refusal, "");
    let (made, _) = summed_up("react-text", won(), workshop(1, [refuses])).await;
    assert_eq!(made, Summarised { summary: None, problems: vec!["the model gave nothing: refusal".to_owned()] });
}

/// What the noisy expert writes there: the summary of plain code where it is competent, in a form that a mask lets through.
// covers: CYC-023, CYC-086
#[tokio::test]
async fn a_competent_summary_is_the_one_that_code_writes_and_fits_every_mask() {
    let plain = format!("Task: \"oil\" the press\\lathe. Won with 2 calls: {}.", "LOOK (1 x Oil), ".repeat(60));
    for protocol in PROTOCOLS {
        for decoding in [Decoding::Free, Decoding::Constrained] {
            let won = Won {
                segments: vec![work_segment("LOOK", vec![call_result("dry")])],
                plain: plain.clone(),
                ..Won::default()
            };
            let stage =
                Workshop { decoding, expert: Some(ToolCall::bare("Wait")), ..workshop(1, [Says("x"), Says("x")]) };
            let (_, stage) = summed_up(protocol, won, stage).await;
            let requests = std::mem::take(&mut *stage.requests.lock().unwrap());
            for (at, request) in requests.iter().enumerate() {
                let hint = request.hint.clone().unwrap();
                assert_eq!(request.grammar.is_some(), decoding == Decoding::Constrained, "{protocol} {at}");
                if let Some(grammar) = &request.grammar {
                    assert!(fits(grammar, &hint.answer), "{protocol} {at}: {}", hint.answer);
                    assert!(hint.alternatives.iter().any(|text| !fits(grammar, text)), "{protocol} {at}");
                }
                let reply = Says(Box::leak(hint.answer.into_boxed_str()));
                let (made, _) = summed_up(protocol, Won::default(), workshop(1, [reply])).await;
                let summary = made.into_summary().unwrap();
                assert!(
                    summary.starts_with("Task: oil the press lathe. Won with 2 calls: LOOK (1 x Oil)"),
                    "{summary}"
                );
                assert!(summary.chars().count() <= 400, "{summary}");
            }
        }
    }
}
