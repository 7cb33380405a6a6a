//! A player of questions about filings: searches, stores, has read, and answers.
//!
//! It knows the addresses that its searches listed and the keys under which it stored texts. What the texts say it learns from
//! the reader's reply alone. It plays the role `reader` too, where the environment asks for one.

mod answer;
mod figures;
mod past;
mod question;

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use serde_json::{Map, Value, json};

use crate::control::{self, Office, Step, Work};
use crate::kit::{Act, Form, Own, Sheet, embedded};
use past::written;
use question::{Need, needs};

/// Whether the prompt mentions filings.
#[must_use]
pub fn knows(sheet: &Sheet<'_>) -> bool {
    let says =
        |text: &str| text.contains("finance_agent_") || text.contains("financial analyst") || text.contains("filings");
    says(&sheet.system)
        || sheet.page.tools.iter().any(|tool| says(&tool.name))
        || sheet.shown().any(says)
        || reads(sheet)
}

/// Whether the page is the question of an environment to a reader of stored texts: no system message, and a filing's words.
fn reads(sheet: &Sheet<'_>) -> bool {
    sheet.form == Form::Plain && sheet.system.is_empty() && !question::companies(sheet.first()).is_empty()
}

/// Answers a request.
#[must_use]
pub fn reply(sheet: &Sheet<'_>) -> Reply {
    if reads(sheet) {
        let text = sheet.first();
        let (question, texts) = text.split_once("\n\n").unwrap_or((text, ""));
        return sheet.say(&answer::answer(question, texts));
    }
    if sheet.asks_for(&["figure", "supported", "quotes"]) {
        return verify(sheet);
    }
    control::reply(sheet, &Analyst)
}

/// Says of each figure in doubt whether a passage holds it.
fn verify(sheet: &Sheet<'_>) -> Reply {
    let Some(request) = sheet.request(&["figures"]) else {
        sheet.miss(InformationKind::Goal, "a JSON object with the key `figures`");
        return sheet.message("nothing was shown", &json!({ "figures": [] }));
    };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let passages = request.get("passages").and_then(Value::as_array).cloned().unwrap_or_default();
    let figures = request.get("figures").and_then(Value::as_array).cloned().unwrap_or_default();
    let judged = figures.iter().map(|figure| {
        let name = figure.get("figure").map_or_else(|| text(figure), text);
        let bare = name.trim_matches(|letter: char| !letter.is_ascii_digit());
        let quote = passages.iter().find_map(|passage| {
            let body = passage.get("text").or(passage.get("passage")).and_then(Value::as_str)?;
            let line = body.lines().find(|line| !bare.is_empty() && line.contains(bare))?;
            Some(json!({ "key": passage.get("key").map(text).unwrap_or_default(), "quote": line }))
        });
        let how = if quote.is_some() { "it stands there" } else { "no passage states it" };
        json!({ "figure": name, "supported": quote.is_some(), "quotes": quote.into_iter().collect::<Vec<_>>(), "how": how })
    });
    sheet.message("by the passages", &json!({ "figures": judged.collect::<Vec<_>>() }))
}

struct Analyst;

/// The question: after the words that announce the task.
fn question(sheet: &Sheet<'_>) -> String {
    let lines = || sheet.system.lines().chain(sheet.first().lines());
    let told =
        lines().find(|line| !question::companies(line).is_empty() && line.contains('?') | line.contains("rank them"));
    let line = told.or_else(|| lines().find(|line| !question::companies(line).is_empty())).unwrap_or_default();
    let line = line.trim();
    // The announcement, such as `The task:`.
    let begin =
        line.find(": ").filter(|at| *at < 60 && line[..*at].to_lowercase().contains("task")).map_or(0, |at| at + 2);
    line[begin..].to_owned()
}

/// A document that a search listed.
#[derive(Clone, Debug)]
struct Row {
    url: String,
    form: String,
    kind: String,
    day: String,
    company: String,
}

/// What was done so far, from what the page shows.
#[derive(Debug, Default)]
struct ResearchState {
    rows: Vec<Row>,
    /// Queries of searches.
    searched: Vec<String>,
    /// Key and address of stored texts.
    stored: Vec<(String, String)>,
    /// Of those stored by earlier agents, the kind of source too: key, address, kind.
    held: Vec<(String, String, String)>,
    /// Addresses that could not be stored.
    lost: Vec<String>,
    /// What the reader said last.
    said: Option<String>,
}

