//! A corpus of answers, each played through the engine on the environment that it is an answer in.
//!
//! `corpus/*.yaml` hold groups of answers: written after the known habits of large models, or collected from embedded ones. Each
//! has the reading that it must have: the action that the environment takes, the use of a tool, a message, or nothing. With
//! `GIMBAL_CORPUS=count` the test prints the rates and asserts nothing: so the rate of another reader is found.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use common::{Canned, NoMemory, TestFiles, Workshop};
use gimbal_agent::protocol::ReplyContent;
use gimbal_agent::{Agent, Overrides, Persona, Protocol};
use gimbal_architectures::hierarchy::messages::{Finding, Suggestion};
use gimbal_core::stage::LaneId;
use gimbal_core::{
    Acted, Artefact, AskError, AskRequest, Block, Brief, Catalogue, Completion, Environment, EpisodeStopped, Memory,
    Rejection, Rng, RoleSettings, Stage, Stop, TaskId, ToolCall, ToolSpec, View,
};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

/// Answers that were given in the same place.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// Who wrote them: `written`, or the name of a model.
    from: String,
    environment: String,
    protocol: Protocol,
    /// The contract, where the answers are messages.
    #[serde(default)]
    contract: Option<String>,
    /// The task, where it is not the first.
    #[serde(default)]
    task: Option<String>,
    /// Commands that were given before.
    #[serde(default)]
    after: Vec<String>,
    answers: Vec<Entry>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    reads: String,
    text: String,
}

/// What an answer comes to that cannot be read.
const NOTHING: &str = "nothing";

fn corpus() -> Vec<(String, Group)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut groups = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "yaml")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let read: Vec<Group> = gimbal_core::yaml::read(&std::fs::read_to_string(path).unwrap(), &name).unwrap();
        groups.extend(read.into_iter().map(|group| (name.clone(), group)));
    }
    groups
}

/// An environment at the place where the answers of a group were given.
async fn opened(environment: &str, task: Option<&str>, after: &[String]) -> Box<dyn Environment> {
    let families: [(Box<dyn Catalogue>, Option<&str>); 5] = [
        (Box::new(gimbal_cage2::Cage2), None),
        (Box::new(gimbal_yawning_titan::YawningTitan), None),
        (Box::new(gimbal_textcraft::TextCraft), Some("cyan_banner")),
        (Box::new(gimbal_alfworld::Alfworld::default()), Some("generated/0")),
        (Box::new(gimbal_finance_agent::FinanceAgent), None),
    ];
    let (family, usual) = families.into_iter().find(|(family, _)| family.name() == environment).unwrap();
    let mut environment = family.open(&json!({})).unwrap();
    if family.name() != "finance_agent" {
        let task = match task.or(usual) {
            Some(task) => TaskId(task.to_owned()),
            None => family.tasks(family.splits()[0], &json!({})).unwrap().swap_remove(0),
        };
        environment.reset(&task, 1).await.unwrap();
    }
    for command in after {
        let call = environment.parse(command).unwrap();
        environment.call(&call).await.unwrap();
    }
    environment
}

/// A stage around one environment: it writes down what an answer comes to.
struct Bench {
    inner: Workshop,
    brief: Arc<Brief>,
    environment: Mutex<Box<dyn Environment>>,
    /// Whether calls are only read: what they need is not there.
    reads_only: bool,
    taken: Mutex<Vec<String>>,
}

impl Bench {
    fn of(environment: Box<dyn Environment>, reads_only: bool) -> Self {
        let brief = Arc::clone(environment.brief());
        let inner = Workshop::new([]);
        Self { inner, brief, environment: Mutex::new(environment), reads_only, taken: Mutex::default() }
    }

    fn open(&self) -> std::sync::MutexGuard<'_, Box<dyn Environment>> {
        self.environment.lock().unwrap()
    }

    fn take(&self, what: String) {
        self.taken.lock().unwrap().push(what);
    }
}

