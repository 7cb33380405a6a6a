//! Questions behind the seams of Gimbal: tools, tolerant text, observations, tracker, policies, forks.
//!
//! An episode is one question. Each call is one step, a tool's own error too; only what does not fit a tool's schema is
//! rejected. It ends with the final answer, or with its last call. The text of the last observation carries a
//! [`gimbal_messages::records::filings::EpisodeRecord`].

mod brief;
mod catalogue;
mod exam;
mod expert;
mod literals;
mod services;
mod session;
mod settings;
mod task;

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Ask, Brief, Digest, EnvError, Environment, Message, Milli, Observation, Rejection, RejectionKind, Reply, Rng,
    Speaker, TaskId, ToolCall, ToolSpec, Tracker, Transition,
};
use gimbal_messages::records::filings::{Judged, Source};
use serde_json::{Value, json};

pub use catalogue::FinanceAgent;
pub use settings::{EDITIONS, JudgeBy, Literals, ReadBy, SearchBy, Services, Settings};
pub use task::{Asked, question};

use crate::action;
use crate::binary;
use crate::html;
use crate::judge;
use crate::reader::{Reading, extract};
use crate::tools::template::{self, Piece};
use crate::tools::{Call, EdgarSearch, LAST_DAY, TOOLS, Version, specs, texts};
use crate::tracker::{SourceBelief, SourceTracker, TextStore};
use crate::wire::{self, Search};
use services::{Access, Failed};
use session::{Session, rows_data};

/// Built-in policies.
const POLICIES: [&str; 3] = ["expert", "random", "nothing"];

/// A question to a model that is open.
#[derive(Clone, Debug)]
enum Pending {
    /// Stored texts are read.
    Reading { reading: Reading, urls: Vec<String>, keys: Vec<String>, asked: u32 },
    /// An answer is judged.
    Judging { answer: String, sources: Vec<Source>, verdicts: Vec<Judged>, item: usize, repaired: bool },
}

/// One episode's environment.
#[derive(Clone, Debug)]
struct FinanceEnvironment {
    settings: Arc<Settings>,
    access: Arc<Access>,
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
    task: TaskId,
    asked: Arc<Asked>,
    session: Session,
    pending: Option<Pending>,
    failure: Option<Arc<EnvError>>,
    /// Texts of stored documents, for the tracker.
    shelf: TextStore,
    /// Spreads the waits for busy servers; nothing that is observed depends on it.
    waits: Rng,
}

impl FinanceEnvironment {
    fn new(settings: Settings) -> Result<Self, EnvError> {
        let access = Access::new(&settings)?;
        let tools = brief::FILE.described(specs(settings.texts))?;
        let nothing = Asked {
            text: String::new(),
            answer: String::new(),
            kind: crate::questions::Kind::QualitativeRetrieval,
            rubric: Vec::new(),
            gold: Vec::new(),
        };
        Ok(Self {
            brief: Arc::new(brief::of(&settings, "")?),
            settings: Arc::new(settings),
            access: Arc::new(access),
            tools,
            task: TaskId(String::new()),
            asked: Arc::new(nothing),
            session: Session { over: true, ..Session::default() },
            pending: None,
            failure: None,
            shelf: TextStore::default(),
            waits: Rng::stream(0, "waits"),
        })
    }

    /// Ends a step. The last one carries the record.
    fn step(&mut self, text: String, mut data: Value, given: Option<Given>) -> Reply {
        self.session.calls += 1;
        let (mut text, mut reward, mut done) = (text, Milli::ZERO, None);
        if let Some(given) = &given {
            done = Some(EnvironmentStop::Answered);
            reward = if given.passed { Milli(1000) } else { Milli::ZERO };
        } else if self.session.calls >= self.settings.max_calls {
            done = Some(EnvironmentStop::Horizon);
        }
        if done.is_some() {
            self.session.over = true;
            self.session.answered = given.is_some();
            let record = match given {
                Some(Given { answer, sources, verdicts, passed }) => {
                    self.session.record(&self.asked, Some((&answer, &sources)), verdicts, passed)
                }
                None => self.session.record(&self.asked, None, Vec::new(), false),
            };
            text = record.behind(&text);
            if let Some(map) = data.as_object_mut() {
                map.insert("record".to_owned(), serde_json::to_value(&record).unwrap_or_default());
            }
        }
        let observation = Observation { text, data: data.into() };
        Reply::Step(Transition { observation: observation.into(), reward, done })
    }