/// Name and arguments of a call.
fn call(own: &Own) -> Option<(String, Map<String, Value>)> {
    match own {
        Own::Call(name, arguments) => Some((name.clone(), arguments.clone())),
        Own::Action(text) => written(text),
        Own::Use(..) | Own::Said(_) => None,
    }
}

/// How the blocks begin that may follow the latest result in a request.
const BLOCKS: [&str; 4] =
    ["\n\nSources so far:", "\n\nFound and not opened:", "\n\nStored documents:", "\n\nSteps so far:"];

impl ResearchState {
    fn read(sheet: &Sheet<'_>) -> Self {
        let mut state = Self::default();
        state.told(sheet);
        for turn in sheet.talk.iter().filter(|turn| !turn.refused) {
            if let Some((name, arguments)) = call(&turn.own) {
                state.hear(&name, &arguments, &turn.seen);
            }
        }
        state
    }

    /// What the page says of earlier subtasks: a status block and the calls of a segment.
    fn told(&mut self, sheet: &Sheet<'_>) {
        for value in embedded(sheet.first()) {
            self.take(&value);
        }
        self.recall(sheet.first());
        // The latest result is the reader's reply where it is neither a list nor about storing.
        let latest = sheet.first().rsplit_once("Result of the latest call:\n");
        let latest = latest.and_then(|(_, rest)| {
            let ends = BLOCKS.iter().filter_map(|heading| rest.find(heading));
            ends.min().or_else(|| rest.rfind("\n\n")).map(|end| rest[..end].trim())
        });
        let reply =
            latest.filter(|text| !text.is_empty() && !text.starts_with(['[', '{']) && !text.contains("SUCCESS:"));
        if let Some(reply) = reply.filter(|text| !text.starts_with("ERROR") && !self.held.is_empty()) {
            self.said = Some(reply.to_owned());
        }
    }

    fn take(&mut self, value: &Value) {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.take(item)),
            Value::Object(members) => {
                if let (Some(key), Some(url)) = (text(value, "key"), text(value, "url")) {
                    self.held.push((key.clone(), url.clone(), text(value, "source").unwrap_or_default()));
                    self.stored.push((key, url));
                } else if let (Some(name), Some(url)) = (text(value, "name"), text(value, "url")) {
                    // `10-K EX-21 Company (TICK) (CIK 1) 2025-02-20`; the form itself is of its own type.
                    let words: Vec<&str> = name.split_whitespace().collect();
                    let word = |at: usize| words.get(at).copied().unwrap_or_default().to_owned();
                    let (form, kind, day) = (word(0), word(1), word(words.len().saturating_sub(1)));
                    let kind = if kind.starts_with("EX-") { kind } else { form.clone() };
                    self.rows.push(Row { url, form, kind, day, company: name });
                }
                self.listed(value);
                let calls = members.get("segment").and_then(|segment| segment.get("calls")).and_then(Value::as_array);
                for item in calls.into_iter().flatten() {
                    let (Some(made), Some(result)) = (text(item, "call"), text(item, "result")) else { continue };
                    if let Some((name, arguments)) = written(&made) {
                        self.hear(&name, &arguments, &result);
                    }
                }
                // A reply that was handed on.
                let memory = members.get("memory").and_then(|memory| memory.get("facts")).and_then(Value::as_array);
                let parts: Vec<&str> = memory
                    .into_iter()
                    .flatten()
                    .filter_map(|fact| fact.as_str()?.strip_prefix(REPLY)?.split_once(": ").map(|(_, part)| part))
                    .collect();
                if !parts.is_empty() && self.said.is_none() {
                    self.said = Some(parts.join(" "));
                }
            }
            _ => {}
        }
    }

    fn hear(&mut self, name: &str, arguments: &Map<String, Value>, seen: &str) {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        if name.contains("search") {
            self.searched.push(mark(arguments));
            for found in embedded(seen) {
                found.as_array().into_iter().flatten().for_each(|row| self.listed(row));
            }
        } else if name.contains("parse") {
            if seen.contains("SUCCESS") {
                self.stored.push((text("key"), text("url")));
            } else {
                self.lost.push(text("url"));
            }
        } else if name.contains("retrieve") && !seen.contains("ERROR") {
            self.said = Some(seen.trim().to_owned());
        }
    }

    /// Takes in a row of a search.
    fn listed(&mut self, row: &Value) {
        let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let url = [text("filingUrl"), text("link")].into_iter().find(|url| !url.is_empty());
        if let Some(url) = url {
            let (form, kind) = (text("formType"), text("type"));
            self.rows.push(Row { url, form, kind, day: text("filedAt"), company: text("companyNameLong") });
        }
    }

    /// The key of a document that an earlier agent stored for a need: its list shows kind and address, and no day.
    fn kept(&self, need: &Need) -> Option<&String> {
        let kind = if need.kind.starts_with("EX") { "exhibit" } else { need.kind };
        let fits = |(_, url, source): &&(String, String, String)| {
            let file = url.rsplit('/').next().unwrap_or_default();
            source == kind && file.starts_with(&need.company.ticker.to_lowercase()) && file.contains(&need.mark)
        };
        self.held.iter().find(fits).map(|(key, ..)| key)
    }

    /// The listed document that meets a need; with `sure`, one whose address says so where that is to be expected.
    fn meets(&self, need: &Need, sure: bool) -> Option<&Row> {
        let fits = |row: &&Row| {
            row.company.contains(&need.company.ticker)
                && row.form.starts_with(need.form)
                && (row.kind.starts_with(need.kind) || row.kind.is_empty())
                && row.day.get(..10).is_none_or(|day| day >= need.days.0.as_str() && day <= need.days.1.as_str())
                && !self.lost.contains(&row.url)
        };
        let marked = |row: &&Row| row.url.rsplit('/').next().is_some_and(|file| file.contains(&need.mark));
        let found = self.rows.iter().filter(fits).find(marked);
        if sure { found } else { found.or_else(|| self.rows.iter().find(fits)) }
    }
}

