//! Two providers on loopback: one that pauses holds up nobody else.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gimbal_model::{Models, ModelsConfig};
use gimbal_study::plan::{self, Options};
use gimbal_study::read::load_rows;
use gimbal_study::registry::Library;
use gimbal_study::run::RunFolder;
use gimbal_study::runner::{self, Progress, RunStop, Settings};
use gimbal_study::stage::Cancel;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What a provider does until `open`, and how often it did it.
#[derive(Default)]
struct Provider {
    open: AtomicBool,
    complaints: AtomicUsize,
    answers: AtomicUsize,
}

/// Serves chat completions in the form of OpenAI; answers 429 until it is open.
async fn serve(provider: Arc<Provider>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(one(stream, Arc::clone(&provider)));
        }
    });
    format!("http://{address}/v1")
}

async fn one(mut stream: TcpStream, provider: Arc<Provider>) -> Option<()> {
    let mut bytes = Vec::new();
    let (head, length) = loop {
        stream.read_buf(&mut bytes).await.ok().filter(|read| *read > 0)?;
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        if let Some(end) = text.find("\r\n\r\n") {
            let length = text.split("content-length: ").nth(1)?.lines().next()?.trim().parse::<usize>().ok()?;
            break (end + 4, length);
        }
    };
    while bytes.len() < head + length {
        stream.read_buf(&mut bytes).await.ok().filter(|read| *read > 0)?;
    }
    let request: Value = serde_json::from_slice(&bytes[head..]).ok()?;
    let answer = if provider.open.load(Ordering::SeqCst) {
        provider.answers.fetch_add(1, Ordering::SeqCst);
        let last = request["messages"].as_array()?.last()?["content"].to_string();
        let legal = last.rsplit_once("legal: ")?.1;
        let action = legal.split(" | ").next()?.trim_matches(['"', ']', '}', '\\']).to_owned();
        let body = json!({
            "id": "1", "object": "chat.completion", "model": "served",
            "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": action } }],
            "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 },
        });
        ("200 OK", String::new(), body)
    } else {
        provider.complaints.fetch_add(1, Ordering::SeqCst);
        let body = json!({ "error": { "message": "too many requests", "type": "rate_limit" } });
        ("429 Too Many Requests", "retry-after-ms: 20\r\n".to_owned(), body)
    };
    let (status, more, body) = (answer.0, answer.1, answer.2.to_string());
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n{more}");
    let text = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).await.ok()
}

