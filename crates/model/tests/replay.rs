//! Record once, play back, and the registry around it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::path::Path;
use std::sync::Arc;

use gimbal_core::{
    CallContext, ChatRequest, Completion, Digest, Hint, Message, Milli, ModelError, ModelErrorKind, Sampling, Speaker,
    Wire,
};
use gimbal_model::replay::was_made_with;
use gimbal_model::{ModelKind, Models, ModelsConfig, RecordConfig, SetupError, secret};

struct NoWire;

impl Wire for NoWire {
    fn sent(&self, _: &ChatRequest, _: bool) -> Result<u64, ModelError> {
        Ok(0)
    }

    fn received(&self, _: u64, _: &Result<Completion, ModelError>) -> Result<(), ModelError> {
        Ok(())
    }
}

fn request(texts: &[&str]) -> ChatRequest {
    ChatRequest {
        messages: texts.iter().map(|text| Arc::new(Message::new(Speaker::User, *text))).collect(),
        ..ChatRequest::default()
    }
}

async fn ask(
    models: &Models,
    name: &str,
    request: &ChatRequest,
    episode: &str,
    seed: u64,
    call: u64,
) -> Result<Completion, ModelError> {
    let hint = Hint { answer: "right".to_owned(), alternatives: vec!["wrong".to_owned(), "odd".to_owned()] };
    let episode = Digest::of(episode.as_bytes());
    let context = CallContext { wire: &NoWire, episode, call, seed, hint: Some(&hint) };
    models.open(name).unwrap().complete(request, &context).await
}

fn recording(folder: &Path) -> Models {
    let record = Some(RecordConfig { folder: folder.to_owned() });
    Models::new(ModelsConfig { record, ..ModelsConfig::default() })
}

// covers: SH-01
#[tokio::test]
async fn what_was_recorded_is_played_back() {
    let folder = tempfile::tempdir().unwrap();
    let name = "noisy/0.5,malformed=0.2";
    let models = recording(folder.path());
    let mut answers = Vec::new();
    for seed in 0..4 {
        for call in 0..5 {
            answers.push(ask(&models, name, &request(&["a", "b"]), "recorded", seed, call).await.unwrap());
        }
    }
    let refusal = ask(&models, "scripted/refuse", &request(&["c"]), "recorded", 9, 0).await.unwrap_err();

    let replay = format!("replay/{}", folder.path().display());
    let player = Models::new(ModelsConfig::default());
    player.ready(&replay).unwrap();
    let mut played = Vec::new();
    for seed in 0..4 {
        for call in 0..5 {
            // The key of the episode holds the model's name, so it is another one now.
            played.push(ask(&player, &replay, &request(&["a", "b"]), "replayed", seed, call).await.unwrap());
        }
    }
    assert_eq!(played, answers);
    let again = ask(&player, &replay, &request(&["c"]), "replayed", 9, 0).await.unwrap_err();
    assert_eq!((again.kind, again.usage, again.message), (refusal.kind, refusal.usage, refusal.message));
}

// covers: SH-01
#[tokio::test]
async fn a_request_that_differs_is_refused_with_the_first_difference() {
    let folder = tempfile::tempdir().unwrap();
    ask(&recording(folder.path()), "scripted/idle", &request(&["one", "the host is calm"]), "e", 1, 0).await.unwrap();
    let replay = format!("replay/{}", folder.path().display());
    let player = Models::new(ModelsConfig::default());
    for (asked, call, part) in [
        (request(&["one", "the host is loud"]), 0, "message 2 (user) differs from its letter 13 on"),
        (request(&["one"]), 0, "message 2 of the recording (user) is missing"),
        (request(&["one", "the host is calm", "more"]), 0, "message 3 (user) is not in the recording"),
        (ChatRequest { stop: vec!["x".to_owned()], ..request(&["one", "the host is calm"]) }, 0, "the stop texts"),
        (request(&["one", "the host is calm"]), 1, "call 1 of seed 0000000000000001 is not recorded"),
    ] {
        let error = ask(&player, &replay, &asked, "e", 1, call).await.unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::NotRecorded);
        assert!(error.message.contains(part), "{}", error.message);
    }
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

