//! The hierarchy against canned transcripts: what passes between the agents, and what becomes of broken messages.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::sync::Arc;

use common::{Canned, TestFiles, Workshop};
use gimbal_architectures::kinds;
use gimbal_core::{Architecture, Decoding, Grammar, ModelErrorKind, ToolCall};
use gimbal_messages::records;
use serde_json::{Value, json};

use Canned::{Fails, Says};

fn build(settings: Value) -> Arc<dyn Architecture> {
    let kind = kinds().into_iter().find(|kind| kind.name() == "hierarchy").unwrap();
    kind.build(&settings, &TestFiles::default()).unwrap()
}

fn workshop(replies: impl IntoIterator<Item = Canned>) -> Workshop {
    Workshop { records: &[records::reading::KINDS, records::hierarchy::KINDS], ..Workshop::new(replies) }
}

async fn play(settings: Value, replies: impl IntoIterator<Item = Canned>) -> (Vec<String>, Workshop) {
    let stage = workshop(replies);
    let _ = build(settings).play(&stage).await;
    (stage.log(), stage)
}

const ANALYSE: &str = "Thought: t\nTool: get_machine_analysis: lathe\nPAUSE";
const FINDING: &str = concat!(
    "Thought: t\n",
    r#"Answer: [{"machine": "lathe", "status": "changed", "severity": "high", "anomalies": ["noise"], "#,
    r#""suspected_c2": [], "recommended_focus": "containment", "rationale": "loud"}]"#
);
const SUGGEST: &str = r#"Thought: t
Tool: get_next_step: {"target_machine": "lathe", "situation": "noise", "severity": "high", "context": "c"}
PAUSE"#;
const MENU: &str = concat!(
    "Thought: t\n",
    r#"Answer: [{"action": "Wait", "confidence": 0.8}, {"action": "Oil machine=lathe", "confidence": 0.6}]"#
);
const WAIT: &str = "Thought: t\nAnswer: Wait";

