//! Every way in which a provider misbehaves has its own name, is metered at every attempt, and shows no key.

use gimbal_core::{ChatRequest, ModelErrorKind, Usage, UsageSource};
use gimbal_model::remote::{Provider, WireFormat};
use gimbal_model::{ModelsConfig, Timeouts, Totals};
use serde_json::json;

use crate::remote::server::{Act, Broken, How, Server, answer, broken, failed, ok};
use crate::remote::{KEY, Ledger, PROVIDERS, Row, ask, config};

fn name(provider: Provider) -> String {
    format!("{}/test-model", provider.name())
}

/// Nothing that is kept or shown of a call holds the key.
fn assert_silent(ledger: &Ledger, shown: &str) {
    let rows = format!("{:?} {shown}", ledger.rows());
    assert!(!rows.contains(KEY) && !rows.contains("loopback-private"), "{rows}");
}

async fn expect(config: ModelsConfig, provider: Provider, kind: ModelErrorKind, attempts: usize, what: &str) -> Ledger {
    let (outcome, ledger) = ask(config, &name(provider), &ChatRequest::default()).await;
    let error = outcome.expect_err(what);
    assert_eq!(error.kind, kind, "{what}: {}", error.message);
    assert_eq!(ledger.counts(), (attempts, attempts), "{what}");
    assert!(error.message.starts_with(&name(provider)), "{what}: {}", error.message);
    assert_silent(&ledger, &format!("{error} {error:?}"));
    for pair in ledger.rows().chunks(2) {
        let (Row::Sent { cached: false }, Row::Received { outcome, .. }) = (&pair[0], &pair[1]) else {
            panic!("{what}: {pair:?}");
        };
        assert_eq!(outcome.as_ref().unwrap_err().kind, kind, "{what}");
    }
    ledger
}

/// Some servers and proxies send JSON without saying so, or as plain text.
// covers: SH-01
#[tokio::test]
async fn json_is_read_whatever_its_content_type_says() {
    for (provider, format) in PROVIDERS {
        let body = answer(format, "fine", How::Whole).to_string();
        for kind in [None, Some("text/plain"), Some("text/plain; charset=utf-8"), Some("application/octet-stream")] {
            let headers = kind.map(|kind| ("content-type", kind.to_owned())).into_iter().collect();
            let server = Server::start(vec![Act::Answer(200, headers, body.clone())]).await;
            let (outcome, _) = ask(config(provider, server.address), &name(provider), &ChatRequest::default()).await;
            let what = format!("{} {kind:?}", provider.name());
            assert_eq!(&*outcome.unwrap_or_else(|error| panic!("{what}: {error}")).text, "fine", "{what}");
        }
    }
}

// covers: BOG-047, BOG-148, BOG-149, BOG-150, SH-01
#[tokio::test]
async fn every_misbehaviour_has_its_name() {
    let echo = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}"), "type": "x" } });
    for (provider, format) in PROVIDERS {
        let html =
            |status| Act::Answer(status, vec![("content-type", "text/html".to_owned())], format!("<p>{KEY}</p>"));
        let broken_json =
            Act::Answer(200, vec![("content-type", "application/json".to_owned())], "{\"a\": ".to_owned());
        let untyped = Act::Answer(200, vec![], "fine".to_owned());
        let busy = Act::Answer(429, vec![("retry-after", "0".to_owned())], echo.to_string());
        let patient = Act::Answer(429, vec![("retry-after", "6".to_owned())], echo.to_string());
        let moved = Act::Answer(307, vec![("location", "http://127.0.0.1:1/".to_owned())], String::new());
        let cases = [
            ("401", failed(401, echo.clone()), ModelErrorKind::Denied, 1),
            ("403", failed(403, echo.clone()), ModelErrorKind::Denied, 1),
            ("400", failed(400, echo.clone()), ModelErrorKind::BadRequest, 1),
            ("404", html(404), ModelErrorKind::BadRequest, 1),
            ("redirect", moved, ModelErrorKind::BadRequest, 1),
            ("429", busy, ModelErrorKind::RateLimited, 3),
            ("429 beyond patience", patient, ModelErrorKind::RateLimited, 1),
            ("500", html(500), ModelErrorKind::Unavailable, 3),
            ("503", failed(503, echo.clone()), ModelErrorKind::Unavailable, 3),
            ("529", failed(529, echo.clone()), ModelErrorKind::Unavailable, 3),
            ("wrong content type", html(200), ModelErrorKind::BadResponse, 3),
            ("no content type and no JSON", untyped, ModelErrorKind::BadResponse, 3),
            ("invalid JSON", broken_json, ModelErrorKind::BadResponse, 3),
            ("JSON of another kind", ok(json!(["surprise"])), ModelErrorKind::BadResponse, 3),
            ("empty choices", ok(answer(format, "fine", How::Empty)), ModelErrorKind::BadResponse, 3),
        ];
        for (what, act, kind, attempts) in cases {
            let server = Server::start(vec![act]).await;
            let what = format!("{} {what}", provider.name());
            expect(config(provider, server.address), provider, kind, attempts, &what).await;
            assert_eq!(server.seen().len(), attempts, "{what}");
        }
    }
}

