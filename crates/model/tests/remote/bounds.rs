//! Bodies without end, bodies that unpack to anything, reports of usage that cannot be true.

use std::io::Write as _;
use std::net::SocketAddr;

use gimbal_core::{CallContext, ChatRequest, Digest, ModelErrorKind, UsageSource};
use gimbal_model::remote::{Provider, WireFormat};
use gimbal_model::{Models, RetryPolicy};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::remote::server::{Act, How, Server, answer, ok};
use crate::remote::{Ledger, Row, ask, config};

fn once(address: SocketAddr) -> gimbal_model::ModelsConfig {
    let retry = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
    gimbal_model::ModelsConfig { retry, ..config(Provider::OpenAi, address) }
}

/// Sends chunks forever, and counts the bytes.
async fn endless() -> (SocketAddr, std::sync::Arc<std::sync::atomic::AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let sent = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&sent);
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let count = std::sync::Arc::clone(&count);
            tokio::spawn(async move {
                let mut request = vec![0_u8; 64 << 10];
                let _ = socket.read(&mut request).await;
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
                let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
                let mut written = socket.write_all(head.as_bytes()).await;
                while written.is_ok() {
                    written = socket.write_all(chunk.as_bytes()).await;
                    count.fetch_add(0x10000, std::sync::atomic::Ordering::SeqCst);
                }
            });
        }
    });
    (address, sent)
}

#[tokio::test]
async fn a_body_without_end_is_given_up_and_other_calls_go_on() {
    let (address, sent) = endless().await;
    let (outcome, ledger) = ask(once(address), "openai/m", &ChatRequest::default()).await;
    let error = outcome.unwrap_err();
    assert_eq!((error.kind, ledger.counts()), (ModelErrorKind::BadResponse, (1, 1)));
    assert!(error.message.contains("longer than 4 MiB"), "{}", error.message);
    // What was read before the connection was closed, and what its buffers hold.
    assert!(sent.load(std::sync::atomic::Ordering::SeqCst) < 64 << 20);
    // An endless one beside a good one: each has its own outcome.
    let server = Server::start(vec![ok(answer(WireFormat::OpenAi, "fine", How::Whole))]).await;
    let request = ChatRequest::default();
    let (bad, good) =
        tokio::join!(ask(once(address), "openai/m", &request), ask(once(server.address), "openai/m", &request));
    assert!(bad.0.is_err() && good.0.is_ok());
}

fn packed(body: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(body).unwrap();
    gzip.finish().unwrap()
}

#[tokio::test]
async fn a_packed_body_is_unpacked_within_bounds() {
    let whole = answer(WireFormat::OpenAi, "fine", How::Whole).to_string();
    let headers =
        |kind: &str| vec![("content-type", "application/json".to_owned()), ("content-encoding", kind.to_owned())];
    let bomb = packed(&vec![b' '; 512 << 20]);
    assert!(bomb.len() < 600 << 10, "{}", bomb.len());
    for (bytes, kind, said) in [
        (packed(whole.as_bytes()), "gzip", Ok("fine")),
        (whole.clone().into_bytes(), "identity", Ok("fine")),
        (bomb, "gzip", Err("longer than 4 MiB")),
        (packed(whole.as_bytes())[..40].to_vec(), "gzip", Err("cannot be read")),
        (b"no gzip at all".to_vec(), "gzip", Err("does not unpack")),
        (whole.into_bytes(), "br", Err("compressed as `br`")),
    ] {
        let server = Server::start(vec![Act::Bytes(200, headers(kind), bytes)]).await;
        let (outcome, _) = ask(once(server.address), "openai/m", &ChatRequest::default()).await;
        match (outcome, said) {
            (Ok(completion), Ok(said)) => assert_eq!(&*completion.text, said),
            (Err(error), Err(said)) => {
                assert_eq!(error.kind, ModelErrorKind::BadResponse);
                assert!(error.message.contains(said), "{kind}: {}", error.message);
            }
            (outcome, said) => panic!("{kind}: {outcome:?}, expected {said:?}"),
        }
    }
}

