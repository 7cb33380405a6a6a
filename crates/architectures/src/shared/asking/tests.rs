//! Asking for a message of a contract on the real stage, with and without a mask for the repair.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gimbal_agent::{Agent, Overrides};
use gimbal_core::event::{Body, Event};
use gimbal_core::{
    Architecture, Brief, CallContext, ChatModel, ChatRequest, Completion, Decoding, Digest, EpisodeStopped, Finish,
    Grammar, GrammarKind, LaneId, ModelError, Needs, RoleSettings, Sampling, Stage, TaskId, Usage, UsageSource,
};
use gimbal_messages::records::reading::Parsed;
use gimbal_messages::{Contract, Message, Record, Tier};
use gimbal_study::registry::Library;
use gimbal_study::stage::{EpisodeSetup, MemoryRecorder, Role, play_episode};
use serde_json::{Value, json};

use super::{MessageRequest, Shape};
use crate::shared::member::{Member, Place};

#[derive(Debug)]
struct Opinion;

static OPINION: Opinion = Opinion;

impl Message for Opinion {
    fn name(&self) -> &'static str {
        "opinion"
    }
    fn request(&self, _brief: &Brief, _target: &str) -> Value {
        Value::Null
    }
}

/// Says its lines in turn, and can be held to grammars of some kinds; keeps what it was asked.
struct Voice {
    enforces: &'static [GrammarKind],
    lines: Mutex<Vec<String>>,
    heard: Mutex<Vec<ChatRequest>>,
}

#[async_trait]
impl ChatModel for Voice {
    async fn complete(&self, request: &ChatRequest, _context: &CallContext<'_>) -> Result<Completion, ModelError> {
        self.heard.lock().unwrap().push(request.clone());
        let line = self.lines.lock().unwrap().remove(0);
        Ok(Completion {
            text: line.as_str().into(),
            finish: Finish::Stop,
            calls: Vec::new(),
            usage: Usage { input: 10, output: 1, source: UsageSource::Reported, ..Usage::default() },
            reasoning: None,
            missed: Vec::new(),
            latency_us: 0,
            provider: gimbal_core::chat::ProviderFacts::default(),
        })
    }

    fn enforced(&self, request: &ChatRequest) -> Option<Arc<Grammar>> {
        request.grammar.clone().filter(|grammar| self.enforces.contains(&grammar.kind()))
    }
}

/// Asks once for an opinion.
struct Asks {
    agent: Agent,
    contract: Contract,
    mask: bool,
    given: Mutex<Option<Result<Value, String>>>,
}

#[async_trait]
impl Architecture for Asks {
    fn needs(&self) -> Needs {
        Needs::default()
    }
    fn resolved(&self) -> Value {
        json!({})
    }
    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let asked = MessageRequest {
            agent: &self.agent,
            lane: LaneId::MAIN,
            blocks: &[],
            who: "member",
            target: "",
            message: "",
            shape: Shape::Contract(&self.contract),
            form: self.contract.form().clone(),
            expert: None,
            longest: 500,
            mask: self.mask,
        };
        *self.given.lock().unwrap() = Some(asked.ask(stage, Ok).await?);
        Ok(())
    }
}

struct Played {
    given: Result<Value, String>,
    tier: Tier,
    heard: Vec<ChatRequest>,
    /// The grammars that the journal names, by call.
    journal: Vec<String>,
}