#[async_trait]
impl Stage for Bench {
    fn brief(&self) -> Arc<Brief> {
        Arc::clone(&self.brief)
    }
    fn tools(&self) -> Arc<[ToolSpec]> {
        Arc::clone(self.open().tools())
    }
    fn queries(&self) -> Arc<[ToolSpec]> {
        self.inner.queries()
    }
    fn role(&self, role: &str) -> Option<Arc<RoleSettings>> {
        self.inner.role(role)
    }
    async fn view(&self) -> View {
        View { brief: self.brief(), ..self.inner.view().await }
    }
    async fn choices(&self, _: &str, _: &str) -> Option<Vec<String>> {
        None
    }
    async fn legal(&self, cap: usize) -> Arc<[ToolCall]> {
        let mut calls = Vec::new();
        let environment = self.open();
        for tool in environment.tools().iter() {
            let required: Vec<&str> = tool.required().collect();
            match required.as_slice() {
                [] => calls.push(ToolCall::bare(&tool.name)),
                [one] => {
                    let choices = environment.choices(&tool.name, one).unwrap_or_default();
                    calls.extend(choices.iter().map(|choice| ToolCall::with(&tool.name, &[(one, choice)])));
                }
                _ => {}
            }
        }
        calls.truncate(cap);
        calls.into()
    }
    async fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        self.open().parse(text)
    }
    async fn render(&self, call: &ToolCall) -> String {
        self.open().render(call)
    }
    async fn context(&self, lane: LaneId, names: &[String]) -> Result<Vec<Block>, EpisodeStopped> {
        self.inner.context(lane, names).await
    }
    async fn ask(&self, lane: LaneId, role: &str, request: AskRequest) -> Result<Completion, AskError> {
        self.inner.ask(lane, role, request).await
    }
    async fn act(&self, _: LaneId, call: &ToolCall, _: Option<&str>) -> Result<Acted, EpisodeStopped> {
        if !self.reads_only {
            let mut fork = self.open().simulator().unwrap().fork(0);
            if let Err(rejection) = fork.call(call).await {
                return Ok(Acted::Rejected(rejection));
            }
        }
        let text = self.open().render(call);
        self.take(text);
        Err(EpisodeStopped::of(Stop::Horizon))
    }
    async fn reject(&self, _: LaneId, _: &Rejection, _: &str) -> Result<(), EpisodeStopped> {
        Ok(())
    }
    async fn fallback(&self, _: LaneId, _: &ToolCall, _: &str) {}
    async fn query(&self, _: LaneId, call: &ToolCall) -> Result<String, Rejection> {
        self.take(format!("use {} {}", call.tool, call.canonical_arguments()));
        Ok("seen".to_owned())
    }
    async fn send(&self, _: LaneId, _: &str, _: &str, _: &str, message: Value) -> Option<Value> {
        Some(message)
    }
    async fn route(&self, lane: LaneId, wanted: &str, names: &[String]) -> String {
        self.inner.route(lane, wanted, names).await
    }
    async fn note(&self, _: LaneId, _: &str, _: Value) {}
    fn lane(&self, _: &str) -> LaneId {
        LaneId::MAIN
    }
    async fn join(&self, _: &[LaneId]) {}
    fn artefact(&self, _: &str) -> Option<Arc<Artefact>> {
        None
    }
    fn memory(&self) -> &dyn Memory {
        &NoMemory
    }
    fn trial(&self) -> u32 {
        0
    }
    fn rng(&self, stream: &str) -> Rng {
        Rng::stream(1, stream)
    }
    async fn policy(&self, name: &str) -> Result<ToolCall, EpisodeStopped> {
        self.inner.policy(name).await
    }
}

/// An agent that acts, with one tool of its own.
fn agent(protocol: Protocol) -> Agent {
    let tools = "tools:\n  - { query: subject_state }";
    let files = TestFiles::with("personas/planner/core.yaml", "tools: []", tools);
    let overrides = Overrides { protocol: Some(protocol), ..Overrides::default() };
    Agent::new(Arc::new(Persona::load("planner", &files).unwrap()), "default", &overrides).unwrap()
}

/// What the engine makes of an answer: the first thing that follows from it.
async fn played(agent: &Agent, bench: &Bench, text: &str) -> String {
    bench.taken.lock().unwrap().clear();
    let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
    *bench.inner.replies.lock().unwrap() = [Canned::Says(text)].into();
    let session = agent.session(bench).await.unwrap();
    // It ends with the first action, or when the next reply is asked for.
    let _ = session.step(bench, LaneId::MAIN, &[]).await;
    bench.taken.lock().unwrap().first().cloned().unwrap_or_else(|| NOTHING.to_owned())
}

