//! Every throw-away architecture on every throw-away environment that it fits, through the real stage.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::chain::Chain;
use gimbal_core::event::{Body, Event};
use gimbal_core::fit::Needs;
use gimbal_core::{
    Architecture, CallContext, ChatModel, ChatRequest, Completion, Decoding, Digest, EpisodeStopped, FileError, Files,
    LaneId, Limits, ModelError, ModelErrorKind, RoleSettings, Stage, Stop, TaskId, TokenCount,
};
use gimbal_study::stage::{Cancel, EpisodeSetup, MemoryRecorder, Outcome, Recorded, Role, SessionMemory, play_episode};
use gimbal_testkit::models::Picker;
use serde_json::json;

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Result<Option<(String, String)>, FileError> {
        Ok(None)
    }
    fn list(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }
}

fn roles(model: Picker, decoding: Decoding) -> Arc<BTreeMap<String, Role>> {
    let settings = RoleSettings { model: "picker".to_owned(), decoding, sampling: gimbal_core::Sampling::default() };
    let model: Arc<dyn ChatModel> = Arc::new(model);
    Arc::new(BTreeMap::from([("default".to_owned(), Role { settings: Arc::new(settings), model })]))
}

fn architecture(name: &str, settings: serde_json::Value) -> Arc<dyn Architecture> {
    let kinds = gimbal_testkit::architectures();
    let kind = kinds.iter().find(|kind| kind.name() == name).unwrap();
    kind.build(&settings, &NoFiles).unwrap()
}

async fn play(
    architecture: &dyn Architecture,
    environment: &str,
    mut change: impl FnMut(&mut EpisodeSetup),
    model: Picker,
) -> (Result<Outcome, EpisodeStopped>, Recorded) {
    let environments = gimbal_testkit::environments();
    let family = environments.iter().find(|family| family.name() == environment).unwrap();
    let task = family.tasks("test", &serde_json::Value::Null).unwrap()[0].clone();
    let mut setup = EpisodeSetup::new(Digest::of(b"key"), task, 7, roles(model, Decoding::Free));
    change(&mut setup);
    let recorder = Arc::new(MemoryRecorder::default());
    let outcome = play_episode(architecture, family.open(&json!({})).unwrap(), setup, recorder.clone()).await;
    (outcome, recorder.recorded())
}

fn events(recorded: &Recorded) -> Vec<Event> {
    recorded.events.iter().map(|bytes| serde_json::from_slice(bytes).unwrap()).collect()
}

fn text(recorded: &Recorded, reference: &gimbal_core::TextRef) -> String {
    match reference.as_inline() {
        Some(text) => text.to_owned(),
        None => recorded.texts[&reference.as_stored().unwrap()].clone(),
    }
}

fn chain(recorded: &Recorded) -> Digest {
    let mut chain = Chain::start("journal", Digest::of(b"key").to_string().as_bytes());
    for event in &recorded.events {
        chain.push(event);
    }
    chain.value()
}

// covers: SH-05
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_fitting_pairs_play_and_repeat_to_the_byte() {
    let plays = [
        architecture("panel", json!({ "members": 3 })),
        architecture("learner", json!({})),
        architecture("policy", json!({ "policy": "walk" })),
    ];
    let mut fitting = 0;
    for environment in gimbal_testkit::environments() {
        for play_kind in &plays {
            let unmet = play_kind.needs().unmet(&environment.offers());
            if !unmet.is_empty() {
                assert!(unmet[0].contains("policy `walk`"), "{unmet:?}");
                continue;
            }
            fitting += 1;
            let plain = play(&**play_kind, environment.name(), |_| (), Picker::default()).await;
            // Other interleavings of the same episode: the journal must not tell.
            let slow = Picker { yields: 3, delay_us: 50, ..Picker::default() };
            let slow = play(&**play_kind, environment.name(), |_| (), slow).await;
            let outcome = plain.0.unwrap();
            assert!(outcome.stop.is_outcome());
            assert_eq!(outcome.chain, chain(&plain.1));
            assert_eq!(plain.1.events, slow.1.events, "{}", environment.name());
            assert_eq!(outcome.chain, slow.0.unwrap().chain);
            assert_eq!(plain.1.sent, plain.1.received);
            assert_eq!(outcome.spent.model_calls, plain.1.calls.len() as u64);
            let tokens: u64 = plain.1.calls.iter().map(|call| call.usage.input + call.usage.output).sum();
            assert_eq!(outcome.spent.tokens(), tokens);
            let last = events(&plain.1).pop().unwrap();
            assert!(matches!(last.body, Body::Ended(ended) if ended.stop == outcome.stop));
        }
    }
    assert_eq!(fitting, 9);
}

