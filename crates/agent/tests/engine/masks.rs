//! What a grammar and a list of actions let through.

use super::*;

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
