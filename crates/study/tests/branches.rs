//! Branches of the present: they try calls and leave the episode as it was, they are counted, bounded and marked.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gimbal_core::event::{Body, Event};
use gimbal_core::{
    Architecture, Ask, Branch, BranchError, Brief, Catalogue, Digest, EnvError, Environment, EpisodeStopped, LaneId,
    Limits, Milli, Needs, Observation, Rejection, RejectionKind, Reply, Rng, Simulator, Stage, Stop, TaskId, ToolCall,
    ToolSpec, Tracker, Transition,
};
use gimbal_messages::Record;
use gimbal_messages::records::stage::Branched;
use gimbal_study::plan::{self, Options};
use gimbal_study::registry::{Library, Registry};
use gimbal_study::stage::{EpisodeSetup, MemoryRecorder, Outcome, Recorded, play_episode};
use gimbal_testkit::environments::lamps::Lamps;
use gimbal_testkit::plays::lookahead::LookaheadKind;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::TestModels;

async fn play(
    architecture: &dyn Architecture,
    family: &dyn Catalogue,
    options: &Value,
    (seed, limits): (u64, Limits),
) -> (Result<Outcome, EpisodeStopped>, Recorded) {
    let resolved = family.resolve(options).unwrap();
    let task: TaskId = family.tasks(family.splits()[0], &resolved).unwrap()[0].clone();
    let mut setup = EpisodeSetup::new(Digest::of(b"key"), task, seed, Arc::default());
    setup.limits = limits;
    let recorder = Arc::new(MemoryRecorder::default());
    let outcome = play_episode(architecture, family.open(&resolved).unwrap(), setup, recorder.clone()).await;
    (outcome, recorder.recorded())
}

fn corridor() -> Arc<dyn Catalogue> {
    gimbal_testkit::environments().into_iter().find(|family| family.name() == "corridor").unwrap()
}

/// The events but for the record of branches, and that record.
fn told(recorded: &Recorded) -> (Vec<Event>, Option<Branched>) {
    let mut branched = None;
    let mut events: Vec<Event> = Vec::new();
    for event in recorded.events.iter().map(|bytes| serde_json::from_slice::<Event>(bytes).unwrap()) {
        match &event.body {
            Body::Note(note) if note.kind == Branched::KIND => {
                assert!(branched.is_none(), "there is one record");
                branched = Some(Branched::read(note.data.as_inline().unwrap()).unwrap());
            }
            _ => events.push(event),
        }
    }
    (events, branched)
}

type Steps<'a> = Box<
    dyn Fn(&dyn Stage) -> std::pin::Pin<Box<dyn Future<Output = Result<(), EpisodeStopped>> + Send + '_>>
        + Send
        + Sync
        + 'a,
>;

/// An architecture that does what a test writes.
struct Does<'a>(Steps<'a>);

#[async_trait]
impl Architecture for Does<'_> {
    fn needs(&self) -> Needs {
        Needs { simulator: true, ..Needs::default() }
    }
    fn resolved(&self) -> Value {
        json!({})
    }
    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        (self.0)(stage).await
    }
}

/// Random legal calls; between them, where it branches, walks and forks at random in branches.
struct Wanders {
    branching: bool,
    policy: &'static str,
    walks: u64,
}

impl Wanders {
    /// Walks in a branch, by its legal calls and a policy in turns, and sometimes in a fork of it.
    async fn walk(&self, mut branch: Box<dyn Branch>, draws: &mut Rng) {
        for index in 0..draws.below(6) {
            let legal = branch.legal(40);
            let call = if index % 2 == 0 { draws.choose(&legal).cloned() } else { branch.policy(self.policy).ok() };
            let Some(call) = call else { return };
            let before = branch.state();
            match branch.act(&call).await {
                Ok(transition) if transition.done.is_some() => return,
                Ok(_) => {}
                Err(BranchError::Rejected(_)) => assert_eq!(branch.state(), before, "a rejection changes nothing"),
                Err(error) => panic!("{error}"),
            }
            if draws.below(3) == 0 {
                branch = branch.fork(draws.below(4)).unwrap();
            }
        }
    }
}

