use std::collections::BTreeMap;
use std::sync::LazyLock;

use gimbal_core::{CommandFacts, Grammar, Manifest, ToolCall, ToolFacts, ToolSpec};
use proptest::prelude::*;

use super::{OpenTool, Shape, shape};
use crate::Protocol;
use crate::protocol::numbers::{Numbers, distinct_but_for_numbers};
use gimbal_messages::Form;

/// No number may be another one.
fn none() -> Numbers<'static> {
    static MANIFEST: LazyLock<Manifest> = LazyLock::new(Manifest::default);
    Numbers { specs: &[], manifest: &MANIFEST }
}

fn legal() -> (Vec<ToolCall>, Vec<String>) {
    let calls = vec![
        ToolCall::bare("Wait"),
        ToolCall::with("Oil", &[("machine", "lathe")]),
        ToolCall::with("Oil", &[("machine", "press")]),
        ToolCall::with("Move", &[("from", "a"), ("to", "b")]),
        ToolCall::with("Move", &[("from", "b"), ("to", "a")]),
    ];
    let texts = ["Wait", "Oil machine=lathe", "Oil machine=press", "Move a.b (back)", "Move b.a+"];
    (calls, texts.map(str::to_owned).to_vec())
}

/// These calls and nothing beside them.
fn listed<'a>(calls: &'a [ToolCall], texts: &'a [String]) -> Shape<'a> {
    Shape {
        calls,
        texts,
        none_legal: false,
        numbers: none(),
        open: &[],
        message: None,
        tools: &[],
        thought: 40,
        budget: 1024,
    }
}

fn of(protocol: Protocol, tools: &[(String, Form)], thought: u32, budget: u32) -> super::Shaped {
    let (calls, texts) = legal();
    shape(protocol, Shape { tools, thought, budget, ..listed(&calls, &texts) })
}

fn regex(shaped: &super::Shaped) -> regex::Regex {
    let Grammar::Regex(pattern) = &shaped.grammar else { panic!("{shaped:?}") };
    regex::Regex::new(&format!("^(?:{pattern})$")).unwrap()
}

fn schema(shaped: &super::Shaped) -> jsonschema::Validator {
    let Grammar::JsonSchema(schema) = &shaped.grammar else { panic!("{shaped:?}") };
    jsonschema::validator_for(schema).unwrap()
}

/// Whether a grammar lets a reply through.
fn lets_through(protocol: Protocol, shaped: &super::Shaped, text: &str) -> bool {
    match protocol {
        Protocol::ReactText => regex(shaped).is_match(text),
        _ => serde_json::from_str(text).is_ok_and(|value| schema(shaped).is_valid(&value)),
    }
}

#[test]
fn a_blank_line_may_stand_before_the_answer() {
    let shaped = of(Protocol::ReactText, &[("ask".to_owned(), Form::line(20))], 400, 1024);
    let fits = |text: &str| lets_through(Protocol::ReactText, &shaped, text);
    assert!(fits("Thought: dry\nAnswer: Wait") && fits("Thought: dry\n\nAnswer: Wait"));
    assert!(fits("Thought: dry\n\nTool: ask: why\nPAUSE") && !fits("Thought: dry\n\n\nAnswer: Wait"));
}

#[test]
fn every_legal_answer_fits_and_no_other() {
    let (calls, texts) = legal();
    for protocol in [Protocol::ReactText, Protocol::Json, Protocol::NativeTools] {
        let shaped = of(protocol, &[], 40, 1024);
        assert_eq!(shaped.max_output_tokens, None);
        let fits = |text: &str| lets_through(protocol, &shaped, text);
        for (call, text) in calls.iter().zip(&texts) {
            assert!(fits(&protocol.write("because", call, text)), "{protocol:?} {text}");
            assert!(!fits(&protocol.write(&"x".repeat(41), call, text)), "{protocol:?}: thought too long");
        }
        let wrong = ToolCall::with("Move", &[("from", "a"), ("to", "a")]);
        assert!(!fits(&protocol.write("because", &wrong, "Move aXb (back)")), "{protocol:?}");
        let wrong = ToolCall::with("Oil", &[("machine", "drill")]);
        assert!(!fits(&protocol.write("because", &wrong, "Oil machine=drill")), "{protocol:?}");
        assert!(!fits("Wait"));
    }
}

