use std::sync::Arc;

use gimbal_core::{ChatRequest, Completion, Finish, Grammar, Message, ModelError, ModelErrorKind, Speaker, ToolSpec};
use proptest::prelude::*;
use serde_json::json;

use super::Script;
use crate::shape;
use crate::testing::{NoWire, ask, context};

fn request(texts: &[(Speaker, &str)]) -> ChatRequest {
    let messages = texts.iter().map(|(speaker, text)| Arc::new(Message::new(*speaker, *text))).collect();
    ChatRequest { messages, ..ChatRequest::default() }
}

fn answer(script: &str, request: &ChatRequest, call: u64) -> Result<Completion, ModelError> {
    ask(&Script::parse(script, "test.yaml").unwrap(), request, &context(&NoWire, 0, call))
}

const SCRIPT: &str = r#"
rules:
  - when: { call: [7, 8] }
    fail: timeout
  - when: { last: 'host (?P<host>\w+) is (\w+)' }
    say: "Answer: Analyse ${host} ($2)"
  - when: { any: 'rule (\d)' }
    say: ["first $1", "second $1", "costs $$5"]
  - say: otherwise
"#;

// covers: SH-01
#[test]
fn the_first_rule_that_holds_answers() {
    let conversation = request(&[(Speaker::System, "obey rule 3"), (Speaker::User, "host User1 is odd")]);
    let text = |request: &ChatRequest, call| answer(SCRIPT, request, call).unwrap().text.to_string();
    assert_eq!(text(&conversation, 0), "Answer: Analyse User1 (odd)");
    let later = request(&[
        (Speaker::System, "obey rule 3"),
        (Speaker::User, "host User1 is odd"),
        (Speaker::Assistant, "done"),
        (Speaker::User, "and now?"),
    ]);
    assert_eq!([0, 1, 2, 3].map(|call| text(&later, call)), ["first 3", "second 3", "costs $5", "first 3"]);
    assert_eq!(text(&request(&[(Speaker::User, "hello")]), 0), "otherwise");
    let failed = answer(SCRIPT, &conversation, 7).unwrap_err();
    assert_eq!(failed.kind, ModelErrorKind::Timeout);
    assert!(failed.message.contains("test.yaml: line 3"), "{}", failed.message);
}

#[test]
fn native_calls_and_dollars_without_a_pattern() {
    let script = "rules:\n  - say: costs $5\n    calls: [{ tool: Analyse, arguments: { host: User1 } }]\n";
    let completion = answer(script, &request(&[]), 0).unwrap();
    assert_eq!((&*completion.text, completion.finish), ("costs $5", Finish::Calls));
    assert_eq!(completion.calls[0].arguments, json!({ "host": "User1" }));
}

#[test]
fn built_in_scripts_are_sound() {
    for name in Script::built_in() {
        let script = Script::find(name, &crate::config::NoFiles).unwrap();
        let outcome = ask(&script, &request(&[(Speaker::User, "?")]), &context(&NoWire, 0, 0));
        match name {
            "refuse" => {
                let error = outcome.unwrap_err();
                assert_eq!(error.kind, ModelErrorKind::Refusal);
                assert!(error.usage.is_some());
            }
            "react-monitor" => assert!(outcome.unwrap().text.ends_with("\nAnswer: Monitor")),
            _ => assert!(!outcome.unwrap().text.is_empty()),
        }
    }
    let error = Script::find("react-montor", &crate::config::NoFiles).unwrap_err().to_string();
    assert!(error.contains("did you mean `react-monitor`"), "{error}");
}

#[test]
fn a_name_in_yaml_is_a_path_and_the_paths_tried_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.yaml");
    std::fs::write(&path, "rules:\n  - say: from disk\n").unwrap();
    let path = path.to_str().unwrap();
    let script = Script::find(path, &crate::config::NoFiles).unwrap();
    let text = ask(&script, &request(&[]), &context(&NoWire, 0, 0)).unwrap().text;
    assert_eq!(&*text, "from disk");
    let message = |name: &str| Script::find(name, &crate::config::NoFiles).unwrap_err().to_string();
    let error = message("nowhere/x.yaml");
    for tried in ["no file `scripted/nowhere/x.yaml`", "no file `nowhere/x.yaml`", "from the working folder"] {
        assert!(error.contains(tried), "{error}");
    }
    assert!(!error.contains(".yaml.yaml"), "{error}");
    assert!(message("nothing").contains("there is no file `scripted/nothing.yaml`"));
}

