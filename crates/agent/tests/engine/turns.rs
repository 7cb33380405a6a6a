//! Turns of a conversation: answers, tools, attempts, the end of what is allowed.

use super::*;

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