#[async_trait]
impl Architecture for Wanders {
    fn needs(&self) -> Needs {
        Needs { simulator: self.branching, ..Needs::default() }
    }
    fn resolved(&self) -> Value {
        json!({})
    }
    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let (mut draws, mut within) = (stage.rng("calls"), stage.rng("branches"));
        loop {
            if self.branching {
                for _ in 0..self.walks {
                    let branch = stage.branch(within.below(4)).await.unwrap();
                    self.walk(branch, &mut within).await;
                }
            }
            let legal = stage.legal(40).await;
            let by_policy = draws.below(2) == 0;
            let call = if by_policy { Some(stage.policy(self.policy).await?) } else { draws.choose(&legal).cloned() };
            let call = call.unwrap_or_else(|| stage.brief().idle.clone());
            stage.act(LaneId::MAIN, &call, None).await?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_episode_with_branches_is_the_one_without_but_for_the_record(seed: u64, place in 0..4_usize) {
        let families: [(Arc<dyn Catalogue>, Value, &'static str); 4] = [
            (corridor(), json!({}), "walk"),
            (Arc::new(Lamps), json!({ "wind": 50 }), "light"),
            (Arc::new(gimbal_cage2::environment::Cage2), json!({ "red": "meander", "horizon": 12 }), "random"),
            (Arc::new(gimbal_textcraft::environment::TextCraft), json!({}), "random"),
        ];
        let (family, options, policy) = &families[place];
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let of = |branching: bool| {
            let wanders = Wanders { branching, policy, walks: 2 };
            let limits = Limits { tool_calls: Some(20), ..Limits::default() };
            runtime.block_on(play(&wanders, &**family, options, (seed, limits)))
        };
        let ((with, branched), (without, plain)) = (of(true), of(false));
        let (with, without) = (with.unwrap(), without.unwrap());
        let ((events, record), (plain_events, no_record)) = (told(&branched), told(&plain));
        prop_assert_eq!(events, plain_events, "{}", family.name());
        prop_assert_eq!(no_record, None);
        let record = record.unwrap();
        prop_assert!(record.branches > 0 && record.refused == 0);
        prop_assert_eq!(with.events, without.events + 1);
        prop_assert_eq!((with.state, with.episode_return, with.steps), (without.state, without.episode_return, without.steps));
        prop_assert_eq!(with.spent, without.spent, "calls in branches are no tool calls");
        // And it repeats itself to the byte.
        prop_assert_eq!(of(true).1.events, branched.events);
    }
}

/// What a branch of `future` brings: states and rewards of four calls of a policy.
async fn walked(branch: &mut dyn Branch, policy: &str) -> Vec<(Digest, Milli)> {
    let mut seen = Vec::new();
    for _ in 0..4 {
        let call = branch.policy(policy).unwrap();
        let Ok(transition) = branch.act(&call).await else { break };
        seen.push((branch.state(), transition.reward));
    }
    seen
}

/// Walks twice in each of twelve futures, and keeps what they brought.
#[derive(Default)]
struct Futures(Mutex<Vec<Vec<(Digest, Milli)>>>);

#[async_trait]
impl Architecture for Futures {
    fn needs(&self) -> Needs {
        Needs { simulator: true, ..Needs::default() }
    }
    fn resolved(&self) -> Value {
        json!({})
    }
    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        for future in 0..12 {
            let mut walks = Vec::new();
            for _ in 0..2 {
                // Draws of the policy are the future's too.
                let mut branch = stage.branch(future).await.unwrap();
                walks.push(walked(&mut *branch, "random").await);
                // A fork goes on from where its branch is, and its future has its own name.
                let (mut one, mut two) = (branch.fork(5).unwrap(), branch.fork(5).unwrap());
                assert_eq!(one.state(), branch.state());
                assert_eq!(walked(&mut *one, "random").await, walked(&mut *two, "random").await);
            }
            assert_eq!(walks[0], walks[1]);
            self.0.lock().unwrap().push(walks.swap_remove(0));
        }
        Ok(())
    }
}

#[tokio::test]
async fn branches_of_one_future_meet_the_same_chances_and_others_meet_others() {
    let options = json!({ "red": "meander", "horizon": 30 });
    let mut different = std::collections::BTreeSet::new();
    for seed in [3, 4] {
        let futures = Futures::default();
        let limits = Limits::default();
        play(&futures, &gimbal_cage2::environment::Cage2, &options, (seed, limits)).await.0.unwrap();
        different.extend(futures.0.into_inner().unwrap());
    }
    assert!(different.len() > 12, "futures differ, and so do those of other episodes: {}", different.len());
}

#[tokio::test]
async fn calls_in_branches_are_bounded_and_what_was_refused_is_on_record() {
    let does = Does(Box::new(|stage| {
        Box::pin(async move {
            let mut branch = stage.branch(0).await.unwrap();
            let wait = ToolCall::bare("wait");
            for _ in 0..3 {
                branch.act(&wait).await.unwrap();
            }
            let refused = branch.act(&ToolCall::bare("fly")).await.unwrap_err();
            assert!(
                matches!(&refused, BranchError::Rejected(rejection) if rejection.kind == RejectionKind::UnknownTool)
            );
            let mut other = branch.fork(1).unwrap();
            for _ in 0..2 {
                assert_eq!(other.act(&wait).await.unwrap_err(), BranchError::Spent { most: 4 });
            }
            let said = BranchError::Spent { most: 4 }.to_string();
            assert!(said.contains("all 4 calls") && said.contains("`branch_calls`"), "{said}");
            // The episode goes on, and its own budget is whole.
            stage.act(LaneId::MAIN, &wait, None).await?;
            Ok(())
        })
    }));
    let limits = Limits { branch_calls: Some(4), tool_calls: Some(1), ..Limits::default() };
    let (outcome, recorded) = play(&does, &*corridor(), &json!({}), (7, limits)).await;
    let outcome = outcome.unwrap();
    assert_eq!((outcome.stop, outcome.steps, outcome.spent.tool_calls), (Stop::Finished, 1, 1));
    assert_eq!(told(&recorded).1, Some(Branched { branches: 2, calls: 4, refused: 2 }));
    assert_eq!(Limits::default().most_branch_calls(), Limits::BRANCH_CALLS);
}

#[tokio::test]
async fn a_branch_ends_at_the_horizon_of_the_episode_and_is_then_over() {
    let does = Does(Box::new(|stage| {
        Box::pin(async move {
            let wait = ToolCall::bare("wait");
            stage.act(LaneId::MAIN, &wait, None).await?;
            let mut branch = stage.branch(0).await.unwrap();
            let first = branch.act(&wait).await.unwrap();
            assert_eq!(first.done, None);
            let mut fork = branch.fork(0).unwrap();
            let last = branch.act(&wait).await.unwrap();
            assert_eq!(last.done.map(Stop::from), Some(Stop::Horizon));
            for error in [branch.act(&wait).await.err(), branch.policy("wait").err(), branch.fork(0).err()] {
                assert!(matches!(error, Some(BranchError::EpisodeStopped(halt)) if halt.stop == Stop::Horizon));
            }
            // The one that was forked before goes on by itself.
            assert!(fork.act(&wait).await.unwrap().done.is_some());
            let no = fork.policy("wait").err();
            assert!(matches!(no, Some(BranchError::EpisodeStopped(_))));
            let mut fresh = stage.branch(0).await.unwrap();
            assert_eq!(fresh.policy("fly").unwrap_err(), BranchError::NoPolicy("fly".to_owned()));
            Ok(())
        })
    }));
    let (outcome, recorded) = play(&does, &*corridor(), &json!({ "horizon": 3 }), (7, Limits::default())).await;
    assert_eq!(outcome.unwrap().steps, 1);
    assert_eq!(told(&recorded).1, Some(Branched { branches: 3, calls: 3, refused: 0 }));
}

#[tokio::test]
async fn where_there_is_no_simulator_there_is_no_branch_and_no_record() {
    let does = Does(Box::new(|stage| {
        Box::pin(async move {
            assert_eq!(stage.branch(0).await.err(), Some(BranchError::Unsupported));
            Ok(())
        })
    }));
    let families = gimbal_testkit::environments();
    let counter = families.iter().find(|family| family.name() == "counter").unwrap();
    let (outcome, recorded) = play(&does, &**counter, &json!({}), (7, Limits::default())).await;
    outcome.unwrap();
    assert_eq!(told(&recorded).1, None);
}

/// A page that a reader must read aloud: each look counts, and then asks.
#[derive(Clone)]
struct Page {
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
    looks: u64,
}

#[async_trait]
impl Environment for Page {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }
    async fn reset(&mut self, _task: &TaskId, _seed: u64) -> Result<Observation, EnvError> {
        Ok(Observation::default())
    }
    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.tools
    }
    fn choices(&self, _tool: &str, _parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        None
    }
    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        Ok(ToolCall::bare(text))
    }
    fn render(&self, call: &ToolCall) -> String {
        call.tool.clone()
    }
    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        self.looks += 1;
        if call.tool == "ask" {
            return Ok(Reply::Ask(Ask { role: "reader".to_owned(), messages: Vec::new(), grammar: None }));
        }
        Ok(Reply::Step(Transition { observation: Arc::default(), reward: Milli::ZERO, done: None }))
    }
    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(gimbal_testkit::log_tracker::LogTracker::new(&[]))
    }
    fn state(&self) -> Digest {
        Digest::of(&self.looks.to_be_bytes())
    }
    fn situation(&self) -> Digest {
        self.state()
    }
    fn simulator(&self) -> Option<&dyn Simulator> {
        Some(self)
    }
}

