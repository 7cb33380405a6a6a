//! Plays episodes in memory with readers, and counts their outcomes.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gimbal_core::event::{Body, Event};
use gimbal_core::{
    Architecture, ArchitectureKind, CallContext, Catalogue, ChatModel, ChatRequest, Completion, Decoding, Digest,
    Finish, Limits, Milli, ModelError, RoleSettings, Sampling, TaskId, TextRef, UsageSource,
};
use gimbal_model::{Models, ModelsConfig};
use gimbal_study::faults::Faults;
use gimbal_study::registry::Library;
use gimbal_study::stage::{EpisodeSetup, MemoryRecorder, Outcome, Recorded, Role, SessionMemory, play_episode};
use serde_json::Value;

/// The project's own files: personas and graphs.
pub fn files() -> Library {
    Library::new(&[], vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")])
}

pub fn models() -> Models {
    let config = ModelsConfig { readers: Arc::new(gimbal_readers::Library), ..ModelsConfig::default() };
    Models::new(config)
}

pub fn architecture(base: &str, settings: &Value) -> Arc<dyn Architecture> {
    let throw_away: Arc<dyn ArchitectureKind> = Arc::new(gimbal_testkit::plays::dispute::DisputeKind);
    let kinds = gimbal_architectures::kinds();
    let kind = kinds.iter().chain([&throw_away]).find(|kind| kind.name() == base).unwrap();
    kind.build(settings, &files()).unwrap_or_else(|error| panic!("{base} {settings}: {error}"))
}

/// An episode that was played.
pub struct Played {
    pub task: String,
    pub outcome: Outcome,
    pub recorded: Recorded,
}

impl Played {
    pub fn won(&self) -> bool {
        self.outcome.episode_return >= Milli(999)
    }

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

    /// Notes of a kind, as text.
    pub fn notes(&self, kind: &str) -> Vec<String> {
        let note = |event: &Event| match &event.body {
            Body::Note(note) if note.kind == kind => Some(self.text(&note.data)),
            _ => None,
        };
        self.events().iter().filter_map(note).collect()
    }

    /// Calls that were refused: text and message.
    pub fn refusals(&self) -> Vec<String> {
        let refusal = |event: &Event| match &event.body {
            Body::Rejected(refusal) => Some(format!("{} | {}", self.text(&refusal.text), self.text(&refusal.message))),
            _ => None,
        };
        self.events().iter().filter_map(refusal).collect()
    }

    /// Everything, for a person to read.
    pub fn story(&self) -> String {
        let mut out = String::new();
        for event in self.events() {
            let line = match &event.body {
                Body::ModelCalled(call) => {
                    let messages: Vec<String> = call
                        .messages
                        .iter()
                        .map(|message| format!("--- {} ---\n{}", message.speaker, self.text(&message.text)))
                        .collect();
                    let (tools, grammar) = (self.text(&call.tools), self.text(&call.grammar));
                    let cut = |text: String| text.chars().take(3000).collect::<String>();
                    format!(
                        "##### call {} to {}: {} kept\n{}\n--- tools ---\n{}\n--- grammar ---\n{}\n--- answer ({}) ---\n{}",
                        call.call,
                        call.role,
                        call.kept,
                        messages.join("\n"),
                        cut(tools),
                        cut(grammar),
                        call.outcome,
                        self.text(&call.reply)
                    )
                }
                Body::Stepped(step) => format!("##### reward {}: {}", step.reward, self.text(&step.observation)),
                Body::Note(note) => format!("##### note {}: {}", note.kind, self.text(&note.data)),
                Body::Rejected(refusal) => {
                    format!("##### refused {} | {}", self.text(&refusal.text), self.text(&refusal.message))
                }
                other => format!("##### {other:?}").chars().take(400).collect(),
            };
            out.push_str(&line);
            out.push('\n');
        }
        out
    }
}

/// A cell to play: an architecture in a form of answers.
#[derive(Clone, Debug)]
pub struct Cell {
    pub base: &'static str,
    pub settings: Value,
    pub protocol: &'static str,
    pub constrained: bool,
    /// The model of every role.
    pub player: &'static str,
}

/// The player that knows the environments of the project by their prompts.
pub const READER: &str = "reader/careful";

pub const PROTOCOLS: [&str; 3] = ["react-text", "native-tools", "json"];

impl Cell {
    /// A cell that the careful reader plays.
    pub fn new(base: &'static str, settings: Value, protocol: &'static str, constrained: bool) -> Self {
        Self { base, settings, protocol, constrained, player: READER }
    }

    pub fn name(&self) -> String {
        let mask = if self.constrained { "constrained" } else { "free" };
        format!("{} {} {} {mask}", self.base, self.settings, self.protocol)
    }

    /// The same architecture in all forms of answers.
    pub fn all(base: &'static str, settings: &Value) -> Vec<Self> {
        let mut cells = Vec::new();
        for protocol in PROTOCOLS {
            for constrained in [false, true] {
                cells.push(Self::new(base, settings.clone(), protocol, constrained));
            }
        }
        cells
    }

    pub async fn play(&self, environment: &dyn Catalogue, options: &Value, task: &TaskId, seed: u64) -> Played {
        self.play_as(READER, environment, options, task, seed).await
    }

    /// The same with another player.
    pub async fn play_as(
        &self,
        model: &str,
        environment: &dyn Catalogue,
        options: &Value,
        task: &TaskId,
        seed: u64,
    ) -> Played {
        let model = models().open(model).unwrap();
        let roles = BTreeMap::from([("default".to_owned(), self.role(model))]);
        self.play_with(&*self.architecture(), environment, options, (task, seed), roles).await
    }

    /// Plays trials of one session: the same task with the same seed.
    pub async fn trials(
        &self,
        environment: &dyn Catalogue,
        options: &Value,
        (task, seed): (&TaskId, u64),
        number: u32,
    ) -> Vec<Played> {
        let memory = Arc::new(SessionMemory::default());
        let architecture = self.architecture();
        let mut all = Vec::new();
        for trial in 0..number {
            let model = models().open(READER).unwrap();
            let roles = BTreeMap::from([("default".to_owned(), self.role(model))]);
            let setup = EpisodeSetup::new(Digest::of(b"reader"), task.clone(), seed, Arc::new(roles));
            let setup = EpisodeSetup { memory: Arc::clone(&memory), trial, ..setup };
            let recorder = Arc::new(MemoryRecorder::default());
            let outcome = play_episode(&*architecture, environment.open(options).unwrap(), setup, recorder.clone())
                .await
                .unwrap();
            all.push(Played { task: task.to_string(), outcome, recorded: recorder.recorded() });
        }
        all
    }

    /// The same under faults.
    pub async fn play_under(
        &self,
        model: &str,
        environment: &dyn Catalogue,
        options: &Value,
        place: (&TaskId, u64),
        faults: Faults,
    ) -> Played {
        self.play_roles(&[("default", model)], environment, options, place, faults).await
    }

    /// The same with a player for each role.
    pub async fn play_roles(
        &self,
        players: &[(&str, &str)],
        environment: &dyn Catalogue,
        options: &Value,
        place: (&TaskId, u64),
        faults: Faults,
    ) -> Played {
        let roles = players.iter().map(|(role, model)| ((*role).to_owned(), self.role(models().open(model).unwrap())));
        self.play_faulty(&*self.architecture(), environment, options, place, (roles.collect(), faults)).await
    }

    /// Plays as [`Cell::play`] does and keeps every request with its answer. With `spoilt`, the first answer of each role is
    /// replaced by one that nobody can use, so that requests to try again are among them.
    pub async fn requests(
        &self,
        environment: &dyn Catalogue,
        options: &Value,
        (task, seed): (&TaskId, u64),
        spoilt: bool,
    ) -> (Played, Vec<Asked>) {
        let architecture = self.architecture();
        self.requests_of(&*architecture, environment, options, (task, seed), spoilt).await
    }

    /// The same of any architecture, with the roles of this cell.
    pub async fn requests_of(
        &self,
        architecture: &dyn Architecture,
        environment: &dyn Catalogue,
        options: &Value,
        (task, seed): (&TaskId, u64),
        spoilt: bool,
    ) -> (Played, Vec<Asked>) {
        let book = Book::default();
        let roles = self.watched(architecture, environment, spoilt, &book);
        let played = self.play_with(architecture, environment, options, (task, seed), roles).await;
        let asked = book.lock().unwrap().clone();
        (played, asked)
    }

    /// Plays a session within these limits, under these faults, and keeps the requests of each trial. There is a second trial where the first
    /// one left something in the memory of the session.
    pub async fn session(
        &self,
        environment: &dyn Catalogue,
        options: &Value,
        (task, seed): (&TaskId, u64),
        (spoilt, limits, faults): (bool, Limits, &Faults),
    ) -> Vec<(Played, Vec<Asked>)> {
        let (architecture, book) = (self.architecture(), Book::default());
        let roles = Arc::new(self.watched(&*architecture, environment, spoilt, &book));
        let memory = Arc::new(SessionMemory::default());
        let mut trials = Vec::new();
        loop {
            let trial = trials.len() as u32;
            let setup = EpisodeSetup::new(Digest::of(b"reader"), task.clone(), seed, Arc::clone(&roles));
            let setup = EpisodeSetup { memory: Arc::clone(&memory), trial, limits, faults: faults.clone(), ..setup };
            let played = self.play_setup(&*architecture, environment, options, setup).await;
            let remembers = played.events().iter().any(|event| matches!(event.body, Body::Remembered(_)));
            trials.push((played, std::mem::take(&mut *book.lock().unwrap())));
            if trial > 0 || !remembers {
                return trials;
            }
        }
    }

    /// A player for each role that the architecture and the environment ask; the requests of all of them go into the book.
    fn watched(
        &self,
        architecture: &dyn Architecture,
        environment: &dyn Catalogue,
        spoilt: bool,
        book: &Book,
    ) -> BTreeMap<String, Role> {
        let own = environment.offers().asks;
        let mut names = architecture.needs().roles;
        names.extend(own.iter().cloned().chain(["default".to_owned()]));
        let watched = |name: String| {
            let inner = models().open(self.player).unwrap();
            let spoilt = Mutex::new(spoilt && !own.contains(&name));
            let model = Arc::new(Watched { role: name.clone(), inner, spoilt, book: Arc::clone(book) });
            (name, self.role(model))
        };
        names.into_iter().map(watched).collect()
    }

    pub fn architecture(&self) -> Arc<dyn Architecture> {
        architecture(self.base, &self.all_settings())
    }

    /// The settings, with the protocol.
    pub fn all_settings(&self) -> Value {
        let mut settings = self.settings.clone();
        settings["protocol"] = self.protocol.into();
        settings
    }

    fn role(&self, model: Arc<dyn ChatModel>) -> Role {
        let decoding = if self.constrained { Decoding::Constrained } else { Decoding::Free };
        let settings = RoleSettings {
            model: self.player.to_owned(),
            decoding,
            sampling: Sampling { max_output_tokens: 1024, ..Sampling::default() },
        };
        Role { settings: Arc::new(settings), model }
    }

    async fn play_with(
        &self,
        architecture: &dyn Architecture,
        environment: &dyn Catalogue,
        options: &Value,
        (task, seed): (&TaskId, u64),
        roles: BTreeMap<String, Role>,
    ) -> Played {
        self.play_faulty(architecture, environment, options, (task, seed), (roles, Faults::default())).await
    }

    async fn play_faulty(
        &self,
        architecture: &dyn Architecture,
        environment: &dyn Catalogue,
        options: &Value,
        (task, seed): (&TaskId, u64),
        (roles, faults): (BTreeMap<String, Role>, Faults),
    ) -> Played {
        let setup = EpisodeSetup::new(Digest::of(b"reader"), task.clone(), seed, Arc::new(roles));
        self.play_setup(architecture, environment, options, EpisodeSetup { faults, ..setup }).await
    }

    async fn play_setup(
        &self,
        architecture: &dyn Architecture,
        environment: &dyn Catalogue,
        options: &Value,
        setup: EpisodeSetup,
    ) -> Played {
        let task = setup.task.clone();
        let recorder = Arc::new(MemoryRecorder::default());
        let environment = environment.open(options).unwrap();
        let outcome = play_episode(architecture, environment, setup, recorder.clone()).await;
        let outcome = outcome.unwrap_or_else(|halt| panic!("{} on {task}: {halt:?}", self.name()));
        let recorded = recorder.recorded();
        assert!(recorded.calls.iter().all(|call| call.usage.source == UsageSource::Estimated));
        Played { task: task.to_string(), outcome, recorded }
    }
}

/// A request that was sent, and what was answered.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The role that was asked; `default` for one that neither the architecture nor the environment names.
    pub role: String,
    pub request: ChatRequest,
    pub answer: String,
    /// Whether there was no answer: `answer` says why.
    pub failed: bool,
}

