//! A mask for one call: enforced though the role decodes freely, where the model can be held to it, and told by the journal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gimbal_core::event::{Body, Event};
use gimbal_core::{
    Architecture, AskRequest, CallContext, Catalogue, ChatModel, ChatRequest, Completion, Decoding, Digest,
    EpisodeStopped, Grammar, LaneId, Message, ModelError, Needs, RoleSettings, Sampling, Speaker, Stage, TaskId,
};
use gimbal_model::{Models, ModelsConfig};
use gimbal_study::stage::{EpisodeSetup, MemoryRecorder, Role, play_episode};
use gimbal_testkit::models::Picker;
use serde_json::{Value, json};

fn choice() -> Arc<Grammar> {
    Arc::new(Grammar::Choice(vec!["wait".to_owned(), "go to=place-1".to_owned()]))
}

fn regex() -> Arc<Grammar> {
    Arc::new(Grammar::Regex("(wait|go)".to_owned()))
}

/// Takes lists of choices and no other grammar; keeps what it was asked.
#[derive(Default)]
struct Chooser(Mutex<Vec<Option<Grammar>>>);

#[async_trait]
impl ChatModel for Chooser {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        self.0.lock().unwrap().push(request.grammar.as_deref().cloned());
        Picker::default().complete(request, context).await
    }
    fn enforced(&self, request: &ChatRequest) -> Option<Arc<Grammar>> {
        request.grammar.clone().filter(|grammar| matches!(**grammar, Grammar::Choice(_)))
    }
}

/// Asks four times: freely, under a mask that the model takes, under one that it does not take, and freely again.
struct Asks;

#[async_trait]
impl Architecture for Asks {
    fn needs(&self) -> Needs {
        Needs { roles: vec!["default".to_owned()], ..Needs::default() }
    }
    fn resolved(&self) -> Value {
        json!({})
    }
    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        assert_eq!((stage.can_mask("default", &choice()), stage.can_mask("default", &regex())), (true, false));
        for (grammar, mask) in [(choice(), false), (choice(), true), (regex(), true), (choice(), false)] {
            let messages = vec![Arc::new(Message::new(Speaker::User, "legal: wait | go to=place-1"))];
            let request = AskRequest { messages, grammar: Some(grammar), mask, ..AskRequest::default() };
            stage.ask(LaneId::MAIN, "default", request).await.unwrap();
        }
        Ok(())
    }
}

async fn grammars(decoding: Decoding) -> (Vec<Option<Grammar>>, Vec<String>) {
    let model = Arc::new(Chooser::default());
    let settings = RoleSettings { model: "chooser".to_owned(), decoding, sampling: Sampling::default() };
    let role = Role { settings: Arc::new(settings), model: Arc::clone(&model) as Arc<dyn ChatModel> };
    let families = gimbal_testkit::environments();
    let corridor: &Arc<dyn Catalogue> = families.iter().find(|family| family.name() == "corridor").unwrap();
    let task: TaskId = corridor.tasks("test", &Value::Null).unwrap()[0].clone();
    let roles = Arc::new(BTreeMap::from([("default".to_owned(), role)]));
    let setup = EpisodeSetup::new(Digest::of(b"key"), task, 7, roles);
    let recorder = Arc::new(MemoryRecorder::default());
    play_episode(&Asks, corridor.open(&json!({})).unwrap(), setup, recorder.clone()).await.unwrap();
    let recorded = recorder.recorded();
    let journal =
        recorded.events.iter().filter_map(|bytes| match serde_json::from_slice::<Event>(bytes).unwrap().body {
            Body::ModelCalled(call) => Some(call.grammar.as_inline().unwrap().to_owned()),
            _ => None,
        });
    let journal = journal.collect();
    let asked = model.0.lock().unwrap().clone();
    (asked, journal)
}

// covers: CTHA-045
#[tokio::test]
async fn a_free_role_is_held_to_the_grammar_of_a_call_that_asks_for_it_and_of_no_other() {
    let (asked, journal) = grammars(Decoding::Free).await;
    let choice = (*choice()).clone();
    assert_eq!(asked, [None, Some(choice.clone()), None, None]);
    let told: Vec<Option<Grammar>> = journal.iter().map(|text| serde_json::from_str(text).ok()).collect();
    assert_eq!(told, asked, "the journal names what was enforced, and nothing where the call was free");
}

#[tokio::test]
async fn a_constrained_role_is_as_it_was() {
    let (asked, _) = grammars(Decoding::Constrained).await;
    let (choice, regex) = ((*choice()).clone(), (*regex()).clone());
    assert_eq!(asked, [Some(choice.clone()), Some(choice.clone()), Some(regex), Some(choice)]);
}

#[test]
fn stand_ins_take_every_grammar() {
    for name in ["scripted/idle", "noisy/0.9"] {
        let model = Models::new(ModelsConfig::default()).open(name).unwrap();
        for grammar in [choice(), regex(), Arc::new(Grammar::JsonSchema(json!({ "type": "boolean" })))] {
            let request = ChatRequest { grammar: Some(Arc::clone(&grammar)), ..ChatRequest::default() };
            assert_eq!(model.enforced(&request), Some(grammar), "{name}");
        }
    }
}