#[test]
fn tools_may_come_before_the_answer() {
    let tools = [("look".to_owned(), Form::line(160))];
    assert!(regex(&of(Protocol::ReactText, &tools, 40, 1024)).is_match("Thought: t\nTool: look: lathe\nPAUSE"));
    assert!(!regex(&of(Protocol::ReactText, &[], 40, 1024)).is_match("Thought: t\nTool: look: lathe\nPAUSE"));
    let object = serde_json::json!({ "thought": "t", "tool": "look", "input": "lathe" });
    assert!(schema(&of(Protocol::Json, &tools, 40, 1024)).is_valid(&object));
    assert!(!schema(&of(Protocol::Json, &[], 40, 1024)).is_valid(&object));
}

#[test]
fn where_nothing_can_be_done_only_tools_are_let_through() {
    let tools = [("finish".to_owned(), Form::line(160))];
    for protocol in [Protocol::ReactText, Protocol::Json, Protocol::NativeTools] {
        let fits = |none_legal, tools: &[(String, Form)], text: &str| {
            let shape_of = Shape { none_legal, tools, ..listed(&[], &[]) };
            lets_through(protocol, &shape(protocol, shape_of), text)
        };
        let dance = protocol.write("t", &ToolCall::bare("Dance"), "Dance");
        let finish = protocol.write_use("t", "finish", "done", false);
        assert!(fits(true, &tools, &finish) && !fits(true, &tools, &dance), "{protocol:?}");
        assert!(fits(false, &tools, &dance), "{protocol:?}: the environment lists nothing");
        assert!(fits(true, &[], &dance), "{protocol:?}: something must be written");
    }
}

#[test]
fn a_small_budget_is_raised_and_the_thought_kept() {
    let shaped = of(Protocol::ReactText, &[], 200, 150);
    assert_eq!(shaped.max_output_tokens, Some(200 + 96 + 17));
    assert!(regex(&shaped).is_match(&format!("Thought: {}\nAnswer: Wait", "x".repeat(200))));
    assert!(!regex(&shaped).is_match(&format!("Thought: {}\nAnswer: Wait", "x".repeat(201))));
    assert_eq!(of(Protocol::ReactText, &[], 40, 1024).max_output_tokens, None);
}

// covers: CYC-036
#[test]
fn free_arguments_follow_the_schema_of_their_tool_and_not_a_list() {
    let text = serde_json::json!({ "type": "string" });
    let parameters =
        serde_json::json!({ "type": "object", "properties": { "machine": text }, "required": ["machine"] });
    let spec = ToolSpec { name: "Oil".to_owned(), description: String::new(), parameters };
    let open = [OpenTool { spec, usage: None }];
    let (calls, texts) = legal();
    for protocol in [Protocol::ReactText, Protocol::Json, Protocol::NativeTools] {
        let shaped = shape(protocol, Shape { open: &open, ..listed(&calls, &texts) });
        let fits = |text: &str| lets_through(protocol, &shaped, text);
        let oil = |machine: &str| ToolCall::with("Oil", &[("machine", machine)]);
        for machine in ["drill", "a \"b\" c", "lathe"] {
            let written = format!("Oil machine={}", serde_json::Value::from(machine));
            assert!(fits(&protocol.write("because", &oil(machine), &written)), "{protocol:?} {machine}");
        }
        assert!(fits(&protocol.write("because", &calls[0], &texts[0])), "a tool without free text stays listed");
        let other = ToolCall::with("Paint", &[("machine", "lathe")]);
        assert!(!fits(&protocol.write("because", &other, "Paint machine=\"lathe\"")), "{protocol:?}");
        let long = "x".repeat(2000);
        let written = format!("Oil machine={}", serde_json::Value::from(long.as_str()));
        assert!(!fits(&protocol.write("because", &oil(&long), &written)), "{protocol:?}: not bounded");
    }
}

