//! The deliberation tools against canned transcripts.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::sync::Arc;

use common::{Canned, TestFiles, Workshop};
use gimbal_agent::persona::data::ImproveReply;
use gimbal_agent::{Agent, Overrides, Persona, Protocol};
use gimbal_core::stage::LaneId;
use gimbal_core::{Decoding, Grammar, ToolCall};
use serde_json::json;

use Canned::{Calls, Says};

/// The planner with these of question, critique, improve.
fn planner(question: bool, critique: bool, improve: bool, overrides: Overrides) -> Agent {
    let mut overrides = overrides;
    overrides.flags.include_tool_raise_a_question = Some(question);
    overrides.flags.include_tool_critique_the_answer = Some(critique);
    overrides.flags.include_tool_improve_based_on_critique = Some(improve);
    let persona = Arc::new(Persona::load("planner", &TestFiles::default()).unwrap());
    Agent::new(persona, "default", &overrides).unwrap()
}

fn all() -> Agent {
    planner(true, true, true, Overrides::default())
}

async fn step(agent: &Agent, stage: &Workshop) {
    let session = agent.session(stage).await.unwrap();
    let _ = session.step(stage, LaneId::MAIN, &[]).await;
}

async fn log_of(agent: &Agent, replies: impl IntoIterator<Item = Canned>) -> (Vec<String>, Workshop) {
    let stage = Workshop::new(replies);
    step(agent, &stage).await;
    (stage.log(), stage)
}

const QUESTION: &str = "Thought: t\nTool: raise_a_question: is it hot?\nPAUSE";

// covers: BOG-110, BOG-111, BOG-112, BOG-R08
#[tokio::test]
async fn each_tool_answers_with_words_to_think_on() {
    let (log, stage) = log_of(
        &all(),
        [
            Says(QUESTION),
            Says("Thought: t\nTool: critique_the_answer: it is hot, so oil it\nPAUSE"),
            Says("Thought: t\nTool: improve_based_on_critique: it is warm {{ at most }}\nPAUSE"),
            Says("Thought: t\nAnswer: Wait"),
        ],
    )
    .await;
    assert_eq!(
        log,
        [
            r#"note deliberated {"agent":"default","tool":"raise_a_question","over_budget":false}"#,
            r#"note deliberated {"agent":"default","tool":"critique_the_answer","over_budget":false}"#,
            r#"note deliberated {"agent":"default","tool":"improve_based_on_critique","over_budget":false}"#,
            "act Wait because t",
        ]
    );
    let talk = stage.last_talk();
    assert_eq!(
        talk[2],
        "user: Observation: You raised this question: is it hot?\nWhat can you say in answer to it from what you already know?"
    );
    assert!(talk[4].starts_with("user: Observation: Your reasoning was: it is hot, so oil it\nAssess it critically"));
    // What the agent wrote is a value and no template; the default asks for the final answer.
    assert!(talk[6].contains("it is warm {{ at most }}\nProceed on this basis to your final answer."), "{}", talk[6]);
    let variant = Overrides { improve_reply: Some(ImproveReply::ImprovedThought), ..Overrides::default() };
    let replies = [Says("Tool: improve_based_on_critique: x\nPAUSE"), Says("Thought: t\nAnswer: Wait")];
    let (_, stage) = log_of(&planner(false, false, true, variant), replies).await;
    assert!(stage.last_talk()[2].ends_with("Proceed on this basis with an improved thought or an improved action."));
}

