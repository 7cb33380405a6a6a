//! What a server is given of a grammar, and by what its answers are judged then.

use std::sync::Arc;

use gimbal_core::{ChatRequest, Grammar, Message, ModelErrorKind, ProviderSettings, Sampling, Speaker};
use gimbal_model::remote::Provider;
use gimbal_model::{Models, Traits};
use serde_json::json;

use crate::remote::server::{Act, How, Server, answer, failed, ok};
use crate::remote::{ask, config};

fn request(grammar: Grammar) -> ChatRequest {
    ChatRequest {
        messages: vec![Arc::new(Message::new(Speaker::User, "What now?"))],
        grammar: Some(Arc::new(grammar)),
        stop: vec!["Observation:".to_owned()],
        ..ChatRequest::default()
    }
}

/// Sixty of sixty correct answers were once turned down by a mask that no request had carried.
#[tokio::test]
async fn nothing_is_judged_by_a_mask_that_was_not_sent() {
    let said = "Thought: calm\n\nAnswer: Monitor";
    let grammar = || Grammar::Regex("Thought: [ -~]*\\nAnswer: Monitor".to_owned());
    for (provider, id) in [
        (Provider::OpenAi, "gpt-4o"),
        (Provider::OpenRouter, "qwen/qwen3-max"),
        (Provider::Anthropic, "claude-haiku-4-5"),
        (Provider::Gemini, "gemini-3-flash"),
        (Provider::Ollama, "qwen3"),
        (Provider::Compatible, "m"),
    ] {
        let server = Server::start(vec![ok(answer(provider.wire(), said, How::Whole))]).await;
        let name = format!("{}/{id}", provider.name());
        let (outcome, _) = ask(config(provider, server.address), &name, &request(grammar())).await;
        let completion = outcome.unwrap();
        assert_eq!(&*completion.text, said, "{name}");
        assert!(completion.provider.note.unwrap().contains("the grammar was not sent"), "{name}");
        let body = server.seen().remove(0).body;
        for key in ["response_format", "structured_outputs", "grammar", "output_config"] {
            assert!(body.get(key).is_none(), "{name}: {body}");
        }
    }
    // Where it was sent, an answer beside it is the server's failure to keep to it.
    for provider in [Provider::Vllm, Provider::LlamaCpp] {
        let server = Server::start(vec![ok(answer(provider.wire(), said, How::Whole))]).await;
        let name = format!("{}/m", provider.name());
        let (outcome, _) = ask(config(provider, server.address), &name, &request(grammar())).await;
        assert_eq!(outcome.unwrap_err().kind, ModelErrorKind::BadShape);
    }
}

/// Through all layers: whoever wants a mask for one call asks the model before.
#[tokio::test]
async fn an_opened_model_says_which_grammars_it_can_be_held_to() {
    let regex = || Grammar::Regex("(a|b)".to_owned());
    let choice = || Grammar::Choice(vec!["a".to_owned(), "b".to_owned()]);
    for (provider, id, by_regex, by_choice) in [
        (Provider::OpenAi, "gpt-4o", false, true),
        (Provider::Vllm, "m", true, true),
        (Provider::LlamaCpp, "m", true, true),
        (Provider::Compatible, "m", false, false),
    ] {
        let server = Server::start(Vec::new()).await;
        let name = format!("{}/{id}", provider.name());
        let model = Models::new(config(provider, server.address)).open(&name).unwrap();
        let enforced = |grammar: Grammar| model.enforced(&request(grammar)).is_some();
        assert_eq!((enforced(regex()), enforced(choice())), (by_regex, by_choice), "{name}");
        assert_eq!(model.enforced(&ChatRequest { grammar: None, ..request(regex()) }), None);
    }
}

