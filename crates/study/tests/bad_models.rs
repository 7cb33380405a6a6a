//! Models that answer prose only, that never stop calling tools, that return a megabyte: each episode is kept and typed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_analysis::EpisodeRow;
use gimbal_core::{
    CallContext, ChatModel, ChatRequest, Completion, Finish, ModelError, RecordKinds, Usage, UsageSource,
};
use gimbal_model::{ModelFacts, ModelKind, Price, SetupError};
use gimbal_study::plan::{self, Options};
use gimbal_study::read::{load_rows, verify};
use gimbal_study::registry::{Library, ModelSource, Registry};
use gimbal_study::run::RunFolder;
use gimbal_study::runner::{self, Settings};
use gimbal_study::stage::Cancel;

/// Always the same words.
struct Says(Arc<str>);

#[async_trait]
impl ChatModel for Says {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let attempt = context.wire.sent(request, false)?;
        let input = request.messages.iter().map(|message| message.text.len() as u64).sum::<u64>() / 4;
        let usage = Usage { input, output: self.0.len() as u64 / 4, source: UsageSource::Reported, ..Usage::default() };
        let outcome = Ok(Completion {
            text: Arc::clone(&self.0),
            calls: Vec::new(),
            finish: Finish::Stop,
            reasoning: None,
            missed: Vec::new(),
            usage,
            latency_us: 1,
            provider: gimbal_core::chat::ProviderFacts::default(),
        });
        context.wire.received(attempt, &outcome)?;
        outcome
    }
}

struct BadModels;

fn words(name: &str) -> Option<String> {
    Some(match name {
        "prose" => "I would rather talk about the weather.".to_owned(),
        "tools" => "Thought: more\nTool: raise_a_question: why?\nPAUSE".to_owned(),
        "megabyte" => "Answer: ".to_owned() + &"Monitor and so on. ".repeat(55_000),
        _ => return None,
    })
}

impl ModelSource for BadModels {
    fn describe(&self, name: &str) -> Result<ModelFacts, SetupError> {
        words(name).ok_or_else(|| SetupError::Name(format!("no `{name}`")))?;
        Ok(ModelFacts {
            name: name.to_owned(),
            kind: ModelKind::Scripted,
            plumbing: None,
            weights: None,
            key_variable: None,
            key_present: true,
            price: Some(Price::free()),
            concurrency: 4,
            wants_hints: false,
            tools: true,
            identity: serde_json::json!({ "model": name }),
        })
    }
    fn ready(&self, _: &str) -> Result<(), SetupError> {
        Ok(())
    }
    fn open(&self, name: &str) -> Result<Arc<dyn ChatModel>, SetupError> {
        let words = words(name).ok_or_else(|| SetupError::Name(format!("no `{name}`")))?;
        Ok(Arc::new(Says(words.into())))
    }
}

async fn rows(model: &str, limits: &str) -> Vec<EpisodeRow> {
    let text = format!(
        "study: bad\nenvironment: {{ name: cage2, red: b_line, horizon: 3 }}\narchitectures:\n\
         \x20 - {{ base: react, configuration: +question }}\n  - {{ base: hierarchy, configuration: hier-delib }}\n\
         roles: [{{ default: {model} }}]\nepisodes: {{ runs: 2 }}\n{limits}"
    );
    let registry = Registry {
        environments: vec![Arc::new(gimbal_cage2::environment::Cage2)],
        architectures: gimbal_architectures::kinds(),
        learned: None,
    };
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).to_owned();
    let files = Library::new(&[], vec![root]);
    let study = plan::parse(&text, "study.yaml").unwrap();
    let plan = plan::resolve(study, &Options::default(), &registry, &BadModels, &files);
    let plan = plan.unwrap_or_else(|problems| panic!("{problems}"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let settings = Settings::new(&path);
    let summary = runner::run(Arc::new(plan), Arc::new(BadModels), settings, Cancel::default(), |_| {}).await.unwrap();
    assert_eq!((summary.exit_code(), summary.finished), (0, 4));
    let folder = RunFolder::open(&path).unwrap();
    assert_eq!(verify(&folder, &RecordKinds::default()).unwrap().problems, Vec::<String>::new());
    let rows = load_rows(&folder).unwrap().episodes;
    assert!(rows.len() == 4 && rows.iter().all(|row| !row.infrastructure));
    rows
}

// covers: BOG-032, BOG-034, BOG-047
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_answers_prose_only_falls_back_and_every_attempt_is_counted() {
    for row in rows("prose", "").await {
        assert_eq!((row.stop.name(), row.steps, row.fallbacks), ("horizon", 3, 3), "{}", row.cell);
        assert!(u64::from(row.model_calls) >= 3 && row.invalid_attempts() == row.attempts(), "{}", row.cell);
        assert_eq!(row.ledger.iter().map(|part| part.calls).sum::<u64>(), u64::from(row.model_calls));
    }
}

// covers: BOG-034
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_never_stops_calling_tools_comes_to_an_end() {
    for row in rows("tools", "").await {
        assert_eq!((row.stop.name(), row.steps, row.fallbacks), ("horizon", 3, 3), "{}", row.cell);
        assert!(row.model_calls > 3 && row.model_calls < 1000, "{}: {} calls", row.cell, row.model_calls);
    }
    for row in rows("tools", "limits: { episode: { model_calls: 4 } }\n").await {
        assert_eq!((row.stop.name(), row.model_calls), ("model_call_budget", 4), "{}", row.cell);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_returns_a_megabyte_is_paid_for_and_stopped_by_the_limit_on_tokens() {
    for row in rows("megabyte", "limits: { episode: { tokens: 1000000 } }\n").await {
        assert!(["horizon", "token_budget"].contains(&row.stop.name()), "{}: {}", row.cell, row.stop.name());
        assert!(row.agent_tokens().output >= 250_000 && row.billed == row.agent_tokens(), "{}", row.cell);
        // A call that is on its way is paid for; none leaves beyond the limit.
        assert!(row.agent_tokens().total() < 2_500_000, "{}: {}", row.cell, row.agent_tokens().total());
    }
}