/// Bodies of status 200 with the key wherever a provider could put it.
fn telling(format: WireFormat, how: How) -> serde_json::Value {
    let told = format!("my key is {KEY}, truly");
    let mut body = answer(format, &told, how);
    match format {
        WireFormat::OpenAi => {
            body["id"] = json!(told);
            body["model"] = json!(told);
            body["choices"][0]["message"]["reasoning_content"] = json!(told);
            // JSON within JSON, with a letter written in another way.
            let arguments = format!("{{\"key\": \"\\u0073{}\"}}", &KEY[1..]);
            let function = json!({ "name": told, "arguments": arguments });
            body["choices"][0]["message"]["tool_calls"] = json!([{ "id": told, "function": function }]);
        }
        WireFormat::Anthropic => {
            body["id"] = json!(told);
            body["model"] = json!(told);
            let blocks = body["content"].as_array_mut().unwrap();
            // A text in two parts, neither of which holds the key.
            blocks.push(json!({ "type": "text", "text": &KEY[..12] }));
            blocks.push(json!({ "type": "text", "text": &KEY[12..] }));
            blocks.push(json!({ "type": "thinking", "thinking": told, "signature": told }));
            blocks.push(json!({ "type": "tool_use", "id": told, "name": told, "input": { KEY: [told] } }));
        }
        WireFormat::Gemini => {
            body["responseId"] = json!(told);
            body["modelVersion"] = json!(told);
            let parts = body["candidates"][0]["content"]["parts"].as_array_mut().unwrap();
            parts.push(json!({ "text": told, "thought": true }));
            parts.push(json!({ "functionCall": { "id": told, "name": told, "args": { "a": told } } }));
        }
    }
    body
}

// covers: BOG-148
#[tokio::test]
async fn an_answer_that_tells_the_key_tells_it_to_nobody() {
    for (provider, format) in PROVIDERS {
        for how in [How::Whole, How::Refused, How::Length] {
            let server = Server::start(vec![ok(telling(format, how))]).await;
            let folder = tempfile::tempdir().unwrap();
            let (cache, record) = (folder.path().join("cache"), folder.path().join("record"));
            let config = ModelsConfig {
                cache: Some(gimbal_model::CacheConfig { folder: cache }),
                record: Some(gimbal_model::RecordConfig { folder: record }),
                ..config(provider, server.address)
            };
            let (outcome, ledger) = ask(config, &name(provider), &ChatRequest::default()).await;
            assert_silent(&ledger, &format!("{outcome:?}"));
            let kept = match outcome {
                Ok(completion) => {
                    assert!(completion.text.starts_with("my key is [key], truly"), "{}", completion.text);
                    assert!(completion.reasoning.unwrap().contains("[key]"));
                    assert_eq!(completion.calls.len(), 1);
                    completion.provider
                }
                Err(error) => *error.provider,
            };
            assert_eq!(kept.id.as_deref(), Some("my key is [key], truly"));
            assert_eq!(kept.model.as_deref(), Some("my key is [key], truly"));
            let mut files = vec![folder.path().to_owned()];
            while let Some(path) = files.pop() {
                match std::fs::read_dir(&path) {
                    Ok(entries) => files.extend(entries.map(|entry| entry.unwrap().path())),
                    Err(_) => {
                        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                        assert!(!text.contains(KEY) && !text.contains("loopback-private"), "{}", path.display());
                    }
                }
            }
        }
    }
}

