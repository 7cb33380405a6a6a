//! The engine against canned transcripts.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{Canned, TestFiles, Workshop};

use gimbal_agent::{Agent, Flags, Overrides, Persona, Protocol};
use gimbal_core::stage::LaneId;
use gimbal_core::{
    Block, Decoding, EpisodeStopped, Grammar, ModelErrorKind, Speaker, Stop, ToolCall, Usage, UsageSource,
};
use serde_json::json;

use Canned::{Calls, Fails, Says};

fn planner(overrides: Overrides) -> Agent {
    agent(&TestFiles::default(), overrides)
}

fn agent(files: &TestFiles, overrides: Overrides) -> Agent {
    Agent::new(Arc::new(Persona::load("planner", files).unwrap()), "default", &overrides).unwrap()
}

/// The planner with a tool; `critical` as given.
fn inspector(critical: bool, overrides: Overrides) -> Agent {
    let tools = format!("tools:\n  - {{ query: subject_state, critical: {critical} }}");
    agent(&TestFiles::with("personas/planner/core.yaml", "tools: []", &tools), overrides)
}

fn protocol(protocol: Protocol) -> Overrides {
    Overrides { protocol: Some(protocol), ..Overrides::default() }
}

/// Plays to the end as `react` does.
async fn play(agent: &Agent, stage: &Workshop) -> EpisodeStopped {
    let session = agent.session(stage).await.unwrap();
    let names = ["status".to_owned(), "history".to_owned()];
    loop {
        let blocks = gimbal_core::Stage::context(stage, LaneId::MAIN, &names).await.unwrap();
        if let Err(halt) = session.step(stage, LaneId::MAIN, &blocks).await {
            return halt;
        }
    }
}

async fn log_of(agent: &Agent, replies: impl IntoIterator<Item = Canned>) -> (Vec<String>, Workshop) {
    let stage = Workshop::new(replies);
    play(agent, &stage).await;
    (stage.log(), stage)
}

// covers: BOG-038, BOG-106
#[tokio::test]
async fn an_answer_acts_with_its_justification() {
    let (log, stage) =
        log_of(&planner(Overrides::default()), [Says("Thought: it squeaks\nAnswer: Oil machine=lathe")]).await;
    assert_eq!(log, ["act Oil machine=lathe because it squeaks"]);
    assert_eq!(
        stage.last_talk(),
        [
            "user: This is step 1.\n\n[status before step 1]\n\n[history before step 1]\n\nWhich action do you take in this step?"
        ]
    );
    assert_eq!(stage.requests.lock().unwrap()[0].stop, ["\nObservation:"]);
    assert!(stage.requests.lock().unwrap()[0].grammar.is_none());
}

// covers: BOG-031
#[tokio::test]
async fn every_step_starts_afresh_and_shares_the_system_message() {
    let agent = planner(Overrides::default());
    let stage =
        Workshop { horizon: 3, ..Workshop::new(["one", "two", "three"].map(|_| Says("Thought: t\nAnswer: Wait"))) };
    assert_eq!(play(&agent, &stage).await.stop, Stop::Horizon);
    let requests = stage.requests.lock().unwrap();
    assert_eq!(requests.len(), 3);
    for (request, step) in requests.iter().zip(1..) {
        assert_eq!(request.messages.len(), 2, "nothing of earlier steps");
        assert!(request.messages[1].text.starts_with(&format!("This is step {step}.")));
        assert!(Arc::ptr_eq(&request.messages[0], &requests[0].messages[0]));
    }
}

// covers: BOG-031
#[tokio::test]
async fn episodes_with_the_same_brief_share_the_system_message() {
    let agent = planner(Overrides::default());
    let mut systems = Vec::new();
    for _ in 0..2 {
        let (_, stage) = log_of(&agent, [Says("Answer: Wait")]).await;
        systems.push(Arc::clone(&stage.requests.lock().unwrap()[0].messages[0]));
    }
    assert!(Arc::ptr_eq(&systems[0], &systems[1]));
    let mut stage = Workshop::new([Says("Answer: Wait")]);
    Arc::make_mut(&mut stage.brief).goal = "Another goal.".to_owned();
    play(&agent, &stage).await;
    assert!(stage.requests.lock().unwrap()[0].messages[0].text.contains("Another goal."));
}

