use std::sync::Arc;

use gimbal_core::{ChatRequest, Grammar, ToolSpec};
use serde_json::{Value, json};

use super::{Asked, Choice, MOST_TOOLS, NativeMask};
use crate::native_calls::NativeCalls;
use crate::remote::SchemaRules;
use crate::remote::mask::Mask;
use crate::remote::provider::Provider;
use crate::traits::TraitTable;

fn object(properties: &Value) -> Value {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// The alternative of a grammar that calls a tool.
fn call(tool: &str, arguments: &Value) -> Value {
    object(
        &json!({ "reasoning": { "type": "string" }, "tool": { "type": "string", "enum": [tool] }, "arguments": arguments }),
    )
}

fn answer() -> Value {
    object(&json!({ "reasoning": { "type": "string" }, "answer": { "type": "string", "enum": ["yes", "no"] } }))
}

/// A tool as agents offer it: the reasoning may be left out.
fn tool(name: &str) -> ToolSpec {
    let mut tool = ToolSpec::of_strings(name, "Does it.", &[("host", "which")]);
    tool.parameters["properties"]["reasoning"] = json!({ "type": "string" });
    tool.parameters["properties"]["port"] = json!({ "type": "integer" });
    tool
}

fn asked(branches: &[Value]) -> ChatRequest {
    ChatRequest {
        tools: vec![tool("Restore"), tool("Analyse")].into(),
        grammar: Some(Arc::new(Grammar::JsonSchema(json!({ "anyOf": branches })))),
        ..ChatRequest::default()
    }
}

fn mask(name: &str, request: &ChatRequest) -> Mask {
    let family = name.split('/').next().unwrap();
    let provider = Provider::ALL.into_iter().find(|provider| provider.name() == family).unwrap();
    Mask::of(request, &TraitTable::built_in().of(name, None, None), provider.wire(), provider.dialect())
}

fn hosts(names: &[&str]) -> Value {
    object(&json!({ "host": { "enum": names } }))
}

#[test]
fn a_call_is_demanded_where_the_grammar_lets_nothing_else_through() {
    let calls = [call("Restore", &hosts(&["a"]))];
    for (branches, choice) in [
        (calls.to_vec(), Choice::Call),
        ([&calls[..], &[answer()]].concat(), Choice::Either),
        (vec![answer()], Choice::Text),
    ] {
        let schema = json!({ "anyOf": branches });
        assert_eq!(Asked::of(&schema).choice(), choice);
        assert_eq!(Asked::of(&schema).text().is_some(), choice != Choice::Call);
    }
    assert_eq!(Asked::of(&calls[0]).choice(), Choice::Call, "one alternative is the root itself");
    let any = object(&json!({ "tool": { "type": "string" }, "arguments": { "type": "object" } }));
    assert_eq!(Asked::of(&any).choice(), Choice::Call);
}

#[test]
fn strict_tools_hold_what_the_grammar_lists_and_keep_to_the_published_rules() {
    let request = asked(&[call("Restore", &hosts(&["a", "b"])), call("Restore", &hosts(&["b", "c"]))]);
    for name in ["openai/gpt-4o", "anthropic/claude-haiku-4-5"] {
        let mask = mask(name, &request);
        let rules = TraitTable::built_in().of(name, None, None).rules;
        let native = mask.native.clone().unwrap();
        assert_eq!((native.sends_strict(), native.choice, &mask.sent, &mask.note), (true, Choice::Call, &None, &None));
        assert_eq!(native.tools.len(), 1, "what the grammar does not name cannot be called: {name}");
        let parameters = &native.tools[0].parameters;
        assert_eq!(rules.broken_by(parameters), Vec::<String>::new(), "{name}");
        assert_eq!(parameters["properties"]["host"]["enum"], json!(["a", "b", "c"]));
        let required = parameters["required"].as_array().unwrap();
        assert!(required.contains(&json!("reasoning")), "the grammar demands a thought: {parameters}");
        assert_eq!(required.contains(&json!("port")), rules == SchemaRules::Openai, "{parameters}");
        assert!(mask.judged.is_some());
    }
}

#[test]
fn objects_within_arguments_are_closed_and_maps_that_may_be_left_out_are() {
    let mut reading = tool("Restore");
    let properties = &mut reading.parameters["properties"];
    properties["ranges"] = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
    properties["page"] = json!({ "type": "integer", "default": 1 });
    properties["sources"] = json!({ "type": "array", "items": {
        "type": "object", "required": ["url"], "properties": { "url": { "type": "string", "minLength": 1 }, "name": { "type": "string" } },
    } });
    let mut request = asked(&[call("Restore", &hosts(&["a"]))]);
    request.tools = vec![reading.clone()].into();
    for name in ["openai/gpt-4o", "anthropic/claude-haiku-4-5"] {
        let mask = mask(name, &request);
        assert_eq!(mask.note, None, "{name}");
        let parameters = mask.native.unwrap().tools[0].parameters.clone();
        assert_eq!(TraitTable::built_in().of(name, None, None).rules.broken_by(&parameters), Vec::<String>::new());
        assert!(parameters["properties"].get("ranges").is_none(), "{parameters}");
        let text = parameters.to_string();
        assert!(!text.contains("\"default\"") && text.matches("\"additionalProperties\":false").count() == 2, "{text}");
    }
    // One that must be there cannot be sent at all.
    reading.parameters["required"] = json!(["host", "ranges"]);
    request.tools = vec![reading].into();
    assert!(mask("openai/gpt-4o", &request).note.unwrap().contains("`Restore`"));
}

#[test]
fn an_answer_in_place_of_a_call_has_a_schema_of_its_own() {
    let either = asked(&[call("Restore", &hosts(&["a"])), answer()]);
    let mask_of = mask("openai/gpt-4o", &either);
    assert_eq!(mask_of.native.as_ref().map(|native| native.choice), Some(Choice::Either));
    assert!(mask_of.sent.is_some());
    assert_eq!(*mask_of.judged.unwrap(), Grammar::JsonSchema(answer()));
    let text = mask("anthropic/claude-haiku-4-5", &asked(&[answer()]));
    let native = text.native.unwrap();
    assert_eq!((native.choice, native.sends_strict(), native.tools.len()), (Choice::Text, false, 2));
    assert!(text.sent.is_some());
}

#[test]
fn what_a_server_does_not_enforce_is_neither_sent_nor_judged() {
    let request = asked(&[call("Restore", &hosts(&["a"]))]);
    for name in ["vllm/x", "llamacpp/x", "ollama/x", "compatible/x", "openrouter/openai/gpt-4o", "openai/gpt-4"] {
        let mask = mask(name, &request);
        assert!(mask.native.is_none() && mask.sent.is_none() && mask.judged.is_none(), "{name}: {mask:?}");
        assert!(mask.note.unwrap().contains("native tool calls"), "{name}");
    }
    let gemini = mask("gemini/gemini-3-flash", &request);
    assert!(gemini.judged.is_none() && gemini.sent.is_none() && gemini.note.is_some(), "{gemini:?}");
    let native = gemini.native.unwrap();
    assert_eq!((native.choice, native.sends_strict()), (Choice::Call, false));
    assert_eq!(native.tools[0], tool("Restore"), "as it was offered");
}

#[test]
fn more_strict_tools_than_anthropic_takes_are_not_sent() {
    let names: Vec<String> = (0..=MOST_TOOLS).map(|number| format!("T{number}")).collect();
    let branches: Vec<Value> = names.iter().map(|name| call(name, &hosts(&["a"]))).collect();
    let request =
        ChatRequest { tools: names.iter().map(|name| tool(name)).collect::<Vec<_>>().into(), ..asked(&branches) };
    let refused = mask("anthropic/claude-haiku-4-5", &request);
    assert!(refused.native.is_none() && refused.note.unwrap().contains("21 strict tools"));
    assert!(mask("openai/gpt-4o", &request).native.is_some());
    // Twenty tools, each with two members that may be left out.
    let mut request = request;
    let mut tools = request.tools[1..].to_vec();
    for tool in &mut tools {
        tool.parameters["properties"]["more"] = json!({ "type": "string" });
    }
    request.tools = tools.into();
    let refused = mask("anthropic/claude-haiku-4-5", &request);
    assert!(refused.note.unwrap().contains("40 members that may be left out"));
    let schema = json!({ "anyOf": branches });
    let unknown = ChatRequest { tools: vec![tool("Other")].into(), ..request };
    assert!(NativeMask::strict(&unknown, &Asked::of(&schema), SchemaRules::Openai, None).is_err());
    assert_eq!(NativeCalls::default(), NativeCalls::None);
}