// covers: BOG-047, SH-01
#[tokio::test]
async fn broken_connections_are_transport_failures() {
    for (provider, _) in PROVIDERS {
        for how in [Broken::Reset, Broken::Truncated] {
            let (address, asked) = broken(how).await;
            let what = format!("{} {how:?}", provider.name());
            expect(config(provider, address), provider, ModelErrorKind::Transport, 3, &what).await;
            assert_eq!(*asked.lock().unwrap(), 3, "{what}");
        }
        // Nobody listens: the port was free a moment ago.
        let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        expect(config(provider, free), provider, ModelErrorKind::Transport, 3, "nobody").await;
    }
}

// covers: BOG-047, SH-01
#[tokio::test]
async fn silence_and_a_slow_drip_are_timeouts() {
    for (provider, _) in PROVIDERS {
        let short = |address| ModelsConfig {
            timeouts: Timeouts { connect_ms: 2_000, whole_ms: 300 },
            ..config(provider, address)
        };
        let server = Server::start(vec![Act::Silence]).await;
        expect(short(server.address), provider, ModelErrorKind::Timeout, 3, "silence").await;
        let (address, _) = broken(Broken::Drip).await;
        expect(short(address), provider, ModelErrorKind::Timeout, 3, "drip").await;
    }
}

// covers: BOG-047, SH-01
#[tokio::test]
async fn refused_and_cut_answers_are_paid_for_and_never_repeated() {
    for (provider, format) in PROVIDERS {
        for (how, kind) in [(How::Refused, ModelErrorKind::Refusal), (How::Length, ModelErrorKind::Truncated)] {
            let server = Server::start(vec![ok(answer(format, "half an ans", how))]).await;
            let (outcome, ledger) =
                ask(config(provider, server.address), &name(provider), &ChatRequest::default()).await;
            let error = outcome.unwrap_err();
            assert_eq!((error.kind, ledger.counts()), (kind, (1, 1)), "{}", provider.name());
            let usage = error.usage.unwrap();
            assert_eq!((usage.input, usage.output, usage.source), (100, 50, UsageSource::Reported));
            if how == How::Length {
                assert_eq!(error.partial.as_deref(), Some("half an ans"));
            } else {
                assert!(error.partial.is_some());
            }
            assert_eq!(error.provider.model.as_deref(), Some("served-model"));
        }
    }
}

#[tokio::test]
async fn a_failure_that_passes_is_survived_and_both_attempts_are_metered() {
    for (provider, format) in PROVIDERS {
        let busy = Act::Answer(429, vec![("retry-after-ms", "3".to_owned())], "slow down".to_owned());
        let server = Server::start(vec![busy, ok(answer(format, "fine", How::Whole))]).await;
        let (outcome, ledger) = ask(config(provider, server.address), &name(provider), &ChatRequest::default()).await;
        assert_eq!(&*outcome.unwrap().text, "fine");
        let rows = ledger.rows();
        assert_eq!(ledger.counts(), (2, 2));
        let Row::Received { outcome: Err(first), .. } = &rows[1] else { panic!("{rows:?}") };
        assert_eq!((first.kind, first.retry_after_ms), (ModelErrorKind::RateLimited, Some(3)));
        assert!(matches!(&rows[3], Row::Received { outcome: Ok(_), .. }));
    }
}

/// A request with a prompt of 400 bytes: a hundred tokens by the rule of the estimate.
fn asking() -> ChatRequest {
    let message = gimbal_core::Message::new(gimbal_core::Speaker::User, "four".repeat(100));
    ChatRequest { messages: vec![message.into()], ..ChatRequest::default() }
}

async fn counted(config: ModelsConfig, provider: Provider) -> (Vec<Option<Usage>>, Totals) {
    let models = gimbal_model::Models::new(config);
    let model = models.open(&name(provider)).unwrap();
    let ledger = Ledger::default();
    let context = gimbal_core::CallContext {
        wire: &ledger,
        episode: gimbal_core::Digest::of(b"e"),
        call: 0,
        seed: 1,
        hint: None,
    };
    let outcome = model.complete(&asking(), &context).await;
    let usage_of = |outcome: &Result<Box<gimbal_core::Completion>, gimbal_core::ModelError>| match outcome {
        Ok(completion) => Some(completion.usage),
        Err(error) => error.usage,
    };
    let rows = ledger.rows();
    let received = rows.iter().filter_map(|row| match row {
        Row::Received { outcome, .. } => Some(usage_of(outcome)),
        Row::Sent { .. } => None,
    });
    let received: Vec<_> = received.collect();
    assert_eq!(*received.last().unwrap(), usage_of(&outcome.map(Box::new)), "the caller is told what the ledger holds");
    (received, models.totals()[&name(provider)])
}

