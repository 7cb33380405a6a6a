//! What all readers share: a page, read as its text says it, and a writer of answers in the form that the page asks for.
//!
//! [`Sheet::read`] splits a [`Page`]: the form of answers (lines of text, native calls, JSON), the parts between tags, the
//! kinds of action that the prompt describes, the calls that it lists as possible, and the conversation so far. The writer
//! gives an answer back in that form and keeps to the grammar, where one is demanded. A grammar decides which of several
//! answers is written; it is never read as a source of facts, so that a reader knows the same with and without it.

mod json;
mod offers;
mod past;
mod sections;
mod talk;
mod write;

use std::cell::RefCell;

use gimbal_core::chat::{InformationKind, Missed};
use gimbal_core::{Speaker, ToolSpec};
use gimbal_model::Page;
use serde_json::{Map, Value};

pub use json::{embedded, plain, spaced};
pub use offers::{ActionKind, Choice, Usage};
pub use past::{PastStep, past_steps};
pub use sections::{between, sections, without};
pub use talk::{Own, Turn};
pub use write::{Act, Input};

/// The form in which a page wants its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `Thought:`, `Tool:`, `PAUSE`, `Answer:`.
    Lines,
    /// Native tool calls.
    Native,
    /// One JSON object.
    Json,
    /// No form at all: the bare answer.
    Plain,
}

/// A page, read.
#[derive(Debug)]
pub struct Sheet<'a> {
    /// The page.
    pub page: Page<'a>,
    /// The system messages as one text.
    pub system: String,
    /// How the answer is written.
    pub form: Form,
    /// Whether the answer is a message to another agent and no action.
    pub adviser: bool,
    /// The conversation after the first user message: what this agent wrote, and what it was shown then.
    pub talk: Vec<Turn>,
    missed: RefCell<Vec<Missed>>,
}

impl<'a> Sheet<'a> {
    /// Reads a page.
    #[must_use]
    pub fn read(page: &Page<'a>) -> Self {
        let said = |speaker: Speaker| page.messages.iter().filter(move |message| message.speaker == speaker);
        let system = said(Speaker::System).map(|message| &*message.text).collect::<Vec<_>>().join("\n\n");
        let (form, adviser) = form_of(&system, !page.tools.is_empty());
        let talk = talk::of(page.messages);
        Self { page: *page, system, form, adviser, talk, missed: RefCell::default() }
    }

    /// Notes something that the page lacks. Every answer of this sheet carries it.
    pub fn miss(&self, lack: InformationKind, words: impl Into<String>) {
        let missed = Missed { lack, words: words.into() };
        let mut all = self.missed.borrow_mut();
        if !all.contains(&missed) {
            all.push(missed);
        }
    }

    /// What was missed so far.
    #[must_use]
    pub fn missed(&self) -> Vec<Missed> {
        self.missed.borrow().clone()
    }

    /// Texts of the user's messages and of tool results, in order.
    pub fn shown(&self) -> impl DoubleEndedIterator<Item = &'a str> {
        let messages = self.page.messages;
        messages
            .iter()
            .filter(|message| matches!(message.speaker, Speaker::User | Speaker::Tool))
            .map(|message| &*message.text)
    }

    /// The first user message: what the agent is asked.
    #[must_use]
    pub fn first(&self) -> &'a str {
        self.shown().next().unwrap_or_default()
    }

    /// The part between these tags: the latest in what was shown, else that of the system message.
    #[must_use]
    pub fn section(&self, tag: &str) -> Option<&str> {
        self.shown().rev().find_map(|text| between(text, tag)).or_else(|| between(&self.system, tag))
    }

    /// A JSON object between tags in the first user message that has these keys.
    #[must_use]
    pub fn request(&self, keys: &[&str]) -> Option<Map<String, Value>> {
        let object = |value: Value| match value {
            Value::Object(map) if keys.iter().all(|key| map.contains_key(*key)) => Some(map),
            _ => None,
        };
        // Only what names the keys is read: most messages are others.
        let names = |text: &str| keys.iter().all(|key| text.contains(key));
        let first = self.first();
        if !names(first) {
            return None;
        }
        let bodies = sections(first).into_iter().filter(|(_, body)| names(body));
        let mut found = bodies.filter_map(|(_, body)| object(serde_json::from_str(body.trim()).ok()?));
        found.next().or_else(|| json::embedded(first).find_map(object))
    }

    /// Whether the answer is to be JSON with these keys: each is named in quotation marks in the system message.
    #[must_use]
    pub fn asks_for(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.system.contains(&format!("\"{key}\"")))
    }

    /// A native tool of this name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&'a ToolSpec> {
        self.page.tools.iter().find(|tool| tool.name == name)
    }

    /// Whether a tool of this name is offered, natively or between `<tools>` tags.
    #[must_use]
    pub fn has_tool(&self, name: &str) -> bool {
        self.tool(name).is_some()
            || between(&self.system, "tools").is_some_and(|tools| tools.lines().any(|line| line.trim() == name))
    }
}

/// How a message to another agent begins beside native calls.
const MESSAGE: &str = "{\"reasoning\"";

/// The form that a system message asks for, and whether the answer is a message.
fn form_of(system: &str, native: bool) -> (Form, bool) {
    let line = |start: &str| system.lines().any(|line| line.trim_start().starts_with(start));
    let form = if line("Answer:") {
        Form::Lines
    } else if system.contains("{\"thought\"") {
        Form::Json
    } else if native
        || system.contains("`reasoning`")
        || system.contains(MESSAGE)
        || system.contains("tools that are offered to you")
    {
        Form::Native
    } else {
        Form::Plain
    };
    let adviser = match form {
        Form::Lines => {
            ["must be a JSON", "must be one JSON", "must be JSON"].iter().any(|words| system.contains(words))
        }
        Form::Json => !system.contains("\"action\":"),
        // An actor answers with a call and nothing else.
        Form::Native => !native || system.contains(MESSAGE),
        Form::Plain => true,
    };
    (form, adviser)
}