/// Before each part of a reply that is handed on in the memory.
const REPLY: &str = "reply ";
/// Longest part, in characters, and how many there are at most.
const PART: (usize, usize) = (70, 4);

/// What distinguishes a search from another.
fn mark(arguments: &Map<String, Value>) -> String {
    crate::kit::spaced(&Value::Object(arguments.clone()))
}

/// A call in both forms.
fn act(name: &str, arguments: &[(&str, Value)]) -> Act {
    let listed: Vec<String> = arguments.iter().map(|(key, value)| format!("{key}={value}")).collect();
    Act::of(format!("{name} {}", listed.join(", ")), name, arguments)
}

/// The searches for a document, the most telling first.
fn searches(need: &Need) -> Vec<Act> {
    let name = format!("\"{}\"", need.company.name);
    let tool = "finance_agent_edgar_search";
    let narrow = |query: String| {
        let days = [("end_date", json!(need.days.1)), ("form_types", json!([need.form])), ("query", json!(query))];
        let [end, form, query] = days;
        act(tool, &[end, form, query, ("start_date", json!(need.days.0))])
    };
    let mut all = vec![narrow(format!("{name} {}", need.words)), narrow(name.clone())];
    for words in ["", " annual report", " guidance", " press release"] {
        all.push(act(tool, &[("query", json!(format!("{name}{words}")))]));
    }
    all
}

