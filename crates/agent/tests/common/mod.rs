//! A small stage with canned replies, and files from the project's own `personas/` with replacements.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gimbal_core::stage::LaneId;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Acted, Artefact, AskError, AskRequest, Block, Brief, Completion, Decoding, EpisodeStopped, FileError, Files,
    Finish, Memory, Milli, ModelError, ModelErrorKind, Observation, RecordKind, RecordKinds, Rejection, RejectionKind,
    RequestedCall, Rng, RoleSettings, Sampling, Stage, Stop, ToolCall, ToolSpec, Transition, Usage, UsageSource, View,
};
use serde_json::Value;

/// The project's files, some of them replaced.
#[derive(Clone, Default)]
pub struct TestFiles(pub BTreeMap<String, String>);

impl TestFiles {
    /// The shipped text of a file.
    pub fn shipped(path: &str) -> String {
        std::fs::read_to_string(root().join(path)).unwrap()
    }

    /// The shipped files with `old` replaced by `new` in one of them.
    pub fn with(path: &str, old: &str, new: &str) -> Self {
        let text = Self::shipped(path);
        assert!(text.contains(old), "{path} does not hold {old:?}");
        Self(BTreeMap::from([(path.to_owned(), text.replacen(old, new, 1))]))
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Files for TestFiles {
    fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError> {
        let text = self.0.get(path).cloned().or_else(|| std::fs::read_to_string(root().join(path)).ok());
        Ok(text.map(|text| (text, path.to_owned())))
    }

    fn list(&self, folder: &str) -> Vec<String> {
        fn walk(folder: PathBuf, name: &str, out: &mut Vec<String>) {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let name = format!("{name}/{}", entry.file_name().to_string_lossy());
                if entry.file_type().unwrap().is_dir() { walk(entry.path(), &name, out) } else { out.push(name) }
            }
        }
        let mut paths: Vec<String> = self.0.keys().filter(|path| path.starts_with(folder)).cloned().collect();
        walk(root().join(folder), folder, &mut paths);
        paths.sort();
        paths.dedup();
        paths
    }
}

/// What a canned model does when it is asked.
#[derive(Clone)]
pub enum Canned {
    Says(&'static str),
    Calls(&'static str, Vec<(&'static str, &'static str, Value)>),
    Fails(ModelErrorKind, &'static str),
}

#[derive(Default)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn get(&self, _: &str) -> Option<Value> {
        None
    }
    fn set(&self, _: &str, _: Value) {}
    fn keys(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The workshop of `gimbal_agent::sample`, with a stage around it that writes down what passes.
pub struct Workshop {
    pub brief: Arc<Brief>,
    pub decoding: Decoding,
    pub expert: Option<ToolCall>,
    pub horizon: u32,
    pub usage: Usage,
    pub replies: Mutex<VecDeque<Canned>>,
    pub requests: Mutex<Vec<AskRequest>>,
    /// Roles, one a request.
    pub asked: Mutex<Vec<String>>,
    pub log: Mutex<Vec<String>>,
    pub step: Mutex<u32>,
    pub tools: Arc<[ToolSpec]>,
    pub queries: Arc<[ToolSpec]>,
    pub memory: NoMemory,
    /// Kinds of record beside those of the engine.
    pub records: &'static [&'static [RecordKind]],
    /// Replies to queries, by name, in place of the workshop's own.
    pub told: BTreeMap<&'static str, String>,
    /// A contract whose messages are lost.
    pub loses: Mutex<Option<String>>,
    /// Where decisions are diverted to, one by one; an empty name diverts nothing.
    pub diverts: Mutex<VecDeque<&'static str>>,
    /// What is seen before the first call.
    pub seen: &'static str,
}

impl Workshop {
    pub fn new(replies: impl IntoIterator<Item = Canned>) -> Self {
        let machine: &[(&str, &str)] = &[("machine", "Name of the machine.")];
        Self {
            brief: Arc::new(gimbal_agent::sample::brief()),
            decoding: Decoding::Free,
            expert: None,
            horizon: 1,
            usage: Usage { input: 100, output: 10, source: UsageSource::Reported, ..Usage::default() },
            replies: Mutex::new(replies.into_iter().collect()),
            requests: Mutex::default(),
            asked: Mutex::default(),
            log: Mutex::default(),
            step: Mutex::new(1),
            tools: Arc::new([
                ToolSpec::of_strings("Wait", "Lets a step go by.", &[]),
                ToolSpec::of_strings("Oil", "Oils one machine.", machine),
            ]),
            queries: gimbal_agent::sample::queries(),
            memory: NoMemory,
            records: &[],
            told: BTreeMap::new(),
            loses: Mutex::default(),
            diverts: Mutex::default(),
            seen: "",
        }
    }

    fn write(&self, line: String) {
        self.log.lock().unwrap().push(line);
    }

    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// The conversation of the last request, speaker by speaker, without the system prompt.
    pub fn last_talk(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        let messages = &requests.last().unwrap().messages;
        messages.iter().skip(1).map(|message| format!("{}: {}", message.speaker.name(), message.text)).collect()
    }
}

#[async_trait]
impl Stage for Workshop {
    fn brief(&self) -> Arc<Brief> {
        Arc::clone(&self.brief)
    }
    fn tools(&self) -> Arc<[ToolSpec]> {
        Arc::clone(&self.tools)
    }
    fn queries(&self) -> Arc<[ToolSpec]> {
        Arc::clone(&self.queries)
    }
    fn role(&self, _: &str) -> Option<Arc<RoleSettings>> {
        let sampling = Sampling { max_output_tokens: 512, ..Sampling::default() };
        Some(Arc::new(RoleSettings { model: "canned".to_owned(), decoding: self.decoding, sampling }))
    }
    async fn view(&self) -> View {
        View {
            step: *self.step.lock().unwrap(),
            brief: self.brief(),
            observation: Arc::new(Observation { text: self.seen.to_owned(), ..Observation::default() }),
        }
    }
    async fn expert(&self) -> Option<ToolCall> {
        self.expert.clone()
    }
    async fn choices(&self, _: &str, _: &str) -> Option<Vec<String>> {
        None
    }
    async fn legal(&self, cap: usize) -> Arc<[ToolCall]> {
        let oils = self.brief.subjects.iter().map(|machine| ToolCall::with("Oil", &[("machine", machine)]));
        std::iter::once(ToolCall::bare("Wait")).chain(oils).take(cap).collect()
    }
    async fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        match text.split_once(" machine=") {
            None if text == "Wait" => Ok(ToolCall::bare("Wait")),
            Some(("Oil", machine)) => Ok(ToolCall::with("Oil", &[("machine", machine)])),
            _ => Err(Rejection::new(RejectionKind::Unreadable, "expected Wait or Oil machine=<name>")),
        }
    }
    async fn render(&self, call: &ToolCall) -> String {
        let arguments: String =
            call.arguments.iter().map(|(name, value)| format!(" {name}={}", value.as_str().unwrap_or("?"))).collect();
        format!("{}{arguments}", call.tool)
    }
    async fn context(&self, _: LaneId, names: &[String]) -> Result<Vec<Block>, EpisodeStopped> {
        let step = *self.step.lock().unwrap();
        let block = |name: &String| Block { name: name.clone(), text: format!("[{name} before step {step}]").into() };
        Ok(names.iter().map(block).collect())
    }
    async fn ask(&self, _: LaneId, role: &str, request: AskRequest) -> Result<Completion, AskError> {
        self.asked.lock().unwrap().push(role.to_owned());
        self.requests.lock().unwrap().push(request);
        let canned = self.replies.lock().unwrap().pop_front();
        let completion = |text: &str, calls: Vec<RequestedCall>| Completion {
            text: text.into(),
            finish: if calls.is_empty() { Finish::Stop } else { Finish::Calls },
            calls,
            usage: self.usage,
            reasoning: None,
            missed: Vec::new(),
            latency_us: 0,
            provider: gimbal_core::chat::ProviderFacts::default(),
        };
        match canned {
            Some(Canned::Says(text)) => Ok(completion(text, Vec::new())),
            Some(Canned::Calls(text, calls)) => {
                let calls = calls.into_iter().map(|(id, tool, arguments)| RequestedCall {
                    id: id.to_owned(),
                    tool: tool.to_owned(),
                    arguments,
                });
                Ok(completion(text, calls.collect()))
            }
            Some(Canned::Fails(kind, partial)) => {
                let mut error = ModelError::new(kind, kind.name());
                error.partial = Some(partial.into());
                Err(error.into())
            }
            None => Err(EpisodeStopped::of(Stop::ModelCallBudget).into()),
        }
    }
    async fn act(&self, _: LaneId, call: &ToolCall, justification: Option<&str>) -> Result<Acted, EpisodeStopped> {
        let text = self.render(call).await;
        match call.string("machine") {
            Some("lathe" | "press") => {}
            None if call.tool == "Wait" && call.arguments.is_empty() => {}
            _ => {
                self.write(format!("refused {text}"));
                return Ok(Acted::Rejected(Rejection::new(RejectionKind::BadValue, "machines: lathe, press")));
            }
        }
        self.write(format!("act {text} because {}", justification.unwrap_or("-")));
        let mut step = self.step.lock().unwrap();
        *step += 1;
        if *step > self.horizon {
            return Err(EpisodeStopped::of(Stop::Horizon));
        }
        let transition = Transition {
            observation: Arc::new(Observation::default()),
            reward: Milli::ZERO,
            done: None::<EnvironmentStop>,
        };
        Ok(Acted::Stepped(Arc::new(transition)))
    }
    async fn reject(&self, _: LaneId, rejection: &Rejection, text: &str) -> Result<(), EpisodeStopped> {
        self.write(format!("reject {} {text:?}", rejection.kind.name()));
        Ok(())
    }
    async fn fallback(&self, _: LaneId, call: &ToolCall, reason: &str) {
        self.write(format!("fallback {} {reason}", call.tool));
    }
    async fn query(&self, _: LaneId, call: &ToolCall) -> Result<String, Rejection> {
        self.write(format!("query {} {}", call.tool, call.canonical_arguments()));
        if let Some(reply) = self.told.get(call.tool.as_str()) {
            return Ok(reply.clone());
        }
        match call.string("subject") {
            Some("lathe") => Ok(r#"{"oil": "low"}"#.to_owned()),
            _ => Err(Rejection::new(RejectionKind::BadValue, "no such machine")),
        }
    }
    async fn send(&self, _: LaneId, from: &str, to: &str, contract: &str, message: Value) -> Option<Value> {
        if self.loses.lock().unwrap().as_deref() == Some(contract) {
            self.write(format!("lost {contract}"));
            return None;
        }
        self.write(format!("sent {contract} {from}->{to} {message}"));
        Some(message)
    }
    async fn route(&self, _: LaneId, wanted: &str, _: &[String]) -> String {
        match self.diverts.lock().unwrap().pop_front() {
            Some(to) if !to.is_empty() => to.to_owned(),
            _ => wanted.to_owned(),
        }
    }
    async fn note(&self, _: LaneId, kind: &str, data: Value) {
        let own = self.records.iter().copied().flatten().copied();
        let kinds = RecordKinds::new(gimbal_messages::records::engine::KINDS.iter().copied().chain(own));
        assert!(kinds.get(kind).is_some(), "{kind} is not registered");
        assert_eq!(kinds.check(kind, &data.to_string()), Ok(()));
        self.write(format!("note {kind} {data}"));
    }
    fn lane(&self, _: &str) -> LaneId {
        LaneId::MAIN
    }
    async fn join(&self, _: &[LaneId]) {}
    fn artefact(&self, _: &str) -> Option<Arc<Artefact>> {
        None
    }
    fn memory(&self) -> &dyn Memory {
        &self.memory
    }
    fn trial(&self) -> u32 {
        0
    }
    fn rng(&self, stream: &str) -> Rng {
        Rng::stream(1, stream)
    }
    async fn policy(&self, name: &str) -> Result<ToolCall, EpisodeStopped> {
        match name {
            "wait" => Ok(ToolCall::bare("Wait")),
            "broken" => Ok(ToolCall::bare("Jump")),
            _ => Err(EpisodeStopped::infrastructure("no such policy")),
        }
    }
}
