//! What `gimbal trace --call` shows is what was sent: every call of every architecture, on disk and read back. Compared are the
//! messages with their native calls, the tools, the grammar, and the sampling settings with the stop texts.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;
use crate::wrapped::Wrapped;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use common::TestFiles;
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, Digest, ModelError, canonical};
use gimbal_model::{Models, ModelsConfig};
use gimbal_study::plan::{self, Options};
use gimbal_study::read::trace::{Reader, Sent, episodes};
use gimbal_study::registry::Registry;
use gimbal_study::run::RunFolder;
use gimbal_study::runner::{self, Settings};
use gimbal_study::stage::Cancel;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Requests of each episode, in the order in which they were sent.
pub type Requests = Arc<Mutex<BTreeMap<Digest, Vec<Sent>>>>;

/// What a trace must show of a request.
fn sent(request: &ChatRequest) -> Sent {
    let whole = |value: Value| canonical::text(&value);
    let messages = request.messages.iter();
    let messages = messages.map(|message| (message.speaker.name().to_owned(), message.stored_text().to_string()));
    let (sampling, tools) = (&request.sampling, &request.tools);
    Sent {
        messages: messages.collect(),
        tools: if tools.is_empty() { String::new() } else { whole(serde_json::to_value(&**tools).unwrap()) },
        grammar: request.grammar.as_deref().map(|one| whole(serde_json::to_value(one).unwrap())).unwrap_or_default(),
        sampling: whole(json!({
            "max_output_tokens": sampling.max_output_tokens, "seed": sampling.seed.map(|seed| seed.to_string()),
            "stop": request.stop, "temperature": sampling.temperature, "top_p": sampling.top_p,
        })),
    }
}

/// A model that writes down what it is asked before another one answers.
struct RequestRecorder {
    inner: Arc<dyn ChatModel>,
    requests: Requests,
}

#[async_trait]
impl ChatModel for RequestRecorder {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        self.requests.lock().unwrap().entry(context.episode).or_default().push(sent(request));
        self.inner.complete(request, context).await
    }

    fn wants_hints(&self) -> bool {
        self.inner.wants_hints()
    }
}

