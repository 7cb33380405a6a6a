//! The bounds of output that reach a model, where its hidden reasoning counts against them and where it does not.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, ModelError};
use gimbal_model::{Models, ModelsConfig};
use gimbal_study::plan::{self, Options};
use gimbal_study::registry::Registry;
use gimbal_study::runner::{self, Settings};
use gimbal_study::stage::Cancel;

use crate::common::TestFiles;
use crate::wrapped::Wrapped;

/// What the role allows.
const ROLE: u32 = 4_000;

/// A model that writes nothing of use and keeps the bounds of what it was asked.
struct Bounded {
    inner: Arc<dyn ChatModel>,
    bounds: Arc<Mutex<Vec<u32>>>,
    reasons: bool,
}

#[async_trait]
impl ChatModel for Bounded {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        self.bounds.lock().unwrap().push(request.sampling.max_output_tokens);
        self.inner.complete(request, context).await
    }
    fn reasons_within_bound(&self) -> bool {
        self.reasons
    }
}

/// The bounds of all calls of an episode, in order.
async fn bounds(architecture: &str, reasons: bool) -> Vec<u32> {
    let folder = tempfile::tempdir().unwrap();
    let scripts = [("scripted/babbles.yaml".to_owned(), "rules:\n  - say: \"I cannot decide.\"\n".to_owned())];
    let files = TestFiles(scripts.into());
    let models = Models::new(ModelsConfig { scripts: Arc::new(files.clone()), ..ModelsConfig::default() });
    let seen = Arc::new(Mutex::new(Vec::new()));
    let bounds = Arc::clone(&seen);
    let around = move |inner| Arc::new(Bounded { inner, bounds: Arc::clone(&bounds), reasons }) as Arc<dyn ChatModel>;
    let source = Wrapped { models, around };
    let registry = Registry {
        environments: gimbal_testkit::environments(),
        architectures: gimbal_architectures::kinds(),
        learned: None,
    };
    let study = format!(
        "study: bounds\nenvironment: {{ name: corridor, horizon: 2, slip_percent: 0 }}\narchitectures: [{architecture}]\n\
         roles: [{{ default: {{ model: scripted/babbles, max_output_tokens: {ROLE} }} }}]\n\
         episodes: {{ tasks: {{ split: test, limit: 1 }}, runs: 1, seed: 3 }}\n"
    );
    let plan =
        plan::resolve(plan::parse(&study, "study.yaml").unwrap(), &Options::default(), &registry, &source, &files);
    let plan = plan.unwrap_or_else(|problems| panic!("{problems}"));
    let settings = Settings { jobs: Some(1), ..Settings::new(folder.path()) };
    runner::run(Arc::new(plan), Arc::new(source), settings, Cancel::default(), |_| {}).await.unwrap();
    Arc::try_unwrap(seen).map_or_else(|seen| seen.lock().unwrap().clone(), |seen| seen.into_inner().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_reasoning_has_what_the_role_allows_beside_the_bound_of_a_message() {
    let layers = "{ base: temporal, configuration: ctha, embedder: none }";
    let (plain, reasoning) = (bounds(layers, false).await, bounds(layers, true).await);
    assert!(plain.iter().any(|bound| *bound < ROLE), "{plain:?}");
    let expected: Vec<u32> = plain.iter().map(|bound| bound + ROLE).collect();
    assert_eq!(reasoning, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_without_a_bound_of_its_own_has_that_of_the_role() {
    let alone = "{ base: react, context: [history] }";
    let (plain, reasoning) = (bounds(alone, false).await, bounds(alone, true).await);
    assert!(!plain.is_empty() && plain.iter().all(|bound| *bound == ROLE), "{plain:?}");
    assert_eq!(reasoning, plain);
}
