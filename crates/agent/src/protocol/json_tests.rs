use serde_json::{Map, Value, json};

use super::super::{Expects, Input, Reply, ReplyContent, ToolUse};
use crate::protocol::react_text;
use gimbal_messages::Tier;

fn read(text: &str, expects: Expects) -> Reply {
    super::read(text, expects, react_text::read)
}

fn actions(text: &str) -> Reply {
    read(text, Expects::Action)
}

fn map(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn reads_answers_wherever_the_object_stands() {
    for (text, tier) in [
        (r#"{"thought": "t", "action": "Oil machine=lathe"}"#, Tier::Direct),
        ("```json\n{\"thought\": \"t\", \"action\": \"Oil machine=lathe\"}\n```", Tier::Normalised),
        (
            r#"I {really} mean {"x": 1}: {"thought": "t", "answer": " Oil machine=lathe "} and no more {"#,
            Tier::Normalised,
        ),
        ("{'thought': 't', 'action': 'Oil machine=lathe',}", Tier::Normalised),
        ("Thought: t\nAnswer: Oil machine=lathe", Tier::Normalised),
    ] {
        let whole = Reply::new("t".to_owned(), ReplyContent::Answer("Oil machine=lathe".to_owned()), tier);
        assert_eq!(actions(text), whole, "{text}");
    }
}

#[test]
fn reads_calls_of_every_form() {
    let arguments = || Input::Arguments(map(&json!({ "machine": "lathe" })));
    let beside = || Input::Beside(map(&json!({ "machine": "lathe" })));
    let text = || Input::Text("lathe".to_owned());
    for (text, input) in [
        (r#"{"thought":"t","tool":"Oil","input":"lathe"}"#, text()),
        (r#"{"thought":"t","tool":"Oil","arguments":{"machine":"lathe"}}"#, arguments()),
        (r#"{"thought":"t","action":{"tool":"Oil","arguments":{"machine":"lathe"}}}"#, arguments()),
        (r#"{"thought":"t","function":{"name":"Oil","arguments":"{\"machine\": \"lathe\"}"}}"#, arguments()),
        (r#"{"thought":"t","tool_calls":[{"function":{"name":"Oil","arguments":{"machine":"lathe"}}}]}"#, arguments()),
        (r#"{"thought":"t","action":"Oil","action_input":{"machine":"lathe"}}"#, arguments()),
        (r#"{"thought":"t","action":"use_tool","tool":"Oil","input":"lathe"}"#, text()),
        (r#"{"thought":"t","Oil":{"machine":"lathe"}}"#, arguments()),
        (r#"{"thought":"t","recipient_name":"functions.Oil","parameters":{"machine":"lathe"}}"#, arguments()),
        (r#"{"thought":"t","action":"Oil","machine":"lathe"}"#, beside()),
        (r#"{"thought":"t","tool":"Oil","machine":"lathe"}"#, beside()),
        (r#"{"reasoning":"t","tool":"Oil"}"#, Input::Arguments(Map::new())),
    ] {
        let reply = actions(text);
        assert_eq!(reply.content, ReplyContent::Use(ToolUse { name: "Oil".to_owned(), input }), "{text}");
        assert_eq!((reply.thought.as_str(), reply.more), ("t", false), "{text}");
    }
}

#[test]
fn what_says_nothing_stays_raw() {
    for text in ["", "Wait", "{", r#"{"thought": "t"}"#, r#"{"tool": 3}"#, r#"{"thought": "t", "action": "#] {
        assert_eq!(actions(text).content, ReplyContent::Raw(text.trim().to_owned()), "{text}");
    }
}

#[test]
fn keys_count_in_any_case_and_a_final_answer_is_no_tool() {
    for text in [
        r#"{"Thought": "t", "Action": "Wait"}"#,
        r#"{"THOUGHT": "t", "Final Answer": "Wait"}"#,
        r#"{"thought": "t", "action": "final_answer", "action_input": "Wait"}"#,
        r#"{"thought": "t", "action": "final_answer", "answer": "Wait"}"#,
        r#"{"thought": "t", "actions": ["Wait"]}"#,
    ] {
        let reply = actions(text);
        assert_eq!((reply.thought.as_str(), reply.content), ("t", ReplyContent::Answer("Wait".to_owned())), "{text}");
    }
}

#[test]
fn what_is_quoted_rejected_or_past_is_not_read() {
    for text in [
        r#"{"options": [{"action": "Oil machine=lathe", "score": 0.1}], "best": "Wait"}"#,
        r#"{"rejected": {"action": "Wait"}}"#,
        r#"{"do_not": {"action": "Wait"}}"#,
        r#"{"last": {"tool": "Oil", "arguments": {"machine": "lathe"}}}"#,
        r#"{"thought": {"action": "Wait"}}"#,
        r#"{"observation": {"tool": "Oil", "arguments": {"machine": "lathe"}}}"#,
        r#"{"answer": "Wait", "action": "Oil machine=lathe"}"#,
        r#"{"action": "Wait", "next_action": "Oil machine=lathe"}"#,
        r#"I considered {"tool": "Wait", "arguments": {}} but it is not enough."#,
        r#"I already called {"tool": "Oil", "arguments": {"machine": "lathe"}} in the last step, it failed."#,
    ] {
        assert!(matches!(actions(text).content, ReplyContent::Raw(_)), "{text}: {:?}", actions(text));
    }
    let wrapped = actions(r#"{"response": {"thought": "t", "action": "Wait"}}"#);
    assert_eq!(wrapped.content, ReplyContent::Answer("Wait".to_owned()));
}

#[test]
fn two_answers_are_none() {
    for text in [
        r#"{"action": "Wait"} {"action": "Oil machine=lathe"}"#,
        r#"{"action": "Wait", "action": "Oil machine=lathe"}"#,
        r#"{"action": "Wait"} or {"tool": "Oil", "input": "lathe"}"#,
    ] {
        assert!(matches!(actions(text).content, ReplyContent::Raw(_)), "{text}");
    }
    assert!(actions(r#"{"tool": "look", "input": "a"} {"tool": "look", "input": "b"}"#).more);
    assert!(actions(r#"{"tool_calls": [{"name": "a"}, {"name": "b"}]}"#).more);
    let same = actions("{\"action\": \"Wait\"}\n{\"action\": \"Wait\"}");
    assert_eq!(same.content, ReplyContent::Answer("Wait".to_owned()));
    let played_on = actions("{\"action\": \"Wait\"}\nObservation: fine\n{\"action\": \"Oil machine=lathe\"}");
    assert_eq!(played_on.content, ReplyContent::Answer("Wait".to_owned()));
}

// covers: BOG-067, BOG-070
#[test]
fn members_of_a_message_are_no_actions() {
    let list = r#"[{"action": "Wait", "confidence": 0.5}]"#;
    let message = |text: &str| read(text, Expects::Message).content;
    assert_eq!(message(list), ReplyContent::Raw(list.to_owned()));
    assert_eq!(message(r#"{"thought": "t", "answer": "x"}"#), ReplyContent::Answer("x".to_owned()));
    let wrapped = message(&format!(r#"{{"thought": "t", "answer": {list}}}"#));
    assert_eq!(wrapped, ReplyContent::Answer(r#"[{"action":"Wait","confidence":0.5}]"#.to_owned()));
    assert!(matches!(message(r#"{"tool": "look", "input": "lathe"}"#), ReplyContent::Use(_)));
    for text in [r#"{"name": "craft", "goal": "x", "tools": []}"#, r#"{"action": "Wait", "confidence": 0.5}"#] {
        assert_eq!(message(text), ReplyContent::Raw(text.to_owned()));
    }
}
