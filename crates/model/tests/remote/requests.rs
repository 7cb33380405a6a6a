//! What is sent, and what is read of a good answer.

use std::sync::Arc;

use genai::adapter::AdapterKind;
use genai::chat::{ChatOptions, ChatRequest as LibraryRequest};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use gimbal_core::{
    ChatRequest, Finish, Grammar, Message, Milli, ModelErrorKind, RequestedCall, Sampling, Speaker, ToolSpec, Usage,
    UsageSource,
};
use gimbal_model::remote::{Provider, WireFormat};
use serde_json::{Value, json};

use crate::remote::server::{How, Seen, Server, answer, ok};
use crate::remote::{KEY, PROVIDERS, ask, config};

fn request(grammar: Option<Grammar>) -> ChatRequest {
    let call = RequestedCall { id: "c1".to_owned(), tool: "Analyse".to_owned(), arguments: json!({ "host": "User1" }) };
    let messages = vec![
        Message::new(Speaker::System, "You defend."),
        Message::new(Speaker::User, "What now?"),
        Message::with_calls("", vec![call]),
        Message::answering("c1", "quiet"),
        Message::new(Speaker::User, "And now?"),
    ];
    ChatRequest {
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: match &grammar {
            None => vec![ToolSpec::of_strings("Analyse", "Looks closely.", &[("host", "which")])].into(),
            // A text under a mask is asked for where no call can be made; calls have masks of their own.
            Some(_) => Vec::new().into(),
        },
        grammar: grammar.map(Arc::new),
        stop: vec!["Observation:".to_owned()],
        sampling: Sampling {
            temperature: Milli(0),
            top_p: Some(Milli(700)),
            max_output_tokens: 321,
            seed: Some(u64::MAX),
            ..Sampling::default()
        },
    }
}

async fn seen(provider: Provider, id: &str, grammar: Option<Grammar>, text: &str) -> Seen {
    let server = Server::start(vec![ok(answer(provider.wire(), text, How::Whole))]).await;
    let name = format!("{}/{id}", provider.name());
    let (outcome, _) = ask(config(provider, server.address), &name, &request(grammar)).await;
    outcome.unwrap();
    let seen = server.seen().remove(0);
    assert!(!seen.body.to_string().contains("never sent"), "hints stay here");
    assert!(!seen.body.to_string().contains(KEY) && !seen.path.contains(KEY));
    seen
}

// covers: BOG-045, BOG-149, SH-01
#[tokio::test]
async fn each_wire_format_is_written_whole() {
    for (provider, _) in PROVIDERS {
        let found = seen(provider, "vendor/some-model", None, "fine").await;
        insta::assert_json_snapshot!(format!("request_{}", provider.name()), found.body);
        let (path, header, value) = match provider.wire() {
            WireFormat::OpenAi => ("/v1/chat/completions", "authorization", format!("Bearer {KEY}")),
            WireFormat::Anthropic => ("/v1/messages", "x-api-key", KEY.to_owned()),
            WireFormat::Gemini => ("/v1/models/vendor/some-model:generateContent", "x-goog-api-key", KEY.to_owned()),
        };
        assert_eq!((found.path.as_str(), found.headers[header].to_str().unwrap()), (path, value.as_str()));
        let carrying = found.headers.values().filter(|value| value.to_str().is_ok_and(|value| value.contains(KEY)));
        assert_eq!(carrying.count(), 1);
    }
}

/// The library reads settings out of names; ours go through as they are.
#[tokio::test]
async fn no_setting_is_read_out_of_a_name() {
    for id in ["qwen/qwen3-max", "mistral-medium", "deepseek-r1-zero", "claude-x-high", "ns::model", "gpt-4o-low"] {
        for provider in [Provider::OpenRouter, Provider::Anthropic, Provider::Vllm] {
            let found = seen(provider, id, None, "fine").await;
            assert_eq!(found.body["model"], json!(id));
            for key in ["reasoning_effort", "thinking", "output_config", "prompt_cache_options"] {
                assert!(found.body.get(key).is_none(), "{id}: {key} in {}", found.body);
            }
        }
        let found = seen(Provider::Gemini, id, None, "fine").await;
        assert_eq!(found.path, format!("/v1/models/{id}:generateContent"));
        assert!(found.body["generationConfig"].get("thinkingConfig").is_none());
    }
}