    /// A step whose tool replies with an error.
    fn said(&mut self, tool: &str, text: String) -> Reply {
        let data = json!({ "tool": tool, "error": text });
        self.step(text, data, None)
    }

    /// What a service that failed leads to.
    fn failed(&mut self, tool: &str, failed: Failed) -> Result<Reply, Rejection> {
        match failed {
            Failed::Said(text) => Ok(self.said(tool, text)),
            Failed::Service(error) => {
                let rejection = Rejection::new(RejectionKind::NotNow, "a service of the tools failed");
                self.failure = Some(Arc::new(error));
                Err(rejection)
            }
        }
    }

    async fn edgar(&mut self, search: EdgarSearch) -> Result<Reply, Rejection> {
        let tool = TOOLS[0];
        let (mut start, mut end) = (search.start_date, search.end_date);
        if self.settings.texts == Version::V11 {
            let from = start.unwrap_or_else(|| "1900-01-01".to_owned());
            let to = end.unwrap_or_else(|| LAST_DAY.to_owned());
            if let Some((name, day)) =
                [("start_date", &from), ("end_date", &to)].into_iter().find(|(_, day)| !texts::is_day(day))
            {
                return Ok(self.said(tool, texts::bad_day(name, day)));
            }
            let capped = |day: String| if day.as_str() > LAST_DAY { LAST_DAY.to_owned() } else { day };
            let (from, to) = (capped(from), capped(to));
            if from > to {
                return Ok(self.said(tool, texts::days_reversed(&from, &to)));
            }
            (start, end) = (Some(from), Some(to));
        }
        let wanted =
            Search { query: search.query, forms: search.form_types, ciks: search.ciks, start, end, page: search.page };
        let access = Arc::clone(&self.access);
        match access.filings(&wanted, &mut self.waits).await {
            Ok(mut rows) => {
                rows.truncate(search.top_n);
                self.session.show(&rows);
                let data = rows_data(tool, &rows);
                Ok(self.step(Value::Array(rows).to_string(), data, None))
            }
            Err(failed) => self.failed(tool, failed),
        }
    }

    async fn web(&mut self, query: &str) -> Result<Reply, Rejection> {
        let tool = TOOLS[1];
        let access = Arc::clone(&self.access);
        match access.web(query, &mut self.waits).await {
            Ok(rows) => {
                self.session.show(&rows);
                let data = rows_data(tool, &rows);
                let shown = if self.settings.texts == Version::V11 { wire::as_v11(&rows) } else { rows };
                Ok(self.step(Value::Array(shown).to_string(), data, None))
            }
            Err(failed) => self.failed(tool, failed),
        }
    }

    async fn parse_page(&mut self, url: &str, key: &str) -> Result<Reply, Rejection> {
        let tool = TOOLS[2];
        let access = Arc::clone(&self.access);
        let fetched = match access.page(url, &mut self.waits).await {
            Ok(fetched) => fetched,
            Err(failed) => return self.failed(tool, failed),
        };
        if let Some(what) = binary::kind(&fetched.bytes, fetched.content_type.as_deref()) {
            let error = texts::not_text(&fetched.url, what);
            let data = json!({ "tool": tool, "url": url, "key": key, "stored": false, "error": error });
            return Ok(self.step(error, data, None));
        }
        let decoded = html::decode(&fetched.bytes, fetched.content_type.as_deref());
        let text = html::text_of(&decoded.text);
        let mut data = json!({
            "tool": tool, "url": url, "key": key, "characters": text.chars().count(), "charset": decoded.charset,
            "cut": fetched.cut, "mended": decoded.mended, "stored": !text.is_empty(),
        });
        if text.is_empty() {
            data["error"] = json!(texts::empty_page(self.settings.texts));
            return Ok(self.step(texts::empty_page(self.settings.texts).to_owned(), data, None));
        }
        let overwrote = self.session.store.put(key, &text, url);
        let digest = Digest::of(text.as_bytes());
        self.shelf.put(digest, text.as_str().into());
        // A page that was reached by a redirect is opened under both addresses.
        self.session.trail.opened.insert(fetched.url);
        self.session.trail.open(key, url);
        data["overwrote"] = json!(overwrote);
        data["digest"] = json!(digest);
        let mut reply = texts::stored(key, &self.session.store, overwrote);
        if fetched.cut {
            reply.push_str(&texts::cut_note(self.settings.page_bytes));
        }
        Ok(self.step(reply, data, None))
    }