// covers: BOG-038, BOG-058, BOG-068, BOG-072, BOG-073, BOG-020
#[tokio::test]
async fn requests_and_answers_pass_over_contracts_and_only_the_planner_acts() {
    let (log, stage) = play(
        json!({}),
        [
            Says(ANALYSE),
            Says("Thought: t\nTool: get_machine_state: lathe\nPAUSE"),
            Says("Thought: t\nTool: subject_baseline: lathe\nPAUSE"),
            Says(FINDING),
            Says(SUGGEST),
            Says(MENU),
            Says("Thought: it is loud\nAnswer: Oil machine=lathe"),
        ],
    )
    .await;
    assert_eq!(
        log,
        [
            r#"sent analysis_request planner->analyst {"subject":"lathe"}"#,
            r#"query subject_state {"subject":"lathe"}"#,
            r#"query subject_baseline {"subject":"lathe"}"#,
            r#"note parsed {"contract":"analysis","tier":"direct"}"#,
            r#"sent analysis analyst->planner [{"machine":"lathe","status":"changed","severity":"high","anomalies":["noise"],"suspected_c2":[],"recommended_focus":"containment","rationale":"loud"}]"#,
            r#"sent situation planner->chooser {"target_machine":"lathe","situation":"noise","severity":"high","context":"c"}"#,
            r#"note parsed {"contract":"suggestions","tier":"direct"}"#,
            r#"sent suggestions chooser->planner [{"action":"Wait","confidence":0.8},{"action":"Oil machine=lathe","confidence":0.6}]"#,
            "act Oil machine=lathe because it is loud",
        ]
    );
    assert_eq!(
        *stage.asked.lock().unwrap(),
        ["planner", "analyst", "analyst", "analyst", "planner", "chooser", "planner"]
    );
    let requests = stage.requests.lock().unwrap();
    let users: Vec<&str> = requests.iter().map(|request| &*request.messages[1].text).collect();
    assert!(users[0].contains("[status before step 1]") && users[0].contains("[history before step 1]"));
    assert_eq!(
        users[1],
        "You are asked about the machine lathe.\n\nWhat the keys of a status mean:\n- wear: `high`: the machine needs oil.\n\nWhat is the state of lathe?"
    );
    assert!(
        users[5].contains(r#"{"target_machine": "lathe", "situation": "noise", "severity": "high", "context": "c"}"#)
    );
    for adviser in [1, 5] {
        assert!(!users[adviser].contains("before step"), "advisers see neither status nor history");
    }
    // The chooser alone sees the list of actions.
    let lists: Vec<bool> =
        requests.iter().map(|request| request.messages[0].text.contains("<available_actions_list>\n[")).collect();
    assert_eq!(lists, [false, false, false, false, false, true, false]);
    let last = &requests[6].messages;
    assert_eq!(
        &*last.last().unwrap().text,
        r#"Observation: [{"action": "Wait", "confidence": 0.8}, {"action": "Oil machine=lathe", "confidence": 0.6}]"#
    );
}

// covers: BOG-R02
#[tokio::test]
async fn the_history_can_be_shown_to_the_advisers() {
    let replies = || [Says(ANALYSE), Says(FINDING), Says(SUGGEST), Says(MENU), Says("Answer: Wait")];
    let (_, stage) = play(json!({ "subagent_history": true }), replies()).await;
    let requests = stage.requests.lock().unwrap();
    for adviser in [1, 3] {
        let user = &requests[adviser].messages[1].text;
        assert!(user.contains("[own_history before step 1]") && !user.contains("[status"), "{user}");
    }
}

// covers: BOG-056
#[tokio::test]
async fn after_suggestions_the_answer_is_due() {
    let (log, stage) = play(json!({}), [Says(SUGGEST), Says(MENU), Says(ANALYSE), Says("Answer: Wait")]).await;
    assert!(log.contains(&r#"note answer_due {"tool":"get_machine_analysis"}"#.to_owned()), "{log:?}");
    assert!(stage.last_talk().last().unwrap().contains("was not used: your next message must be your answer"));
}

// covers: BOG-R05
#[tokio::test]
async fn a_decision_off_the_menu_is_carried_out_and_noted() {
    let menu = r#"Answer: [{"action": "Oil machine=lathe", "confidence": 0.6}]"#;
    let (log, _) = play(json!({}), [Says(SUGGEST), Says(menu), Says("Answer: Oil machine=press")]).await;
    assert_eq!(
        log[log.len() - 2..],
        [r#"note off_menu {"action":"Oil machine=press"}"#, "act Oil machine=press because -"]
    );
    let (log, _) = play(json!({}), [Says(SUGGEST), Says(menu), Says("Answer: Oil machine=lathe")]).await;
    assert!(!log.iter().any(|line| line.contains("off_menu")));
    // Without suggestions the idle call alone is on the menu: any other action is carried out, and counted (BOG-R05).
    let (log, _) = play(json!({}), [Says(WAIT)]).await;
    assert_eq!(log, ["act Wait because t"]);
    let (log, _) = play(json!({}), [Says("Thought: t\nAnswer: Oil machine=press")]).await;
    assert_eq!(log, [r#"note off_menu {"action":"Oil machine=press"}"#, "act Oil machine=press because t"]);
}

// covers: BOG-059, BOG-060, BOG-068
#[tokio::test]
async fn a_planner_that_was_shown_no_name_asks_about_any() {
    let any = r#"Tool: get_next_step: {"target_machine": "Any", "situation": "s", "severity": "low", "context": ""}
PAUSE"#;
    let menu = r#"Answer: [{"action": "Oil machine=press", "confidence": 0.6}]"#;
    let (log, stage) = play(json!({}), [Says(any), Says(menu), Says("Answer: Oil machine=press")]).await;
    // No subject was asked about, so none is another one; and the action was suggested.
    assert!(!log.iter().any(|line| line.contains("mismatch") || line.contains("off_menu")), "{log:?}");
    assert_eq!(log.last().unwrap(), "act Oil machine=press because -");
    let requests = stage.requests.lock().unwrap();
    let chooser = &requests[1].messages;
    assert!(chooser[1].text.contains(r#""target_machine": "any""#), "{}", chooser[1].text);
    assert!(chooser[1].text.ends_with("Which actions do you suggest? Give up to three, the highest confidence first."));
    assert!(chooser[0].text.contains("Oil machine=press"), "the chooser sees every action");
    // Nothing but the suggestions has told the planner a name.
    assert!(!requests[0].messages.iter().any(|message| message.text.contains("press")));
}

// covers: BOG-060
#[tokio::test]
async fn several_subjects_in_one_tool_call_are_refused_with_the_rule() {
    let both = "Thought: t\nTool: get_machine_analysis: lathe, press\nPAUSE";
    let (log, stage) = play(json!({}), [Says(both), Says(WAIT)]).await;
    assert!(log[0].starts_with("note tool_failed"), "{log:?}");
    let told = stage.last_talk().last().unwrap().clone();
    assert!(told.contains("`lathe, press` names 2; give one machine per tool call"), "{told}");
}

// covers: BOG-069
#[tokio::test]
async fn the_rules_of_the_chooser_say_what_is_checked() {
    let (_, stage) = play(json!({}), [Says(SUGGEST), Says(MENU), Says("Answer: Wait")]).await;
    let chooser = stage.requests.lock().unwrap()[1].messages[0].text.to_string();
    let rules = chooser.split("\n<rules>\n").nth(1).unwrap().split("</rules>").next().unwrap();
    for words in [
        "word for word from <available_actions_list>",
        "passive, reactive and proactive",
        "for the machine of the situation",
        "array exactly once",
    ] {
        assert!(rules.contains(words), "{words}: {rules}");
    }
}

// covers: BOG-070, SH-03
#[tokio::test]
async fn suggestions_are_read_in_tiers_and_repaired_once() {
    let tier = |name: &str| format!(r#"note parsed {{"contract":"suggestions","tier":"{name}"}}"#);
    let cases: [(Vec<Canned>, &str, usize); 8] = [
        (vec![Says("Answer: ```json\n[{\"action\": \"Wait\", \"confidence\": 0.7}]\n```")], "normalised", 3),
        (vec![Says("Answer: I would wait."), Says(r#"[{"action": "Wait", "confidence": 0.4}]"#)], "repaired", 4),
        (vec![Says("Answer: I would wait."), Says("Sorry?")], "default", 4),
        (vec![Says("Answer: []"), Fails(ModelErrorKind::Refusal, "no")], "default", 4),
        // Nothing to repair where the model gave nothing.
        (vec![Fails(ModelErrorKind::Refusal, "no")], "default", 3),
        // No legal action in it counts as unreadable.
        (vec![Says(r#"Answer: [{"action": "Dance", "confidence": 1}]"#), Says("[]")], "default", 4),
        // What the repair's prompt asks for where a text names no action is not advice.
        (vec![Says("Answer: no."), Says(r#"[{"action": "Wait", "confidence": 0.1}]"#)], "default", 4),
        // Keys in capitals.
        (vec![Says(r#"Answer: [{"Action": "Wait", "Confidence": 0.3}]"#)], "normalised", 3),
    ];
    for (chooser, name, calls) in cases {
        let replies = [vec![Says(SUGGEST)], chooser, vec![Says("Answer: Wait")]].concat();
        let (log, stage) = play(json!({}), replies).await;
        assert!(log.contains(&tier(name)), "{name}: {log:?}");
        assert_eq!(stage.asked.lock().unwrap().len(), calls, "{name}");
        if name == "default" {
            let default = r#"sent suggestions chooser->planner [{"action":"Wait","confidence":"unknown","unread":["no suggestion could be had"]}"#;
            assert!(log.iter().any(|line| line.starts_with(default)), "{log:?}");
            assert!(stage.last_talk().last().unwrap().contains("what could not be read or is not a possible action"));
        }
    }
}

/// What cannot be read reaches the planner as it was written, marked and bounded; what is read by a rule says so.
// covers: BOG-070
#[tokio::test]
async fn what_cannot_be_read_is_passed_on_and_what_a_rule_reads_is_noted() {
    let sent = |log: &[String], message: &str| {
        log.iter().find(|line| line.starts_with(&format!("sent {message} "))).cloned().unwrap_or_default()
    };
    let long: &'static str = Box::leak(format!("Answer: {}", "hm ".repeat(5_000)).into_boxed_str());
    for (written, quoted) in [("Answer: I would wait.", "answer: I would wait."), (long, "answer: hm hm")] {
        let (log, stage) = play(json!({}), [Says(SUGGEST), Says(written), Says("Sorry?"), Says(WAIT)]).await;
        let line = sent(&log, "suggestions");
        assert!(line.contains(&format!(r#"{{"unread":["{quoted}"#)) && line.len() < 1_000, "{line}");
        assert!(stage.last_talk().last().unwrap().contains(quoted));
        let (log, stage) = play(json!({}), [Says(ANALYSE), Says(written), Says("Sorry?"), Says(WAIT)]).await;
        let line = sent(&log, "analysis");
        assert!(line.contains(&format!(r#""unread":["{quoted}"#)) && line.len() < 1_200, "{line}");
        assert!(stage.last_talk().last().unwrap().contains("The member \"unread\" holds"), "{log:?}");
    }
    for (written, tier) in [
        (r#"Answer: [{"action": "Wait", "confidence": "high"}]"#, "by_rule"),
        (r#"Answer: [{"action": "Wait", "confidence": 80}]"#, "by_rule"),
        (r#"Answer: [{"action": "Wait", "confidence": "0,8"}]"#, "by_rule"),
        (r#"Answer: [{"action": {"name": "Oil", "machine": "lathe"}, "confidence": 0.8}]"#, "by_rule"),
        (r#"Answer: [{"action": "Wait", "confidence": 0.8}, {"action": "Dance", "confidence": 0.1}]"#, "by_rule"),
        ("Answer: [{action: Wait, confidence: 0.8}]", "normalised"),
        ("Answer:\n1. Wait (confidence 0.8)\n2. Oil machine=lathe (confidence 0.5)", "by_rule"),
        ("Answer:\n| action | confidence |\n|---|---|\n| Wait | 0.8 |", "by_rule"),
        (r#"Answer: [{"action": "Wait", "confidence": 0.8}]"#, "direct"),
    ] {
        let (log, _) = play(json!({}), [Says(SUGGEST), Says(written), Says(WAIT)]).await;
        assert!(
            log.contains(&format!(r#"note parsed {{"contract":"suggestions","tier":"{tier}"}}"#)),
            "{written}: {log:?}"
        );
        assert!(!sent(&log, "suggestions").contains("unknown"), "{written}: {log:?}");
    }
}

#[tokio::test]
async fn the_repair_quotes_the_broken_answer_and_is_counted_as_the_choosers() {
    let broken = "Answer: first I would wait, {{ really }}";
    let (_, stage) = play(json!({}), [Says(SUGGEST), Says(broken), Says("[]"), Says("Answer: Wait")]).await;
    assert_eq!(*stage.asked.lock().unwrap(), ["planner", "chooser", "chooser", "planner"]);
    let repair = &stage.requests.lock().unwrap()[2];
    assert!(repair.messages[0].text.contains(r#"answer [{"action": "Wait", "confidence": 0.1}]"#));
    assert_eq!(
        &*repair.messages[1].text,
        "What was asked:\n<request>\n{\"target_machine\": \"lathe\", \"situation\": \"noise\", \"severity\": \"high\", \
         \"context\": \"c\"}\n</request>\n\nThe goal of the agent that asked: Keep every machine of the workshop running.\n\n\
         These actions are allowed. Copy each one word for word:\n<allowed>\nWait\n\
         Oil machine=lathe\nOil machine=press\n</allowed>\n\nTurn this text into the array:\nfirst I would wait, {{ really }}"
    );
}

// covers: BOG-071
#[tokio::test]
async fn a_suggestion_about_another_subject_is_noted_and_kept() {
    let menu =
        r#"Answer: [{"action": "Oil machine=press", "confidence": 0.6}, {"action": "Dance", "confidence": 0.5}]"#;
    let (log, _) = play(json!({}), [Says(SUGGEST), Says(menu), Says("Answer: Oil machine=press")]).await;
    assert!(log.contains(&r#"note mismatch {"asked":"lathe","got":"press"}"#.to_owned()), "{log:?}");
    assert!(log.contains(&r#"note dropped {"action":"Dance","why":"unreadable"}"#.to_owned()), "{log:?}");
    // What was dropped is told to the planner.
    let sent = r#"sent suggestions chooser->planner [{"action":"Oil machine=press","confidence":0.6},{"unread":["action: Dance"]}]"#;
    assert!(log.contains(&sent.to_owned()), "{log:?}");
}

// covers: BOG-067, BOG-070
#[tokio::test]
async fn a_suggestion_without_a_confidence_reaches_the_planner_as_what_it_is() {
    const BARE: &str = r#"Answer: ["Oil machine=lathe", "Wait"]"#;
    for (chooser, unread) in [
        (BARE, "missing"),
        (r#"Answer: [{"action": "Oil machine=lathe"}]"#, "missing"),
        (r#"Answer: [{"action": "Oil machine=lathe", "confidence": 9}]"#, "9"),
    ] {
        let replies = [Says(SUGGEST), Says(chooser), Says("Sorry?"), Says("Answer: Oil machine=lathe")];
        let (log, stage) = play(json!({}), replies).await;
        let first =
            format!(r#"[{{"action":"Oil machine=lathe","confidence":"unknown","unread":["confidence: {unread}"]}}"#);
        let sent = log.iter().find(|line| line.starts_with("sent suggestions")).unwrap();
        assert!(sent.contains(&first), "{sent}");
        let count = if chooser == BARE { 2 } else { 1 };
        let parsed = format!(r#"note parsed {{"contract":"suggestions","tier":"normalised","unread":{count}}}"#);
        assert!(log.contains(&parsed), "{log:?}");
        assert!(!log.iter().any(|line| line.contains("off_menu")), "{log:?}");
        let seen = stage.last_talk().last().unwrap().clone();
        assert!(seen.contains(r#""confidence": "unknown""#) && seen.contains("The member \"unread\" holds"), "{seen}");
    }
    // A repair that is read better is taken, and one that is not is not.
    for (fixed, tier, first) in [
        (r#"[{"action": "Wait", "confidence": 0.7}]"#, "repaired", "Wait"),
        (r#"["Wait", "Wait"]"#, "normalised", "Oil machine=lathe"),
        (r#"[{"action": "Wait", "confidence": 0.1}]"#, "normalised", "Oil machine=lathe"),
    ] {
        let (log, _) = play(json!({}), [Says(SUGGEST), Says(BARE), Says(fixed), Says("Answer: Wait")]).await;
        let sent = log.iter().find(|line| line.starts_with("sent suggestions")).unwrap();
        assert!(sent.contains(&format!(r#"planner [{{"action":"{first}""#)), "{fixed}: {sent}");
        assert!(log.iter().any(|line| line.contains(&format!(r#""tier":"{tier}""#))), "{fixed}: {log:?}");
    }
    // A mediator leaves what it cannot weigh.
    let arbiter = json!({ "arbiter": { "gate": 0.3, "aggregate": true } });
    let replies = [Says(ANALYSE), Says(FINDING), Says(SUGGEST), Says(BARE), Says("Sorry?"), Says("Answer: Wait")];
    let (_, stage) = play(arbiter, replies).await;
    let seen = stage.last_talk().last().unwrap().clone();
    assert!(seen.contains(r#"[{"action": "Oil machine=lathe", "confidence": "unknown""#), "{seen}");
}

// covers: BOG-065, BOG-070
#[tokio::test]
async fn what_the_analyst_did_not_state_reaches_the_planner_as_unknown() {
    let odd = |with: &str| -> &'static str { Box::leak(FINDING.replace("\"high\"", with).into_boxed_str()) };
    for (written, told) in [("\"9/10\"", "9/10"), ("0.9", "0.9"), ("\"purple\"", "purple")] {
        let (log, stage) = play(json!({}), [Says(ANALYSE), Says(odd(written)), Says("Sorry?"), Says(WAIT)]).await;
        let seen = stage.last_talk().last().unwrap().clone();
        assert!(seen.contains(r#""severity": "unknown""#) && !seen.contains("\"low\""), "{seen}");
        assert!(seen.contains(&format!(r#""unread": ["severity: {told}"]"#)), "{seen}");
        assert!(seen.ends_with("stands \"unknown\", which is not a finding."), "{seen}");
        let parsed = r#"note parsed {"contract":"analysis","tier":"normalised","unread":1}"#;
        assert!(log.contains(&parsed.to_owned()), "{log:?}");
    }
    // In other words it is stated, and needs no repair.
    let (log, stage) = play(json!({}), [Says(ANALYSE), Says(odd("\"High risk\"")), Says(WAIT)]).await;
    assert!(log.iter().any(|line| line.contains(r#""severity":"high""#)), "{log:?}");
    assert!(!stage.last_talk().last().unwrap().contains("unread"));
    // Nothing at all is stated where nothing came.
    let (log, _) = play(json!({}), [Says(ANALYSE), Says("Answer: loud"), Says("Sorry?"), Says(WAIT)]).await;
    let sent = log.iter().find(|line| line.starts_with("sent analysis analyst")).unwrap();
    assert!(sent.contains(r#""severity":"unknown""#) && sent.contains(r#""recommended_focus":"unknown""#), "{sent}");
}

// covers: BOG-065, BOG-071
#[tokio::test]
async fn findings_on_another_subject_or_against_each_other_are_marked() {
    let other: &'static str = Box::leak(FINDING.replace("lathe", "press").into_boxed_str());
    let (log, stage) = play(json!({}), [Says(ANALYSE), Says(other), Says(WAIT)]).await;
    assert!(log.contains(&r#"note mismatch {"asked":"lathe","got":"press"}"#.to_owned()), "{log:?}");
    let seen = stage.last_talk().last().unwrap().clone();
    assert!(seen.contains(r#""machine": "press""#) && seen.contains(r#""asked_about": "lathe""#), "{seen}");
    let finding = FINDING.split_once("Answer: [").unwrap().1.trim_end_matches(']');
    let both = format!("Answer: [{finding}, {}]", finding.replace("high", "low"));
    let both: &'static str = Box::leak(both.into_boxed_str());
    let (log, stage) = play(json!({}), [Says(ANALYSE), Says(both), Says("Sorry?"), Says(WAIT)]).await;
    let seen = stage.last_talk().last().unwrap().clone();
    assert!(seen.contains(r#""severity": "unknown""#) && seen.contains(r#"["severity: high and low"]"#), "{seen}");
    assert_eq!(seen.matches(r#""machine""#).count(), 1, "{seen}");
    assert!(!log.iter().any(|line| line.contains("mismatch")), "{log:?}");
}

// covers: BOG-059
#[tokio::test]
async fn a_situation_that_is_none_comes_back_to_the_planner() {
    for (input, words) in [
        ("lathe", "must be a JSON object with the keys target_machine, situation, severity, context"),
        (r#"{"target_machine": "lath", "situation": "s", "severity": "high", "context": ""}"#, "did you mean `lathe`?"),
        (
            r#"{"target_machine": "lathe", "situation": "s", "severity": "grave", "context": ""}"#,
            "low, medium, high, critical",
        ),
        (r#"{"target_machine": "lathe", "severity": "high", "context": ""}"#, "the key `situation` is missing"),
    ] {
        let text: &'static str = Box::leak(format!("Thought: t\nTool: get_next_step: {input}\nPAUSE").into_boxed_str());
        let (log, stage) = play(json!({}), [Says(text), Says("Answer: Wait")]).await;
        assert!(log[0].starts_with("note tool_failed"), "{log:?}");
        assert!(stage.last_talk().last().unwrap().contains(words), "{:?}", stage.last_talk());
    }
    let (_, stage) = play(json!({}), [Says("Tool: get_machine_analysis: lahte\nPAUSE"), Says("Answer: Wait")]).await;
    assert!(stage.last_talk().last().unwrap().contains("there is no machine `lahte`; did you mean `lathe`?"));
}

// covers: BOG-065, BOG-070
#[tokio::test]
async fn an_analysis_that_cannot_be_read_is_repaired_once_or_has_a_default() {
    let bare = FINDING.split_once("Answer: ").unwrap().1;
    let odd: &'static str = Box::leak(FINDING.replace("\"changed\"", "\"purple\"").into_boxed_str());
    let cases: [(Vec<Canned>, &str, &str, usize); 6] = [
        (vec![Says("Answer: it is loud"), Says("Sorry?")], "default", "unknown", 2),
        (vec![Says("Answer: it is loud"), Says(bare)], "repaired", "changed", 2),
        (vec![Says("Answer: it is loud"), Fails(ModelErrorKind::Refusal, "no")], "default", "unknown", 2),
        // Nothing to repair where the model gave nothing.
        (vec![Fails(ModelErrorKind::Refusal, "")], "default", "unknown", 1),
        // A word that is none is asked for once more.
        (vec![Says(odd), Says(bare)], "repaired", "changed", 2),
        ([vec![Says(QUERY); 5], vec![Says("[]")]].concat(), "default", "unknown", 6),
    ];
    for (analyst, tier, status, calls) in cases {
        let replies = [vec![Says(ANALYSE)], analyst, vec![Says(WAIT)]].concat();
        let (log, stage) = play(json!({}), replies).await;
        let parsed = format!(r#"note parsed {{"contract":"analysis","tier":"{tier}"}}"#);
        assert!(log.contains(&parsed), "{tier}: {log:?}");
        assert_eq!(stage.asked.lock().unwrap().len(), calls + 2, "{tier}: {log:?}");
        let sent = log.iter().find(|line| line.starts_with("sent analysis analyst")).unwrap();
        assert!(sent.contains(&format!(r#""status":"{status}""#)), "{sent}");
        assert_eq!(sent.contains("no analysis could be had"), tier == "default", "{sent}");
        assert_eq!(log.last().unwrap(), "act Wait because t");
        if calls == 2 {
            let repair = &stage.requests.lock().unwrap()[2].messages[1].text;
            assert!(repair.contains("containment"), "the repair names the words that are allowed: {repair}");
        }
    }
}

const QUERY: &str = "Tool: get_machine_state: lathe\nPAUSE";

#[tokio::test]
async fn a_lost_message_is_an_observation_and_the_episode_goes_on() {
    for contract in ["analysis_request", "analysis", "situation", "suggestions"] {
        let stage = workshop([Says(if contract.starts_with("analysis") { ANALYSE } else { SUGGEST })]);
        *stage.loses.lock().unwrap() = Some(contract.to_owned());
        stage.replies.lock().unwrap().extend(match contract {
            "analysis" => vec![Says(FINDING), Says("Answer: Wait")],
            "suggestions" => vec![Says(MENU), Says("Answer: Wait")],
            _ => vec![Says("Answer: Wait")],
        });
        let _ = build(json!({})).play(&stage).await;
        assert!(stage.last_talk().last().unwrap().contains("no answer came"), "{contract}");
        assert_eq!(stage.log().last().unwrap(), "act Wait because -", "{contract}");
    }
}

// covers: BOG-234
#[tokio::test]
async fn the_mediator_stands_between_chooser_and_planner() {
    // The workshop has no reactive action: Oil becomes one.
    let mut stage =
        workshop([Says(ANALYSE), Says(FINDING), Says(SUGGEST), Says(MENU), Says("Answer: Oil machine=lathe")]);
    Arc::make_mut(&mut stage.brief).glossary[1].kind = "reactive".to_owned();
    let _ = build(json!({ "arbiter": { "urgency": 0.9 } })).play(&stage).await;
    let log = stage.log();
    let note = log.iter().find(|line| line.starts_with("note arbitrated")).unwrap();
    assert!(note.contains(r#""rule":"urgency","before":[{"action":"Wait""#), "{note}");
    let seen = stage.last_talk().last().unwrap().clone();
    assert!(seen.starts_with(r#"user: Observation: [{"action": "Oil machine=lathe""#), "{seen}");
    // What the chooser sent stays in the journal as it was.
    assert!(log.iter().any(|line| line.starts_with(r#"sent suggestions chooser->planner [{"action":"Wait""#)));
}

// covers: BOG-115, BOG-231
#[tokio::test]
async fn deliberation_can_be_given_to_any_subset_of_the_agents() {
    let on = json!({ "flags": { "include_tool_raise_a_question": true } });
    for bits in 0_u8..8 {
        let mut settings = serde_json::Map::new();
        for (bit, name) in [(1, "planner"), (2, "analyst"), (4, "chooser")] {
            if bits & bit != 0 {
                settings.insert(name.to_owned(), on.clone());
            }
        }
        let replies = [Says(ANALYSE), Says(FINDING), Says(SUGGEST), Says(MENU), Says("Answer: Wait")];
        let (_, stage) = play(Value::Object(settings), replies).await;
        let requests = stage.requests.lock().unwrap();
        for (bit, index) in [(1, 0), (2, 1), (4, 3)] {
            let offered = requests[index].messages[0].text.contains("Tool: raise_a_question: <");
            assert_eq!(offered, bits & bit != 0, "{bits} {index}");
        }
    }
}

// covers: BOG-116, BOG-117
#[tokio::test]
async fn advisers_deliberate_within_their_own_answer_and_budget() {
    let flags = json!({ "flags": { "include_tool_raise_a_question": true } });
    let question = "Tool: raise_a_question: why?\nPAUSE";
    let replies = [Says(SUGGEST), Says(question), Says(question), Says(question), Says(MENU), Says("Answer: Wait")];
    let (log, _) = play(flags, replies).await;
    let over: Vec<&String> = log.iter().filter(|line| line.starts_with("note deliberated")).collect();
    assert_eq!(over.len(), 3);
    assert!(over.iter().all(|line| line.contains(r#""agent":"chooser""#)));
    assert_eq!(over.iter().map(|line| line.contains("true")).collect::<Vec<_>>(), [false, false, true]);
}

// A model that answers only prose: every tier fails, every attempt is counted, the idle call ends the step.
#[tokio::test]
async fn prose_alone_ends_in_the_idle_call() {
    let (log, stage) = play(json!({}), ["I am not sure."; 3].map(Says)).await;
    assert_eq!(stage.asked.lock().unwrap().len(), 3);
    assert_eq!(log.iter().filter(|line| line.starts_with("reject unreadable")).count(), 3);
    assert_eq!(log.last().unwrap(), "act Wait because -");
}

#[tokio::test]
async fn a_megabyte_from_an_adviser_is_cut_to_its_contract() {
    let long = "x".repeat(1_000_000);
    let text = format!(
        r#"Answer: [{{"machine": "lathe", "status": "changed", "severity": "low", "anomalies": ["{long}"], "recommended_focus": "monitor", "rationale": "{long}"}}]"#
    );
    let replies = [Says(ANALYSE), Says(Box::leak(text.into_boxed_str())), Says("Answer: Wait")];
    let (_, stage) = play(json!({}), replies).await;
    let seen = stage.last_talk().last().unwrap().len();
    assert!(seen < 4_000, "{seen}");
    let babble: &'static str = Box::leak(format!("Answer: {long}").into_boxed_str());
    let (log, stage) = play(json!({}), [Says(SUGGEST), Says(babble), Says(babble), Says("Answer: Wait")]).await;
    assert!(stage.requests.lock().unwrap()[2].messages[1].text.len() < 5_000, "the repair quotes a part of it");
    assert!(log.iter().any(|line| line.contains(r#""tier":"default""#)));
}

/// Plays with an expert whose every hint is taken.
async fn follow(settings: Value, decoding: Decoding) -> (Vec<String>, Vec<String>) {
    let expert = Some(ToolCall::with("Oil", &[("machine", "lathe")]));
    let architecture = build(settings);
    let mut said: Vec<&'static str> = Vec::new();
    loop {
        let stage = Workshop { decoding, expert: expert.clone(), ..workshop(said.iter().map(|text| Says(text))) };
        let _ = architecture.play(&stage).await;
        let requests = stage.requests.lock().unwrap();
        for (request, text) in requests.iter().zip(&said) {
            if let Some(Grammar::Regex(pattern)) = request.grammar.as_deref() {
                assert!(regex::Regex::new(&format!("^(?:{pattern})$")).unwrap().is_match(text), "{text}");
            }
        }
        if requests.len() <= said.len() {
            return (stage.log(), stage.asked.lock().unwrap().clone());
        }
        said.push(Box::leak(requests.last().unwrap().hint.as_ref().unwrap().answer.clone().into_boxed_str()));
    }
}

// covers: SH-01
#[tokio::test]
async fn a_competent_player_takes_every_way_once() {
    for decoding in [Decoding::Free, Decoding::Constrained] {
        for protocol in ["react-text", "json", "native-tools"] {
            let (log, asked) = follow(json!({ "protocol": protocol }), decoding).await;
            assert_eq!(asked, ["planner", "analyst", "analyst", "analyst", "planner", "chooser", "planner"]);
            assert_eq!(log.last().unwrap(), "act Oil machine=lathe because Best now.", "{protocol}");
            assert!(log.contains(&r#"note parsed {"contract":"analysis","tier":"direct"}"#.to_owned()), "{log:?}");
            assert!(log.contains(&r#"note parsed {"contract":"suggestions","tier":"direct"}"#.to_owned()), "{log:?}");
            let (log, asked) = follow(json!({ "protocol": protocol, "configuration": "hier-delib" }), decoding).await;
            // Each of three agents uses each tool once, but the analyst, whose turns do not suffice.
            assert_eq!(log.iter().filter(|line| line.starts_with("note deliberated")).count(), 8, "{log:?}");
            assert_eq!(asked.len(), 6 + 5 + 4);
        }
    }
}