// covers: ARES-002, ARES-007
#[tokio::test]
async fn the_materials_of_an_episode_are_in_its_first_event_with_their_content() {
    let play_kind = architecture("panel", json!({ "members": 1 }));
    for (environment, expected) in [("dossier", 1), ("counter", 0)] {
        let (_, recorded) = play(&*play_kind, environment, |_| (), Picker::default()).await;
        let bytes = &recorded.events[0];
        let Body::Started(started) = events(&recorded).remove(0).body else { panic!("the first event begins") };
        assert_eq!(started.materials.len(), expected, "{environment}");
        // What has no material has the bytes, and so the digest, that it had before there were any.
        assert_eq!(String::from_utf8_lossy(bytes).contains("materials"), expected > 0, "{environment}");
        for material in &started.materials {
            assert_eq!(material.kind, "packet");
            assert!(text(&recorded, &material.text).len() > 10, "{material:?}");
        }
    }
}

/// A model with a tokenizer of its own: a word is a token.
struct Words;

#[async_trait]
impl ChatModel for Words {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        Picker::default().complete(request, context).await
    }
    fn tokens(&self, text: &str) -> Option<u64> {
        Some(text.split_whitespace().count() as u64)
    }
}

/// An architecture that notes how long a text is for the model of each role.
struct Measures;

#[async_trait]
impl Architecture for Measures {
    fn needs(&self) -> Needs {
        Needs::default()
    }
    fn resolved(&self) -> serde_json::Value {
        json!({})
    }
    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let counts = ["counted", "default", "nobody"].map(|role| stage.tokens(role, "nine letters"));
        stage.note(LaneId::MAIN, "measured", json!(counts)).await;
        Ok(())
    }
}

// covers: SH-03
#[tokio::test]
async fn texts_are_measured_by_the_tokenizer_of_the_role_where_there_is_one() {
    let with_words = |setup: &mut EpisodeSetup| {
        let mut roles = (*setup.roles).clone();
        let settings = Arc::clone(&roles["default"].settings);
        roles.insert("counted".to_owned(), Role { settings, model: Arc::new(Words) });
        setup.roles = Arc::new(roles);
    };
    let (outcome, recorded) = play(&Measures, "counter", with_words, Picker::default()).await;
    outcome.unwrap();
    let noted = events(&recorded).into_iter().find_map(|event| match event.body {
        Body::Note(note) if note.kind == "measured" => Some(note.data),
        _ => None,
    });
    let noted = noted.unwrap();
    let counts: [TokenCount; 3] = serde_json::from_str(&text(&recorded, &noted)).unwrap();
    let estimate = TokenCount { tokens: 3, exact: false };
    assert_eq!(counts, [TokenCount { tokens: 2, exact: true }, estimate, estimate]);
}

// covers: SH-05, BOG-048
#[tokio::test]
async fn requests_are_changes_of_those_they_extend_and_can_be_rebuilt() {
    let play_kind = architecture("learner", json!({}));
    let (outcome, recorded) = play(&*play_kind, "counter", |_| (), Picker::default()).await;
    assert_eq!(outcome.unwrap().stop, Stop::Horizon);
    let mut requests: Vec<usize> = Vec::new();
    for event in events(&recorded) {
        if let Body::ModelCalled(call) = event.body {
            let kept = call.extends.first().map_or(0, |extended| {
                assert!(requests[*extended as usize] >= call.kept as usize);
                call.kept as usize
            });
            assert_eq!(call.call, requests.len() as u64);
            requests.push(kept + call.messages.len());
            for message in call.messages {
                if let Some(digest) = message.text.as_stored() {
                    assert_eq!(Digest::of(recorded.texts[&digest].as_bytes()), digest);
                }
            }
        }
    }
    assert_eq!(requests, vec![2; 30], "each request has a system and a user message");
    let reused =
        events(&recorded).into_iter().filter(|event| matches!(&event.body, Body::ModelCalled(call) if call.kept == 1));
    assert_eq!(reused.count(), 29, "the system message is kept");
}