// covers: BOG-117
#[tokio::test]
async fn questions_are_limited_and_the_reply_says_so() {
    let (log, stage) = log_of(&all(), [[QUESTION; 4].map(Says).to_vec(), vec![Says("Answer: Wait")]].concat()).await;
    let over: Vec<bool> =
        log.iter().filter(|line| line.contains("deliberated")).map(|line| line.contains("true")).collect();
    assert_eq!(over, [false, false, false, true]);
    assert!(stage.last_talk().last().unwrap().contains("you must answer now"));
    let own = planner(true, false, false, Overrides { question_budget: Some(0), ..Overrides::default() });
    let (log, _) = log_of(&own, [Says(QUESTION), Says("Answer: Wait")]).await;
    assert!(log[0].contains(r#""over_budget":true"#));
}

// covers: BOG-116
#[tokio::test]
async fn nothing_is_carried_over_to_the_next_step() {
    let stage = Workshop {
        horizon: 2,
        ..Workshop::new(
            [[QUESTION; 3].map(Says).to_vec(), vec![Says("Answer: Wait"), Says(QUESTION), Says("Answer: Wait")]]
                .concat(),
        )
    };
    let agent = all();
    step(&agent, &stage).await;
    step(&agent, &stage).await;
    assert!(!stage.log().iter().any(|line| line.contains("true")), "{:?}", stage.log());
    assert_eq!(stage.last_talk().len(), 3, "the second step begins afresh");
}

// covers: BOG-024, BOG-118, BOG-230
#[tokio::test]
async fn any_subset_can_be_had_and_the_order_is_a_hint_only() {
    for bits in 0_u8..8 {
        let [question, critique, improve] = [1, 2, 4].map(|bit| bits & bit != 0);
        let agent = planner(question, critique, improve, Overrides::default());
        let (_, stage) = log_of(&agent, [Says("Thought: t\nAnswer: Wait")]).await;
        let system = stage.requests.lock().unwrap()[0].messages[0].text.to_string();
        let names = ["raise_a_question", "critique_the_answer", "improve_based_on_critique"];
        for (name, on) in names.iter().zip([question, critique, improve]) {
            assert_eq!(system.contains(&format!("Tool: {name}: <")), on, "{bits} {name}");
        }
    }
    // Criticism without a question is carried out.
    let replies = [Says("Thought: t\nTool: critique_the_answer: x\nPAUSE"), Says("Thought: t\nAnswer: Wait")];
    let (log, _) = log_of(&planner(false, true, false, Overrides::default()), replies).await;
    assert_eq!(log.len(), 2);
    assert!(log[0].contains("deliberated"));
}

// covers: BOG-224
#[tokio::test]
async fn the_name_of_the_flag_is_taken_for_the_tool_and_noted() {
    let replies = [Says("Thought: t\nTool: include_tool_raise_a_question: x\nPAUSE"), Says("Thought: t\nAnswer: Wait")];
    let (log, _) = log_of(&all(), replies).await;
    assert_eq!(log[0], r#"note tool_alias {"written":"include_tool_raise_a_question","tool":"raise_a_question"}"#);
    assert!(log[1].contains("deliberated"));
}

#[tokio::test]
async fn a_tool_that_is_off_is_unknown() {
    let (log, _) =
        log_of(&planner(false, false, true, Overrides::default()), [Says(QUESTION), Says("Answer: Wait")]).await;
    assert_eq!(log[0], r#"note tool_failed {"tool":"raise_a_question","message":"unknown"}"#);
}

#[tokio::test]
async fn native_calls_and_json_deliberate_too() {
    let native = |question| {
        let overrides = Overrides { protocol: Some(Protocol::NativeTools), ..Overrides::default() };
        planner(question, false, false, overrides)
    };
    let asks = Calls("", vec![("1", "raise_a_question", json!({ "reasoning": "r", "question": "is it hot?" }))]);
    let (log, stage) = log_of(&native(true), [asks, Calls("", vec![("2", "Wait", json!({}))])]).await;
    assert!(log[1].contains("deliberated"), "{log:?}");
    assert!(stage.last_talk()[2].contains("You raised this question: is it hot?"), "{:?}", stage.last_talk());
    let names: Vec<String> = stage.requests.lock().unwrap()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["raise_a_question", "Wait", "Oil"]);
    let overrides = Overrides { protocol: Some(Protocol::Json), ..Overrides::default() };
    let asks = Says(r#"{"thought": "t", "tool": "raise_a_question", "input": "is it hot?"}"#);
    let (_, stage) =
        log_of(&planner(true, false, false, overrides), [asks, Says(r#"{"thought": "t", "action": "Wait"}"#)]).await;
    assert!(stage.last_talk()[2].contains("You raised this question: is it hot?"));
}

// A model that never stops calling tools ends in the idle call, and every turn is counted.
#[tokio::test]
async fn a_model_that_never_answers_uses_up_its_turns() {
    let (log, stage) = log_of(&all(), [QUESTION; 40].map(Says)).await;
    assert_eq!(stage.requests.lock().unwrap().len(), 30, "ten turns an answer, three answers");
    assert_eq!(log.iter().filter(|line| line.starts_with("note turns_exhausted")).count(), 3);
    assert_eq!(log.last().unwrap(), "act Wait because -");
}

#[tokio::test]
async fn a_mask_lets_deliberation_through_and_an_expert_uses_each_tool_once() {
    let expert = Some(ToolCall::with("Oil", &[("machine", "lathe")]));
    for protocol in [Protocol::ReactText, Protocol::Json, Protocol::NativeTools] {
        let agent = planner(true, true, true, Overrides { protocol: Some(protocol), ..Overrides::default() });
        let stage = Workshop {
            decoding: Decoding::Constrained,
            expert: expert.clone(),
            ..Workshop::new([Says("Tool: raise_a_question: x\nPAUSE"), Says("never read")])
        };
        step(&agent, &stage).await;
        let requests = stage.requests.lock().unwrap();
        let hint = requests[0].hint.as_ref().unwrap();
        assert!(hint.answer.contains("raise_a_question"), "{}", hint.answer);
        match &**requests[0].grammar.as_ref().unwrap() {
            Grammar::Regex(pattern) => {
                assert!(regex::Regex::new(&format!("^(?:{pattern})$")).unwrap().is_match(&hint.answer));
            }
            Grammar::JsonSchema(schema) => {
                let validator = jsonschema::validator_for(schema).unwrap();
                assert!(validator.is_valid(&serde_json::from_str(&hint.answer).unwrap()), "{}", hint.answer);
            }
            other => panic!("{other:?}"),
        }
    }
}
