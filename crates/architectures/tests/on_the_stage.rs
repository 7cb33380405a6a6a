//! The architectures on the real stage: throw-away environments, models of our own, whole runs on disk.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use common::TestFiles;
use gimbal_analysis::{Analysis, EpisodeRow};
use gimbal_core::{CallContext, ChatModel, ChatRequest, Completion, FileError, Files, ModelError};
use gimbal_model::{ModelFacts, Models, ModelsConfig, SetupError};
use gimbal_study::plan::{self, Options, Problems};
use gimbal_study::read::{digest, load_rows, verify};
use gimbal_study::registry::{ModelSource, Registry};
use gimbal_study::run::RunFolder;
use gimbal_study::runner::{self, Settings};
use gimbal_study::stage::Cancel;

/// Scripts beside the project's own files.
fn files() -> TestFiles {
    let scripts = [
        ("scripted/waits.yaml", "rules:\n  - say: \"Thought: calm\\nAnswer: wait\"\n"),
        ("scripted/babbles.yaml", "rules:\n  - say: \"I cannot decide.\"\n"),
        (
            "scripted/notes.yaml",
            "rules:\n  - say: \"Thought: so\\nAnswer: {\\\"reflection\\\": \\\"Walk at once.\\\"}\"\n",
        ),
        ("scripted/refuses.yaml", "rules:\n  - fail: refusal\n"),
    ];
    TestFiles(scripts.map(|(path, text)| (path.to_owned(), text.to_owned())).into())
}

fn models() -> Models {
    Models::new(ModelsConfig { scripts: Arc::new(files()), ..ModelsConfig::default() })
}

fn registry() -> Registry {
    Registry {
        environments: gimbal_testkit::environments(),
        architectures: gimbal_architectures::kinds(),
        learned: None,
    }
}

fn resolve(architectures: &str, roles: &str) -> Result<plan::Plan, Problems> {
    resolve_in("{ name: corridor, horizon: 8, slip_percent: 0 }", architectures, roles, "")
}

fn resolve_in(environment: &str, architectures: &str, roles: &str, more: &str) -> Result<plan::Plan, Problems> {
    let study = format!(
        "study: stage\nenvironment: {environment}\narchitectures: [{architectures}]\n\
         roles: [{roles}]\nepisodes: {{ tasks: {{ split: test }}, runs: 2, seed: 3{more} }}\n"
    );
    plan::resolve(plan::parse(&study, "study.yaml")?, &Options::default(), &registry(), &models(), &files())
}

async fn rows(architectures: &str, roles: &str, folder: &Path) -> BTreeMap<String, Vec<EpisodeRow>> {
    played(resolve(architectures, roles), folder).await
}

async fn played(plan: Result<plan::Plan, Problems>, folder: &Path) -> BTreeMap<String, Vec<EpisodeRow>> {
    let plan = plan.unwrap_or_else(|problems| panic!("{problems}"));
    let settings = Settings { jobs: Some(4), ..Settings::new(folder) };
    let summary = runner::run(Arc::new(plan), Arc::new(models()), settings, Cancel::default(), |_| {}).await.unwrap();
    assert_eq!((summary.lost, summary.exit_code()), (0, 0));
    let folder = RunFolder::open(folder).unwrap();
    assert_eq!(verify(&folder, &registry().records()).unwrap().problems, Vec::<String>::new());
    let mut rows: BTreeMap<String, Vec<EpisodeRow>> = BTreeMap::new();
    for row in load_rows(&folder).unwrap().episodes {
        rows.entry(row.cell.to_string()).or_default().push(row);
    }
    rows
}

fn only(rows: BTreeMap<String, Vec<EpisodeRow>>) -> Vec<EpisodeRow> {
    assert_eq!(rows.len(), 1);
    rows.into_values().next().unwrap()
}