/// Requests in the order in which they were sent.
type Book = Arc<Mutex<Vec<Asked>>>;

/// A model whose requests are kept.
struct Watched {
    role: String,
    inner: Arc<dyn ChatModel>,
    /// Whether the next answer is replaced by one that nobody can use.
    spoilt: Mutex<bool>,
    book: Book,
}

#[async_trait]
impl ChatModel for Watched {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let mut completion = match self.inner.complete(request, context).await {
            Ok(completion) => completion,
            Err(error) => {
                let answer = format!("({}: {})", error.kind.name(), error.message);
                self.book.lock().unwrap().push(Asked {
                    role: self.role.clone(),
                    request: request.clone(),
                    answer,
                    failed: true,
                });
                return Err(error);
            }
        };
        if std::mem::take(&mut *self.spoilt.lock().unwrap()) {
            completion = Completion {
                text: "I cannot tell what is wanted.".into(),
                calls: Vec::new(),
                finish: Finish::Stop,
                ..completion
            };
        }
        let calls: Vec<String> =
            completion.calls.iter().map(|call| format!("call {} {}", call.tool, call.arguments)).collect();
        let answer = format!("{}{}", completion.text, calls.join("\n"));
        self.book.lock().unwrap().push(Asked {
            role: self.role.clone(),
            request: request.clone(),
            answer,
            failed: false,
        });
        Ok(completion)
    }
}