#[tokio::test]
async fn of_a_long_answer_the_ledger_keeps_the_usage_and_not_the_body() {
    let server = Server::start(vec![ok(answer(WireFormat::OpenAi, &"word ".repeat(200_000), How::Whole))]).await;
    let (outcome, ledger) = ask(once(server.address), "openai/m", &ChatRequest::default()).await;
    assert_eq!(outcome.unwrap().text.len(), 1_000_000);
    let rows = ledger.rows();
    let Row::Received { outcome: Ok(completion), .. } = &rows[1] else { panic!() };
    let raw = completion.provider.raw.as_deref().unwrap();
    assert!(raw.len() < 1000 && raw.contains("prompt_tokens"), "{raw}");
    let kept: Value = serde_json::from_str(raw).unwrap();
    assert_eq!(gimbal_model::remote::read(WireFormat::OpenAi, &kept).usage, completion.usage);
}

// covers: BOG-150, SH-04
#[tokio::test]
async fn a_report_of_usage_that_cannot_be_true_counts_as_missing_and_is_marked() {
    let usage = |input: u64, cached: u64, output: u64, reasoning: u64| {
        json!({ "prompt_tokens": input, "completion_tokens": output,
            "prompt_tokens_details": { "cached_tokens": cached },
            "completion_tokens_details": { "reasoning_tokens": reasoning } })
    };
    for (report, why) in [
        (usage(0, 0, 0, 0), "no output"),
        (usage(9, 0, 0, 0), "no output"),
        (usage(0, 0, 9, 0), "no input"),
        (usage(9, 10, 9, 0), "cached"),
        (usage(9, 0, 9, 10), "reasoning"),
    ] {
        let mut body = answer(WireFormat::OpenAi, &"four ".repeat(80), How::Whole);
        body["usage"] = report.clone();
        let server = Server::start(vec![ok(body)]).await;
        let models = Models::new(once(server.address));
        let ledger = Ledger::default();
        let context = CallContext { wire: &ledger, episode: Digest::of(b"e"), call: 0, seed: 1, hint: None };
        let completion = models.open("openai/m").unwrap().complete(&ChatRequest::default(), &context).await.unwrap();
        assert_eq!((completion.usage.source, completion.usage.output), (UsageSource::Estimated, 100), "{report}");
        assert!(completion.provider.note.unwrap().contains(why), "{report}");
        assert_eq!(models.totals()["openai/m"].usage_missing, 1);
    }
    // Some servers count reasoning beside the answer; their total tells.
    let mut body = answer(WireFormat::OpenAi, "fine", How::Whole);
    body["usage"] = usage(9, 0, 5, 40);
    body["usage"]["total_tokens"] = json!(54);
    let server = Server::start(vec![ok(body)]).await;
    let (outcome, _) = ask(once(server.address), "openai/m", &ChatRequest::default()).await;
    let usage = outcome.unwrap().usage;
    assert_eq!((usage.output, usage.reasoning, usage.source), (45, 40, UsageSource::Reported));
}