    fn retrieve(&mut self, prompt: &str, ranges: &template::Ranges) -> Reply {
        let tool = TOOLS[3];
        let pieces = match template::fill(prompt, ranges, &self.session.store, self.settings.texts) {
            Ok(pieces) => pieces,
            Err(text) => return self.said(tool, text),
        };
        let mut keys: Vec<String> = Vec::new();
        for piece in &pieces {
            if let Piece::Document { key, .. } = piece
                && !keys.contains(key)
            {
                keys.push(key.clone());
            }
        }
        let urls =
            keys.iter().filter_map(|key| self.session.store.get(key)).map(|document| document.url.clone()).collect();
        if self.settings.reader == ReadBy::Extract {
            let text = extract(&pieces);
            return self.read(text, keys, urls, 0, 0);
        }
        let reading = Reading::new(pieces, self.settings.chunk_tokens as usize);
        let ask = ask_reader(&reading);
        self.pending = Some(Pending::Reading { reading, urls, keys, asked: 1 });
        ask
    }

    /// The reader has replied.
    fn read(&mut self, text: String, keys: Vec<String>, urls: Vec<String>, asked: u32, unread: usize) -> Reply {
        self.session.trail.read.extend(urls);
        self.session.reply = Some(text.as_str().into());
        let data = json!({ "tool": TOOLS[3], "keys": keys, "calls": asked, "unread": unread });
        self.step(text, data, None)
    }

    fn final_answer(&mut self, answer: String, sources: Vec<Source>) -> Reply {
        if answer.trim().is_empty() {
            return self.said(TOOLS[4], texts::EMPTY_ANSWER.to_owned());
        }
        let verdicts: Vec<Judged> = judge::offline(&self.asked.text, &self.asked.rubric, &answer)
            .into_iter()
            .map(|verdict| Judged {
                operator: verdict.operator,
                criteria: verdict.criteria,
                offline: verdict.passed,
                why: verdict.why,
                model: None,
            })
            .collect();
        if self.settings.judge == JudgeBy::Offline {
            return self.judged(answer, sources, verdicts);
        }
        self.go_on_judging(answer, sources, verdicts, 0)
    }

    /// Puts the next item to the judge, or ends with the verdicts on all.
    fn go_on_judging(&mut self, answer: String, sources: Vec<Source>, verdicts: Vec<Judged>, item: usize) -> Reply {
        match self.ask_judge(&answer, item) {
            Some(ask) => {
                self.pending = Some(Pending::Judging { answer, sources, verdicts, item, repaired: false });
                ask
            }
            None => self.judged(answer, sources, verdicts),
        }
    }

    /// An item without a verdict of the model: where the offline judge decides, the item is left without one and counted;
    /// where the model decides, nobody can say how the episode ended, and that is not an outcome of the agent.
    fn unjudged(
        &mut self,
        answer: String,
        sources: Vec<Source>,
        verdicts: Vec<Judged>,
        item: usize,
        why: &str,
    ) -> Result<Reply, Rejection> {
        if self.settings.judge == JudgeBy::Model {
            let text = format!(
                "unjudged: {why} on item {} of {}; name another model for the role `judge`, or set `judge: both` or `offline`",
                item + 1,
                verdicts.len()
            );
            self.failure = Some(Arc::new(EnvError::Service(text)));
            return Err(Rejection::new(RejectionKind::NotNow, "the judge of the answer failed"));
        }
        Ok(self.go_on_judging(answer, sources, verdicts, item + 1))
    }