async fn played(mask: bool, decoding: Decoding, enforces: &'static [GrammarKind], lines: &[&str]) -> Played {
    let library = Library::new(&[], vec![concat!(env!("CARGO_MANIFEST_DIR"), "/../..").into()]);
    let place = Place { name: "member", persona: "panelist", message: Some(&OPINION), delegates: &[] };
    let agent = place.agent("test", (&Member::default(), &Overrides::default()), &library).unwrap();
    let contract = Contract::parse("opinion", include_str!("../../panel/contracts/opinion.json")).unwrap();
    let asks = Asks { agent, contract, mask, given: Mutex::default() };
    let lines = lines.iter().map(|line| (*line).to_owned()).collect();
    let model = Arc::new(Voice { enforces, lines: Mutex::new(lines), heard: Mutex::default() });
    let settings = RoleSettings { model: "voice".to_owned(), decoding, sampling: Sampling::default() };
    let role = Role { settings: Arc::new(settings), model: Arc::clone(&model) as Arc<dyn ChatModel> };
    let families = gimbal_testkit::environments();
    let corridor = families.iter().find(|family| family.name() == "corridor").unwrap();
    let task: TaskId = corridor.tasks("test", &Value::Null).unwrap()[0].clone();
    let roles = Arc::new(BTreeMap::from([("default".to_owned(), role)]));
    let setup = EpisodeSetup::new(Digest::of(b"key"), task, 7, roles);
    let recorder = Arc::new(MemoryRecorder::default());
    play_episode(&asks, corridor.open(&json!({})).unwrap(), setup, recorder.clone()).await.unwrap();
    let recorded = recorder.recorded();
    let text = |reference: &gimbal_core::TextRef| match reference.as_inline() {
        Some(text) => text.to_owned(),
        None => recorded.texts[&reference.as_stored().unwrap()].clone(),
    };
    let (mut tiers, mut journal) = (Vec::new(), Vec::new());
    for bytes in &recorded.events {
        match serde_json::from_slice::<Event>(bytes).unwrap().body {
            Body::ModelCalled(call) => journal.push(text(&call.grammar)),
            Body::Note(note) if note.kind == Parsed::KIND => tiers.push(Parsed::read(&text(&note.data)).unwrap().tier),
            _ => {}
        }
    }
    assert_eq!(tiers.len(), 1);
    let heard = model.heard.lock().unwrap().clone();
    Played { given: asks.given.into_inner().unwrap().unwrap(), tier: tiers[0], heard, journal }
}

const GOOD: &str = r#"{"answer": "yes", "finding": "none", "gap": "nothing", "next": "close", "wild_card": "x"}"#;
const ALL: &[GrammarKind] = &[GrammarKind::Schema, GrammarKind::Choice, GrammarKind::Regex];

// covers: CTHA-045
#[tokio::test]
async fn a_repair_of_a_free_role_is_masked_where_that_is_wanted_and_possible() {
    let kinds = |played: &Played| -> Vec<Option<GrammarKind>> {
        played.heard.iter().map(|request| request.grammar.as_ref().map(|grammar| grammar.kind())).collect()
    };
    let lines = ["I would say yes.", GOOD];
    for (mask, decoding, enforces, tier, expected) in [
        (true, Decoding::Free, ALL, Tier::Constrained, [None, Some(GrammarKind::Regex)]),
        (true, Decoding::Free, &[GrammarKind::Schema][..], Tier::Constrained, [None, Some(GrammarKind::Schema)]),
        // A model that can be given no such grammar is asked freely, and nothing says that it was masked.
        (true, Decoding::Free, &[GrammarKind::Choice], Tier::Repaired, [None, None]),
        (true, Decoding::Free, &[], Tier::Repaired, [None, None]),
        (false, Decoding::Free, ALL, Tier::Repaired, [None, None]),
        // Under constraint every request has its mask, as without the wish for one.
        (false, Decoding::Constrained, ALL, Tier::Repaired, [Some(GrammarKind::Regex), Some(GrammarKind::Regex)]),
        (true, Decoding::Constrained, ALL, Tier::Constrained, [Some(GrammarKind::Regex), Some(GrammarKind::Regex)]),
        // A repair takes the kind that the model can be held to; an expression that it cannot be given is not told.
        (
            false,
            Decoding::Constrained,
            &[GrammarKind::Schema],
            Tier::Repaired,
            [Some(GrammarKind::Regex), Some(GrammarKind::Schema)],
        ),
    ] {
        let found = played(mask, decoding, enforces, &lines).await;
        assert_eq!((found.tier, kinds(&found)), (tier, expected.to_vec()), "{mask} {decoding:?} {enforces:?}");
        assert_eq!(found.given.unwrap()["answer"], "yes");
        // The journal tells what was enforced, call by call.
        for (request, told) in found.heard.iter().zip(&found.journal) {
            let read: Option<Grammar> = serde_json::from_str(told).ok();
            let enforced = request.grammar.as_deref().filter(|grammar| enforces.contains(&grammar.kind()));
            assert_eq!(read.as_ref(), enforced);
        }
    }
}

#[tokio::test]
async fn what_can_be_read_is_not_asked_for_again_and_a_mask_promises_no_content() {
    let answered = format!("Thought: so it is.\nAnswer: {GOOD}");
    let first = played(true, Decoding::Free, ALL, &[&answered]).await;
    assert_eq!((first.tier, first.heard.len(), first.given.is_ok()), (Tier::Direct, 1, true));
    let twice = played(true, Decoding::Free, ALL, &["no", "no again"]).await;
    assert_eq!((twice.tier, twice.heard.len()), (Tier::Default, 2));
    assert!(twice.given.unwrap_err().contains("not one JSON object"));
}