/// The project's files, with an analyst that asks the corridor's tracker for no more than it knows.
pub fn files() -> TestFiles {
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

/// An environment, and the architectures that are played in it.
pub struct Scene {
    pub environment: &'static str,
    trials: u32,
    /// Base and further settings.
    pub architectures: Vec<(&'static str, String)>,
}

/// Every architecture that asks a model, where it fits, in the forms that change how a conversation grows.
pub fn scenes() -> Vec<Scene> {
    let plain = |base: &'static str, settings: &str| (base, settings.to_owned());
    let corridor = vec![
        plain("react", DELIBERATE),
        plain("react", "conversation: episode"),
        plain("hierarchy", DELIBERATE),
        ("dag", format!("graph: {}", graph("list"))),
        ("cyclic", format!("graph: {}", graph("complete"))),
        plain("lats", "iterations: 2, reflections: 1"),
        plain("temporal", "layers: 5"),
        plain("temporal", "layers: 5, contracts: false"),
        plain("cyclic", "graph: planner"),
        plain("dag", "graph: planner"),
        ("cyclic", format!("graph: {}, batch: 3", graph("complete"))),
    ];
    let dossier = vec![
        plain("debate", "anchored: true, stops_early: false, rounds: 2, narrator: model, active_oracle: model"),
        plain("debate", "rounds: 1, judge: claims, audit: true, gate: { low: 0, high: 1, certainty: oracle }"),
        plain("debate", "rounds: 1, votes: 2"),
        plain("debate", "rounds: 2, stops_early: false"),
        plain("panel", ""),
        plain("react", "conversation: episode, gate: evidence"),
        plain("cyclic", "graph: suggested, gate: evidence"),
    ];
    vec![
        Scene { environment: "{ name: corridor, horizon: 6, slip_percent: 30 }", trials: 1, architectures: corridor },
        Scene { environment: "dossier", trials: 1, architectures: dossier },
        Scene { environment: "consensus", trials: 1, architectures: vec![plain("panel", "rounds: true")] },
        Scene {
            environment: "{ name: corridor, horizon: 3 }",
            trials: 2,
            architectures: vec![plain("reflexion", ""), plain("temporal", "layers: 5")],
        },
    ]
}

/// How agents play.
pub struct Play<'a> {
    pub model: &'a str,
    pub guard: u64,
    pub attempts: u32,
    pub seed: u64,
    pub decoding: &'a str,
}

impl Scene {
    /// A study of all its architectures under each protocol; and how many cells that are.
    fn study(&self, play: &Play<'_>) -> (String, usize) {
        let Play { model, guard, attempts, seed, decoding } = play;
        let mut all = Vec::new();
        for protocol in ["react-text", "json", "native-tools"] {
            for (number, (base, settings)) in self.architectures.iter().enumerate() {
                let common = format!("protocol: {protocol}, context_guard_tokens: {guard}, max_attempts: {attempts}");
                let more = if settings.is_empty() { String::new() } else { format!(", {settings}") };
                all.push(format!("{{ base: {base}, name: {base}-{number}-{protocol}, {common}{more} }}"));
            }
        }
        let split = if self.environment == "consensus" { "dev" } else { "test" };
        let trials = if self.trials > 1 { format!(", trials: {}", self.trials) } else { String::new() };
        let study = format!(
            "study: shown\nenvironment: {}\narchitectures: [{}]\ndecoding: {decoding}\nroles: [{{ default: \"{model}\" }}]\n\
             episodes: {{ tasks: {{ split: {split}, limit: 1 }}, runs: 1, seed: {seed}{trials} }}\n",
            self.environment,
            all.join(", ")
        );
        (study, all.len())
    }
}

/// Plays all of them; returns how many calls were compared.
async fn compare(folder: &Path, play: &Play<'_>) -> usize {
    let mut compared = 0;
    for (number, scene) in scenes().iter().enumerate() {
        compared += compare_scene(&folder.join(number.to_string()), scene, play).await;
    }
    compared
}

/// The environments of the scenes.
pub fn environments() -> Vec<Arc<dyn gimbal_core::Catalogue>> {
    let mut environments = gimbal_testkit::environments();
    environments.push(Arc::new(gimbal_consensus::Consensus));
    environments
}

/// Plays a scene into a run folder; returns its requests, and how many cells it has.
pub async fn play_scene(folder: &Path, scene: &Scene, play: &Play<'_>) -> (Requests, usize) {
    let (study, cells) = scene.study(play);
    let learned: Option<Arc<dyn gimbal_core::Learned>> = Some(Arc::new(crate::temporal::notes::Embedders));
    let registry = Registry { environments: environments(), architectures: gimbal_architectures::kinds(), learned };
    let models = Models::new(ModelsConfig { scripts: Arc::new(files()), ..ModelsConfig::default() });
    let requests = Requests::default();
    let recorded = Arc::clone(&requests);
    let around =
        move |inner| Arc::new(RequestRecorder { inner, requests: Arc::clone(&recorded) }) as Arc<dyn ChatModel>;
    let source = Wrapped { models, around };
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
    (requests, cells)
}

async fn compare_scene(folder: &Path, scene: &Scene, play: &Play<'_>) -> usize {
    let (requests, cells) = play_scene(folder, scene, play).await;
    let folder = RunFolder::open(folder).unwrap();
    let requests = requests.lock().unwrap();
    let (mut compared, mut played) = (0, 0);
    for episode in episodes(&folder).unwrap() {
        assert!(episode.episode_return.is_some(), "{}: {} {}", episode.name(), episode.stop, episode.detail);
        played += 1;
        let mut sent = requests.get(&episode.id.key).cloned().unwrap_or_default();
        let mut reader = Reader::open(&folder, &episode).unwrap();
        let mut shown: Vec<Sent> = (0..sent.len() as u64)
            .map(|call| reader.request(call).unwrap_or_else(|error| panic!("{}: {error}", episode.name())))
            .collect();
        // Lanes are joined in an order of their own.
        if reader.events().iter().any(|event| event.lane != 0) {
            shown.sort();
            sent.sort();
        }
        for (call, (shown, sent)) in shown.iter().zip(&sent).enumerate() {
            assert_eq!(shown, sent, "{} call {call}", episode.name());
        }
        assert!(reader.request(sent.len() as u64).is_err(), "no call is shown that was not sent");
        assert!(!sent.is_empty(), "{}: nothing was asked", episode.name());
        compared += sent.len();
    }
    assert_eq!(played, cells * scene.trials as usize, "every architecture played");
    compared
}

pub fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(future)
}

/// A guard of 700 tokens drops exchanges, so that a request keeps less of the one before than that one kept.
// covers: BOG-036, BOG-046
#[test]
fn the_guard_and_repairs_do_not_change_what_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    for (number, decoding) in ["free", "constrained"].into_iter().enumerate() {
        let play = Play { model: "noisy/0.5,malformed=0.4", guard: 700, attempts: 3, seed: 5, decoding };
        let compared = block_on(compare(&folder.path().join(number.to_string()), &play));
        assert!(compared > 400, "{decoding}: {compared}");
    }
}

#[test]
fn every_family_that_asks_agents_is_played() {
    let played: BTreeSet<&str> =
        scenes().iter().flat_map(|scene| &scene.architectures).map(|(base, _)| *base).collect();
    let families = gimbal_architectures::families().into_iter().filter(|family| family.asks_agents());
    assert_eq!(played, families.map(|family| family.name()).collect());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_shown_is_what_was_sent(
        seed in 0_u64..1000, guard in prop_oneof![Just(100_000_u64), 300_u64..3000], attempts in 1_u32..4,
        competent in 0_u32..=10, malformed in 0_u32..=5, decoding in prop_oneof![Just("free"), Just("constrained")],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let model = format!("noisy/{}.{},malformed=0.{malformed}", competent / 10, competent % 10);
        let play = Play { model: &model, guard, attempts, seed, decoding };
        prop_assert!(block_on(compare(folder.path(), &play)) > 60);
    }
}