// covers: BOG-150, SH-04
#[tokio::test]
async fn words_without_a_usage_report_are_counted_by_their_length() {
    for (provider, format) in PROVIDERS {
        let mut refused = answer(format, "four four", How::Refused);
        let mut unbelievable = answer(format, "four four", How::Whole);
        for key in ["usage", "usageMetadata"] {
            refused.as_object_mut().unwrap().remove(key);
            unbelievable[key] = json!({
                "prompt_tokens": u64::MAX, "completion_tokens": u64::MAX, "input_tokens": -1, "output_tokens": 1,
                "promptTokenCount": u64::MAX, "candidatesTokenCount": 1,
            });
        }
        for body in [answer(format, "four four", How::WithoutUsage), unbelievable, refused] {
            let server = Server::start(vec![ok(body.clone())]).await;
            let (received, totals) = counted(config(provider, server.address), provider).await;
            let [Some(usage)] = received[..] else { panic!("{received:?}") };
            assert_eq!((usage.input, usage.source), (100, UsageSource::Estimated), "{body}");
            assert!((2..=3).contains(&usage.output), "{usage:?} {body}");
            assert_eq!((totals.attempts, totals.usage_missing, totals.unknown), (1, 1, 0));
            assert_eq!(totals.input_tokens, 100);
        }
    }
}

// covers: BOG-150, SH-04
#[tokio::test]
async fn what_may_have_been_billed_is_of_unknown_cost_and_what_was_turned_down_is_free() {
    let provider = Provider::OpenAi;
    let (reset, _) = broken(Broken::Reset).await;
    let (truncated, _) = broken(Broken::Truncated).await;
    let silent = Server::start(vec![Act::Silence]).await;
    let short =
        ModelsConfig { timeouts: Timeouts { connect_ms: 2_000, whole_ms: 300 }, ..config(provider, silent.address) };
    for config in [config(provider, reset), config(provider, truncated), short] {
        let (received, totals) = counted(config, provider).await;
        let unknown = Usage { input: 100, source: UsageSource::Missing, ..Usage::default() };
        assert_eq!(received, [Some(unknown); 3]);
        assert_eq!((totals.attempts, totals.unknown, totals.usage_missing, totals.input_tokens), (3, 3, 0, 0));
    }
    for status in [401, 404, 429, 500] {
        let server = Server::start(vec![failed(status, json!({}))]).await;
        let (received, totals) = counted(config(provider, server.address), provider).await;
        assert!(received.iter().all(Option::is_none), "{status}");
        assert_eq!((totals.unknown, totals.usage_missing), (0, 0), "{status}");
    }
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let (_, totals) = counted(config(provider, free), provider).await;
    assert_eq!((totals.attempts, totals.unknown), (3, 0), "nothing left");
}

#[tokio::test]
async fn a_dropped_call_leaves_its_row_and_frees_its_place() {
    let (provider, format) = (Provider::OpenAi, WireFormat::OpenAi);
    let server = Server::start(vec![Act::Silence, ok(answer(format, "fine", How::Whole))]).await;
    let mut config = config(provider, server.address);
    config.rates.insert("openai".to_owned(), gimbal_model::Rate { requests_per_minute: None, concurrency: Some(1) });
    let models = gimbal_model::Models::new(config);
    let model = models.open(&name(provider)).unwrap();
    let ledger = Ledger::default();
    let context = gimbal_core::CallContext {
        wire: &ledger,
        episode: gimbal_core::Digest::of(b"e"),
        call: 0,
        seed: 1,
        hint: None,
    };
    let request = ChatRequest::default();
    let mut call = model.complete(&request, &context);
    while server.seen().is_empty() {
        tokio::select! {
            _ = &mut call => panic!("the server was to be silent"),
            () = tokio::time::sleep(std::time::Duration::from_millis(5)) => {}
        }
    }
    drop(call);
    assert_eq!(ledger.counts(), (1, 0), "sent, and never received: an attempt of unknown cost");
    assert_eq!(&*model.complete(&request, &context).await.unwrap().text, "fine");
    assert_eq!(ledger.counts(), (2, 1));
}
