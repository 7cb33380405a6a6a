//! The failure modes of cyclic control (CYC-099), each shown by scripted agents that really play in each of the three environments.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_core::{Catalogue, ChatModel, Environment, Reply, TaskId, ToolCall};
use gimbal_cyc::cyclic::detect::{LastActs, Signal, findings};
use gimbal_cyc::cyclic::{Effect, Trajectory, TrajectoryFold, visits};
use gimbal_model::{ModelFacts, ModelKind, Price, SetupError};
use gimbal_study::plan::{self, Options, Stored};
use gimbal_study::read::{self, Episodes};
use gimbal_study::registry::{Library, ModelSource, Registry};
use gimbal_study::run::RunFolder;
use gimbal_study::runner::{self, Settings};
use gimbal_study::stage::Cancel;
use gimbal_testkit::models::Reciter;
use serde_json::{Value, json};

/// What executor and router say.
struct Script(BTreeMap<&'static str, Vec<String>>);

impl ModelSource for Script {
    fn describe(&self, name: &str) -> Result<ModelFacts, SetupError> {
        Ok(ModelFacts {
            name: name.to_owned(),
            kind: ModelKind::Scripted,
            plumbing: Some("throw-away".to_owned()),
            weights: None,
            key_variable: None,
            key_present: true,
            price: Some(Price::free()),
            concurrency: 1,
            wants_hints: false,
            tools: true,
            identity: json!({ "model": name }),
        })
    }

    fn ready(&self, _: &str) -> Result<(), SetupError> {
        Ok(())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn ChatModel>, SetupError> {
        Ok(Arc::new(Reciter::of(self.0[name].clone())))
    }
}

/// An environment, one of its tasks, and the calls by which its own expert solves it.
struct Setting {
    family: Arc<dyn Catalogue>,
    options: Value,
    task: &'static str,
    /// A tool of the node that has few, and a call of it that brings nothing.
    narrow: &'static str,
    idle: ToolCall,
    expert: Vec<ToolCall>,
    texts: Box<dyn Environment>,
}

impl Setting {
    async fn of(
        family: Arc<dyn Catalogue>,
        mut options: Value,
        task: &'static str,
        narrow: &'static str,
        idle: ToolCall,
    ) -> Self {
        let resolved = family.resolve(&options).unwrap();
        let mut environment = family.open(&resolved).unwrap();
        environment.reset(&TaskId(task.to_owned()), 1).await.unwrap();
        let mut expert = Vec::new();
        while let Some(call) = environment.expert().unwrap().next_call() {
            let Ok(Reply::Step(step)) = environment.call(&call).await else { panic!("{call:?}") };
            expert.push(call);
            if step.done.is_some() {
                break;
            }
        }
        assert!(expert.len() >= 3);
        options["name"] = family.name().into();
        Self { family, options, task, narrow, idle, expert, texts: environment }
    }

    fn says(&self, call: &ToolCall) -> String {
        format!("Thought: as told\nAnswer: {}", self.texts.render(call))
    }

    /// One episode of a graph of two subtasks, through the runner, its journal and the reader.
    async fn walk(&self, exposure: &str, local: u32, executor: &[&ToolCall], router: &[&str]) -> Trajectory {
        let script = Script(BTreeMap::from([
            ("executor", executor.iter().map(|call| self.says(call)).collect()),
            ("router", router.iter().map(|node| to(node)).collect()),
        ]));
        let tools: Vec<String> = self.texts.tools().iter().map(|tool| tool.name.clone()).collect();
        let edge = |from: &str, to: &str| json!({ "from": from, "to": to, "criterion": "When it is time for it." });
        let graph = json!({ "ways": "complete", "entry": "A",
            "nodes": [{ "name": "A", "goal": "Begin.", "tools": [self.narrow] }, { "name": "B", "goal": "End.", "tools": tools }],
            "edges": [edge("A", "A"), edge("A", "B"), edge("B", "A"), edge("B", "B")] });
        let study = json!({
            "study": "walk", "environment": self.options,
            "architectures": [{ "base": "cyclic", "graph": graph, "exposure": exposure, "local_calls": local }],
            // `default` is for what an environment may ask, and is not asked here.
            "roles": [{ "default": "router", "executor": "executor", "router": "router" }],
            "episodes": { "tasks": [self.task], "runs": 1, "seed": 1 },
        });
        let registry = Registry {
            environments: vec![Arc::clone(&self.family)],
            architectures: gimbal_architectures::kinds(),
            learned: None,
        };
        let library = Library::new(&[], vec![concat!(env!("CARGO_MANIFEST_DIR"), "/../..").into()]);
        let parsed = plan::parse(&study.to_string(), "study.yaml").unwrap();
        let planned = plan::resolve(parsed, &Options::default(), &registry, &script, &library);
        let planned = planned.unwrap_or_else(|problems| panic!("{problems}"));
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("walk");
        let settings = Settings { jobs: Some(1), ..Settings::new(&root) };
        runner::run(Arc::new(planned), Arc::new(script), settings, Cancel::default(), |_| ()).await.unwrap();
        let folder = RunFolder::open(&root).unwrap();
        let mut walks = Vec::new();
        let (stored, none) = (Stored::read(&folder).unwrap(), Registry::default());
        let mut fold = TrajectoryFold::new(&read::run_cells(&stored, &none), |walk| walks.push(walk));
        Episodes::of(&folder, &stored).pass(|_| true, &mut [&mut fold]).unwrap();
        assert_eq!(walks.len(), 1);
        walks.remove(0)
    }
}

fn to(node: &str) -> String {
    let answer = json!({ "analysis": "as told", "memory": {}, "next": node, "reason": "as told" });
    format!("Thought: as told\nAnswer: {answer}")
}

fn signals(walk: &Trajectory, known: &LastActs) -> BTreeSet<Signal> {
    findings(walk, known).into_iter().map(|finding| finding.signal).collect()
}

fn effects(walk: &Trajectory) -> Vec<Effect> {
    walk.segments.iter().flat_map(|segment| &segment.acts).map(|act| act.effect).collect()
}

/// Played in one environment: the expert's way shows nothing, and each failure mode shows where it was acted out.
async fn shows_every_mode(environment: &Setting, last: &ToolCall, calls: usize) {
    // As the expert does it: every call leads on, and nothing is found.
    let way: Vec<&ToolCall> = environment.expert.iter().collect();
    let won = environment.walk("generalist", 100, &way, &["A"]).await;
    assert!(won.won, "{}: {:?}", won.stop.name(), effects(&won));
    let nothing = effects(&won).iter().filter(|effect| **effect != Effect::New).count();
    assert_eq!(nothing, 0, "{:?}", effects(&won));
    assert_eq!(signals(&won, &LastActs::default()), BTreeSet::new());
    let mut known = LastActs::default();
    known.learn(&won);

    // One useful call, then one and the same that brings nothing, to and fro between the subtasks.
    let again = if last.tool.ends_with("final_answer") { &environment.expert[0] } else { last };
    let mut lines = vec![&environment.expert[0]];
    lines.resize(calls - 1, again);
    lines.push(last);
    let lost = environment.walk("generalist", 4, &lines, &["B", "A", "B", "A", "B", "A", "B", "A", "B", "A"]).await;
    assert!(!lost.won);
    assert!(effects(&lost)[1..calls - 1].iter().all(|effect| *effect == Effect::Nothing), "{:?}", effects(&lost));
    let found = signals(&lost, &known);
    for signal in
        [Signal::Thrashing, Signal::Drift, Signal::PrematureAct, Signal::BrittleCriterion, Signal::Oscillation]
    {
        assert!(found.contains(&signal), "{} is not found: {found:?}", signal.key());
    }
    let counts = visits(&lost);
    assert_eq!(counts.idle_revisits, counts.revisits, "no revisit was fruitful");

    // At the subtask of few tools, by a router that names no subtask.
    let stuck = environment.walk("specialist", 4, &[&environment.idle], &["NOWHERE"]).await;
    let found = signals(&stuck, &known);
    for signal in [Signal::DeadEnd, Signal::Hallucination, Signal::SelfLoops, Signal::Thrashing] {
        assert!(found.contains(&signal), "{} is not found: {found:?}", signal.key());
    }
    assert!(effects(&stuck)[1..].iter().all(|effect| *effect == Effect::Nothing), "{:?}", effects(&stuck));
}

// covers: CYC-099
#[tokio::test]
async fn every_mode_shows_in_textcraft() {
    let (family, idle) = (Arc::new(gimbal_textcraft::TextCraft), ToolCall::bare("textcraft_inventory"));
    let environment = Setting::of(family, json!({}), "polished_granite", "textcraft_inventory", idle).await;
    let last = environment.expert.last().unwrap().clone();
    shows_every_mode(&environment, &last, 24).await;
}

// covers: CYC-099
#[tokio::test]
async fn every_mode_shows_in_a_household() {
    let family = Arc::new(gimbal_alfworld::Alfworld::over(None));
    let idle = ToolCall::with("explore", &[("command", "look")]);
    let environment =
        Setting::of(family, json!({ "household": { "task": "clean" } }), "generated/3", "explore", idle).await;
    let last = environment.expert.last().unwrap().clone();
    shows_every_mode(&environment, &last, 24).await;
    // The way back leads to a known state.
    let goes: Vec<_> = environment.texts.choices("explore", "command").unwrap_or_default();
    assert!(!goes.is_empty());
    let go = |place: &str| ToolCall::with("explore", &[("command", format!("go to {place}").as_str())]);
    let subjects = &environment.texts.brief().subjects;
    let (one, other) = (go(&subjects[0]), go(&subjects[1]));
    let walk = environment.walk("generalist", 4, &[&one, &other, &one, &one, &other, &environment.idle], &["A"]).await;
    let expected = [Effect::New, Effect::New, Effect::Back, Effect::Nothing, Effect::Back, Effect::Nothing];
    assert_eq!(effects(&walk)[..6], expected);
}

// covers: CYC-099
#[tokio::test]
async fn every_mode_shows_among_filings() {
    let family = Arc::new(gimbal_finance_agent::FinanceAgent);
    let search = "finance_agent_edgar_search";
    let mut environment =
        Setting::of(family, json!({ "reader": "extract" }), "s01", search, ToolCall::with(search, &[("query", "zzz")]))
            .await;
    environment.idle = environment.expert[0].clone();
    let answer = ToolCall::with("finance_agent_final_answer", &[("answer", "I do not know.")]);
    shows_every_mode(&environment, &answer, 18).await;
}
