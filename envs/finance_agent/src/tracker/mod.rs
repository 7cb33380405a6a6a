//! A deterministic belief state of the sources, built from the agent's own observations and calls only (BOG-080).
//!
//! Its subjects are the kinds of source: what was found of each, what is stored, what was read. It renders three blocks
//! and answers five read-only queries; it never says what to do. Texts of stored documents are looked up by the hash
//! that the observation names.

mod passages;
mod query;
pub mod words;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{Digest, Observation, Rejection, Stepped, ToolCall, ToolSpec};
use gimbal_env_kit::{Belief, BeliefTracker, Logged, StepKind, json};
use serde_json::Value;

use crate::action;
use crate::tools::{FINAL_ANSWER, PARSE_PAGE, RETRIEVE};

/// The kinds of source, as the brief names them.
pub const KINDS: [&str; 5] = ["10-K", "10-Q", "8-K", "exhibit", "web page"];

/// Found sources that the status lists at most.
const MOST_FOUND: usize = 20;
/// Characters of a call that the log keeps.
const MOST_ACTION: usize = 300;

/// Texts by their hash, shared by an environment and its trackers.
#[derive(Clone, Debug, Default)]
pub struct TextStore(Arc<Mutex<BTreeMap<Digest, Arc<str>>>>);

impl TextStore {
    /// Puts a text on the shelf.
    pub fn put(&self, digest: Digest, text: Arc<str>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(digest, text);
    }

    /// The text of a hash.
    #[must_use]
    pub fn get(&self, digest: &Digest) -> Option<Arc<str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(digest).cloned()
    }
}

/// A source that a search showed.
#[derive(Clone, Debug)]
struct Found {
    url: String,
    kind: String,
    what: String,
}

/// A stored document.
#[derive(Clone, Debug)]
struct Stored {
    key: String,
    url: String,
    kind: String,
    /// What the search that found it said of it: form, company and day of a filing, title of a page; empty where none did.
    what: String,
    characters: u64,
    digest: Option<Digest>,
    read: bool,
}

/// The tracker of one episode.
pub type SourceTracker = BeliefTracker<SourceBelief>;

/// What is known of the sources of one episode.
#[derive(Clone, Debug, Default)]
pub struct SourceBelief {
    found: Vec<Found>,
    stored: Vec<Stored>,
    shelf: TextStore,
}

/// How far the work on a kind of source has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Baseline,
    Found,
    Stored,
    Read,
}

impl Status {
    const fn text(self) -> &'static str {
        match self {
            Self::Baseline => words::BASELINE,
            Self::Found => words::FOUND,
            Self::Stored => words::STORED,
            Self::Read => words::READ,
        }
    }
}

impl SourceBelief {
    /// A belief state that knows of nothing; texts are looked up on the shelf.
    #[must_use]
    pub fn new(shelf: TextStore) -> Self {
        Self { shelf, ..Self::default() }
    }

    fn status_of(&self, kind: &str) -> Status {
        let stored = self.stored.iter().filter(|stored| stored.kind == kind);
        let of_stored = stored.map(|stored| if stored.read { Status::Read } else { Status::Stored }).max();
        let of_found = self.found.iter().any(|found| found.kind == kind).then_some(Status::Found);
        of_stored.or(of_found).unwrap_or(Status::Baseline)
    }

    /// The stored documents with their texts.
    fn texts(&self) -> impl Iterator<Item = (&str, Arc<str>)> {
        self.stored.iter().filter_map(|stored| Some((stored.key.as_str(), self.shelf.get(&stored.digest?)?)))
    }