// covers: BOG-030
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_perfect_expert_through_every_protocol_plays_like_the_policy_it_follows() {
    let folder = tempfile::tempdir().unwrap();
    let architectures = "{ base: baseline, policy: walk }, { base: react, configuration: obs+hist }, \
        { base: react, name: seventh, context: [history] }, { base: react, name: json, protocol: json }, \
        { base: react, name: native, protocol: native-tools }";
    let rows = rows(architectures, "{ default: noisy/1.0 }", folder.path()).await;
    assert_eq!(rows.len(), 5, "{:?}", rows.keys());
    let returns = |rows: &Vec<EpisodeRow>| {
        let mut returns: Vec<_> = rows.iter().map(|row| (row.task.clone(), row.run, row.return_thousandths)).collect();
        returns.sort();
        returns
    };
    let all: Vec<_> = rows.values().map(returns).collect();
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
    for row in rows.values().flatten() {
        assert_eq!((row.fallbacks, row.rejected_calls, row.infrastructure), (0, 0, false), "{}", row.cell);
        assert_eq!(row.stop.name(), "solved");
    }
}

// covers: BOG-225
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_code_acts_on_messages_those_that_are_unusable_decide_whether_the_model_acted() {
    let folder = tempfile::tempdir().unwrap();
    let environment = "{ name: dossier }";
    let run = |place: &'static str, architectures: &'static str, role: &'static str| {
        let place = folder.path().join(place);
        async move {
            let roles = format!("{{ default: {role} }}");
            played(resolve_in(environment, architectures, &roles, ""), &place).await;
            let rows = load_rows(&RunFolder::open(&place).unwrap()).unwrap();
            let analysis = Analysis::new(&rows, &gimbal_analysis::Options::default()).unwrap();
            (rows.episodes, analysis)
        }
    };
    let (rows, analysis) = run("babbles", "{ base: panel }", "scripted/babbles").await;
    assert!(rows.iter().all(|row| row.messages > 0 && row.unusable_messages == row.messages), "{rows:?}");
    let cell = &analysis.cells[0];
    assert_eq!((cell.unusable_mean, cell.hardly_acted()), (Some(1.0), true));
    assert_eq!(cell.returns.and_then(|returns| returns.half_width), None);
    assert_eq!(cell.efficient, None);

    let (rows, analysis) = run("expert", "{ base: panel }", "noisy/1.0").await;
    assert!(rows.iter().all(|row| row.messages > 0 && row.unusable_messages == 0), "{rows:?}");
    assert!(!analysis.cells[0].hardly_acted());

    // An agent that makes its calls itself is judged by them.
    let (rows, _) = run("itself", "{ base: react, context: [history] }", "noisy/1.0").await;
    assert!(rows.iter().all(|row| row.messages == 0), "{rows:?}");
}

// covers: BOG-032, BOG-033, BOG-034
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_answers_are_counted_and_end_in_the_idle_call() {
    let folder = tempfile::tempdir().unwrap();
    let babble = only(rows("{ base: react }", "{ default: scripted/babbles }", &folder.path().join("a")).await);
    for row in &babble {
        assert_eq!((row.steps, row.model_calls, row.rejected_calls, row.fallbacks), (8, 24, 24, 8));
        assert_eq!(row.tool_calls, 32, "each rejected answer uses up one call, and so does each idle one");
    }
    let wait = only(rows("{ base: react }", "{ default: scripted/waits }", &folder.path().join("b")).await);
    for (row, same) in wait.iter().zip(&babble) {
        assert_eq!((row.model_calls, row.rejected_calls, row.fallbacks), (8, 0, 0));
        assert_eq!(row.return_thousandths, same.return_thousandths, "to wait and to fall back on waiting is the same");
    }
}

