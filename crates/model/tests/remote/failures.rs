//! Every way in which a provider misbehaves has its own name, is metered at every attempt, and shows no key.

use gimbal_core::{ChatRequest, ModelErrorKind, UsageSource};
use gimbal_model::remote::{Provider, WireFormat};
use gimbal_model::{ModelsConfig, Timeouts};
use serde_json::json;

use crate::server::{Act, Broken, How, Server, answer, broken, failed, ok};
use crate::{KEY, Ledger, PROVIDERS, Row, ask, config};

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

// covers: BOG-047, BOG-148, BOG-149, BOG-150, SH-01
#[tokio::test]
async fn every_misbehaviour_has_its_name() {
    let echo = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}"), "type": "x" } });
    for (provider, format) in PROVIDERS {
        let html =
            |status| Act::Answer(status, vec![("content-type", "text/html".to_owned())], format!("<p>{KEY}</p>"));
        let broken_json =
            Act::Answer(200, vec![("content-type", "application/json".to_owned())], "{\"a\": ".to_owned());
        let untyped = Act::Answer(200, vec![], answer(format, "fine", How::Whole).to_string());
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
            ("no content type", untyped, ModelErrorKind::BadResponse, 3),
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

#[tokio::test]
async fn missing_usage_is_told_and_counted() {
    for (provider, format) in PROVIDERS {
        let server = Server::start(vec![ok(answer(format, "fine", How::WithoutUsage))]).await;
        let models = gimbal_model::Models::new(config(provider, server.address));
        let model = models.open(&name(provider)).unwrap();
        let ledger = Ledger::default();
        let context =
            gimbal_core::CallContext { wire: &ledger, episode: gimbal_core::Digest::of(b"e"), call: 0, seed: 1 };
        let completion = model.complete(&ChatRequest::default(), &context).await.unwrap();
        assert_eq!((completion.usage.source, completion.usage.input), (UsageSource::Missing, 0));
        let totals = models.totals()[&name(provider)];
        assert_eq!((totals.calls, totals.attempts, totals.usage_missing), (1, 1, 1));
    }
}

#[tokio::test]
async fn a_dropped_call_leaves_its_row_and_frees_its_place() {
    let (provider, format) = (Provider::OpenAi, WireFormat::OpenAi);
    let server = Server::start(vec![Act::Silence, ok(answer(format, "fine", How::Whole))]).await;
    let mut config = config(provider, server.address);
    config.rates.insert("openai".to_owned(), gimbal_model::Rate { requests_per_minute: None, concurrency: 1 });
    let models = gimbal_model::Models::new(config);
    let model = models.open(&name(provider)).unwrap();
    let ledger = Ledger::default();
    let context = gimbal_core::CallContext { wire: &ledger, episode: gimbal_core::Digest::of(b"e"), call: 0, seed: 1 };
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