#[tokio::test]
async fn alternatives_at_the_root_are_sent_within_an_object() {
    let branch = |key: &str| {
        json!({ "type": "object", "properties": { key: { "type": "string", "enum": ["a", "b"] } }, "required": [key],
            "additionalProperties": false })
    };
    let either = Grammar::JsonSchema(json!({ "anyOf": [branch("action"), branch("tool")] }));
    for (provider, id, place) in [
        (Provider::OpenAi, "gpt-4o", "/response_format/json_schema/schema"),
        (Provider::Anthropic, "claude-haiku-4-5", "/output_config/format/schema"),
        (Provider::Gemini, "gemini-3-flash", "/generationConfig/responseJsonSchema"),
    ] {
        let said = r#"{"answer": {"tool": "a"}}"#;
        let server = Server::start(vec![ok(answer(provider.wire(), said, How::Whole))]).await;
        let name = format!("{}/{id}", provider.name());
        let (outcome, _) = ask(config(provider, server.address), &name, &request(either.clone())).await;
        assert_eq!(&*outcome.unwrap().text, r#"{"tool":"a"}"#, "{name}");
        let body = server.seen().remove(0).body;
        let schema = body.pointer(place).unwrap_or_else(|| panic!("{name}: {body}"));
        assert_eq!((&schema["type"], schema.get("anyOf")), (&json!("object"), None), "{name}");
        let known = Models::new(config(provider, server.address)).known(&name).unwrap();
        assert_eq!(known.rules.broken_by(schema), Vec::<String>::new(), "{name}");
    }
}

#[tokio::test]
async fn settings_go_to_models_that_take_them() {
    let free = ChatRequest { grammar: None, ..request(Grammar::Choice(Vec::new())) };
    let bodies = async |provider: Provider, id: &str, settings: ProviderSettings| {
        let said = "Thought: x\nPAUSE\nObservation: made up";
        let server = Server::start(vec![ok(answer(provider.wire(), said, How::Whole))]).await;
        let sampling = Sampling { provider: settings, ..Sampling::default() };
        let asked = ChatRequest { sampling, ..free.clone() };
        let (outcome, _) = ask(config(provider, server.address), &format!("{}/{id}", provider.name()), &asked).await;
        (server.seen().remove(0), outcome.unwrap().text.to_string())
    };
    let cut = "Thought: x\nPAUSE\n";
    let (seen, text) = bodies(Provider::OpenAi, "o3-mini", ProviderSettings::default()).await;
    assert!(
        ["stop", "temperature", "top_p", "max_tokens"].iter().all(|key| seen.body.get(key).is_none()),
        "{}",
        seen.body
    );
    assert_eq!(text, cut, "a stop text that is not sent ends an answer all the same");
    let own =
        ProviderSettings { stop: Some(true), reasoning_effort: Some("low".to_owned()), ..ProviderSettings::default() };
    let (seen, _) = bodies(Provider::OpenAi, "o3-mini", own.clone()).await;
    assert_eq!((&seen.body["stop"], &seen.body["reasoning_effort"]), (&json!(["Observation:"]), &json!("low")));
    let (seen, _) = bodies(Provider::Anthropic, "claude-opus-4-7", own.clone()).await;
    assert!(seen.body.get("temperature").is_none());
    assert_eq!(seen.body["output_config"]["effort"], json!("low"));
    let (seen, _) = bodies(Provider::Gemini, "gemini-3-flash", own).await;
    assert_eq!(seen.body["generationConfig"]["thinkingConfig"]["thinkingLevel"], json!("low"));
    let off = ProviderSettings {
        stop: Some(false),
        extra_body: json!({ "top_k": 1, "max_tokens": null, "nested": { "a": 1 } }).as_object().unwrap().clone(),
        extra_headers: [("x-tier".to_owned(), "flex".to_owned())].into(),
        ..ProviderSettings::default()
    };
    let (seen, text) = bodies(Provider::Vllm, "m", off).await;
    assert!(seen.body.get("stop").is_none() && seen.body.get("max_tokens").is_none(), "{}", seen.body);
    assert_eq!((&seen.body["top_k"], &seen.body["nested"]["a"]), (&json!(1), &json!(1)));
    assert_eq!((seen.headers["x-tier"].to_str().unwrap(), text.as_str()), ("flex", cut));
}

#[tokio::test]
async fn the_bound_of_the_output_fits_the_context() {
    let asked = ChatRequest {
        messages: vec![Arc::new(Message::new(Speaker::User, "x".repeat(3000)))],
        sampling: Sampling { max_output_tokens: 10_000, ..Sampling::default() },
        ..ChatRequest::default()
    };
    let format = Provider::LlamaCpp.wire();
    let properties = json!({ "default_generation_settings": { "n_ctx": 4096 } });
    let server = Server::start(vec![ok(properties), ok(answer(format, "fine", How::Whole))]).await;
    let models = Models::new(config(Provider::LlamaCpp, server.address));
    assert_eq!(models.survey("llamacpp/m").await, Some(4096));
    let ledger = crate::remote::Ledger::default();
    let context = gimbal_core::CallContext {
        wire: &ledger,
        episode: gimbal_core::Digest::of(b"e"),
        call: 0,
        seed: 1,
        hint: None,
    };
    let completion = models.open("llamacpp/m").unwrap().complete(&asked, &context).await.unwrap();
    assert_eq!(
        server.seen().iter().map(|seen| seen.path.clone()).collect::<Vec<_>>(),
        ["/props", "/v1/chat/completions"]
    );
    assert_eq!(server.seen()[1].body["max_tokens"], json!(4096 - 1008));
    let note = completion.provider.note.unwrap();
    assert!(note.contains("cut from 10000 to 3088") && note.contains("4096"), "{note}");
    // What is stated needs no server, and what fits is left alone.
    let server = Server::start(vec![ok(answer(format, "fine", How::Whole))]).await;
    let mut stated = config(Provider::LlamaCpp, server.address);
    stated.facts.insert("llamacpp".to_owned(), Traits { output: Some(777), ..Traits::default() });
    let (outcome, _) = ask(stated, "llamacpp/m", &asked).await;
    assert!(outcome.unwrap().provider.note.unwrap().contains("at most 777"));
    let (outcome, _) = ask(config(Provider::LlamaCpp, server.address), "llamacpp/m", &asked).await;
    assert_eq!(outcome.unwrap().provider.note, None);
    assert_eq!(
        server.seen().iter().map(|seen| seen.body["max_tokens"].clone()).collect::<Vec<_>>(),
        [json!(777), json!(10_000)]
    );
}

#[tokio::test]
async fn a_refusal_that_will_not_change_is_met_once() {
    let refusals: Vec<Act> = vec![
        failed(
            400,
            json!({ "error": { "message": "Unsupported parameter: 'stop'", "code": "unsupported_parameter" } }),
        ),
        failed(400, json!({ "error": { "message": "Invalid schema for response_format 'answer'", "code": null } })),
        failed(404, json!({ "error": { "message": "The model `m` does not exist", "code": "model_not_found" } })),
        failed(422, json!({ "detail": "something that this server does not like" })),
        failed(401, json!({})),
    ];
    for refusal in refusals {
        let server = Server::start(vec![refusal.clone()]).await;
        let models = Models::new(config(Provider::Compatible, server.address));
        let model = models.open("compatible/m").unwrap();
        let asked = request(Grammar::Choice(vec!["a".to_owned()]));
        let calls: Vec<_> = (0..18)
            .map(|call| {
                let (model, asked) = (Arc::clone(&model), asked.clone());
                tokio::spawn(async move {
                    let ledger = crate::remote::Ledger::default();
                    let episode = gimbal_core::Digest::of(b"e");
                    let context = gimbal_core::CallContext { wire: &ledger, episode, call, seed: 1, hint: None };
                    model.complete(&asked, &context).await.unwrap_err()
                })
            })
            .collect();
        for call in calls {
            assert!(call.await.unwrap().lasting, "{refusal:?}");
        }
        assert_eq!(server.seen().len(), 1, "{refusal:?}");
    }
    // One request that is too long for the model says nothing of the others.
    let long = failed(400, json!({ "error": { "message": "too long", "code": "context_length_exceeded" } }));
    let server = Server::start(vec![long, ok(answer(Provider::Compatible.wire(), "a", How::Whole))]).await;
    let models = Models::new(config(Provider::Compatible, server.address));
    let model = models.open("compatible/m").unwrap();
    let ledger = crate::remote::Ledger::default();
    let context = gimbal_core::CallContext {
        wire: &ledger,
        episode: gimbal_core::Digest::of(b"e"),
        call: 0,
        seed: 1,
        hint: None,
    };
    let error = model.complete(&ChatRequest::default(), &context).await.unwrap_err();
    assert_eq!((error.kind, error.lasting), (ModelErrorKind::BadRequest, false));
    assert!(model.complete(&ChatRequest::default(), &context).await.is_ok());
}