impl Simulator for Page {
    fn fork(&self, _future: u64) -> Box<dyn Environment> {
        Box::new(self.clone())
    }
}

#[tokio::test]
async fn a_call_that_asks_a_model_closes_its_branch_and_nothing_else() {
    let does = Does(Box::new(|stage| {
        Box::pin(async move {
            let (ask, look) = (ToolCall::bare("ask"), ToolCall::bare("look"));
            let asks = || Some(BranchError::Asks { role: "reader".to_owned() });
            let mut branch = stage.branch(0).await.unwrap();
            branch.act(&look).await.unwrap();
            let mut before = branch.fork(0).unwrap();
            assert_eq!(branch.act(&ask).await.err(), asks());
            // What the environment did before it asked cannot be taken back: the branch says so from now on.
            assert_eq!(branch.act(&look).await.err(), asks());
            assert_eq!((branch.policy("wait").err(), branch.fork(1).err()), (asks(), asks()));
            before.act(&look).await.unwrap();
            stage.branch(0).await.unwrap().act(&look).await.unwrap();
            let said = asks().unwrap().to_string();
            assert!(said.contains("`reader`") && said.contains("no model is asked"), "{said}");
            Ok(())
        })
    }));
    let mut lamps = Lamps.open(&json!({})).unwrap();
    lamps.reset(&TaskId("evening".to_owned()), 0).await.unwrap();
    let tools = ["ask", "look"].map(|name| ToolSpec::of_strings(name, "", &[])).into();
    let page = Page { brief: Arc::clone(lamps.brief()), tools, looks: 0 };
    let setup = EpisodeSetup::new(Digest::of(b"key"), TaskId("page".to_owned()), 7, Arc::default());
    let recorder = Arc::new(MemoryRecorder::default());
    let outcome = play_episode(&does, Box::new(page), setup, recorder.clone()).await.unwrap();
    assert_eq!((outcome.stop, outcome.spent.model_calls), (Stop::Finished, 0));
    assert_eq!(recorder.recorded().sent, 0, "no request left");
    assert_eq!(outcome.state, Digest::of(&0_u64.to_be_bytes()));
    assert_eq!(told(&recorder.recorded()).1, Some(Branched { branches: 3, calls: 4, refused: 0 }));
}