// covers: BOG-047
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_are_failed_attempts_and_not_invalid_actions() {
    let folder = tempfile::tempdir().unwrap();
    for row in only(rows("{ base: react, max_attempts: 2 }", "{ default: scripted/refuses }", folder.path()).await) {
        assert_eq!((row.steps, row.model_calls, row.rejected_calls, row.fallbacks), (8, 16, 0, 8));
        assert!(!row.infrastructure);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_constrained_role_answers_legally() {
    let folder = tempfile::tempdir().unwrap();
    let roles = "{ default: { model: scripted/first-choice, decoding: constrained } }";
    for protocol in ["react-text", "json", "native-tools"] {
        let architecture = format!("{{ base: react, protocol: {protocol} }}");
        for row in only(rows(&architecture, roles, &folder.path().join(protocol)).await) {
            assert_eq!((row.fallbacks, row.rejected_calls), (0, 0), "{protocol}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_run_twice_has_the_same_digest() {
    let folder = tempfile::tempdir().unwrap();
    let mut digests = Vec::new();
    for name in ["a", "b"] {
        let folder = folder.path().join(name);
        rows("{ base: react }", "{ default: \"noisy/0.6,malformed=0.2\" }", &folder).await;
        digests.push(digest(&RunFolder::open(&folder).unwrap()).unwrap());
    }
    assert_eq!(digests[0], digests[1]);
}

/// Whole runs on disk, verified: a trial pays for the reflection that it begins with.
// covers: CTHA-131
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trials_that_fail_cost_a_reflection_each_and_trials_of_an_expert_none() {
    let folder = tempfile::tempdir().unwrap();
    let corridor = "{ name: corridor, horizon: 8, slip_percent: 0 }";
    let trials = ", trials: { number: 3, over: same }";
    let roles = "{ default: scripted/waits, reflector: scripted/notes }";
    let plan = resolve_in(corridor, "{ base: reflexion }", roles, trials);
    for row in only(played(plan, &folder.path().join("waits")).await) {
        let reflections = row.trial.min(1);
        assert_eq!((row.steps, row.model_calls), (8, 8 + reflections), "trial {}", row.trial);
    }
    let plan = resolve_in(corridor, "{ base: reflexion }", "{ default: noisy/1.0 }", trials);
    for row in only(played(plan, &folder.path().join("expert")).await) {
        assert_eq!((row.stop.name(), row.model_calls), ("solved", row.steps));
    }
}

// covers: CTHA-131
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_with_a_perfect_expert_plays_like_the_expert_and_its_cells_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let architectures = "{ base: baseline, policy: walk }, { base: lats }, { base: lats, name: json, protocol: json }, \
        { base: lats, name: native, protocol: native-tools, proposals: apart }";
    let plan = resolve(architectures, "{ default: noisy/1.0 }").unwrap_or_else(|problems| panic!("{problems}"));
    let marked: Vec<bool> = plan.cells.iter().map(|cell| cell.info.simulator).collect();
    assert_eq!(marked, [false, true, true, true]);
    let rows = rows(architectures, "{ default: noisy/1.0 }", folder.path()).await;
    for row in rows.values().flatten() {
        assert_eq!((row.stop.name(), row.steps, row.fallbacks, row.tool_calls), ("solved", 4, 0, 4), "{}", row.cell);
    }
}

#[test]
fn a_search_is_refused_where_the_environment_cannot_be_forked() {
    let refused = resolve_in("{ name: counter }", "{ base: lats }", "{ default: noisy/1.0 }", "");
    let words = refused.err().unwrap().to_string();
    assert!(words.contains("it needs an environment that can be forked"), "{words}");
}

#[test]
fn the_plan_refuses_what_does_not_fit() {
    let refused = |architectures: &str| resolve(architectures, "{ default: noisy/1.0 }").err().unwrap().to_string();
    assert!(refused("{ base: react, context: [weather] }").contains("it needs the context block `weather`"));
    assert!(refused("{ base: baseline, policy: dance }").contains("it needs the policy `dance`"));
    assert!(refused("{ base: react, contxt: [status] }").contains("did you mean `context`?"));
    assert!(refused("{ base: react, persona: plannr }").contains("did you mean `planner`?"));
}

/// What a dry run asks of files and models, counted.
#[derive(Default)]
struct Counts {
    read: AtomicUsize,
    described: AtomicUsize,
    opened: AtomicUsize,
    asked: AtomicUsize,
}

struct CountedFiles(Arc<Counts>, TestFiles);

impl Files for CountedFiles {
    fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError> {
        self.0.read.fetch_add(1, Ordering::Relaxed);
        self.1.read(path)
    }
    fn list(&self, folder: &str) -> Vec<String> {
        self.1.list(folder)
    }
}

struct CountedModels(Arc<Counts>, Models);

struct CountedModel(Arc<Counts>, Arc<dyn ChatModel>);

#[async_trait]
impl ChatModel for CountedModel {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        self.0.asked.fetch_add(1, Ordering::Relaxed);
        self.1.complete(request, context).await
    }
    fn wants_hints(&self) -> bool {
        self.1.wants_hints()
    }
}

impl ModelSource for CountedModels {
    fn describe(&self, name: &str) -> Result<ModelFacts, SetupError> {
        self.0.described.fetch_add(1, Ordering::Relaxed);
        self.1.describe(name)
    }
    fn ready(&self, name: &str) -> Result<(), SetupError> {
        self.1.ready(name)
    }
    fn open(&self, name: &str) -> Result<Arc<dyn ChatModel>, SetupError> {
        self.0.opened.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(CountedModel(Arc::clone(&self.0), self.1.open(name)?)))
    }
}

/// What a dry run of so many architectures and models does: cells, files read, models described and opened, requests played.
async fn dry(architectures: usize, models: usize) -> [usize; 5] {
    let counts = Arc::new(Counts::default());
    let mut study =
        "study: many\nenvironment: { name: corridor, horizon: 2, slip_percent: 0 }\narchitectures:\n".to_owned();
    for index in 0..architectures {
        let own = format!("persona: planner, name: a{index}, question_budget: {}", index + 1);
        study.push_str(&format!("  - {{ base: react, {own}, context: [observation] }}\n"));
    }
    study.push_str("roles:\n");
    for index in 0..models {
        study.push_str(&format!("  - {{ default: 'noisy/0.{:03}' }}\n", index + 1));
    }
    study.push_str("episodes: { runs: 1, tasks: { split: test, limit: 1 } }\n");
    let files = CountedFiles(Arc::clone(&counts), files());
    let models = CountedModels(Arc::clone(&counts), self::models());
    let registry = Registry {
        environments: gimbal_testkit::environments(),
        architectures: gimbal_architectures::kinds(),
        learned: None,
    };
    let study = plan::parse(&study, "study.yaml").unwrap();
    let plan = plan::resolve(study, &Options::default(), &registry, &models, &files);
    let plan = plan.unwrap_or_else(|problems| panic!("{problems}"));
    let estimates = plan::estimate::estimate(&plan, &models).await.unwrap();
    let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    [estimates.len(), count(&counts.read), count(&counts.described), count(&counts.opened), count(&counts.asked)]
}

/// A dry run of 10,000 cells: files are read, and episodes played, for every different architecture, and facts of a model looked
/// up for every model. Ten times the cells of the same architectures add nothing but facts of models.
#[tokio::test]
async fn the_work_of_a_dry_run_grows_with_architectures_and_models_and_not_with_cells() {
    let [few, many] = [dry(100, 10).await, dry(100, 100).await];
    assert_eq!((few[0], many[0]), (1_000, 10_000));
    let [_, read, described, opened, asked] = many;
    assert_eq!((few[1], few[3], few[4]), (read, opened, asked));
    assert_eq!((few[2], described), (10, 100), "a look for each model");
    assert_eq!(opened, 1, "one stand-in plays for all");
    assert!(
        asked > 0 && asked <= 100 * 2 * 2 * 4,
        "{asked} requests of 100 architectures, two episodes of two steps each"
    );
    assert!(read <= 100 * 12, "{read} files read for 100 architectures");
}