    fn ask_judge(&self, answer: &str, item: usize) -> Option<Reply> {
        let item = self.asked.rubric.get(item)?;
        Some(Reply::Ask(Ask {
            role: "judge".to_owned(),
            messages: judge::model::messages(&self.asked.text, item, answer),
            grammar: Some(judge::model::grammar()),
        }))
    }

    fn judged(&mut self, answer: String, sources: Vec<Source>, verdicts: Vec<Judged>) -> Reply {
        let passes = |judged: &Judged| match self.settings.judge {
            JudgeBy::Offline | JudgeBy::Both => judged.offline,
            JudgeBy::Model => judged.model == Some(true),
        };
        let passed = !verdicts.is_empty() && verdicts.iter().all(passes);
        let mut data = json!({ "tool": TOOLS[4], "answer": answer });
        if self.settings.judge != JudgeBy::Offline {
            data["unjudged"] = json!(verdicts.iter().filter(|judged| judged.model.is_none()).count());
        }
        self.step(texts::SUBMITTED.to_owned(), data, Some(Given { answer, sources, verdicts, passed }))
    }
}

/// A final answer with its verdicts.
struct Given {
    answer: String,
    sources: Vec<Source>,
    verdicts: Vec<Judged>,
    passed: bool,
}

fn ask_reader(reading: &Reading) -> Reply {
    let messages = vec![Message::new(Speaker::User, reading.question())];
    Reply::Ask(Ask { role: "reader".to_owned(), messages, grammar: None })
}