/// What is made of a message to another agent.
fn message(group: &Group, bench: &Bench, text: &str) -> String {
    let said = match group.protocol.read_message(text).content {
        ReplyContent::Answer(text) | ReplyContent::Raw(text) => text,
        ReplyContent::Use(used) => return format!("use {}", used.name),
    };
    let read = match group.contract.as_deref() {
        Some("suggestions") => Suggestion::read(&said).map(|(found, _)| {
            let shown = found.iter().map(|one| {
                let environment = bench.open();
                let action = environment.parse(&one.action).map(|call| environment.render(&call));
                format!("{} {}", action.unwrap_or_else(|_| "?".to_owned()), one.confidence)
            });
            shown.collect::<Vec<_>>()
        }),
        Some("analysis") => Finding::read(&said, &bench.brief).map(|(found, _)| {
            let shown = found.iter().map(|one| {
                let told = format!(
                    "{} {} {} {}",
                    one.subject,
                    one.status.name(),
                    one.severity.name(),
                    one.recommended_focus.name()
                );
                one.unread.iter().fold(told, |told, unread| format!("{told} [{unread}]"))
            });
            shown.collect::<Vec<_>>()
        }),
        other => panic!("no contract {other:?}"),
    };
    read.map_or_else(|| NOTHING.to_owned(), |read| read.join("; "))
}

async fn bench(group: &Group) -> Bench {
    let environment = opened(&group.environment, group.task.as_deref(), &group.after).await;
    Bench::of(environment, group.environment == "finance_agent")
}

// covers: BOG-032, BOG-041, BOG-042, BOG-065, BOG-070, BOG-074
#[tokio::test]
async fn every_answer_of_the_corpus_has_its_reading() {
    let counts_only = std::env::var("GIMBAL_CORPUS").is_ok_and(|mode| mode == "count");
    let (mut rates, mut wrong) = (BTreeMap::<String, (u32, u32)>::new(), Vec::new());
    for (file, group) in corpus() {
        let (agent, bench) = (agent(group.protocol), bench(&group).await);
        for entry in &group.answers {
            let read = match group.contract {
                Some(_) => message(&group, &bench, &entry.text),
                None => played(&agent, &bench, &entry.text).await,
            };
            let kind = group.contract.clone().unwrap_or_else(|| group.protocol.name().to_owned());
            for key in ["all".to_owned(), format!("{} {kind}", group.environment), format!("from {}", group.from)] {
                let (right, of) = rates.entry(key).or_default();
                *right += u32::from(read == entry.reads);
                *of += 1;
            }
            if read != entry.reads {
                wrong.push(format!("{file} {kind}: {:?}\n  reads {read}\n  not   {}", entry.text, entry.reads));
            }
        }
    }
    for (key, (right, of)) in &rates {
        println!("{key}: {right} of {of}");
    }
    if counts_only {
        println!("{}", wrong.join("\n"));
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rates["all"].1 >= 400, "{rates:?}");
}