#[tokio::test]
async fn whoever_looks_ahead_lights_the_lamps() {
    let settings = json!({ "futures": 8, "steps": 5, "policy": "light" });
    let library = Library::new(&[], Vec::new());
    let looks = gimbal_core::ArchitectureKind::build(&LookaheadKind, &settings, &library).unwrap();
    let (mut ahead, mut behind) = (0, 0);
    for seed in 0..12 {
        let (outcome, recorded) = play(&*looks, &Lamps, &json!({}), (seed, Limits::default())).await;
        ahead += outcome.unwrap().episode_return.0;
        let record = told(&recorded).1.unwrap();
        assert!(record.calls >= record.branches && record.branches.is_multiple_of(8), "{record:?}");
        let waits = Does(Box::new(|stage| {
            Box::pin(async move {
                loop {
                    let call = stage.policy("wait").await?;
                    stage.act(LaneId::MAIN, &call, None).await?;
                }
            })
        }));
        behind += play(&waits, &Lamps, &json!({}), (seed, Limits::default())).await.0.unwrap().episode_return.0;
    }
    assert!(ahead > behind, "{ahead} against {behind}");
}

#[test]
fn a_cell_with_a_simulator_is_marked_and_one_that_cannot_be_forked_is_refused() {
    let registry = || {
        let mut environments = gimbal_testkit::environments();
        environments.push(Arc::new(Lamps));
        let mut architectures = gimbal_testkit::architectures();
        architectures.push(Arc::new(LookaheadKind));
        Registry { environments, architectures, learned: None }
    };
    let resolved = |environment: &str| {
        let text = format!(
            "study: ahead\nenvironment: {environment}\narchitectures:\n  - {{ base: lookahead, policy: wait }}\n\
             \x20 - {{ base: policy, policy: wait }}\nlimits: {{ episode: {{ branch_calls: 9 }} }}\n"
        );
        let study = plan::parse(&text, "study.yaml")?;
        plan::resolve(study, &Options::default(), &registry(), &TestModels, &Library::default())
    };
    let plan = resolved("lamps").unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(plan.limits.branch_calls, Some(9));
    let marks: Vec<&str> = plan.cells.iter().map(|cell| gimbal_analysis::tables::mark(&cell.info)).collect();
    assert_eq!(marks, ["policy, simulator", "policy"]);
    let refused = resolved("oracle").err().unwrap().to_string();
    assert!(refused.contains("it needs an environment that can be forked"), "{refused}");
    let none = "study: x\nenvironment: lamps\narchitectures: [{ base: policy, policy: wait }]\n\
                limits: { episode: { branch_calls: 0 } }\n";
    let said = plan::parse(none, "study.yaml").err().unwrap().to_string();
    assert!(
        said.starts_with("study.yaml:4:") && said.contains("`branch_calls` must be a whole number of at least 1"),
        "{said}"
    );
}
