//! The forms in which an answer may be written: text, JSON, native calls.

use super::*;

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

/// Words behind an action on its own line that take it back: it is not carried out, and the agent is told what to write.
#[tokio::test]
async fn an_action_that_its_own_line_takes_back_is_refused() {
    for (protocol, replies) in [
        (Protocol::ReactText, ["Thought: t\nAnswer: Wait - no, wait", "Thought: t\nAnswer: Wait"]),
        (
            Protocol::Json,
            [r#"{"thought": "t", "action": "Wait (cancelled)"}"#, r#"{"thought": "t", "action": "Wait"}"#],
        ),
    ] {
        let agent = planner(Overrides { protocol: Some(protocol), ..Overrides::default() });
        let (log, stage) = log_of(&agent, replies.map(Says)).await;
        assert!(log[0].starts_with("reject unreadable \"Wait "), "{log:?}");
        assert_eq!(log[1..], ["act Wait because t"]);
        let requests = stage.requests.lock().unwrap();
        let told = &requests[1].messages.last().unwrap().text;
        assert!(
            told.contains("the words behind the action take it back") && told.contains("nothing behind it"),
            "{told}"
        );
    }
    // A value may hold any words.
    let (log, _) =
        log_of(&planner(Overrides::default()), [Says("Thought: t\nAnswer: Oil machine=cancelled, no")]).await;
    assert_eq!(log[0], "refused Oil machine=cancelled, no", "by the environment, which has no such machine");
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

#[tokio::test]
async fn a_native_call_may_be_written_as_text() {
    let text = r#"{"reasoning": "dry", "tool": "oil", "arguments": {"machine": "press"}}"#;
    let (log, _) = log_of(&planner(protocol(Protocol::NativeTools)), [Says(text)]).await;
    assert_eq!(log, ["act Oil machine=press because dry"]);
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

// covers: BOG-033
#[tokio::test]
async fn a_refused_native_call_is_shown_as_it_was_sent_and_a_missed_form_is_named() {
    let wait = || Calls("", vec![("9", "Wait", json!({}))]);
    let odd = Calls("", vec![("1", "Oil", json!({ "machine": "drill", "twice": true }))]);
    let replies = [odd, Fails(ModelErrorKind::BadShape, ""), wait()];
    let (_, stage) = log_of(&planner(protocol(Protocol::NativeTools)), replies).await;
    let last = |stage: &Workshop, request: usize| {
        let requests = stage.requests.lock().unwrap();
        requests[request].messages.iter().map(|message| message.text.to_string()).collect::<Vec<_>>().join("\n")
    };
    assert!(last(&stage, 1).contains(r#"Oil({"machine": "drill", "twice": true})"#), "{}", last(&stage, 1));
    assert!(last(&stage, 2).contains("Call one of the tools that are offered to you"), "{}", last(&stage, 2));
    let replies = [Fails(ModelErrorKind::BadShape, ""), Says("Thought: t\nAnswer: Wait")];
    let (_, stage) = log_of(&planner(Overrides::default()), replies).await;
    let told = last(&stage, 1);
    let (_, feedback) = told.split_once("can be accepted now.").unwrap();
    assert!(feedback.contains("reads the text after \"Answer:\"") && feedback.contains("exactly one action"), "{told}");
}