#[tokio::test]
async fn the_environment_asks_through_the_stage() {
    let play_kind = architecture("learner", json!({}));
    let mut asked = 0;
    for seed in 0..12 {
        let (outcome, recorded) = play(&*play_kind, "oracle", |setup| setup.seed = seed, Picker::default()).await;
        let outcome = outcome.unwrap();
        let readers = recorded.calls.iter().filter(|call| call.role == "reader" && call.by_environment).count();
        let consulted = events(&recorded)
            .into_iter()
            .filter(|event| matches!(&event.body, Body::ToolCalled(call) if call.tool == "consult"))
            .count();
        assert_eq!(readers, consulted);
        assert!(outcome.spent.model_calls > readers as u64);
        asked += readers;
    }
    assert!(asked > 0);
}

// covers: BOG-047
#[tokio::test]
async fn outages_are_never_outcomes_and_refusals_always_are() {
    let play_kind = architecture("learner", json!({}));
    let model = Picker { outages: 1.into(), ..Picker::default() };
    let (outcome, recorded) = play(&*play_kind, "corridor", |_| (), model).await;
    let halt = outcome.unwrap_err();
    assert_eq!(halt.stop, Stop::Infrastructure);
    assert!(halt.detail.unwrap().contains("out of order"));
    assert!(!events(&recorded).iter().any(|event| matches!(event.body, Body::ModelCalled(_) | Body::Ended(_))));
    let kinds =
        vec![None, Some(ModelErrorKind::Refusal), Some(ModelErrorKind::Truncated), Some(ModelErrorKind::BadShape)];
    let (outcome, recorded) =
        play(&*play_kind, "corridor", |_| (), Picker { failures: kinds, ..Picker::default() }).await;
    let outcome = outcome.unwrap();
    assert!(outcome.fallbacks > 0);
    let noted = events(&recorded)
        .into_iter()
        .filter(|event| matches!(&event.body, Body::ModelCalled(call) if call.outcome != "completed"))
        .count() as u64;
    assert_eq!(noted, outcome.fallbacks);
}

// covers: SH-04
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn budgets_hold_for_lanes_together_and_stop_by_name() {
    let panel = architecture("panel", json!({ "members": 3 }));
    for (limits, stop) in [
        (Limits { model_calls: Some(7), ..Limits::default() }, Stop::ModelCallBudget),
        (Limits { tokens: Some(1200), ..Limits::default() }, Stop::TokenBudget),
        (Limits { tool_calls: Some(2), ..Limits::default() }, Stop::ToolBudget),
    ] {
        let slow = Picker { yields: 2, delay_us: 30, ..Picker::default() };
        let (outcome, recorded) = play(&*panel, "counter", |setup| setup.limits = limits, slow).await;
        let outcome = outcome.unwrap();
        assert_eq!(outcome.stop, stop);
        assert!(limits.model_calls.is_none_or(|most| outcome.spent.model_calls <= most));
        assert!(limits.tool_calls.is_none_or(|most| outcome.spent.tool_calls <= most));
        let (again, plain) = play(&*panel, "counter", |setup| setup.limits = limits, Picker::default()).await;
        assert_eq!(again.unwrap().chain, outcome.chain);
        assert_eq!(plain.events, recorded.events);
    }
}

#[tokio::test]
async fn trials_share_memory_and_its_changes_are_journaled() {
    let play_kind = architecture("learner", json!({}));
    let memory = Arc::new(SessionMemory::default());
    let mut lengths = Vec::new();
    for trial in 0..2 {
        let change = |setup: &mut EpisodeSetup| {
            setup.trial = trial;
            setup.memory = Arc::clone(&memory);
        };
        let (outcome, recorded) = play(&*play_kind, "counter", change, Picker::default()).await;
        assert_eq!(outcome.unwrap().steps, 30);
        let remembered = events(&recorded)
            .into_iter()
            .filter_map(|event| match event.body {
                Body::Remembered(change) => Some(change.value),
                _ => None,
            })
            .collect::<Vec<_>>();
        assert_eq!(remembered.len(), 30);
        let last: Vec<String> = serde_json::from_str(&text(&recorded, remembered.last().unwrap())).unwrap();
        lengths.push(last.len());
    }
    assert_eq!(lengths, [30, 60]);
}