/// What many episodes came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub episodes: usize,
    pub won: usize,
    pub rejected: u64,
    pub fallbacks: u64,
    pub lacks: usize,
    pub steps: u64,
}

impl Tally {
    pub fn add(&mut self, played: &Played) {
        self.episodes += 1;
        self.won += usize::from(played.won());
        self.rejected += played.outcome.rejected;
        self.fallbacks += played.outcome.fallbacks;
        let lacks = played.notes("prompt_lacks");
        if let Some(lack) = lacks.first().filter(|_| self.lacks == 0) {
            println!("{}: lacks {lack}", played.task);
        }
        self.lacks += lacks.len();
        self.steps += u64::from(played.outcome.steps);
    }

    /// Takes up another tally.
    pub fn extend(&mut self, other: &Self) {
        self.episodes += other.episodes;
        self.won += other.won;
        self.rejected += other.rejected;
        self.fallbacks += other.fallbacks;
        self.lacks += other.lacks;
        self.steps += other.steps;
    }

    pub fn rate(&self) -> f64 {
        self.won as f64 / self.episodes.max(1) as f64
    }

    pub fn line(&self) -> String {
        format!(
            "{}/{} won, {} steps, {} refused, {} fallbacks, {} lacks",
            self.won, self.episodes, self.steps, self.rejected, self.fallbacks, self.lacks
        )
    }
}

/// The first `count` tasks of a split.
pub fn tasks(environment: &dyn Catalogue, split: &str, options: &Value, count: usize) -> Vec<TaskId> {
    environment.tasks(split, options).unwrap().into_iter().take(count).collect()
}

/// One agent in one conversation.
pub fn solver() -> Value {
    serde_json::json!({ "persona": "solver", "conversation": "episode", "context": ["observation"] })
}

/// The controllers, each by name: base and settings.
pub fn controllers() -> Vec<(&'static str, &'static str, Value)> {
    use serde_json::json;
    vec![
        ("dag", "dag", json!({ "graph": "family" })),
        ("Gen-Cyc", "cyclic", json!({ "graph": "family" })),
        ("Spec-Cyc", "cyclic", json!({ "graph": "planner" })),
        ("Gen-Cyc specialist", "cyclic", json!({ "graph": "family", "exposure": "specialist" })),
        ("Spec-Cyc specialist", "cyclic", json!({ "graph": "planner", "exposure": "specialist" })),
    ]
}