// covers: BOG-150, SH-04
#[tokio::test]
async fn usage_that_no_request_can_have_counts_as_missing() {
    let usage = |input: u64, output: u64, reasoning: u64| {
        json!({ "prompt_tokens": input, "completion_tokens": output,
            "completion_tokens_details": { "reasoning_tokens": reasoning } })
    };
    // The bound that is sent is 1,024; the model behind OpenRouter may think beyond it.
    for (provider, report, why) in [
        (Provider::OpenAi, usage(4_000_000_000, 4_000_000_000, 0), Some("of input")),
        (Provider::OpenAi, usage(9, 4_000_000_000, 0), Some("of output")),
        (Provider::OpenAi, usage(9, 4_000_000_000, 3_999_999_999), Some("of output")),
        (Provider::OpenAi, usage(9, 2000, 1900), Some("of output")),
        (Provider::OpenAi, usage(300, 1024, 1000), None),
        (Provider::OpenRouter, usage(9, 30_000, 29_000), None),
        (Provider::OpenRouter, usage(9, 4_000_000_000, 3_999_999_999), Some("of output")),
    ] {
        let mut body = answer(WireFormat::OpenAi, &"four ".repeat(80), How::Whole);
        body["usage"] = report.clone();
        let server = Server::start(vec![ok(body)]).await;
        let retry = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
        let models = Models::new(gimbal_model::ModelsConfig { retry, ..config(provider, server.address) });
        let ledger = Ledger::default();
        let context = CallContext { wire: &ledger, episode: Digest::of(b"e"), call: 0, seed: 1, hint: None };
        let name = format!("{}/m", provider.name());
        let completion = models.open(&name).unwrap().complete(&ChatRequest::default(), &context).await.unwrap();
        let source = if why.is_some() { UsageSource::Estimated } else { UsageSource::Reported };
        assert_eq!(completion.usage.source, source, "{report}");
        assert_eq!(models.totals()[&name].usage_missing, u64::from(why.is_some()));
        if let Some(why) = why {
            assert_eq!(completion.usage.output, 100);
            assert!(completion.provider.note.unwrap().contains(why), "{report}");
        }
    }
    // A server that goes beyond its bound is believed as far as its words can be seen.
    let mut body = answer(WireFormat::OpenAi, &"word ".repeat(4000), How::Whole);
    body["usage"] = usage(9, 4000, 0);
    let server = Server::start(vec![ok(body)]).await;
    let (outcome, _) = ask(once(server.address), "openai/m", &ChatRequest::default()).await;
    assert_eq!(outcome.unwrap().usage.source, UsageSource::Reported);
}

// covers: BOG-150
#[tokio::test]
async fn a_provider_that_always_complains_lowers_nothing_below_one() {
    let busy = Act::Answer(429, vec![("retry-after-ms", "1".to_owned())], "slow down".to_owned());
    let server = Server::start(vec![busy]).await;
    let models = Models::new(config(Provider::OpenAi, server.address));
    let ledger = Ledger::default();
    for call in 0..3 {
        let context = CallContext { wire: &ledger, episode: Digest::of(b"e"), call, seed: 1, hint: None };
        models.open("openai/m").unwrap().complete(&ChatRequest::default(), &context).await.unwrap_err();
    }
    let standing = models.at_once()["openai/m"];
    assert_eq!((standing.peak, standing.complaints), (1, 0));
    assert!(!models.remarks().iter().any(|remark| remark.contains("at once")), "{:?}", models.remarks());
}

#[tokio::test]
async fn the_ledger_holds_how_many_requests_were_allowed_at_once() {
    let busy = Act::Answer(429, vec![("retry-after-ms", "1".to_owned())], "slow down".to_owned());
    let fine = || ok(answer(WireFormat::OpenAi, "fine", How::Whole));
    let server = Server::start(vec![fine(), fine(), fine(), busy, fine()]).await;
    let models = Models::new(config(Provider::OpenAi, server.address));
    let ledger = Ledger::default();
    for call in 0..5 {
        let context = CallContext { wire: &ledger, episode: Digest::of(b"e"), call, seed: 1, hint: None };
        models.open("openai/m").unwrap().complete(&ChatRequest::default(), &context).await.unwrap();
    }
    let noted = ledger.rows().into_iter().filter_map(|row| match row {
        Row::Received { outcome: Ok(completion), .. } => completion.provider.at_once,
        Row::Received { outcome: Err(error), .. } => error.provider.at_once,
        Row::Sent { .. } => None,
    });
    assert_eq!(noted.collect::<Vec<_>>(), [1, 2, 3, 4, 2]);
    let standing = models.at_once()["openai/m"];
    assert_eq!((standing.peak, standing.complaints, standing.most), (4, 1, 32));
}