// covers: BOG-148
#[tokio::test]
async fn recordings_hold_no_secrets_and_hints_stay_out() {
    let folder = tempfile::tempdir().unwrap();
    let models = recording(folder.path());
    for call in 0..3 {
        ask(&models, "noisy/0.0", &request(&["what now?"]), "e", 1, call).await.unwrap();
    }
    let files = files(folder.path());
    assert_eq!(files.len(), 4);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!secret::looks_secret(&text), "{text}");
        assert!(!text.contains("\"hint\"") && !text.contains("right"), "{text}");
        assert!(!text.contains("\"raw\""), "{text}");
    }
}

#[test]
fn what_is_no_recording_is_told_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("replay/{}", folder.path().display());
    let models = Models::new(ModelsConfig::default());
    let refused = models.ready(&name).unwrap_err();
    assert!(matches!(&refused, SetupError::Recording(message) if message.contains("record one first")));
    std::fs::write(folder.path().join("recording.json"), "{\"version\": 9, \"models\": []}").unwrap();
    assert!(models.ready(&name).unwrap_err().to_string().contains("version 9"));
    std::fs::write(folder.path().join("recording.json"), "nonsense").unwrap();
    assert!(models.describe(&name).unwrap_err().to_string().contains("not a recording"));
}

#[tokio::test]
async fn the_identity_of_a_recording_is_its_content() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for folder in [&first, &second] {
        ask(&recording(folder.path()), "scripted/idle", &request(&["x"]), "e", 1, 0).await.unwrap();
    }
    let models = Models::new(ModelsConfig::default());
    let identity = |folder: &tempfile::TempDir| {
        let facts = models.describe(&format!("replay/{}", folder.path().display())).unwrap();
        assert_eq!(facts.kind, ModelKind::Replayed);
        assert!(facts.plumbing.is_some());
        facts.identity
    };
    assert_eq!(identity(&first), identity(&second));
    ask(&recording(second.path()), "scripted/idle", &request(&["y"]), "e", 1, 1).await.unwrap();
    assert_ne!(identity(&first), identity(&second));
}

/// Playback does not need the settings of the recording; where it holds several, they tell the calls apart.
// covers: SH-01
#[tokio::test]
async fn settings_are_those_of_the_recording() {
    let with = |temperature: i64, text: &str| {
        let sampling = Sampling { temperature: Milli(temperature), max_output_tokens: 77, ..Sampling::default() };
        ChatRequest { sampling, ..request(&[text]) }
    };
    let folder = tempfile::tempdir().unwrap();
    let models = recording(folder.path());
    let recorded = ask(&models, "scripted/idle", &with(500, "a"), "e", 1, 0).await.unwrap();
    ask(&models, "scripted/idle", &with(500, "b"), "e", 1, 1).await.unwrap();
    ask(&models, "noisy/0.5", &with(900, "b"), "e", 1, 1).await.unwrap();
    let replay = format!("replay/{}", folder.path().display());
    let player = Models::new(ModelsConfig::default());
    for asked in [with(500, "a"), with(0, "a"), request(&["a"])] {
        assert_eq!(ask(&player, &replay, &asked, "e", 1, 0).await.unwrap(), recorded);
    }
    let error = ask(&player, &replay, &request(&["b"]), "e", 1, 1).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::NotRecorded);
    assert!(error.message.contains("several decoding settings") && error.message.contains("`temperature`"), "{error}");
    assert!(ask(&player, &replay, &with(900, "b"), "e", 1, 1).await.is_ok());
    let made = |temperature: i64| was_made_with(folder.path(), |sampling| sampling.temperature == Milli(temperature));
    assert_eq!((made(500), made(900), made(0)), (Some(true), Some(true), Some(false)));
    assert_eq!(was_made_with(&folder.path().join("none"), |_| true), None);
}
