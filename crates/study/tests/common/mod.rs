//! Studies of throw-away environments, and models that need no network.
#![allow(dead_code)]

pub mod folders;

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, ModelError, ModelErrorKind, Usage, UsageSource};
use gimbal_model::{ModelFacts, ModelKind, Models, ModelsConfig, Price, SetupError};
use gimbal_study::plan::{self, Options, Plan, Problems};
use gimbal_study::registry::{Library, ModelSource, Registry};
use gimbal_study::run::RunError;
use gimbal_study::runner::{self, Progress, Settings, Summary};
use gimbal_study::stage::Cancel;
use gimbal_testkit::models::{Parrot, Picker};

pub fn registry() -> Registry {
    Registry {
        environments: gimbal_testkit::environments(),
        architectures: gimbal_testkit::architectures(),
        learned: None,
    }
}

/// `picker`, `slow` (gives way often), `unreliable` (refuses now and then), `down` (always out of order),
/// `flaky` (out of order for its first calls), `dear` (costs money), `keyless`, `parrot`, `broken` (cannot be opened), and `noisy/P`.
pub struct TestModels;

/// Fails always, in one way.
pub struct Broken(Box<dyn Fn() -> ModelError + Send + Sync>);

impl Broken {
    fn with(error: impl Fn() -> ModelError + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}

#[async_trait]
impl ChatModel for Broken {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let attempt = context.wire.sent(request, false)?;
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        let outcome = Err((self.0)());
        context.wire.received(attempt, &outcome)?;
        outcome
    }
}

/// Never answers.
pub struct Endless;

#[async_trait]
impl ChatModel for Endless {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        context.wire.sent(request, false)?;
        std::future::pending().await
    }
}

/// Is told to slow down before the first answer of every episode.
pub struct Stumbling(Picker);

#[async_trait]
impl ChatModel for Stumbling {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        if context.call == 0 {
            let attempt = context.wire.sent(request, false)?;
            context.wire.received(attempt, &Err(ModelError::new(ModelErrorKind::RateLimited, "slow down")))?;
        }
        self.0.complete(request, context).await
    }
}

impl ModelSource for TestModels {
    fn describe(&self, name: &str) -> Result<ModelFacts, SetupError> {
        if name.starts_with("noisy/") {
            return Models::new(ModelsConfig::default()).describe(name);
        }
        let known = [
            "picker",
            "slow",
            "unreliable",
            "down",
            "flaky",
            "dear",
            "keyless",
            "unpriced",
            "parrot",
            "monitor",
            "broken",
            "denied",
            "refusing",
            "silent",
            "endless",
            "wide",
            "stumbling",
            "mute",
        ];
        if !known.contains(&name) {
            return Err(SetupError::Name(format!("there is no model `{name}`")));
        }
        Ok(ModelFacts {
            name: name.to_owned(),
            kind: ModelKind::Scripted,
            plumbing: Some("throw-away".to_owned()),
            weights: None,
            key_variable: None,
            key_present: true,
            price: match name {
                "dear" | "silent" | "endless" => Some(Price {
                    source: "test".to_owned(),
                    seen: "2026-01-01".to_owned(),
                    bands: vec![gimbal_model::Band { up_to: None, input: 1_000_000, cached: None, output: 2_000_000 }],
                }),
                "unpriced" => None,
                _ => Some(Price::free()),
            },
            concurrency: match name {
                "down" | "denied" | "refusing" => 2,
                "wide" => 40,
                _ => 1 << 20,
            },
            wants_hints: false,
            tools: true,
            identity: serde_json::json!({ "model": if name == "slow" { "picker" } else { name } }),
        })
    }

    fn ready(&self, name: &str) -> Result<(), SetupError> {
        match name {
            "keyless" => Err(SetupError::Key("set the variable TEST_KEY".to_owned())),
            _ => Ok(()),
        }
    }

    fn open(&self, name: &str) -> Result<Arc<dyn ChatModel>, SetupError> {
        use gimbal_core::ModelErrorKind::{BadRequest, BadShape, Denied, Refusal, Timeout, Truncated};
        if name.starts_with("noisy/") {
            return Models::new(ModelsConfig::default()).open(name);
        }
        if name == "broken" {
            return Err(SetupError::Name("`broken` cannot be loaded".to_owned()));
        }
        let refusals = vec![None, None, None, None, Some(Refusal), Some(Truncated), Some(BadShape)];
        Ok(match name {
            "slow" => Arc::new(Picker { yields: 2, delay_us: 200, ..Picker::default() }),
            "unreliable" => Arc::new(Picker { failures: refusals, yields: 1, ..Picker::default() }),
            "down" => Arc::new(Picker { outages: u64::MAX.into(), ..Picker::default() }),
            "flaky" => Arc::new(Picker { outages: 5.into(), ..Picker::default() }),
            "monitor" => Arc::new(Picker {
                yields: 1,
                wrap: Some("Thought: Nothing calls for action yet, so I keep watching.\nAnswer: Monitor".to_owned()),
                ..Picker::default()
            }),
            "denied" => Arc::new(Broken::with(|| ModelError {
                lasting: true,
                ..ModelError::new(Denied, "denied: the provider answered with status 401: check the key in TEST_KEY")
            })),
            "refusing" => Arc::new(Broken::with(|| ModelError::new(BadRequest, "refusing: too long"))),
            "silent" => Arc::new(Broken::with(|| ModelError {
                usage: Some(Usage { input: 100, source: UsageSource::Missing, ..Usage::default() }),
                ..ModelError::new(Timeout, "silent: no answer in time")
            })),
            "endless" => Arc::new(Endless),
            "mute" => Arc::new(Picker { failures: vec![Some(Refusal)], ..Picker::default() }),
            "stumbling" => Arc::new(Stumbling(Picker::default())),
            "wide" => Arc::new(Picker { delay_us: 20_000, ..Picker::default() }),
            "parrot" => Arc::new(Parrot("tick".into())),
            _ => Arc::new(Picker { yields: 1, ..Picker::default() }),
        })
    }
}

pub fn plan_of(text: &str, options: &Options) -> Result<Plan, Problems> {
    let study = plan::parse(text, "study.yaml")?;
    plan::resolve(study, options, &registry(), &TestModels, &Library::default())
}

pub fn plan(text: &str) -> Plan {
    plan_of(text, &Options::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

pub async fn run_with(
    plan: Plan,
    folder: &Path,
    jobs: usize,
    cancel: Cancel,
) -> (Result<Summary, RunError>, Vec<Progress>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    let settings = Settings { jobs: Some(jobs), ..Settings::new(folder) };
    let outcome = runner::run(Arc::new(plan), Arc::new(TestModels), settings, cancel, move |progress| {
        told.lock().unwrap().push(progress);
    })
    .await;
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    (outcome, seen)
}

pub async fn run(text: &str, folder: &Path, jobs: usize) -> Result<Summary, RunError> {
    run_with(plan(text), folder, jobs, Cancel::default()).await.0
}