#[tokio::test]
async fn reasoning_models_of_openai_take_another_bound_and_no_temperature() {
    let found = seen(Provider::OpenAi, "gpt-5-mini", None, "fine").await.body;
    assert_eq!(found["max_completion_tokens"], json!(321));
    assert!(["max_tokens", "temperature", "top_p", "stop"].iter().all(|key| found.get(key).is_none()), "{found}");
    // The same name behind another server is that server's business.
    let found = seen(Provider::Vllm, "gpt-5-mini", None, "fine").await.body;
    assert_eq!((&found["max_tokens"], &found["temperature"]), (&json!(321), &json!(0.0)));
}

// covers: SH-01
#[tokio::test]
async fn grammars_are_sent_in_each_servers_own_way() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"],
        "additionalProperties": false });
    let choice = || Grammar::Choice(vec!["Monitor".to_owned(), "Sleep".to_owned()]);
    let by_schema = |provider: Provider| {
        seen(
            provider,
            if provider == Provider::Anthropic { "claude-haiku-4-5" } else { "m" },
            Some(Grammar::JsonSchema(schema.clone())),
            "{\"n\": 1}",
        )
    };
    for provider in [Provider::Vllm, Provider::LlamaCpp, Provider::Ollama] {
        let body = by_schema(provider).await.body;
        assert_eq!(body["response_format"]["json_schema"]["schema"], schema, "{}", provider.name());
    }
    let body = by_schema(Provider::OpenAi).await.body;
    assert_eq!(body["response_format"]["json_schema"]["schema"]["additionalProperties"], json!(false));
    let body = by_schema(Provider::Anthropic).await.body;
    assert_eq!(body["output_config"]["format"]["type"], json!("json_schema"));
    let body = by_schema(Provider::Gemini).await.body;
    assert_eq!(body["generationConfig"]["responseJsonSchema"], schema);
    let body = seen(Provider::OpenAi, "gpt-4o", Some(choice()), "{\"answer\": \"Sleep\"}").await.body;
    let sent = &body["response_format"]["json_schema"]["schema"]["properties"]["answer"]["enum"];
    assert_eq!(*sent, json!(["Monitor", "Sleep"]));
    let body = seen(Provider::Vllm, "m", Some(choice()), "Sleep").await.body;
    assert_eq!(body["structured_outputs"], json!({ "choice": ["Monitor", "Sleep"] }));
    let body = seen(Provider::Vllm, "m", Some(Grammar::Regex("a+".to_owned())), "aa").await.body;
    assert_eq!(body["structured_outputs"], json!({ "regex": "a+" }));
    let body = seen(Provider::LlamaCpp, "m", Some(choice()), "Sleep").await.body;
    assert_eq!(body["grammar"], json!("root ::= \"Monitor\" | \"Sleep\""));
    let body = seen(Provider::Gemini, "m", Some(choice()), "Sleep").await.body;
    assert_eq!(body["generationConfig"]["responseSchema"]["enum"], json!(["Monitor", "Sleep"]));
    assert_eq!(body["generationConfig"]["maxOutputTokens"], json!(321));
}

// covers: BOG-047, SH-01
#[tokio::test]
async fn an_answer_without_the_demanded_shape_is_a_typed_error() {
    for (provider, format) in PROVIDERS {
        let server = Server::start(vec![ok(answer(format, "Attack", How::Whole))]).await;
        let grammar = Some(Grammar::Choice(vec!["Monitor".to_owned()]));
        let name = format!("{}/claude-haiku-4-5", provider.name());
        let (outcome, ledger) = ask(config(provider, server.address), &name, &request(grammar)).await;
        let error = outcome.unwrap_err();
        assert_eq!((error.kind, ledger.counts()), (ModelErrorKind::BadShape, (1, 1)));
        assert_eq!((error.usage.map(|usage| usage.output), error.partial.as_deref()), (Some(50), Some("Attack")));
    }
}