#[tokio::test]
async fn a_run_that_is_called_off_leaves_no_outcome() {
    let play_kind = architecture("learner", json!({}));
    let cancel = Cancel::default();
    cancel.raise();
    let (outcome, _) = play(&*play_kind, "corridor", |setup| setup.cancel = cancel.clone(), Picker::default()).await;
    assert_eq!(outcome.unwrap_err().stop, Stop::Cancelled);
    // The second degree does not even wait for an answer that is on its way.
    let cancel = Cancel::default();
    let later = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        later.raise();
        later.raise();
    });
    let never = Picker { delay_us: u64::MAX / 4, ..Picker::default() };
    let (outcome, recorded) = play(&*play_kind, "corridor", |setup| setup.cancel = cancel.clone(), never).await;
    assert_eq!(outcome.unwrap_err().stop, Stop::Cancelled);
    // Its request left: the row that ends it says that its cost is unknown.
    assert_eq!((recorded.sent, recorded.received), (1, 1));
}

#[tokio::test]
async fn grammars_are_enforced_only_where_the_role_decodes_under_constraint() {
    let play_kind = architecture("learner", json!({}));
    for (decoding, enforced) in [(Decoding::Free, false), (Decoding::Constrained, true)] {
        let change = |setup: &mut EpisodeSetup| setup.roles = roles(Picker::default(), decoding);
        let (_, recorded) = play(&*play_kind, "corridor", change, Picker::default()).await;
        for event in events(&recorded) {
            if let Body::ModelCalled(call) = event.body {
                assert_eq!(call.grammar.as_inline().is_none_or(|text| !text.is_empty()), enforced);
            }
        }
    }
}

#[tokio::test]
async fn an_unknown_task_is_not_an_outcome_and_names_the_task() {
    let missing = TaskId("no such task".to_owned());
    let play_kind = architecture("policy", json!({ "policy": "walk" }));
    // The corridor takes any task; a policy that the environment does not have is refused by name.
    let (outcome, _) = play(&*play_kind, "oracle", |setup| setup.task = missing.clone(), Picker::default()).await;
    assert!(outcome.unwrap_err().detail.unwrap().contains("no policy `walk`"));
}

/// Makes one idle call and leaves, or says that its own budget is used up.
struct Leaver(Option<Stop>);

#[async_trait::async_trait]
impl Architecture for Leaver {
    fn needs(&self) -> gimbal_core::Needs {
        gimbal_core::Needs::default()
    }
    fn resolved(&self) -> serde_json::Value {
        json!({})
    }
    async fn play(&self, stage: &dyn gimbal_core::Stage) -> Result<(), EpisodeStopped> {
        let idle = stage.brief().idle.clone();
        stage.act(gimbal_core::LaneId::MAIN, &idle, None).await?;
        self.0.map_or(Ok(()), |stop| Err(EpisodeStopped::of(stop)))
    }
}

#[tokio::test]
async fn an_environment_that_runs_on_goes_to_its_end_where_an_architecture_leaves_early() {
    let family = gimbal_cage2::environment::Cage2;
    let left_alone = play_on(&family, &Leaver(Some(Stop::ToolBudget))).await;
    assert_eq!((left_alone.stop, left_alone.steps), (Stop::ToolBudget, 1), "a limit of the study cuts");
    let whole = play_on(&family, &*idle()).await;
    for stop in [None, Some(Stop::Horizon)] {
        let outcome = play_on(&family, &Leaver(stop)).await;
        assert_eq!((outcome.stop, outcome.steps), (Stop::Horizon, 30));
        assert_eq!((outcome.episode_return, outcome.state), (whole.episode_return, whole.state));
        assert!(outcome.episode_return < gimbal_core::Milli::ZERO, "doing nothing has its price");
    }
    // Elsewhere an episode is over when nobody wants anything more.
    let corridor = play(&Leaver(None), "corridor", |_| (), Picker::default()).await.0.unwrap();
    assert_eq!((corridor.stop, corridor.steps), (Stop::Finished, 1));
}

fn idle() -> Arc<dyn Architecture> {
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == "baseline").unwrap();
    kind.build(&json!({ "policy": "sleep" }), &NoFiles).unwrap()
}

async fn play_on(family: &dyn gimbal_core::Catalogue, architecture: &dyn Architecture) -> Outcome {
    let options = family.resolve(&json!({ "red": "b_line", "horizon": 30 })).unwrap();
    let task = family.tasks(family.splits()[0], &options).unwrap()[0].clone();
    let setup = EpisodeSetup::new(Digest::of(b"key"), task, 7, roles(Picker::default(), Decoding::Free));
    play_episode(architecture, family.open(&options).unwrap(), setup, Arc::new(MemoryRecorder::default()))
        .await
        .unwrap()
}
