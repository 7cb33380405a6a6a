//! Native tool calls under a mask: the bytes that each provider gets, and what is judged of the calls that come back.

use std::sync::Arc;

use gimbal_core::{ChatRequest, Completion, Grammar, Message, ModelError, ModelErrorKind, Speaker, ToolSpec};
use gimbal_model::Models;
use gimbal_model::remote::{Provider, WireFormat};
use serde_json::{Value, json};

use crate::remote::server::{How, Server, answer, ok};
use crate::remote::{ask, config};

/// Members that would hold a text to a schema.
const FORMATS: [&str; 5] = [
    "/response_format",
    "/structured_outputs",
    "/output_config",
    "/generationConfig/responseMimeType",
    "/generationConfig/responseJsonSchema",
];

fn object(properties: &Value) -> Value {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn restore() -> Value {
    object(
        &json!({ "reasoning": { "type": "string", "pattern": "^[a-z]*$" }, "tool": { "type": "string", "enum": ["Restore"] },
        "arguments": object(&json!({ "hostname": { "enum": ["User1", "User2"] } })) }),
    )
}

/// A request of an agent that must act; `answers` adds the alternative of an answer as text.
fn request(answers: bool) -> ChatRequest {
    let mut restoring = ToolSpec::of_strings("Restore", "Restores a host.", &[("hostname", "which")]);
    restoring.parameters["properties"]["reasoning"] = json!({ "type": "string" });
    restoring.parameters["properties"]["delay"] = json!({ "type": "integer" });
    let mut branches = vec![restore()];
    if answers {
        branches.push(object(&json!({ "answer": { "type": "string", "enum": ["yes", "no"] } })));
    }
    ChatRequest {
        messages: vec![Arc::new(Message::new(Speaker::User, "What now?"))],
        tools: vec![restoring, ToolSpec::of_strings("Sleep", "Waits.", &[])].into(),
        grammar: Some(Arc::new(Grammar::JsonSchema(json!({ "anyOf": branches })))),
        ..ChatRequest::default()
    }
}

/// An answer that calls a tool, with words beside the call.
fn calling(format: WireFormat, tool: &str, arguments: &Value) -> Value {
    let mut body = answer(format, "I restore it.", How::Whole);
    match format {
        WireFormat::OpenAi => {
            body["choices"][0]["finish_reason"] = json!("tool_calls");
            body["choices"][0]["message"]["tool_calls"] = json!([{ "id": "c1", "type": "function",
                "function": { "name": tool, "arguments": arguments.to_string() } }]);
        }
        WireFormat::Anthropic => {
            body["stop_reason"] = json!("tool_use");
            let call = json!({ "type": "tool_use", "id": "c1", "name": tool, "input": arguments });
            body["content"].as_array_mut().unwrap().push(call);
        }
        WireFormat::Gemini => {
            let call = json!({ "functionCall": { "name": tool, "args": arguments } });
            body["candidates"][0]["content"]["parts"].as_array_mut().unwrap().push(call);
        }
    }
    body
}

async fn asked(name: &str, request: &ChatRequest, body: Value) -> (Value, Result<Completion, ModelError>) {
    let family = name.split('/').next().unwrap();
    let provider = Provider::ALL.into_iter().find(|provider| provider.name() == family).unwrap();
    let server = Server::start(vec![ok(body)]).await;
    let (outcome, _) = ask(config(provider, server.address), name, request).await;
    (server.seen().remove(0).body, outcome)
}

#[tokio::test]
async fn openai_gets_strict_tools_a_demand_for_one_call_and_no_response_format() {
    let written = json!({ "hostname": "User1", "reasoning": "it is changed", "delay": null });
    let body = calling(WireFormat::OpenAi, "Restore", &written);
    let (sent, outcome) = asked("openai/gpt-4o", &request(false), body.clone()).await;
    assert_eq!((&sent["tool_choice"], &sent["parallel_tool_calls"]), (&json!("required"), &json!(false)));
    assert!(FORMATS.iter().all(|format| sent.pointer(format).is_none()), "{sent}");
    let tools = sent["tools"].as_array().unwrap();
    assert_eq!((tools.len(), &tools[0]["function"]["strict"]), (1, &json!(true)), "{sent}");
    let parameters = &tools[0]["function"]["parameters"];
    assert_eq!(parameters["required"], json!(["hostname", "reasoning", "delay"]));
    assert_eq!(parameters["additionalProperties"], json!(false));
    assert_eq!(parameters["properties"]["hostname"]["enum"], json!(["User1", "User2"]));
    assert_eq!(parameters["properties"]["delay"], json!({ "anyOf": [{ "type": "integer" }, { "type": "null" }] }));
    let completion = outcome.unwrap();
    assert_eq!(completion.calls[0].arguments, json!({ "hostname": "User1", "reasoning": "it is changed" }));
    assert_eq!((&*completion.text, completion.provider.note), ("I restore it.", None));
    // A model that makes one call at a time takes no word about it.
    let (sent, _) = asked("openai/o3-mini", &request(false), body).await;
    assert_eq!((&sent["tool_choice"], sent.get("parallel_tool_calls")), (&json!("required"), None));
}

#[tokio::test]
async fn anthropic_gets_strict_tools_and_a_demand_for_one_call() {
    let written = json!({ "hostname": "User2", "reasoning": "" });
    let body = calling(WireFormat::Anthropic, "Restore", &written);
    let (sent, outcome) = asked("anthropic/claude-haiku-4-5", &request(false), body).await;
    assert_eq!(sent["tool_choice"], json!({ "type": "any", "disable_parallel_tool_use": true }));
    assert!(FORMATS.iter().all(|format| sent.pointer(format).is_none()), "{sent}");
    let tools = sent["tools"].as_array().unwrap();
    assert_eq!((tools.len(), &tools[0]["strict"]), (1, &json!(true)));
    let schema = &tools[0]["input_schema"];
    assert_eq!(schema["properties"]["hostname"]["enum"], json!(["User1", "User2"]));
    assert_eq!(schema["required"], json!(["hostname", "reasoning"]), "what may be left out stays so");
    assert_eq!(outcome.unwrap().calls[0].arguments, written);
}

#[tokio::test]
async fn gemini_is_made_to_call_and_nothing_else_is_judged() {
    let written = json!({ "hostname": "Foo", "x": 1 });
    let body = calling(WireFormat::Gemini, "Restore", &written);
    let (sent, outcome) = asked("gemini/gemini-3-flash", &request(false), body).await;
    assert_eq!(sent["toolConfig"], json!({ "functionCallingConfig": { "mode": "ANY" } }));
    assert!(FORMATS.iter().all(|format| sent.pointer(format).is_none()), "{sent}");
    let completion = outcome.unwrap();
    assert_eq!(completion.calls[0].arguments, written);
    assert!(completion.provider.note.unwrap().contains("only that one is made"));
}

#[tokio::test]
async fn servers_of_which_nothing_is_known_get_the_tools_alone() {
    let written = json!({ "hostname": "Foo", "x": 1 });
    for name in ["vllm/m", "llamacpp/m", "ollama/m", "compatible/m", "openrouter/openai/gpt-4o"] {
        let body = calling(WireFormat::OpenAi, "Restore", &written);
        let (sent, outcome) = asked(name, &request(false), body).await;
        assert!(FORMATS.iter().all(|format| sent.pointer(format).is_none()), "{name}: {sent}");
        assert_eq!((sent.get("tool_choice"), &sent["tools"][0]["function"]["strict"]), (None, &json!(false)), "{name}");
        let completion = outcome.unwrap();
        assert_eq!(completion.calls[0].arguments, written, "{name}");
        assert!(completion.provider.note.unwrap().contains("the grammar was not sent"), "{name}");
    }
}

#[tokio::test]
async fn a_strict_server_that_does_not_keep_to_its_tools_is_found_out() {
    for (name, format) in [("openai/gpt-4o", WireFormat::OpenAi), ("anthropic/claude-haiku-4-5", WireFormat::Anthropic)]
    {
        for (tool, arguments) in [
            ("Restore", json!({ "hostname": "Foo", "reasoning": "" })),
            ("Restore", json!({ "hostname": "User1", "reasoning": "", "x": 1 })),
            ("Restore", json!({ "hostname": "User1" })),
            ("Sleep", json!({})),
        ] {
            let (_, outcome) = asked(name, &request(false), calling(format, tool, &arguments)).await;
            let error = outcome.unwrap_err();
            assert_eq!(
                (error.kind, error.usage.map(|usage| usage.output)),
                (ModelErrorKind::BadShape, Some(50)),
                "{name}"
            );
            assert!(error.partial.unwrap().starts_with(tool), "{name}");
        }
        let (_, outcome) = asked(name, &request(false), answer(format, "I would restore User1.", How::Whole)).await;
        let error = outcome.unwrap_err();
        assert!(error.kind == ModelErrorKind::BadShape && error.message.contains("calls no tool"), "{error}");
    }
}

#[tokio::test]
async fn an_answer_that_may_replace_the_call_is_held_to_its_own_schema() {
    let said = |format| answer(format, r#"{"answer": "yes"}"#, How::Whole);
    let (sent, outcome) = asked("openai/gpt-4o", &request(true), said(WireFormat::OpenAi)).await;
    assert_eq!(sent["tool_choice"], json!("auto"));
    let schema = &sent["response_format"]["json_schema"]["schema"];
    assert_eq!(
        (&schema["properties"]["answer"]["enum"], schema["properties"].get("tool")),
        (&json!(["yes", "no"]), None)
    );
    assert_eq!(&*outcome.unwrap().text, r#"{"answer": "yes"}"#);
    let written = json!({ "hostname": "User1", "reasoning": "", "delay": 2 });
    let (_, outcome) = asked("openai/gpt-4o", &request(true), calling(WireFormat::OpenAi, "Restore", &written)).await;
    assert_eq!(outcome.unwrap().calls[0].arguments, written);
    let (sent, outcome) = asked("gemini/gemini-3-flash", &request(true), said(WireFormat::Gemini)).await;
    assert_eq!(sent["toolConfig"]["functionCallingConfig"]["mode"], json!("AUTO"));
    assert!(FORMATS.iter().all(|format| sent.pointer(format).is_none()), "{sent}");
    assert!(outcome.is_ok());
}

/// The journal names a mask where one was enforced, and no other.
#[tokio::test]
async fn an_opened_model_says_whether_it_is_held_to_its_tools() {
    for (provider, id, held) in [
        (Provider::OpenAi, "gpt-4o", true),
        (Provider::Anthropic, "claude-haiku-4-5", true),
        (Provider::Gemini, "gemini-3-flash", false),
        (Provider::Vllm, "m", false),
        (Provider::Compatible, "m", false),
    ] {
        let server = Server::start(Vec::new()).await;
        let name = format!("{}/{id}", provider.name());
        let model = Models::new(config(provider, server.address)).open(&name).unwrap();
        assert_eq!(model.enforced(&request(false)).is_some(), held, "{name}");
    }
}