/// The library's own reading of the usage of an answer.
async fn library_usage(format: WireFormat, body: &Value) -> Usage {
    let server = Server::start(vec![ok(body.clone())]).await;
    let adapter = match format {
        WireFormat::OpenAi => AdapterKind::OpenAI,
        WireFormat::Anthropic => AdapterKind::Anthropic,
        WireFormat::Gemini => AdapterKind::Gemini,
    };
    let target = ServiceTarget {
        endpoint: Endpoint::from_owned(format!("http://{}/v1/", server.address)),
        auth: AuthData::from_single(KEY),
        model: ModelIden::new(adapter, "m"),
    };
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let client = Client::builder().with_reqwest(client).build().unwrap();
    let options = ChatOptions::default();
    let usage = client.exec_chat(target, LibraryRequest::from_user("?"), Some(&options)).await.unwrap().usage;
    let number = |count: Option<i32>| u64::try_from(count.unwrap_or(0)).unwrap();
    Usage {
        input: number(usage.prompt_tokens),
        cached_input: number(usage.prompt_tokens_details.and_then(|details| details.cached_tokens)),
        output: number(usage.completion_tokens),
        reasoning: number(usage.completion_tokens_details.and_then(|details| details.reasoning_tokens)),
        source: UsageSource::Reported,
    }
}

// covers: BOG-149, SH-01
#[tokio::test]
async fn our_reading_of_usage_is_the_librarys() {
    let expected = Usage { input: 100, cached_input: 64, output: 50, reasoning: 32, source: UsageSource::Reported };
    for (provider, format) in PROVIDERS {
        let body = answer(format, " fine \n", How::Whole);
        let server = Server::start(vec![ok(body.clone())]).await;
        let name = format!("{}/m", provider.name());
        let (outcome, _) = ask(config(provider, server.address), &name, &request(None)).await;
        let completion = outcome.unwrap();
        assert_eq!(completion.usage, expected, "{name}");
        // A client is built first by the model itself, which chooses the cryptography.
        assert_eq!(library_usage(format, &body).await, expected, "{name}");
        let raw = completion.provider.raw.as_deref().unwrap();
        assert_eq!(gimbal_model::remote::read(format, &serde_json::from_str(raw).unwrap()).usage, expected);
        assert_eq!((&*completion.text, completion.finish), (" fine \n", Finish::Stop), "word for word");
        assert_eq!(completion.provider.model.as_deref(), Some("served-model"));
        assert!(completion.provider.id.is_some() && completion.latency_us > 0);
    }
}

#[tokio::test]
async fn native_calls_come_back() {
    let bodies = [
        json!({ "id": "1", "choices": [{ "finish_reason": "tool_calls", "message": { "content": null, "tool_calls": [
            { "id": "c9", "type": "function", "function": { "name": "Analyse", "arguments": "{\"host\": \"Op" } }
        ] } }] }),
        json!({ "id": "1", "type": "message", "stop_reason": "tool_use", "content": [
            { "type": "tool_use", "id": "c9", "name": "Analyse", "input": { "host": "Op" } }
        ] }),
        json!({ "candidates": [{ "finishReason": "STOP", "content": { "parts": [
            { "functionCall": { "id": "c9", "name": "Analyse", "args": { "host": "Op" } } }
        ] } }] }),
    ];
    for ((provider, _), body) in PROVIDERS.into_iter().zip(bodies) {
        let server = Server::start(vec![ok(body)]).await;
        let name = format!("{}/m", provider.name());
        let (outcome, _) = ask(config(provider, server.address), &name, &request(None)).await;
        let completion = outcome.unwrap();
        assert_eq!((completion.finish, completion.calls.len()), (Finish::Calls, 1));
        let call = &completion.calls[0];
        assert_eq!((call.id.as_str(), call.tool.as_str()), ("c9", "Analyse"));
        // The first one was cut by its server: the library gives the answer up, and we keep what was written.
        let expected = if provider == Provider::OpenAi { json!("{\"host\": \"Op") } else { json!({ "host": "Op" }) };
        assert_eq!(call.arguments, expected);
    }
}