impl Analyst {
    fn next(sheet: &Sheet<'_>) -> (&'static str, String, Vec<Act>) {
        let asked = question(sheet);
        let needs = needs(&asked);
        if needs.is_empty() {
            sheet.miss(InformationKind::Goal, "a question that names a company with its ticker in brackets");
        }
        let state = ResearchState::read(sheet);
        // A mask without searches says that they belong to another subtask, and not that all were made.
        let subtask = sheet.request(&["subtask"]).map(|request| control::Subtask::of(&request));
        let elsewhere = subtask.is_some_and(|subtask| subtask.leaves(Analyst.tools("search")));
        let mut keys = Vec::new();
        for need in &needs {
            if let Some(key) = state.kept(need) {
                keys.push(key.clone());
                continue;
            }
            let mut found = state.meets(need, true);
            if found.is_none() {
                let new = |act: &Act| !state.searched.contains(&mark(&act.arguments));
                let all: Vec<Act> =
                    searches(need).into_iter().filter(new).filter(|act| elsewhere || sheet.allows(act)).collect();
                if !all.is_empty() {
                    let why = format!("the {} of {} is still to be found", need.kind, need.company.name);
                    return ("search", why, all);
                }
                found = state.meets(need, false);
            }
            let Some(row) = found else { continue };
            match state.stored.iter().find(|(_, url)| *url == row.url) {
                Some((key, _)) => keys.push(key.clone()),
                None => {
                    let names = [row.kind.as_str(), row.form.as_str(), "exhibit", "10-K", "8-K", "10-Q", "web page"];
                    let taken = |key: &String| state.stored.iter().any(|(known, _)| known == key);
                    let free = names.iter().map(|name| {
                        let number = |at: usize| {
                            if at == 1 { (*name).replace('.', " ") } else { format!("{} {at}", name.replace('.', " ")) }
                        };
                        (1..20).map(number).find(|key| !taken(key)).unwrap_or_default()
                    });
                    let store = |key: String| {
                        act("finance_agent_parse_html_page", &[("key", json!(key)), ("url", json!(row.url))])
                    };
                    return ("store", format!("{} meets the need", row.kind), free.map(store).collect());
                }
            }
        }
        match &state.said {
            Some(said) => {
                let url = |need: &Need| state.meets(need, false).map(|row| json!({ "url": row.url, "name": row.kind }));
                let sources: Vec<Value> = needs.iter().filter_map(url).collect();
                let tool = "finance_agent_final_answer";
                let answer = ("answer", json!(said));
                let all = vec![act(tool, &[answer.clone(), ("sources", json!(sources))]), act(tool, &[answer])];
                ("answer", "the reader's reply answers it".to_owned(), all)
            }
            None if keys.is_empty() => {
                let tool = "finance_agent_final_answer";
                let nothing = act(tool, &[("answer", json!("The documents do not tell."))]);
                ("answer", "nothing was found".to_owned(), vec![nothing])
            }
            None => {
                let mut prompt = asked.replace('{', "(").replace('}', ")");
                for key in &keys {
                    prompt.push_str(&format!("\n\n{{{{{key}}}}}"));
                }
                let ask = act("finance_agent_retrieve_information", &[("prompt", json!(prompt))]);
                ("read", "all that is needed is stored".to_owned(), vec![ask])
            }
        }
    }
}

impl Office for Analyst {
    fn step(&self, sheet: &Sheet<'_>) -> Step {
        let (kind, thought, acts) = Self::next(sheet);
        // A specialist has the tools of its subtask only.
        let known: Vec<String> = sheet.kinds().into_iter().map(|kind| kind.name).collect();
        let offered = |act: &Act| match sheet.form {
            Form::Native if !sheet.page.tools.is_empty() => sheet.tool(&act.tool).is_some(),
            _ => known.is_empty() || known.contains(&act.tool),
        };
        Step::act(kind, &thought, acts.into_iter().filter(offered).collect())
    }

    fn kinds(&self) -> &'static [(&'static str, &'static [&'static str])] {
        &[
            ("search", &["search", "find"]),
            ("store", &["store", "open", "parse", "read"]),
            ("read", &["extract", "retrieve", "ask the stored", "verify"]),
            ("answer", &["answer"]),
        ]
    }

    fn tools(&self, kind: &str) -> &'static [&'static str] {
        match kind {
            "search" => &["_search"],
            "store" => &["_parse_html_page"],
            "read" => &["_retrieve_information"],
            _ => &["_final_answer"],
        }
    }

    fn plan(&self) -> Vec<Work> {
        vec![
            Work::new(
                "SEARCH",
                "search",
                "Search the filings until a result fits the company, the period and the form of the question.",
            ),
            Work::new("STORE", "store", "Store the text of each document that fits under a key of its own."),
            Work::new("EXTRACT", "read", "Ask the stored documents the question, with the keys of all of them."),
            Work::new("ANSWER", "answer", "Give the final answer that the stored documents support, with its sources."),
        ]
    }

    fn facts(&self, sheet: &Sheet<'_>) -> Vec<String> {
        let said = ResearchState::read(sheet).said.unwrap_or_default();
        let mut parts: Vec<String> = Vec::new();
        for word in crate::kit::plain(&said, PART.0 * PART.1).split(' ').filter(|word| !word.is_empty()) {
            match parts.last_mut().filter(|part| part.len() + word.len() < PART.0) {
                Some(part) => part.push_str(&format!(" {word}")),
                None => parts.push(word.to_owned()),
            }
        }
        parts.truncate(PART.1);
        parts.iter().enumerate().map(|(at, part)| format!("{REPLY}{}: {part}", at + 1)).collect()
    }

    fn state(&self, sheet: &Sheet<'_>) -> String {
        let state = ResearchState::read(sheet);
        format!("Found: {} documents. Stored: {}.", state.rows.len(), state.stored.len())
    }
}