// covers: BOG-047, BOG-150
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_provider_pauses_and_the_other_plays_on_in_the_only_place() {
    let (busy, quick) = (Arc::new(Provider::default()), Arc::new(Provider::default()));
    quick.open.store(true, Ordering::SeqCst);
    let text = format!(
        "study: providers\nenvironment: {{ name: corridor, horizon: 6 }}\narchitectures: [{{ base: learner }}]\n\
         roles: [{{ default: llamacpp/busy }}, {{ default: vllm/quick }}]\n\
         episodes: {{ runs: 4, tasks: {{ split: test, limit: 1 }} }}\n\
         models:\n  endpoints: {{ llamacpp: {{ base: '{}' }}, vllm: {{ base: '{}' }} }}\n\
         \x20 retry: {{ attempts: 100000, first_ms: 1, longest_ms: 20 }}\n",
        serve(Arc::clone(&busy)).await,
        serve(Arc::clone(&quick)).await
    );
    let study = plan::parse(&text, "study.yaml").unwrap();
    let section = plan::models_section(&study).unwrap();
    let models = Arc::new(Models::new(section.over(ModelsConfig::default())));
    let options = Options::default();
    let plan = plan::resolve(study, &options, &common::registry(), &*models, &Library::default());
    let plan = plan.unwrap_or_else(|problems| panic!("{problems}"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let settings = Settings { jobs: Some(1), ..Settings::new(&path) };
    let order = Arc::new(Mutex::new(Vec::new()));
    let (seen, opener) = (Arc::clone(&order), Arc::clone(&busy));
    let summary = runner::run(Arc::new(plan), models, settings, Cancel::default(), move |progress| {
        let Progress::Finished { cell, .. } = progress else { return };
        let mut seen = seen.lock().unwrap();
        seen.push(cell);
        // The first provider comes back only when the other's episodes are all there: with its place kept by the first
        // one, none of them could ever be played.
        if seen.len() == 4 {
            opener.open.store(true, Ordering::SeqCst);
        }
    });
    assert_eq!(summary.await.unwrap().ended, RunStop::Done);
    let order = order.lock().unwrap();
    assert!(order[..4].iter().all(|cell| cell.contains("quick")), "{order:?}");
    assert!(order[4..].iter().all(|cell| cell.contains("busy")) && order.len() == 8, "{order:?}");
    assert!(busy.complaints.load(Ordering::SeqCst) > 0);
    let rows = load_rows(&RunFolder::open(&path).unwrap()).unwrap().episodes;
    assert!(rows.iter().all(|row| !row.infrastructure && row.fallbacks == 0));
    let outages: u32 = rows.iter().map(|row| row.outages).sum();
    assert_eq!(outages as usize, busy.complaints.load(Ordering::SeqCst), "every complaint is counted");
    assert!(rows.iter().all(|row| row.cell.contains("busy") || row.outages == 0));
}

async fn played(text: &str, path: &std::path::Path) -> (runner::Summary, Vec<String>) {
    let study = plan::parse(text, "study.yaml").unwrap();
    let section = plan::models_section(&study).unwrap();
    let models = Arc::new(Models::new(section.over(ModelsConfig::default())));
    let plan = plan::resolve(study, &Options::default(), &common::registry(), &*models, &Library::default());
    let plan = plan.unwrap_or_else(|problems| panic!("{problems}"));
    let notes = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&notes);
    let summary = runner::run(Arc::new(plan), models, Settings::new(path), Cancel::default(), move |progress| {
        if let Progress::Note { text } | Progress::Warning { text } | Progress::Failed { detail: text, .. } = progress {
            kept.lock().unwrap().push(text);
        }
    });
    let summary = summary.await.unwrap();
    let notes = notes.lock().unwrap().clone();
    (summary, notes)
}

// covers: SH-01
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_of_a_remote_model_plays_back_without_further_settings() {
    let quick = Arc::new(Provider::default());
    quick.open.store(true, Ordering::SeqCst);
    let base = serve(Arc::clone(&quick)).await;
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("recording");
    let study = |role: &str, models: &str| {
        format!(
            "study: recorded\nenvironment: {{ name: corridor, horizon: 6 }}\narchitectures: [{{ base: learner }}]\n\
             roles: [{{ default: '{role}' }}]\nepisodes: {{ runs: 3, tasks: {{ split: test, limit: 1 }} }}\n{models}"
        )
    };
    let models =
        format!("models: {{ endpoints: {{ vllm: {{ base: '{base}' }} }}, record: '{}' }}\n", recording.display());
    let (first, _) = played(&study("vllm/quick", &models), &folder.path().join("first")).await;
    assert_eq!(first.ended, RunStop::Done);
    let asked = quick.answers.load(Ordering::SeqCst);
    let (again, notes) =
        played(&study(&format!("replay/{}", recording.display()), ""), &folder.path().join("again")).await;
    assert_eq!(again.ended, RunStop::Done, "{notes:?}");
    assert_eq!(quick.answers.load(Ordering::SeqCst), asked, "nobody was asked again");
    let returns = |name: &str| {
        let rows = load_rows(&RunFolder::open(&folder.path().join(name)).unwrap()).unwrap().episodes;
        // Episodes are in the order in which they ended.
        rows.iter().map(|row| (row.run, row.return_thousandths, row.steps)).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(returns("first"), returns("again"));
}

// covers: SH-01
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_made_with_settings_plays_back_with_and_without_naming_them() {
    let quick = Arc::new(Provider::default());
    quick.open.store(true, Ordering::SeqCst);
    let base = serve(Arc::clone(&quick)).await;
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("recording");
    let study = |model: &str, settings: &str, models: &str| {
        format!(
            "study: recorded\nenvironment: {{ name: corridor, horizon: 6 }}\narchitectures: [{{ base: learner }}]\n\
             roles: [{{ default: {{ model: '{model}'{settings} }} }}]\n\
             episodes: {{ runs: 2, tasks: {{ split: test, limit: 1 }} }}\n{models}"
        )
    };
    let models =
        format!("models: {{ endpoints: {{ vllm: {{ base: '{base}' }} }}, record: '{}' }}\n", recording.display());
    let whole = ", temperature: 0.5, reasoning_effort: low, extra_body: { top_k: 3 }, extra_headers: { x-a: b }";
    let (first, _) = played(&study("vllm/quick", whole, &models), &folder.path().join("first")).await;
    assert_eq!(first.ended, RunStop::Done);
    let replay = format!("replay/{}", recording.display());
    let asked = quick.answers.load(Ordering::SeqCst);
    for (number, settings) in ["", ", temperature: 0.5", ", reasoning_effort: low", whole].iter().enumerate() {
        let path = folder.path().join(format!("again-{number}"));
        let (again, notes) = played(&study(&replay, settings, ""), &path).await;
        assert_eq!(again.ended, RunStop::Done, "{settings}: {notes:?}");
    }
    assert_eq!(quick.answers.load(Ordering::SeqCst), asked, "nobody was asked again");
    for settings in [", temperature: 0.7", ", temperature: 0.5, reasoning_effort: high", ", max_output_tokens: 5"] {
        let error = plan::parse(&study(&replay, settings, ""), "study.yaml").unwrap_err().to_string();
        assert!(error.starts_with("study.yaml:4:") && error.contains("nothing in the recording"), "{error}");
    }
}

// covers: BOG-150
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_run_says_which_bound_holds_and_what_became_of_the_cache() {
    let quick = Arc::new(Provider::default());
    quick.open.store(true, Ordering::SeqCst);
    let base = serve(Arc::clone(&quick)).await;
    let folder = tempfile::tempdir().unwrap();
    // A cache that cannot be written: its folder is a file.
    let cache = folder.path().join("cache");
    std::fs::write(&cache, "in the way").unwrap();
    for (rates, said) in [("", "the program's own bound"), ("rates: { vllm: { concurrency: 3 } }, ", "`models.rates`")]
    {
        let text = format!(
            "study: bounds\nenvironment: {{ name: corridor, horizon: 6 }}\narchitectures: [{{ base: learner }}]\n\
             roles: [{{ default: vllm/quick }}]\nepisodes: {{ runs: 1, tasks: {{ split: test, limit: 1 }} }}\n\
             models: {{ endpoints: {{ vllm: {{ base: '{base}' }} }}, {rates}cache: '{}' }}\n",
            cache.display()
        );
        let run = if rates.is_empty() { "one" } else { "two" };
        let (summary, notes) = played(&text, &folder.path().join(run)).await;
        assert_eq!(summary.ended, RunStop::Done);
        assert!(notes.iter().any(|note| note.contains(said)), "{notes:?}");
        assert!(
            notes.iter().any(|note| note.contains("could not be kept") || note.contains("cannot be read")),
            "{notes:?}"
        );
    }
}