    /// Takes in what a call led to.
    fn observe(&mut self, data: &Value) {
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        for row in data.get("results").and_then(Value::as_array).into_iter().flatten() {
            let url = text(row, "url");
            if url.is_empty() || self.found.iter().any(|found| found.url == url) {
                continue;
            }
            let what = match row.get("company") {
                Some(_) => {
                    let (form, of) = (text(row, "form"), text(row, "type"));
                    // An exhibit is of another type than the form that it belongs to.
                    let of = Some(of).filter(|of| *of != form).map(|of| format!(" {of}")).unwrap_or_default();
                    format!("{form}{of} {} {}", text(row, "company"), text(row, "filed"))
                }
                None => text(row, "title"),
            };
            self.found.push(Found { url, kind: text(row, "kind"), what });
        }
        let tool = text(data, "tool");
        if tool == PARSE_PAGE && data.get("stored") == Some(&Value::Bool(true)) {
            let (key, url) = (text(data, "key"), text(data, "url"));
            let found = self.found.iter().find(|found| found.url == url);
            let stored = Stored {
                kind: found.map_or("web page", |found| found.kind.as_str()).to_owned(),
                what: found.map(|found| found.what.clone()).unwrap_or_default(),
                characters: data.get("characters").and_then(Value::as_u64).unwrap_or_default(),
                digest: text(data, "digest").parse().ok(),
                read: false,
                key,
                url,
            };
            match self.stored.iter_mut().find(|known| known.key == stored.key) {
                Some(known) => *known = stored,
                None => self.stored.push(stored),
            }
        }
        if tool == RETRIEVE {
            let keys: Vec<&str> =
                data.get("keys").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
            for stored in self.stored.iter_mut().filter(|stored| keys.contains(&stored.key.as_str())) {
                stored.read = true;
            }
        }
    }

    fn list_stored(&self, out: &mut String) {
        if self.stored.is_empty() {
            return;
        }
        out.push('\n');
        json::objects(out, words::STORED_DOCUMENTS, &self.stored, |out, stored| {
            json::member(out, words::KEY, &stored.key);
            json::member(out, words::SOURCE, &stored.kind);
            if !stored.what.is_empty() {
                json::member(out, words::NAME, &stored.what);
            }
            json::member(out, words::CHARACTERS, &stored.characters.to_string());
            json::member(out, words::CURRENT_STATUS, if stored.read { words::READ } else { words::STORED });
            json::member(out, words::ADDRESS, &stored.url);
        });
    }

    fn list_found(&self, out: &mut String) {
        let opened = |found: &&Found| !self.stored.iter().any(|stored| stored.url == found.url);
        let waiting: Vec<&Found> = self.found.iter().filter(opened).collect();
        if waiting.is_empty() {
            return;
        }
        out.push('\n');
        // The latest are the likeliest to matter.
        let first = waiting.len().saturating_sub(MOST_FOUND);
        json::objects(out, words::FOUND_SOURCES, waiting.into_iter().skip(first), |out, found| {
            json::member(out, words::SOURCE, &found.kind);
            json::member(out, words::NAME, &found.what);
            json::member(out, words::ADDRESS, &found.url);
        });
    }
}

/// The queries that it answers.
pub(crate) fn queries() -> &'static [ToolSpec] {
    query::specs()
}

impl Belief for SourceBelief {
    const OBSERVATION: &'static str = words::OBSERVATION;
    const NO_OBSERVATION: &'static str = "";

    fn begin(&mut self, _first: &Observation) {
        *self = Self::new(self.shelf.clone());
    }

    fn update<'a>(&mut self, step: Stepped<'a>) -> Logged<'a> {
        let Stepped { call, observation, .. } = step;
        let before = KINDS.map(|kind| self.status_of(kind));
        let data = observation.data.glance();
        self.observe(&data);
        let mut updates: Vec<(String, &'static str)> = KINDS
            .into_iter()
            .zip(before)
            .map(|(kind, before)| (kind, before, self.status_of(kind)))
            .filter(|(_, before, now)| now != before)
            .map(|(kind, _, now)| (kind.to_owned(), now.text()))
            .collect();
        if data.get("error").is_some() {
            updates.push((words::TOOL.to_owned(), words::FAILED));
        }
        let mut action = action::render(call);
        if let Some((end, _)) = action.char_indices().nth(MOST_ACTION).filter(|_| call.tool != FINAL_ANSWER) {
            action.truncate(end);
            action.push('…');
        }
        Logged { action: action.into(), kind: StepKind::Act, updates }
    }

    fn status(&self, _now: u32) -> String {
        let mut out = String::new();
        let kinds = KINDS.into_iter().filter(|kind| self.status_of(kind) != Status::Baseline);
        let any = json::objects(&mut out, words::STATUS, kinds, |out, kind| {
            json::member(out, words::SOURCE, kind);
            json::member(out, words::CURRENT_STATUS, self.status_of(kind).text());
        });
        if !any {
            return words::ALL_BASELINE.to_owned();
        }
        self.list_stored(&mut out);
        self.list_found(&mut out);
        out
    }

    fn queries(&self) -> &[ToolSpec] {
        query::specs()
    }

    fn query(&self, _now: u32, call: &ToolCall) -> Result<String, Rejection> {
        query::answer(self, call)
    }
}
