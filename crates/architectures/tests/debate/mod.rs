//! The architecture `debate` on the real stage, over the throw-away environment with a packet: sides that say what a test gives them.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod arithmetic;
mod citations;
mod controls;
mod pipelines;
mod prompts;
mod settings;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use gimbal_core::event::{Body, Event};
use gimbal_core::{
    Architecture, CallContext, ChatModel, ChatRequest, Completion, Decoding, Digest, Embedder, Finish, ModelError,
    RoleSettings, Sampling, Scorer, TaskId, TextRef, Usage, UsageSource,
};
use gimbal_messages::Record;
use gimbal_study::faults::Faults;
use gimbal_study::stage::{
    EpisodeSetup, LearnedParts, MemoryRecorder, Outcome, Recorded, Role, SessionMemory, play_episode,
};
use serde_json::{Value, json};

use crate::common::TestFiles;

/// The two cases: nobody explains what the first packet shows, in the second a person does.
pub const UNEXPLAINED: &str = "case-1";
pub const EXPLAINED: &str = "case-2";

/// A model that says one thing after the other.
struct Voice {
    role: String,
    replies: Mutex<VecDeque<String>>,
    wait: Duration,
    hints: bool,
    letters: bool,
    heard: Arc<Mutex<Vec<(String, ChatRequest)>>>,
}

#[async_trait]
impl ChatModel for Voice {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let next = if self.hints {
            context.hint.map(|hint| hint.answer.clone())
        } else {
            self.replies.lock().unwrap().pop_front()
        };
        self.heard.lock().unwrap().push((self.role.clone(), request.clone()));
        tokio::time::sleep(self.wait).await;
        let text = next.unwrap_or_else(|| "I have nothing to say.".to_owned());
        Ok(Completion {
            text: text.as_str().into(),
            finish: Finish::Stop,
            calls: Vec::new(),
            usage: Usage { input: 100, output: 10, source: UsageSource::Reported, ..Usage::default() },
            reasoning: None,
            missed: Vec::new(),
            latency_us: 0,
            provider: gimbal_core::chat::ProviderFacts::default(),
        })
    }

    fn wants_hints(&self) -> bool {
        self.hints
    }

    fn tokens(&self, text: &str) -> Option<u64> {
        self.letters.then(|| text.chars().count() as u64)
    }
}

/// A play of `debate`.
pub struct Court {
    base: &'static str,
    pub settings: Value,
    pub task: &'static str,
    pub constrained: bool,
    /// Whether each role says what an expert would.
    pub experts: bool,
    /// Whether the models have a tokenizer: each letter is a token.
    pub letters: bool,
    replies: BTreeMap<&'static str, Vec<String>>,
    waits: BTreeMap<&'static str, u64>,
    options: Value,
    pub faults: Faults,
    /// What earlier trials of the session left, and the number of this one.
    pub session: (Arc<SessionMemory>, u32),
    /// The scorer of a learned arbiter.
    pub scorer: Option<Arc<dyn Scorer>>,
    /// The embedder of the name that is asked for.
    pub embedder: Option<(&'static str, Arc<dyn Embedder>)>,
}

/// The outcome.
pub struct Played {
    pub outcome: Outcome,
    pub recorded: Recorded,
    pub requests: Vec<(String, ChatRequest)>,
}

pub fn build(settings: &Value) -> Arc<dyn Architecture> {
    build_of("debate", settings)
}

pub fn build_of(base: &str, settings: &Value) -> Arc<dyn Architecture> {
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().find(|kind| kind.name() == base).unwrap();
    kind.build(settings, &TestFiles::default()).unwrap_or_else(|error| panic!("{error}"))
}

impl Court {
    pub fn new(settings: Value) -> Self {
        Self {
            base: "debate",
            settings,
            task: UNEXPLAINED,
            constrained: false,
            experts: false,
            letters: false,
            replies: BTreeMap::new(),
            waits: BTreeMap::new(),
            options: json!({ "facts": 6 }),
            faults: Faults::default(),
            session: (Arc::default(), 0),
            scorer: None,
            embedder: None,
        }
    }

    /// A play of another architecture.
    pub fn of(mut self, base: &'static str) -> Self {
        self.base = base;
        self
    }

    pub fn on(mut self, task: &'static str) -> Self {
        self.task = task;
        self
    }

    /// What a role says, one answer after the other.
    pub fn says(mut self, role: &'static str, replies: impl IntoIterator<Item = String>) -> Self {
        self.replies.insert(role, replies.into_iter().collect());
        self
    }

    /// With so many facts in the packet.
    pub fn facts(mut self, facts: u64) -> Self {
        self.options = json!({ "facts": facts });
        self
    }

    /// How long a role waits before each answer, in milliseconds.
    pub fn waits(mut self, role: &'static str, milliseconds: u64) -> Self {
        self.waits.insert(role, milliseconds);
        self
    }

