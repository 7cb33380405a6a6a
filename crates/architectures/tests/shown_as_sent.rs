//! What `gimbal trace --call` shows is what was sent: every call of every architecture, on disk and read back.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use common::TestFiles;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Digest, ModelError};
use gimbal_model::{ModelFacts, Models, ModelsConfig, SetupError};
use gimbal_study::plan::{self, Options};
use gimbal_study::read::trace::{Reader, episodes};
use gimbal_study::registry::{ModelSource, Registry};
use gimbal_study::run::RunFolder;
use gimbal_study::runner::{self, Settings};
use gimbal_study::stage::Cancel;
use proptest::prelude::*;

/// The messages of a request, as speaker and text.
type Messages = Vec<(String, String)>;

/// Requests of each episode, in the order in which they were sent.
type Requests = Arc<Mutex<BTreeMap<Digest, Vec<Messages>>>>;

/// A model that writes down what it is asked before another one answers.
struct RequestRecorder {
    inner: Arc<dyn ChatModel>,
    requests: Requests,
}

#[async_trait]
impl ChatModel for RequestRecorder {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let messages = request.messages.iter();
        let messages = messages.map(|message| (message.speaker.name().to_owned(), message.stored_text().to_string()));
        self.requests.lock().unwrap().entry(context.episode).or_default().push(messages.collect());
        self.inner.complete(request, context).await
    }

    fn wants_hints(&self) -> bool {
        self.inner.wants_hints()
    }
}

struct Witnessed {
    models: Models,
    requests: Requests,
}

impl ModelSource for Witnessed {
    fn describe(&self, name: &str) -> Result<ModelFacts, SetupError> {
        self.models.describe(name)
    }
    fn ready(&self, name: &str) -> Result<(), SetupError> {
        self.models.ready(name)
    }
    fn open(&self, name: &str) -> Result<Arc<dyn ChatModel>, SetupError> {
        Ok(Arc::new(RequestRecorder { inner: self.models.open(name)?, requests: Arc::clone(&self.requests) }))
    }
}

/// The project's files, with an analyst that asks the corridor's tracker for no more than it knows.
fn files() -> TestFiles {
    let path = "personas/analyst/core.yaml";
    let mut lines = Vec::new();
    let shipped = TestFiles::shipped(path);
    let mut skipping = false;
    for line in shipped.lines() {
        skipping = line.contains("query: subject_baseline") || (skipping && line.starts_with("    "));
        if !skipping {
            lines.push(line);
        }
    }
    TestFiles(BTreeMap::from([(path.to_owned(), lines.join("\n") + "\n")]))
}

/// Two subtasks over the corridor's tools, with ways of this kind.
fn graph(ways: &str) -> String {
    let nodes = "[{ name: LOOK, goal: Wait and see, tools: [wait] }, { name: WALK, goal: Go on, tools: [go, wait] }]";
    let names = ["LOOK", "WALK"];
    let edges: Vec<String> = names
        .iter()
        .flat_map(|from| {
            names.iter().map(move |to| format!("{{ from: {from}, to: {to}, criterion: when {to} is due }}"))
        })
        .collect();
    let edges = if ways == "list" { String::new() } else { format!(", edges: [{}]", edges.join(", ")) };
    format!("{{ ways: {ways}, entry: LOOK, nodes: {nodes}{edges} }}")
}

const DELIBERATE: &str = "flags: { include_tool_raise_a_question: true, include_tool_critique_the_answer: true, \
                          include_tool_improve_based_on_critique: true }";