#[test]
fn first_choice_satisfies_every_grammar() {
    let grammars = [
        Grammar::Choice(vec!["b".to_owned(), "a".to_owned()]),
        Grammar::Regex(r"Answer: (Monitor|Sleep) [A-Z]{2,3}\d+x?".to_owned()),
        Grammar::JsonSchema(json!({
            "type": "object", "required": ["tool", "sure", "list", "n"], "additionalProperties": false,
            "properties": {
                "tool": { "enum": ["Monitor", "Sleep"] }, "sure": { "type": "boolean" },
                "why": { "type": "string" }, "n": { "type": "integer", "minimum": 3 },
                "list": { "type": "array", "minItems": 2, "items": { "$ref": "#/$defs/word" } }
            },
            "$defs": { "word": { "type": "string", "minLength": 2 } }
        })),
        Grammar::JsonSchema(json!({ "anyOf": [{ "const": 4 }, { "type": "null" }] })),
    ];
    for grammar in grammars {
        let request = ChatRequest { grammar: Some(Arc::new(grammar.clone())), ..ChatRequest::default() };
        let script = Script::find("first-choice", &crate::config::NoFiles).unwrap();
        let text = ask(&script, &request, &context(&NoWire, 0, 0)).unwrap().text;
        assert!(shape::fits(&grammar, &text), "{text} for {grammar:?}");
    }
    let tools = vec![ToolSpec::of_strings("Analyse", "Looks closely.", &[("host", "which")])];
    let request = ChatRequest { tools: tools.into(), ..ChatRequest::default() };
    let script = Script::find("first-choice", &crate::config::NoFiles).unwrap();
    let calls = ask(&script, &request, &context(&NoWire, 0, 0)).unwrap().calls;
    assert_eq!((calls[0].tool.as_str(), &calls[0].arguments), ("Analyse", &json!({ "host": "" })));
}

#[test]
fn errors_name_the_line() {
    for (script, line, part) in [
        ("rules:\n  - say: x\n    sya: y\n", ":3:", "did you mean `say`"),
        ("rules:\n  - when: { last: '(' }\n    say: x\n", ":2:", "regular expression"),
        ("rules:\n  - say: x\n  - say: z\n    fail: timeout\n", ":3:", "exactly one"),
        ("rules:\n  - fail: tiemout\n", ":2:", "did you mean `timeout`"),
        ("rules:\n  - say: []\n", ":2:", "empty list"),
        ("rules:\n  - when: { call: -1 }\n    say: x\n", ":2:", "number of a call"),
        ("rules:\n  - say: true\n", ":2:", "in quotes"),
        ("rules: []\n", ":1:", "empty"),
        ("rules:\n  - say: x\nrules:\n  - say: z\n", ":3:", "duplicate key"),
    ] {
        let message = Script::parse(script, "s.yaml").unwrap_err().to_string();
        assert!(message.starts_with(&format!("s.yaml{line}")) && message.contains(part), "{line} {part}: {message}");
    }
}

#[test]
fn the_schema_is_recorded() {
    insta::assert_json_snapshot!(Script::schema());
}

proptest! {
    #[test]
    fn reading_never_panics(text in "\\PC{0,200}", tail in "(?s).{0,80}") {
        let _ = Script::parse(&text, "any");
        let _ = Script::parse(&format!("rules:\n  - say: {tail}\n"), "any");
        let _ = Script::parse(&format!("rules:\n  - when: {{ last: '{tail}' }}\n    say: x\n"), "any");
    }
}

#[test]
fn the_example_on_the_page_reads() {
    let page = include_str!("../../../../docs/models.md");
    let example = page.split("```yaml\n").find(|block| block.starts_with("description:")).unwrap();
    Script::parse(example.split("\n```").next().unwrap(), "docs/models.md").unwrap();
}