// covers: CYC-036
#[test]
fn any_number_fits_where_the_schema_says_any_number() {
    let number = serde_json::json!({ "type": "integer", "minimum": 1, "maximum": 20_000, "examples": [2, 4] });
    let properties = serde_json::json!({ "count": number, "item": { "type": "string" } });
    let parameters = serde_json::json!({ "type": "object", "properties": properties, "required": ["count", "item"] });
    let specs = [ToolSpec { name: "Get".to_owned(), description: String::new(), parameters }];
    let get = |count: u64| {
        let mut call = ToolCall::with("Get", &[("item", "oak 4")]);
        call.arguments.insert("count".to_owned(), count.into());
        call
    };
    let calls = [ToolCall::bare("Wait"), get(2), get(4)];
    let texts = ["Wait", "get 2 oak 4", "get 4 oak 4"].map(str::to_owned);
    for protocol in [Protocol::ReactText, Protocol::Json, Protocol::NativeTools] {
        let shaped = shape(protocol, Shape { numbers: Numbers { specs: &specs, ..none() }, ..listed(&calls, &texts) });
        let fits = |text: &str| lets_through(protocol, &shaped, text);
        for count in [1, 2, 36, 640, 1728, 20_000] {
            assert!(
                fits(&protocol.write("because", &get(count), &format!("get {count} oak 4"))),
                "{protocol:?} {count}"
            );
        }
        assert!(fits(&protocol.write("because", &calls[0], "Wait")), "{protocol:?}");
        for (count, text) in [(0, "get 0 oak 4"), (20_001, "get 20001 oak 4")] {
            assert!(!fits(&protocol.write("because", &get(count), text)), "{protocol:?} {count}");
        }
        let mut other = get(2);
        other.arguments.insert("item".to_owned(), "elm".into());
        assert!(!fits(&protocol.write("because", &other, "get 2 elm")), "{protocol:?}");
    }
}

// covers: CYC-031
#[test]
fn any_number_fits_where_the_form_of_a_command_says_any_number() {
    let form = |form: &str, any_number: Option<&str>| CommandFacts {
        argument: "command".to_owned(),
        form: form.parse().unwrap(),
        any_number: any_number.map(str::to_owned),
        seconds: None,
        scope: None,
        reads: Vec::new(),
        writes: Vec::new(),
        effects: BTreeMap::new(),
    };
    let commands =
        vec![form("craft {output} using [{number} {input}]", None), form("get {number} {item}", Some("number"))];
    let facts = ToolFacts { commands, ..ToolFacts::default() };
    let manifest = Manifest::new(BTreeMap::from([("Do".to_owned(), facts)]));
    let numbers = Numbers { manifest: &manifest, ..none() };
    let call = |command: &str| ToolCall::with("Do", &[("command", command)]);
    let written = ["get 2 oak 4", "get 4 oak 4", "get 2 elm", "craft sign using 2 oak 4", "look"];
    let calls = written.map(call);
    let texts = written.map(|command| format!("Do: {command}"));
    assert_eq!(distinct_but_for_numbers(calls.iter(), numbers).len(), 4);
    for protocol in [Protocol::ReactText, Protocol::Json, Protocol::NativeTools] {
        let shaped = shape(protocol, Shape { numbers, ..listed(&calls, &texts) });
        let fits = |command: &str| {
            lets_through(protocol, &shaped, &protocol.write("because", &call(command), &format!("Do: {command}")))
        };
        for command in ["get 1 oak 4", "get 7 elm", "get 1728 elm", "craft sign using 2 oak 4", "look"] {
            assert!(fits(command), "{protocol:?} {command}");
        }
        for command in ["get 0 elm", "get 07 elm", "get 2 ash", "get 2 oak 5", "craft sign using 3 oak 4", "get elm"] {
            assert!(!fits(command), "{protocol:?} {command}");
        }
    }
}

proptest! {
    #[test]
    fn the_longest_text_stays_within_the_bound(thought in 0_u32..400, budget in 1_u32..600) {
        let (calls, texts) = legal();
        let longest = texts.iter().zip(&calls).max_by_key(|(text, _)| text.len()).unwrap();
        let shaped = of(Protocol::ReactText, &[], thought, budget);
        let bound = shaped.max_output_tokens.unwrap_or(budget) as usize;
        let text = Protocol::ReactText.write(&"x".repeat(thought as usize), longest.1, longest.0);
        prop_assert!(regex(&shaped).is_match(&text));
        prop_assert!(text.len() < bound, "{} {bound}", text.len());
    }

    #[test]
    fn any_action_text_is_matched_literally(text in "[ -~]{1,30}", other in "[ -~]{1,30}") {
        let calls = [ToolCall::bare("x")];
        let texts = [text.clone()];
        let shaped = shape(
            Protocol::ReactText,
            Shape { thought: 10, ..listed(&calls, &texts) },
        );
        let matches = |text: &str| regex(&shaped).is_match(&format!("Thought: t\nAnswer: {text}"));
        prop_assert!(matches(&text));
        prop_assert_eq!(matches(&other), other == text);
    }
}