#[async_trait]
impl Environment for FinanceEnvironment {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }

    async fn reset(&mut self, task: &TaskId, seed: u64) -> Result<Observation, EnvError> {
        let corpus = self.access.loopback.as_ref().map(|loopback| Arc::clone(loopback.corpus()));
        let asked = task::find(task, &self.settings, corpus.as_deref())?;
        self.brief = Arc::new(brief::of(&self.settings, &asked.text)?);
        let data = json!({ "question": asked.text });
        let text = asked.text.clone();
        self.asked = Arc::new(asked);
        self.task = task.clone();
        self.session = Session::default();
        (self.pending, self.failure) = (None, None);
        self.shelf = TextStore::default();
        self.waits = Rng::stream(seed, "waits");
        Ok(Observation { text, data: data.into() })
    }

    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.tools
    }

    fn choices(&self, tool: &str, parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        if self.settings.literals == Literals::Open {
            return None;
        }
        let values = literals::of(tool, parameter, &self.asked, &self.session)?;
        Some(values.into_iter().map(Cow::Owned).collect())
    }

    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        let call = action::parse(text, &self.tools)?;
        Call::read(&call, self.settings.texts).map(|_| call)
    }

    fn render(&self, call: &ToolCall) -> String {
        action::render(call)
    }

    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        // A question that nobody answered is dropped: its call changed nothing.
        self.pending = None;
        if self.session.over {
            return Err(Rejection::new(
                RejectionKind::NotNow,
                "the episode is over: the answer was given, or the last call made",
            ));
        }
        match Call::read(call, self.settings.texts)? {
            Call::Edgar(search) => self.edgar(search).await,
            Call::Web { query } => self.web(&query).await,
            Call::Parse { url, key } => self.parse_page(&url, &key).await,
            Call::Retrieve { prompt, ranges } => Ok(self.retrieve(&prompt, &ranges)),
            Call::Answer { answer, sources } => Ok(self.final_answer(answer, sources)),
        }
    }

    async fn answer(&mut self, text: &str) -> Result<Reply, Rejection> {
        match self.pending.take() {
            None => Err(Rejection::new(RejectionKind::NotNow, "no question is open in this environment")),
            Some(Pending::Reading { mut reading, urls, keys, asked }) => match reading.answer(text) {
                Some(reply) => {
                    let unread = reading.unread();
                    Ok(self.read(reply, keys, urls, asked, unread))
                }
                None => {
                    let ask = ask_reader(&reading);
                    self.pending = Some(Pending::Reading { reading, urls, keys, asked: asked + 1 });
                    Ok(ask)
                }
            },
            Some(Pending::Judging { answer, sources, mut verdicts, item, repaired }) => {
                let said = judge::model::read(text);
                if let Some(judged) = verdicts.get_mut(item) {
                    judged.model = said;
                }
                if said.is_some() {
                    return Ok(self.go_on_judging(answer, sources, verdicts, item + 1));
                }
                match self.asked.rubric.get(item).filter(|_| !repaired) {
                    Some(asked) => {
                        let messages = judge::model::again(&self.asked.text, asked, &answer, text);
                        let grammar = Some(judge::model::grammar());
                        self.pending = Some(Pending::Judging { answer, sources, verdicts, item, repaired: true });
                        Ok(Reply::Ask(Ask { role: "judge".to_owned(), messages, grammar }))
                    }
                    None => self.unjudged(answer, sources, verdicts, item, "the judge said twice neither yes nor no"),
                }
            }
        }
    }

    async fn unanswered(&mut self, role: &str, why: &str) -> Result<Reply, Rejection> {
        match self.pending.take() {
            Some(Pending::Judging { answer, sources, verdicts, item, .. }) => {
                self.unjudged(answer, sources, verdicts, item, &format!("the judge gave no usable answer ({why})"))
            }
            _ => Err(Rejection::new(RejectionKind::NotNow, format!("the {role} gave no usable answer: {why}"))),
        }
    }

    fn failure(&self) -> Option<&EnvError> {
        self.failure.as_deref()
    }

    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(SourceTracker::new(SourceBelief::new(self.shelf.clone())))
    }

    fn state(&self) -> Digest {
        self.session.state(&self.task.0)
    }

    fn situation(&self) -> Digest {
        self.session.situation()
    }

    fn simulator(&self) -> Option<&dyn gimbal_core::Simulator> {
        Some(self)
    }

    fn expert(&self) -> Option<&dyn gimbal_core::Expert> {
        Some(self)
    }

    fn policies(&self) -> &[&'static str] {
        &POLICIES
    }

    fn decide(&mut self, policy: &str, draws: &mut Rng) -> Option<ToolCall> {
        match policy {
            "expert" => gimbal_core::Expert::next_call(self).or_else(|| Some(brief::idle())),
            "nothing" => Some(brief::idle()),
            "random" => Some(self.random(draws)),
            _ => None,
        }
    }
}

impl FinanceEnvironment {
    /// One of the legal calls with sensible values, each tool that has any equally likely.
    fn random(&self, draws: &mut Rng) -> ToolCall {
        let mut calls: Vec<Vec<ToolCall>> = Vec::new();
        for tool in self.tools.iter() {
            let mut partial = vec![ToolCall::bare(&tool.name)];
            for parameter in tool.required() {
                let values = literals::of(&tool.name, parameter, &self.asked, &self.session).unwrap_or_default();
                partial = partial
                    .iter()
                    .flat_map(|call| values.iter().map(move |value| (call, value)))
                    .map(|(call, value)| {
                        let mut call = call.clone();
                        call.arguments.insert(parameter.to_owned(), Value::from(value.as_str()));
                        call
                    })
                    .collect();
            }
            if !partial.is_empty() {
                calls.push(partial);
            }
        }
        let tool = draws.below(calls.len() as u64) as usize;
        calls.get(tool).and_then(|calls| draws.choose(calls).cloned()).unwrap_or_else(brief::idle)
    }
}

impl gimbal_core::Simulator for FinanceEnvironment {
    fn fork(&self, future: u64) -> Box<dyn Environment> {
        Box::new(Self { waits: Rng::stream(future, "waits"), ..self.clone() })
    }
}

impl gimbal_core::Expert for FinanceEnvironment {
    fn next_call(&self) -> Option<ToolCall> {
        expert::expert(&self.asked, &self.session, self.settings.max_calls, self.settings.texts)
    }
}
