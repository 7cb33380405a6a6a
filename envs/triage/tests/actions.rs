//! How an action is written and read.

use gimbal_core::{RejectionKind, ToolCall};
use gimbal_triage::action::{parse, render};
use gimbal_triage::tools::specs;
use proptest::prelude::*;
use serde_json::json;

use crate::play::conclude;

#[test]
fn one_call_is_read_in_many_ways_and_written_in_one() {
    let tools = specs();
    let call = conclude("THREAT_CONFIRMED", 85, "F003 F017");
    assert_eq!(render(&call), r#"conclude confidence=85, facts="F003 F017", verdict="THREAT_CONFIRMED""#);
    for text in [
        r#"conclude confidence=85, facts="F003 F017", verdict="THREAT_CONFIRMED""#,
        r#"conclude verdict="THREAT_CONFIRMED", confidence=85, facts="F003 F017""#,
        r#"Conclude(verdict="THREAT_CONFIRMED", confidence=85, facts="F003 F017")."#,
        r#"conclude {"verdict": "THREAT_CONFIRMED", "confidence": 85, "facts": "F003 F017"}"#,
        "conclude verdict=THREAT_CONFIRMED confidence=85 facts=F003 F017",
        "`conclude verdict: THREAT_CONFIRMED, confidence: 85, facts: 'F003 F017'`",
        "conclude verdict=\"THREAT_CONFIRMED\", confidence=85, facts=\"F003 F017\"\nThe logon decides.",
    ] {
        assert_eq!(parse(text, &tools), Ok(call.clone()), "{text}");
    }
    let fact = ToolCall::with("show_fact", &[("id", "F003")]);
    for text in [
        "show_fact id=\"F003\"",
        "show_fact F003",
        "show_fact(F003)",
        "show_fact \"F003\"",
        "show_fact id=F003 because it is odd",
    ] {
        let read = parse(text, &tools);
        assert!(read == Ok(fact.clone()) || text.contains("because"), "{text}: {read:?}");
    }
    let path = r"process:C:\temp\new.exe";
    for text in [r#"show_entity name="process:C:\\temp\\new.exe""#, r#"show_entity name="process:C:\temp\new.exe""#] {
        assert_eq!(parse(text, &tools), Ok(ToolCall::with("show_entity", &[("name", path)])), "{text}");
    }
    assert_eq!(
        parse("show_path from=host:web01 to=address:2001:db8::1", &tools),
        Ok(ToolCall::with("show_path", &[("from", "host:web01"), ("to", "address:2001:db8::1")]))
    );
}

#[test]
fn a_rejection_says_what_would_be_right() {
    let tools = specs();
    for (text, kind, message) in [
        ("", RejectionKind::Unreadable, "begins with the name of a tool"),
        ("show_facts F003", RejectionKind::UnknownTool, "did you mean `show_fact`?"),
        ("show_entity nam=x, y", RejectionKind::Unreadable, ""),
        ("show_fact id=\"F003", RejectionKind::Unreadable, "never closed"),
        ("show_fact id=F003, id=F004", RejectionKind::Unreadable, "given twice"),
        ("conclude THREAT_CONFIRMED", RejectionKind::Unreadable, "with one of: verdict, confidence, facts"),
        ("show_fact id=\"F003\"\nshow_fact id=\"F004\"", RejectionKind::Unreadable, "more than one action"),
    ] {
        match parse(text, &tools) {
            Err(rejection) => {
                assert!(rejection.kind == kind && rejection.message.contains(message), "{text}: {rejection:?}");
            }
            Ok(call) => assert!(message.is_empty(), "{text}: {call:?}"),
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(name in "[ -~äß]{1,40}", page in 1_u64..9999) {
        let tools = specs();
        let entity = ToolCall::with("show_entity", &[("name", &name)]);
        prop_assert_eq!(parse(&render(&entity), &tools), Ok(entity));
        let mut list = ToolCall::with("list_facts", &[("class", "all")]);
        list.arguments.insert("page".to_owned(), json!(page));
        prop_assert_eq!(parse(&render(&list), &tools), Ok(list));
    }

    #[test]
    fn no_text_breaks_it(text in "(conclude|show_fact|show_entity|show_path)?[ a-zF0-9=:,\"'\\[\\](){}\\\\]{0,60}") {
        if let Ok(call) = parse(&text, &specs()) {
            prop_assert_eq!(parse(&render(&call), &specs()), Ok(call));
        }
    }
}