/// What is written as the environment writes it is carried out as it is, whatever words its values hold.
// covers: BOG-032
#[tokio::test]
async fn a_legal_action_is_never_taken_back_by_its_own_words() {
    let mut tried = 0;
    for environment in ["cage2", "yawning_titan", "textcraft", "alfworld"] {
        let bench = Bench::of(opened(environment, None, &[]).await, true);
        for protocol in [Protocol::ReactText, Protocol::Json] {
            let agent = agent(protocol);
            for call in bench.legal(400).await.iter() {
                let written = bench.render(call).await;
                let read = played(&agent, &bench, &protocol.write("no, wait: never mind", call, &written)).await;
                assert_eq!(read, written);
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

/// Values of free text that hold the words by which actions are taken back.
#[test]
fn a_free_text_keeps_all_of_its_words() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let bench = Bench::of(runtime.block_on(opened("finance_agent", None, &[])), true);
    let agent = agent(Protocol::ReactText);
    let tools = [
        ("finance_agent_edgar_search", "query"),
        ("finance_agent_google_web_search", "search_query"),
        ("finance_agent_final_answer", "answer"),
    ];
    let part = prop::sample::select(vec![
        "cancelled",
        "(cancelled)",
        "- no, wait",
        "never mind",
        "not",
        "no",
        ". Ignore this",
        "sales",
        "Monitor",
        "; not now",
        " = ",
        "instead",
        "answer",
        "\u{2014} no",
        "?",
    ]);
    let config = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(which in 0..tools.len(), parts in prop::collection::vec(part, 1..6))| {
        let call = ToolCall::with(tools[which].0, &[(tools[which].1, &parts.join(" "))]);
        let read = runtime.block_on(async {
            let written = bench.render(&call).await;
            (played(&agent, &bench, &Protocol::ReactText.write("t", &call, &written)).await, written)
        });
        prop_assert_eq!(read.0, read.1);
    });
}

/// The words of an action, without what may be written around them.
fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    words.map(str::to_lowercase).filter(|word| !word.is_empty()).collect()
}

/// Names under which parameters and tools go without saying.
const UNSAID: [&str; 20] = [
    "hostname",
    "node",
    "edge",
    "command",
    "select_command",
    "explore",
    "manage_inventory",
    "manipulate_object",
    "crafting_command",
    "textcraft_select_command",
    "get",
    "craft",
    "inventory",
    "finance_agent_edgar_search",
    "finance_agent_google_web_search",
    "finance_agent_parse_html_page",
    "finance_agent_retrieve_information",
    "finance_agent_final_answer",
    "answer",
    "query",
];

/// Whether an action is in a text: the words of each value one behind the other, and all other words but for those that go
/// without saying. British and American spelling are one.
fn stands_in(action: &str, text: &str) -> bool {
    // Actions are shown with their line breaks and quotes escaped, and so are values in JSON.
    let plain = |text: &str| text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"");
    // `make_safe` is `MakeNodeSafe`.
    let spelt = |word: &String| word.replace("analyze", "analyse").replace('_', "").replace("node", "");
    let spelt_words = |text: &str| words_of(text).iter().map(spelt).filter(|word| !word.is_empty()).collect::<Vec<_>>();
    let action = plain(action);
    // `tool: text` is a call whose one argument is free.
    if let Some((_, free)) = action.split_once(": ").filter(|(tool, _)| UNSAID.contains(tool)) {
        let free = spelt_words(free);
        let holds = |there: Vec<String>| there.windows(free.len().max(1)).any(|found| found == free);
        return holds(spelt_words(text)) || holds(spelt_words(&plain(text)));
    }
    let (tool, values) = action.split_once(' ').unwrap_or((&action, ""));
    let value = |part: &str| match part.strip_suffix('=') {
        // The name of the next parameter follows the value.
        Some(part) => spelt_words(part.rsplit_once([',', ' ']).map_or("", |(value, _)| value)),
        None => spelt_words(part),
    };
    let values: Vec<Vec<String>> = values.split_inclusive('=').skip(1).map(value).collect();
    let said = |there: &[String]| {
        let follows = |value: &Vec<String>| value.is_empty() || there.windows(value.len()).any(|found| found == value);
        let known = UNSAID.contains(&tool.to_lowercase().as_str());
        (known || spelt_words(tool).iter().all(|word| there.contains(word))) && values.iter().all(follows)
    };
    // A command may be parted between members of an object: `{"tool": "go to", "input": "safe 1"}`.
    let parted = text.contains("\"input\"");
    let without_members = |words: Vec<String>| words.into_iter().filter(|word| word != "input").collect::<Vec<_>>();
    said(&spelt_words(text))
        || said(&spelt_words(&plain(text)))
        || parted && said(&without_members(spelt_words(&plain(text))))
}