/// Every architecture that asks a model, in the forms that change how a conversation grows.
fn architectures(guard: u64, attempts: u32) -> Vec<String> {
    let mut all = Vec::new();
    for protocol in ["react-text", "json", "native-tools"] {
        let common = format!("protocol: {protocol}, context_guard_tokens: {guard}, max_attempts: {attempts}");
        all.extend([
            format!("{{ base: react, name: step-{protocol}, {common}, {DELIBERATE} }}"),
            format!("{{ base: react, name: episode-{protocol}, conversation: episode, {common} }}"),
            format!("{{ base: hierarchy, name: hierarchy-{protocol}, {common}, {DELIBERATE} }}"),
            format!("{{ base: dag, name: dag-{protocol}, graph: {}, {common} }}", graph("list")),
            format!("{{ base: cyclic, name: cyclic-{protocol}, graph: {}, {common} }}", graph("complete")),
            format!("{{ base: reflexion, name: reflexion-{protocol}, {common} }}"),
            format!("{{ base: lats, name: lats-{protocol}, iterations: 2, reflections: 1, {common} }}"),
        ]);
    }
    all
}

/// Plays all of them; returns how many calls were compared.
async fn compare(folder: &Path, model: &str, guard: u64, attempts: u32, seed: u64) -> usize {
    let architectures = architectures(guard, attempts).join(", ");
    let study = format!(
        "study: shown\nenvironment: {{ name: corridor, horizon: 6, slip_percent: 30 }}\narchitectures: [{architectures}]\n\
         roles: [{{ default: \"{model}\" }}]\nepisodes: {{ tasks: {{ split: test, limit: 1 }}, runs: 1, seed: {seed} }}\n"
    );
    let registry = Registry {
        environments: gimbal_testkit::environments(),
        architectures: gimbal_architectures::kinds(),
        learned: None,
    };
    let models = Models::new(ModelsConfig { scripts: Arc::new(files()), ..ModelsConfig::default() });
    let source = Witnessed { models, requests: Arc::default() };
    let requests = Arc::clone(&source.requests);
    let plan = plan::resolve(
        plan::parse(&study, "study.yaml").unwrap_or_else(|problems| panic!("{problems}")),
        &Options::default(),
        &registry,
        &source,
        &files(),
    );
    let plan = plan.unwrap_or_else(|problems| panic!("{problems}"));
    let settings = Settings { jobs: Some(2), ..Settings::new(folder) };
    runner::run(Arc::new(plan), Arc::new(source), settings, Cancel::default(), |_| {}).await.unwrap();
    let folder = RunFolder::open(folder).unwrap();
    let requests = requests.lock().unwrap();
    let mut compared = 0;
    for episode in episodes(&folder).unwrap() {
        let sent = &requests[&episode.id.key];
        let mut reader = Reader::open(&folder, &episode).unwrap();
        let mut shown: Vec<Messages> = (0..sent.len() as u64)
            .map(|call| reader.messages(call).unwrap_or_else(|error| panic!("{error}")))
            .collect();
        let mut sent = sent.clone();
        // Lanes are joined in an order of their own.
        if reader.events().iter().any(|event| event.lane != 0) {
            shown.sort();
            sent.sort();
        }
        for (call, (shown, sent)) in shown.iter().zip(&sent).enumerate() {
            assert_eq!(shown, sent, "{} call {call}", episode.name());
        }
        assert!(reader.messages(sent.len() as u64).is_err(), "no call is shown that was not sent");
        compared += sent.len();
    }
    assert_eq!(requests.len(), 21, "every architecture played");
    compared
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(future)
}

/// A guard of 700 tokens drops exchanges, so that a request keeps less of the one before than that one kept.
// covers: BOG-036, BOG-046
#[test]
fn the_guard_and_repairs_do_not_change_what_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let compared = block_on(compare(folder.path(), "noisy/0.5,malformed=0.4", 700, 3, 5));
    assert!(compared > 200, "{compared}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_shown_is_what_was_sent(
        seed in 0_u64..1000, guard in prop_oneof![Just(100_000_u64), 300_u64..3000], attempts in 1_u32..4,
        competent in 0_u32..=10, malformed in 0_u32..=5,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let model = format!("noisy/{}.{},malformed=0.{malformed}", competent / 10, competent % 10);
        prop_assert!(block_on(compare(folder.path(), &model, guard, attempts, seed)) > 15);
    }
}