    pub async fn play(self) -> Played {
        let environments = gimbal_testkit::environments();
        let family = environments.iter().find(|one| one.name() == "dossier").unwrap();
        let options = self.options.clone();
        self.play_in(&**family, options).await
    }

    /// Plays in another environment.
    pub async fn play_in(self, family: &dyn gimbal_core::Catalogue, options: Value) -> Played {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let architecture = build_of(self.base, &self.settings);
        let role = |name: &str| {
            let decoding = if self.constrained { Decoding::Constrained } else { Decoding::Free };
            let sampling = Sampling { max_output_tokens: 2048, ..Sampling::default() };
            let settings = Arc::new(RoleSettings { model: "canned".to_owned(), decoding, sampling });
            let model = Arc::new(Voice {
                role: name.to_owned(),
                replies: Mutex::new(self.replies.get(name).cloned().unwrap_or_default().into()),
                wait: Duration::from_millis(self.waits.get(name).copied().unwrap_or(0)),
                hints: self.experts,
                letters: self.letters,
                heard: Arc::clone(&heard),
            });
            Role { settings, model }
        };
        let roles: BTreeMap<String, Role> =
            architecture.needs().roles.iter().map(|name| (name.clone(), role(name))).collect();
        let unmet = architecture.needs().unmet(&family.offers());
        assert!(unmet.is_empty(), "{unmet:?}");
        let setup = EpisodeSetup::new(Digest::of(b"court"), TaskId(self.task.to_owned()), 7, Arc::new(roles));
        let (memory, trial) = self.session;
        let scorers = self.scorer.into_iter().map(|scorer| ("arbiter".to_owned(), scorer)).collect();
        let embedders = self.embedder.into_iter().map(|(name, embedder)| (name.to_owned(), embedder)).collect();
        let learned = Arc::new(LearnedParts { scorers, embedders });
        let setup = EpisodeSetup { faults: self.faults, memory, trial, learned, ..setup };
        let recorder = Arc::new(MemoryRecorder::default());
        let environment = family.open(&options).unwrap();
        let outcome = play_episode(&*architecture, environment, setup, recorder.clone()).await.unwrap();
        let requests = heard.lock().unwrap().clone();
        Played { outcome, recorded: recorder.recorded(), requests }
    }
}

impl Played {
    pub fn events(&self) -> Vec<Event> {
        self.recorded.events.iter().map(|bytes| serde_json::from_slice(bytes).unwrap()).collect()
    }

    pub fn text(&self, reference: &TextRef) -> String {
        match (reference.as_inline(), reference.as_stored()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(digest)) => self.recorded.texts[&digest].clone(),
            (None, None) => String::new(),
        }
    }

    /// The arguments of the call that concluded.
    pub fn concluded(&self) -> Value {
        let calls: Vec<Value> = self
            .events()
            .iter()
            .filter_map(|event| match &event.body {
                Body::ToolCalled(call) => Some(serde_json::from_str(&self.text(&call.arguments)).unwrap()),
                _ => None,
            })
            .collect();
        assert_eq!(calls.len(), 1, "one call and no other: {calls:?}");
        calls[0].clone()
    }

    /// The records of a kind, in order.
    pub fn records<R: Record>(&self) -> Vec<R> {
        let note = |event: &Event| match &event.body {
            Body::Note(note) if note.kind == R::KIND => Some(R::read(&self.text(&note.data)).unwrap()),
            _ => None,
        };
        self.events().iter().filter_map(note).collect()
    }

    /// The verdict that was concluded.
    pub fn verdict(&self) -> String {
        use gimbal_messages::records::debate::VerdictGiven;
        let last: Vec<VerdictGiven> = self.records::<VerdictGiven>().into_iter().filter(|one| one.last).collect();
        assert_eq!(last.len(), 1);
        last[0].verdict.clone()
    }

    /// The roles that were asked, in order.
    pub fn asked(&self) -> Vec<&str> {
        self.requests.iter().map(|(role, _)| role.as_str()).collect()
    }

    /// The whole text of a request.
    pub fn prompt(&self, at: usize) -> String {
        let messages = &self.requests[at].1.messages;
        messages.iter().map(|message| format!("[{}]\n{}\n\n", message.speaker.name(), message.text)).collect()
    }
}

/// An answer under `react-text`.
pub fn answer(message: &Value) -> String {
    format!("Thought: as the facts say.\nAnswer: {message}")
}

/// A position of one assertion over these facts.
pub fn position(kind: &str, facts: &[&str], confidence: f64) -> String {
    let assertion = json!({ "kind": kind, "predicate": "means as told", "facts": facts, "interpretation": "so it is" });
    answer(&json!({ "assertions": [assertion], "confidence": confidence }))
}

/// A position of the Architect, and one of the Skeptic.
pub fn architect(confidence: f64) -> String {
    position("ASSERT", &["F001", "F002"], confidence)
}
pub fn skeptic(confidence: f64) -> String {
    position("ALT", &["F003", "F005"], confidence)
}