/// A change that a text may suffer.
#[derive(Clone, Debug)]
enum Change {
    Cut(prop::sample::Index),
    Drop(prop::sample::Index, usize),
    Double(prop::sample::Index),
    Insert(prop::sample::Index, &'static str),
    With(prop::sample::Index),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let any = any::<prop::sample::Index>;
    let bits = prop::sample::select(vec![
        "\n",
        "\nAnswer: ",
        "Answer:",
        "\nThought: ",
        "\nTool: ",
        "\nPAUSE\n",
        "\nObservation: ",
        "```\n",
        "<think>",
        "</think>",
        "{",
        "}",
        "\"",
        " not ",
        " or ",
        "**",
        "(",
        ")",
        ": ",
        "Restore User1",
        "Monitor",
        "\u{a0}",
        "\u{202e}",
    ]);
    let change = prop_oneof![
        any().prop_map(Change::Cut),
        (any(), 1..12_usize).prop_map(|(at, length)| Change::Drop(at, length)),
        any().prop_map(Change::Double),
        (any(), bits).prop_map(|(at, bit)| Change::Insert(at, bit)),
        any().prop_map(Change::With),
    ];
    prop::collection::vec(change, 0..4)
}

fn changed(text: &str, changes: &[Change], all: &[&Entry]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for change in changes {
        let at = |index: &prop::sample::Index| index.index(letters.len() + 1);
        match change {
            Change::Cut(index) => letters.truncate(at(index)),
            Change::Drop(index, length) => {
                let from = at(index).min(letters.len());
                letters.drain(from..(from + length).min(letters.len()));
            }
            Change::Double(index) => {
                let tail: Vec<char> = letters[at(index).min(letters.len())..].to_vec();
                letters.extend(tail);
            }
            Change::Insert(index, bit) => {
                let from = at(index).min(letters.len());
                letters.splice(from..from, bit.chars());
            }
            Change::With(index) => {
                letters.push('\n');
                letters.extend(all[index.index(all.len())].text.chars());
            }
        }
    }
    letters.into_iter().collect()
}

/// What is taken of an answer was stated: all words of the action are there; and where two different answers are put one
/// behind the other, what comes out is one of the two, or nothing.
#[test]
fn an_action_that_was_not_stated_is_never_taken() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let groups: Vec<Group> =
        corpus().into_iter().map(|(_, group)| group).filter(|group| group.contract.is_none()).collect();
    let sessions: Vec<(Agent, Bench)> =
        groups.iter().map(|group| (agent(group.protocol), runtime.block_on(bench(group)))).collect();
    let config = ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() };
    let which = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), changes());
    proptest!(config, |((group, entry, changes) in which)| {
        let place = group.index(groups.len());
        let (group, (agent, bench)) = (&groups[place], &sessions[place]);
        let all: Vec<&Entry> = group.answers.iter().collect();
        let entry = all[entry.index(all.len())];
        let text = changed(&entry.text, &changes, &all);
        let read = runtime.block_on(played(agent, bench, &text));
        if read != NOTHING && !read.starts_with("use ") {
            prop_assert!(stands_in(&read, &text), "{read} of {text:?}");
        }
        // Of two answers, one behind the other, none becomes a third.
        if let [Change::With(other)] = changes.as_slice() && !read.starts_with("use ") {
            let other = all[other.index(all.len())];
            let one_of_both = [NOTHING, &entry.reads, &other.reads].contains(&read.as_str());
            prop_assert!(one_of_both, "{read}, not {} or {}, of {text:?}", entry.reads, other.reads);
        }
    });
}

/// Ways to talk about an answer without giving it.
fn quoted(text: &str, is_object: bool) -> Vec<String> {
    let mut quoted: Vec<String> = [("<think>", "</think>"), ("[THINK]", "[/THINK]"), ("<thoughts>", "</thoughts>")]
        .map(|(open, close)| format!("{open}\n{text}\n{close}\nI do not know."))
        .into();
    if is_object {
        let keys = ["rejected", "do_not", "last", "previous_action", "observation", "thought", "note", "example"];
        quoted.extend(keys.map(|key| format!("{{\"{key}\": {text}}}")));
        if !text.contains('\n') {
            quoted.push(format!("I considered {text} but it is not enough."));
            quoted.push(format!("In the last step I wrote {text} and it failed."));
        }
    }
    quoted
}

/// What is thought, quoted, rejected or past is not taken, for every answer of the corpus that is read as an action.
#[tokio::test]
async fn an_answer_that_is_only_spoken_of_is_never_taken() {
    let mut tried = 0;
    for (_, group) in corpus().into_iter().filter(|(_, group)| group.contract.is_none()) {
        let (agent, bench) = (agent(group.protocol), bench(&group).await);
        let marks = ["think", "thought>", "<|", "reasoning>", "reflection>", "scratchpad>"];
        for entry in group.answers.iter().filter(|entry| entry.reads != NOTHING && !entry.reads.starts_with("use ")) {
            if marks.iter().any(|mark| entry.text.to_lowercase().contains(mark)) && !entry.text.starts_with('{') {
                continue;
            }
            let is_object = serde_json::from_str::<Value>(&entry.text).is_ok_and(|value| value.is_object());
            for text in quoted(&entry.text, is_object) {
                tried += 1;
                assert_eq!(played(&agent, &bench, &text).await, NOTHING, "{text}");
            }
        }
    }
    assert!(tried > 800, "{tried}");
}