// covers: BOG-040, BOG-041, SH-02
#[tokio::test]
async fn a_tool_is_used_and_the_loop_goes_on() {
    let (log, stage) = log_of(
        &inspector(false, Overrides::default()),
        [
            Says("Thought: look first\nTool: get_machine_state: lathe\nPAUSE"),
            Says("Thought: low\nAnswer: Oil machine=lathe"),
        ],
    )
    .await;
    assert_eq!(log, [r#"query subject_state {"subject":"lathe"}"#, "act Oil machine=lathe because low"]);
    assert_eq!(
        stage.last_talk()[1..],
        [
            "assistant: Thought: look first\nTool: get_machine_state: lathe\nPAUSE",
            r#"user: Observation: {"oil": "low"}"#,
        ]
    );
}

// covers: BOG-044
#[tokio::test]
async fn tool_errors_become_observations() {
    let (log, stage) = log_of(
        &inspector(false, Overrides::default()),
        [
            Says("Thought: t\nTool: get_machine_state: drill\nPAUSE"),
            Says("Thought: t\nTool: phone: home\nPAUSE"),
            Says("Thought: t\nAnswer: Wait"),
        ],
    )
    .await;
    assert_eq!(
        log,
        [
            r#"query subject_state {"subject":"drill"}"#,
            r#"note tool_failed {"tool":"get_machine_state","message":"no such machine"}"#,
            r#"note tool_failed {"tool":"phone","message":"unknown"}"#,
            "act Wait because t",
        ]
    );
    let talk = stage.last_talk();
    assert_eq!(talk[2], "user: Observation: The tool get_machine_state failed: no such machine");
    assert_eq!(talk[4], "user: Observation: There is no tool named phone. Your tools: get_machine_state.");
    let (_, stage) = log_of(
        &planner(Overrides::default()),
        [Says("Thought: t\nTool: phone: home\nPAUSE"), Says("Thought: t\nAnswer: Wait")],
    )
    .await;
    let expected = "user: Observation: There is no tool named phone. You have no tools. Give your answer.";
    assert_eq!(stage.last_talk()[2], expected);
}

// covers: BOG-224
#[tokio::test]
async fn the_name_of_a_flag_is_taken_for_the_tool() {
    let (log, _) = log_of(
        &inspector(false, Overrides::default()),
        [Says("Thought: t\nTool: include_tool_subject_state: lathe\nPAUSE"), Says("Thought: t\nAnswer: Wait")],
    )
    .await;
    assert_eq!(log[0], r#"note tool_alias {"written":"include_tool_subject_state","tool":"get_machine_state"}"#);
    assert_eq!(log[1], r#"query subject_state {"subject":"lathe"}"#);
}

// covers: BOG-056
#[tokio::test]
async fn after_a_critical_tool_the_answer_is_due() {
    let look = "Thought: t\nTool: get_machine_state: lathe\nPAUSE";
    let (log, stage) =
        log_of(&inspector(true, Overrides::default()), [Says(look), Says(look), Says("Thought: t\nAnswer: Wait")])
            .await;
    assert_eq!(
        log,
        [
            r#"query subject_state {"subject":"lathe"}"#,
            r#"note answer_due {"tool":"get_machine_state"}"#,
            "act Wait because t",
        ]
    );
    assert!(stage.last_talk()[4].contains("your next message must be your answer"));
}

// covers: BOG-032, BOG-033, BOG-042
#[tokio::test]
async fn what_is_wrong_is_fed_back_in_the_same_conversation() {
    let (log, stage) = log_of(
        &planner(Overrides::default()),
        [
            Says("I would rather dance."),
            Says("Thought: t\nAnswer: Oil machine=drill"),
            Says("Thought: ok\nAnswer: Oil machine=press"),
        ],
    )
    .await;
    assert_eq!(
        log,
        [
            r#"reject unreadable "I would rather dance.""#,
            "refused Oil machine=drill",
            "act Oil machine=press because ok"
        ]
    );
    let talk = stage.last_talk();
    assert_eq!(talk.len(), 5);
    assert_eq!(talk[1], "assistant: I would rather dance.");
    assert_eq!(
        talk[2],
        "user: Attempt 1 of 3 failed. You wrote:\nI would rather dance.\nIt was rejected: your message has no \
         line that begins with \"Answer:\"\nAnswer again with one valid action that has everything it requires."
    );
    assert!(talk[4].contains("Attempt 2 of 3") && talk[4].contains("machines: lathe, press"), "{}", talk[4]);
}

// covers: BOG-033
#[tokio::test]
async fn an_answer_that_was_rejected_and_comes_again_is_called_a_repetition() {
    let wrong = "Thought: t\nAnswer: Oil machine=drill";
    let replies = [Says(wrong), Says(wrong), Says("Thought: ok\nAnswer: Wait")];
    let (log, stage) = log_of(&planner(Overrides::default()), replies).await;
    assert_eq!(log.last().map(String::as_str), Some("act Wait because ok"));
    let talk = stage.last_talk();
    let repetition = "You wrote the same before, and it was rejected then too. Write another action this time.";
    assert!(!talk[2].contains(repetition) && talk[2].ends_with("that has everything it requires."), "{}", talk[2]);
    assert!(talk[4].ends_with(repetition), "{}", talk[4]);
}

// covers: BOG-033
#[tokio::test]
async fn a_copied_placeholder_is_named_as_one_with_the_actions_that_need_none() {
    let replies = [Says("Thought: t\nAnswer: Oil machine=<name>"), Says("Thought: ok\nAnswer: Wait")];
    let (log, stage) = log_of(&planner(Overrides::default()), replies).await;
    assert_eq!(log.last().map(String::as_str), Some("act Wait because ok"));
    let talk = stage.last_talk();
    assert!(
        talk[2].contains(
            "It was rejected: <name> is a placeholder. Write in its place what it stands for, exactly as it was shown \
             to you. If nothing was shown to you that fits, choose an action that has no placeholder: Wait."
        ),
        "{}",
        talk[2]
    );
}

// covers: BOG-033, BOG-034
#[tokio::test]
async fn after_the_last_attempt_the_idle_call_is_made() {
    let (log, stage) = log_of(&planner(Overrides::default()), ["a", "b", "c", "d"].map(Says)).await;
    assert_eq!(
        log,
        [
            r#"reject unreadable "a""#,
            r#"reject unreadable "b""#,
            r#"reject unreadable "c""#,
            "fallback Wait attempts",
            "act Wait because -",
        ]
    );
    assert_eq!(stage.requests.lock().unwrap().len(), 3);
    let once = Overrides { max_attempts: Some(1), ..Overrides::default() };
    let (log, _) = log_of(&planner(once), ["a", "b"].map(Says)).await;
    assert_eq!(log.len(), 3);
}

// covers: BOG-043
#[tokio::test]
async fn turns_are_capped_and_the_fixed_text_fails_validation() {
    let two = Overrides { turns: Some(2), max_attempts: Some(2), ..Overrides::default() };
    let look = "Thought: t\nTool: get_machine_state: lathe\nPAUSE";
    let (log, stage) = log_of(&inspector(false, two), [look, look, look, look, look].map(Says)).await;
    let query = r#"query subject_state {"subject":"lathe"}"#;
    // It was told that the last message must be the answer.
    let due = r#"note answer_due {"tool":"get_machine_state"}"#;
    assert_eq!(
        log,
        [
            query,
            due,
            r#"note turns_exhausted {"attempt":1,"turns":2}"#,
            r#"reject unreadable "NO ANSWER WITHIN THE ALLOWED TURNS""#,
            query,
            due,
            r#"note turns_exhausted {"attempt":2,"turns":2}"#,
            r#"reject unreadable "NO ANSWER WITHIN THE ALLOWED TURNS""#,
            "fallback Wait attempts",
            "act Wait because -",
        ]
    );
    assert_eq!(stage.requests.lock().unwrap().len(), 4);
    assert_eq!(planner(Overrides::default()).settings().turns, 10);
}

// covers: BOG-047
#[tokio::test]
async fn model_errors_are_failed_attempts_and_never_text() {
    for kind in [ModelErrorKind::Refusal, ModelErrorKind::Truncated, ModelErrorKind::BadShape] {
        let (log, stage) = log_of(
            &planner(Overrides::default()),
            [Fails(kind, "Answer: Oil machine=lathe"), Says("Thought: t\nAnswer: Wait")],
        )
        .await;
        let note = format!(r#"note attempt_failed {{"attempt":1,"reason":"{}"}}"#, kind.name());
        assert_eq!(log, [note.as_str(), "act Wait because t"]);
        let talk = stage.last_talk();
        assert_eq!(talk.len(), 1, "the feedback joins the question; nothing of the partial text: {talk:?}");
        assert!(talk[0].contains("Attempt 1 of 3 failed:") && !talk[0].contains("Oil machine=lathe"));
    }
    let stage = Workshop::new([Fails(ModelErrorKind::Unavailable, "")]);
    assert_eq!(play(&planner(Overrides::default()), &stage).await.stop, Stop::Infrastructure);
    assert!(stage.log().is_empty(), "an outage never becomes an action");
}

// covers: BOG-034, BOG-047
#[tokio::test]
async fn a_model_that_only_fails_ends_in_the_fallback() {
    let fail = || Fails(ModelErrorKind::Refusal, "");
    let (log, _) = log_of(&planner(Overrides::default()), [fail(), fail(), fail()]).await;
    assert_eq!(log.last().unwrap(), "act Wait because -");
    assert_eq!(log.iter().filter(|line| line.starts_with("note attempt_failed")).count(), 3);
}

#[tokio::test]
async fn an_empty_reply_leaves_no_empty_message() {
    let (log, stage) = log_of(&planner(Overrides::default()), [Says("  \n"), Says("Thought: t\nAnswer: Wait")]).await;
    assert_eq!(log, [r#"reject unreadable """#, "act Wait because t"]);
    assert_eq!(stage.last_talk().len(), 1);
}

// covers: BOG-046
#[tokio::test]
async fn the_context_guard_drops_the_oldest_exchange_and_says_so() {
    let guarded = Overrides { context_guard_tokens: Some(1000), ..Overrides::default() };
    let agent = inspector(false, guarded);
    let look = "Tool: get_machine_state: lathe\nPAUSE";
    let replies = [Says(look), Says(look), Says("Answer: Wait")];
    let usage = Usage { input: 1100, output: 9, source: UsageSource::Reported, ..Usage::default() };
    let stage = Workshop { usage, ..Workshop::new(replies) };
    play(&agent, &stage).await;
    let notes: Vec<String> = stage.log().into_iter().filter(|line| line.contains("context_guard")).collect();
    assert_eq!(notes.len(), 2);
    assert!(notes[0].contains(r#""dropped":2"#) && notes[0].contains(r#""source":"estimated""#), "{}", notes[0]);
    let requests = stage.requests.lock().unwrap();
    assert_eq!(requests[0].messages.len(), 2);
    for request in &requests[1..] {
        let speakers: Vec<Speaker> = request.messages.iter().map(|message| message.speaker).collect();
        assert_eq!(speakers, [Speaker::System, Speaker::User]);
    }
}

/// What is not written as the prompt asks for is read all the same, and a note says so.
#[tokio::test]
async fn a_reply_in_another_form_than_the_published_one_is_noted() {
    let note = r#"note normalised {"agent":"default","protocol":"react-text"}"#;
    let (log, _) = log_of(&planner(Overrides::default()), [Says("Answer: Wait")]).await;
    assert_eq!(log, [note, "act Wait because -"]);
    // Found in the middle of a line, where no marker announces it, and behind words that announce it a second time.
    for found in ["My answer is Wait", "Wait", "Thought: t\nAnswer: My answer is Wait"] {
        let (log, _) = log_of(&planner(Overrides::default()), [Says(found)]).await;
        let because = if found.contains("Thought") { "t" } else { "-" };
        assert_eq!(log, [note, &format!("act Wait because {because}")], "{found}");
    }
    let json = r#"{"thought": "t", "action": "My answer is Wait"}"#;
    let (log, _) = log_of(&planner(protocol(Protocol::Json)), [Says(json)]).await;
    assert_eq!(log, [r#"note normalised {"agent":"default","protocol":"json"}"#, "act Wait because t"]);
    let json = r#"{"thought": "t", "action": "Wait"}"#;
    assert_eq!(log_of(&planner(protocol(Protocol::Json)), [Says(json)]).await.0, ["act Wait because t"]);
    let replies = [Says("Tool: get_machine_state: lathe"), Says("Thought: low\n\n**Answer:** Oil machine=lathe")];
    let (log, _) = log_of(&inspector(false, Overrides::default()), replies).await;
    let query = r#"query subject_state {"subject":"lathe"}"#;
    assert_eq!(log, [note, query, note, "act Oil machine=lathe because low"]);
    let replies = [Says("Thought: t\nTool: get_machine_state: lathe\nPAUSE"), Says("Thought: t\nAnswer: Wait")];
    let (log, _) = log_of(&inspector(false, Overrides::default()), replies).await;
    assert_eq!(log, [query, "act Wait because t"]);
}

/// Text behind the answer may take it back: the reply is marked, and what is made of it is as it was.
#[tokio::test]
async fn text_behind_an_answer_is_marked_in_the_note() {
    let note = r#"note normalised {"agent":"default","protocol":"react-text","marks":["followed_by_text"]}"#;
    let (log, _) =
        log_of(&planner(Overrides::default()), [Says("Answer: Wait\nPAUSE\n(Ignore the line above.)")]).await;
    assert_eq!(log, [note, "act Wait because -"]);
}

#[tokio::test]
async fn json_answers_and_tools() {
    let (log, stage) = log_of(
        &inspector(false, protocol(Protocol::Json)),
        [
            Says(r#"{"thought": "look", "tool": "get_machine_state", "input": "lathe"}"#),
            Says("```json\n{\"thought\": \"low\", \"action\": \"Oil machine=lathe\"}\n```"),
        ],
    )
    .await;
    // What is behind a code fence is read, and a note says so.
    assert_eq!(
        log,
        [
            r#"query subject_state {"subject":"lathe"}"#,
            r#"note normalised {"agent":"default","protocol":"json"}"#,
            "act Oil machine=lathe because low",
        ]
    );
    assert!(stage.requests.lock().unwrap()[0].stop.is_empty());
    let (log, _) = log_of(&planner(protocol(Protocol::Json)), [Says("Wait"), Says(r#"{"action": "Wait"#)]).await;
    assert_eq!(
        log[..2],
        [r#"note normalised {"agent":"default","protocol":"json"}"#, "act Wait because -"],
        "the raw text passes"
    );
}

#[tokio::test]
async fn native_calls_act_and_the_reason_never_reaches_the_environment() {
    let agent = inspector(false, protocol(Protocol::NativeTools));
    let (log, stage) = log_of(
        &agent,
        [
            Calls("", vec![("1", "get_machine_state", json!({ "subject": "lathe", "reasoning": "first look" }))]),
            Calls("", vec![("2", "Oil", json!({ "machine": "drill" })), ("3", "get_machine_state", json!({}))]),
            Calls("", vec![("4", "Oil", json!({ "reasoning": ["dry", "squeaks"], "machine": "lathe" }))]),
        ],
    )
    .await;
    assert_eq!(
        log,
        [
            r#"note tool_reasoning {"tool":"get_machine_state","reasoning":"first look"}"#,
            r#"query subject_state {"subject":"lathe"}"#,
            r#"note calls_ignored {"count":1}"#,
            "refused Oil machine=drill",
            "act Oil machine=lathe because dry\nsqueaks",
        ]
    );
    let requests = stage.requests.lock().unwrap();
    let offered: Vec<&str> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(offered, ["get_machine_state", "Wait", "Oil"]);
    assert!(requests[0].tools.iter().all(|tool| tool.parameters["properties"].get("reasoning").is_some()));
    let messages = &requests[2].messages;
    let answered: Vec<Option<&str>> = messages.iter().map(|message| message.answers.as_deref()).collect();
    assert_eq!(answered, [None, None, None, Some("1"), None, Some("2"), Some("3")], "every call has its result");
    assert!(messages[5].text.contains("machines: lathe, press"));
}

// covers: BOG-033
#[tokio::test]
async fn native_calls_of_two_actions_are_refused_and_the_same_one_twice_is_one() {
    let oil = |id, machine| (id, "Oil", json!({ "machine": machine }));
    let (log, stage) = log_of(
        &planner(protocol(Protocol::NativeTools)),
        [
            Calls("", vec![oil("1", "lathe"), oil("2", "press")]),
            Calls("", vec![oil("3", "press"), ("4", "Oil", json!({ "machine": "press", "reasoning": "again" }))]),
        ],
    )
    .await;
    assert!(log[0].starts_with("reject unreadable") && log[0].contains("lathe") && log[0].contains("press"), "{log:?}");
    assert_eq!(log[1..], [r#"note calls_ignored {"count":1}"#, "act Oil machine=press because -"]);
    let requests = stage.requests.lock().unwrap();
    let messages = &requests[1].messages;
    let answered: Vec<Option<&str>> = messages.iter().map(|message| message.answers.as_deref()).collect();
    assert_eq!(answered, [None, None, None, Some("1"), Some("2")], "every call has its result");
    assert!(messages[3].text.contains("make exactly one"), "{}", messages[3].text);
    assert_eq!(&*messages[4].text, "This call was not used. Make exactly one call in a message.");
}

// covers: BOG-043
#[tokio::test]
async fn with_one_turn_left_the_agent_is_told_to_answer_and_the_mask_lets_nothing_else_through() {
    let query = "Thought: t\nTool: get_machine_state: lathe\nPAUSE";
    let overrides = Overrides { turns: Some(3), ..Overrides::default() };
    let replies = [Says(query), Says(query), Says("Thought: t\nAnswer: Wait")];
    let stage = Workshop { decoding: Decoding::Constrained, ..Workshop::new(replies) };
    let blocks = [Block { name: "observation".to_owned(), text: "The lathe is dry.".into() }];
    let agent = inspector(false, overrides);
    let session = agent.session(&stage).await.unwrap();
    let _ = session.step(&stage, LaneId::MAIN, &blocks).await;
    let requests = stage.requests.lock().unwrap();
    let told = |at: usize| requests[at].messages.last().unwrap().text.contains("your next message must be your answer");
    assert_eq!([told(0), told(1), told(2)], [false, false, true]);
    let lets = |at: usize| match requests[at].grammar.as_deref() {
        Some(Grammar::Regex(pattern)) => pattern.contains("Tool"),
        other => panic!("{other:?}"),
    };
    assert_eq!([lets(0), lets(1), lets(2)], [true, true, false]);
}

#[tokio::test]
async fn a_native_call_may_be_written_as_text() {
    let text = r#"{"reasoning": "dry", "tool": "oil", "arguments": {"machine": "press"}}"#;
    let (log, _) = log_of(&planner(protocol(Protocol::NativeTools)), [Says(text)]).await;
    assert_eq!(log, ["act Oil machine=press because dry"]);
}

#[tokio::test]
async fn constrained_roles_get_a_grammar_of_the_legal_actions() {
    for (kind, reply) in [
        (Protocol::ReactText, "Thought: t\nAnswer: Oil machine=press"),
        (Protocol::Json, r#"{"thought":"t","action":"Oil machine=press"}"#),
        (Protocol::NativeTools, r#"{"reasoning":"t","tool":"Oil","arguments":{"machine":"press"}}"#),
    ] {
        let stage =
            Workshop { decoding: Decoding::Constrained, horizon: 2, ..Workshop::new([Says(reply), Says(reply)]) };
        let blocks = [Block { name: "observation".to_owned(), text: "The press and the lathe are dry.".into() }];
        let agent = planner(protocol(kind));
        let session = agent.session(&stage).await.unwrap();
        for _ in 0..2 {
            let _ = session.step(&stage, LaneId::MAIN, &blocks).await;
        }
        assert_eq!(stage.log(), ["act Oil machine=press because t"; 2]);
        let requests = stage.requests.lock().unwrap();
        match &**requests[0].grammar.as_ref().unwrap() {
            Grammar::Regex(pattern) => {
                let pattern = regex::Regex::new(&format!("^(?:{pattern})$")).unwrap();
                assert!(pattern.is_match(reply) && !pattern.is_match("Thought: t\nAnswer: Oil machine=drill"));
            }
            Grammar::JsonSchema(schema) => {
                assert!(jsonschema::is_valid(schema, &serde_json::from_str(reply).unwrap()));
            }
            Grammar::Choice(_) => panic!("no protocol uses a choice"),
        }
        assert!(requests[0].stop.is_empty());
    }
}

/// A mask that holds more would play in the place of the model: it turns the wish to fix "the network" into the first name.
// covers: BOG-062
#[tokio::test]
async fn a_mask_names_no_subject_that_the_request_does_not_name() {
    for kind in [Protocol::ReactText, Protocol::Json] {
        for (seen, named) in
            [("All is quiet.", &[][..]), ("The press is dry.", &["press"]), ("press, lathe", &["press", "lathe"])]
        {
            let reply = Says("Thought: t\nAnswer: Wait");
            let stage = Workshop { decoding: Decoding::Constrained, ..Workshop::new([reply]) };
            let agent = planner(protocol(kind));
            let session = agent.session(&stage).await.unwrap();
            let blocks = [Block { name: "observation".to_owned(), text: seen.into() }];
            let _ = session.step(&stage, LaneId::MAIN, &blocks).await;
            let requests = stage.requests.lock().unwrap();
            let mask = serde_json::to_string(&requests[0].grammar).unwrap();
            assert!(mask.contains("Wait"), "{mask}");
            for name in ["press", "lathe"] {
                assert_eq!(mask.contains(&format!("machine={name}")), named.contains(&name), "{kind:?} {seen}: {mask}");
            }
        }
    }
}

/// Whoever writes under a mask is told what it cuts off.
// covers: BOG-026
#[tokio::test]
async fn the_bounds_of_a_mask_are_told() {
    for (decoding, told) in [(Decoding::Constrained, true), (Decoding::Free, false)] {
        let stage = Workshop { decoding, ..Workshop::new([Says("Thought: t\nAnswer: Wait")]) };
        play(&planner(protocol(Protocol::ReactText)), &stage).await;
        let requests = stage.requests.lock().unwrap();
        let system = &requests[0].messages[0].text;
        assert_eq!(system.contains("A thought has at most 400 characters."), told, "{system}");
    }
}

// covers: BOG-062
#[tokio::test]
async fn what_no_text_explains_is_in_no_mask_and_no_list() {
    let mut brief = gimbal_agent::sample::brief();
    brief.glossary.retain(|entry| entry.name == "Oil");
    let mut listed = Overrides::default();
    listed.flags.inject_action_list = Some(true);
    let reply = "Thought: t\nAnswer: Oil machine=press";
    for (explained, tool) in [(true, "Wait"), (false, "Sleep")] {
        // The idle call is named in every prompt; what is not an entry and not idle is named in none.
        let mut brief = brief.clone();
        brief.idle = ToolCall::bare(if explained { "Wait" } else { "Sleep" });
        let stage =
            Workshop { decoding: Decoding::Constrained, brief: Arc::new(brief), ..Workshop::new([Says(reply)]) };
        play(&planner(listed.clone()), &stage).await;
        let requests = stage.requests.lock().unwrap();
        let Some(Grammar::Regex(pattern)) = requests[0].grammar.as_deref() else { panic!("{tool}") };
        let pattern = regex::Regex::new(&format!("^(?:{pattern})$")).unwrap();
        assert!(pattern.is_match(reply), "{tool}");
        assert_eq!(pattern.is_match("Thought: t\nAnswer: Wait"), explained, "{tool}");
        let lines = requests[0].messages[0].text.lines().filter(|line| line.contains("\"Wait\"")).count();
        assert_eq!(lines > 0, explained, "{}", requests[0].messages[0].text);
    }
}

// covers: BOG-062
#[tokio::test]
async fn what_no_text_explains_is_no_native_tool() {
    let native = async |explained: &[&str], idle: &str| {
        let mut brief = gimbal_agent::sample::brief();
        brief.glossary.retain(|entry| explained.contains(&entry.name.as_str()));
        brief.idle = ToolCall::bare(idle);
        let stage = Workshop { brief: Arc::new(brief), ..Workshop::new([Says("Answer: Oil machine=press")]) };
        play(&planner(protocol(Protocol::NativeTools)), &stage).await;
        let requests = stage.requests.lock().unwrap();
        let names: Vec<String> = requests[0].tools.iter().map(|tool| tool.name.clone()).collect();
        ["Wait", "Oil"].map(|tool| names.iter().any(|name| name == tool))
    };
    assert_eq!(native(&["Wait", "Oil"], "Wait").await, [true, true]);
    assert_eq!(native(&["Oil"], "Sleep").await, [false, true]);
    // The idle call is named in every prompt.
    assert_eq!(native(&["Oil"], "Wait").await, [true, true]);
    // Where there is no glossary at all, nothing is kept back.
    assert_eq!(native(&[], "Sleep").await, [true, true]);
}

#[tokio::test]
async fn more_legal_actions_than_the_cap_are_cut_and_the_event_says_so() {
    let capped = Overrides { legal_cap: Some(2), ..Overrides::default() };
    let stage = Workshop { decoding: Decoding::Constrained, ..Workshop::new([Says("Thought: t\nAnswer: Wait")]) };
    play(&planner(capped), &stage).await;
    assert_eq!(stage.log(), [r#"note legal_narrowed {"listed":2}"#, "act Wait because t"]);
}

/// A subject that the request shows is in the mask, however many there are before it.
// covers: CYC-036
#[tokio::test]
async fn a_shown_subject_behind_the_cap_is_in_the_mask() {
    let capped = |kind| Overrides { legal_cap: Some(8), ..protocol(kind) };
    for kind in [Protocol::ReactText, Protocol::Json, Protocol::NativeTools] {
        let mut brief = gimbal_agent::sample::brief();
        brief.subjects = (0..900).map(|number| format!("m{number}")).collect();
        let (brief, decoding) = (Arc::new(brief), Decoding::Constrained);
        let stage = Workshop { brief, decoding, ..Workshop::new([Says("Thought: t\nAnswer: Wait")]) };
        let agent = planner(capped(kind));
        let session = agent.session(&stage).await.unwrap();
        let blocks = [Block { name: "observation".to_owned(), text: "m899 is dry, and so is m700.".into() }];
        let _ = session.step(&stage, LaneId::MAIN, &blocks).await;
        assert_eq!(stage.log()[0], r#"note legal_narrowed {"listed":8}"#);
        let requests = stage.requests.lock().unwrap();
        let mask = serde_json::to_string(&requests[0].grammar).unwrap();
        let holds = |name: &str| {
            let mut words = mask.split(|letter: char| !letter.is_alphanumeric());
            words.any(|word| word == name)
        };
        assert!(holds("m899") && holds("m700") && holds("Wait"), "{kind:?}: {mask}");
        // Native tools show all names; those that the messages show come first.
        assert_eq!(holds("m0"), kind == Protocol::NativeTools, "{kind:?}: {mask}");
        assert!(!holds("m8"), "{kind:?}: {mask}");
    }
}

#[tokio::test]
async fn hints_are_whole_replies_that_the_engine_itself_can_read() {
    for kind in [Protocol::ReactText, Protocol::Json, Protocol::NativeTools] {
        let expert = Some(ToolCall::with("Oil", &[("machine", "lathe")]));
        let stage = Workshop { expert, ..Workshop::new([Says("Answer: Wait"), Says("{}"), Says("x")]) };
        play(&planner(protocol(kind)), &stage).await;
        let hint = stage.requests.lock().unwrap()[0].hint.clone().unwrap();
        assert_eq!(hint.alternatives.len(), 2);
        let replies: Vec<String> = std::iter::once(hint.answer).chain(hint.alternatives).collect();
        for (reply, action) in replies.into_iter().zip(["Oil machine=lathe", "Wait", "Oil machine=press"]) {
            let reply: &'static str = Box::leak(reply.into_boxed_str());
            let (log, _) = log_of(&planner(protocol(kind)), [Says(reply)]).await;
            assert_eq!(log, [format!("act {action} because Best now.")]);
        }
    }
    let (_, stage) = log_of(&planner(Overrides::default()), [Says("Answer: Wait")]).await;
    assert!(stage.requests.lock().unwrap()[0].hint.is_none());
}

// covers: BOG-R09
#[tokio::test]
async fn the_list_of_actions_is_injected_only_where_asked_for() {
    let (_, stage) = log_of(&planner(Overrides::default()), [Says("Answer: Wait")]).await;
    assert!(!stage.requests.lock().unwrap()[0].messages[0].text.contains("Oil machine=press"));
    let mut overrides = Overrides::default();
    overrides.flags.inject_action_list = Some(true);
    let stage = Workshop { horizon: 2, ..Workshop::new([Says("Answer: Wait"), Says("Answer: Wait")]) };
    play(&planner(overrides), &stage).await;
    let requests = stage.requests.lock().unwrap();
    let system = &requests[0].messages[0];
    let list = "<available_actions_list>\n[\n  \"Wait\",\n  \"Oil machine=lathe\",\n  \"Oil machine=press\"\n]\n</available_actions_list>";
    assert!(system.text.ends_with(list), "{}", system.text);
    assert!(Arc::ptr_eq(system, &requests[1].messages[0]), "unchanged actions, unchanged message");
}

// covers: BOG-021
#[tokio::test]
async fn a_variant_is_a_change_of_text_and_not_of_code() {
    let core = TestFiles::shipped("personas/planner/core.yaml").replace("react-text", "json");
    let files = TestFiles(BTreeMap::from([
        ("personas/terse/core.yaml".to_owned(), core),
        ("personas/terse/prompt.yaml".to_owned(), "opening: \"{{ step }}/{{ horizon }}\"\nclosing: Act.\n".to_owned()),
    ]));
    let persona = Persona::load("terse", &files).unwrap();
    let agent = Agent::new(Arc::new(persona), "default", &Overrides::default()).unwrap();
    let (log, stage) = log_of(&agent, [Says(r#"{"thought": "t", "action": "Wait"}"#)]).await;
    assert_eq!(log, ["act Wait because t"]);
    assert_eq!(stage.last_talk(), ["user: 1/10\n\n[status before step 1]\n\n[history before step 1]\n\nAct."]);
}

/// The names that an agent wrote itself were shown by nobody, also where a tool or a refusal quotes them; a name that was shown
/// stays shown when the agent writes it alone.
// covers: BOG-062
#[tokio::test]
async fn an_agents_own_words_show_it_no_names() {
    let flags = Flags { include_tool_raise_a_question: Some(true), ..Flags::default() };
    let overrides = Overrides { flags, ..Overrides::default() };
    let replies = [
        Says("Thought: the press, I say\nTool: raise_a_question: Is the press dry?\nPAUSE"),
        Says("Thought: t\nAnswer: Sing to the press"),
        Says("Thought: t\nAnswer: lathe"),
        Says("Thought: t\nAnswer: Wait"),
    ];
    let stage = Workshop { decoding: Decoding::Constrained, ..Workshop::new(replies) };
    let agent = planner(overrides);
    let session = agent.session(&stage).await.unwrap();
    let blocks = [Block { name: "observation".to_owned(), text: "The lathe is dry.".into() }];
    let _ = session.step(&stage, LaneId::MAIN, &blocks).await;
    let requests = stage.requests.lock().unwrap();
    assert_eq!(requests.len(), 4);
    for request in requests.iter() {
        let mask = serde_json::to_string(&request.grammar).unwrap();
        assert!(mask.contains("machine=lathe") && !mask.contains("machine=press"), "{mask}");
    }
}
