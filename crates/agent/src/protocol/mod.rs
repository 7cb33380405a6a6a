//! Protocols: how a reply of a model is read, and how an answer is written.

use gimbal_core::{RequestedCall, ToolCall};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::reading::undecorated;
use gimbal_messages::Tier;
use gimbal_messages::records::engine::ReadingMark;

pub(crate) mod action;
mod followed;
pub mod grammar;
pub mod json;
mod missing;
pub mod numbers;
pub(crate) mod open;
pub mod react_text;

/// How an agent answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Lines of text: `Thought:`, `Tool: name: input`, `PAUSE`, `Answer:` (BOG-041).
    #[default]
    ReactText,
    /// The provider's own tool calls; actions of the environment are tools.
    NativeTools,
    /// One JSON object a message.
    Json,
}

impl Protocol {
    /// The name that personas and tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReactText => "react-text",
            Self::NativeTools => "native-tools",
            Self::Json => "json",
        }
    }

    /// Reads the text of a reply that should hold an action or the use of a tool. Pure, total, linear in the length of the
    /// text.
    #[must_use]
    pub fn read(self, text: &str) -> Reply {
        self.read_as(text, Expects::Action)
    }

    /// As [`Protocol::read`], of a reply that should hold a message to another agent or the use of a tool.
    #[must_use]
    pub fn read_message(self, text: &str) -> Reply {
        self.read_as(text, Expects::Message)
    }

    fn read_as(self, text: &str, expects: Expects) -> Reply {
        match self {
            Self::ReactText => react_text::read(text, expects),
            Self::NativeTools | Self::Json => json::read(text, expects, react_text::read),
        }
    }

    /// What is missing in a text that was read as [`ReplyContent::Raw`], in words for the model that wrote it. `tools`: whether it may
    /// use a tool instead.
    #[must_use]
    pub fn missing(self, text: &str, tools: bool) -> &'static str {
        match (self, tools) {
            (Self::ReactText, _) => missing::missing(text, tools),
            (Self::NativeTools | Self::Json, _) if json::answers_twice(text) => {
                "your message holds two answers that differ; write one JSON object with one answer"
            }
            (Self::NativeTools, _) => "your message calls no tool; make exactly one call",
            (Self::Json, false) => "your message is not one JSON object with the keys \"thought\" and \"action\"",
            (Self::Json, true) => {
                "your message is not one JSON object of the two forms: with \"thought\" and \"action\" to answer, or with \
                 \"thought\", \"tool\" and \"input\" to use a tool"
            }
        }
    }

    /// Writes an answer as a model should: the inverse of [`Protocol::read`]. `text` is the action as its environment
    /// writes it.
    #[must_use]
    pub fn write(self, thought: &str, call: &ToolCall, text: &str) -> String {
        match self {
            Self::ReactText => format!("Thought: {thought}\nAnswer: {text}"),
            Self::Json => serde_json::json!({ "thought": thought, "action": text }).to_string(),
            Self::NativeTools => {
                serde_json::json!({ "reasoning": thought, "tool": call.tool, "arguments": call.arguments }).to_string()
            }
        }
    }

    /// Writes an adviser's message as a model should.
    #[must_use]
    pub fn write_message(self, thought: &str, message: &str) -> String {
        match self {
            Self::ReactText => format!("Thought: {thought}\nAnswer: {message}"),
            Self::Json => format!(r#"{{"thought": {}, "answer": {message}}}"#, Value::from(thought)),
            Self::NativeTools => format!(r#"{{"reasoning": {}, "answer": {message}}}"#, Value::from(thought)),
        }
    }

    /// Writes the use of a tool as a model should. `input` is bare text, or JSON where `structured`.
    #[must_use]
    pub fn write_use(self, thought: &str, tool: &str, input: &str, structured: bool) -> String {
        let value = || if structured { input.to_owned() } else { Value::from(input).to_string() };
        let (thought_value, name) = (Value::from(thought), Value::from(tool));
        match self {
            Self::ReactText => format!("Thought: {thought}\nTool: {tool}: {input}\nPAUSE"),
            Self::Json => format!(r#"{{"thought": {thought_value}, "tool": {name}, "input": {}}}"#, value()),
            Self::NativeTools => format!(r#"{{"reasoning": {thought_value}, "tool": {name}, "input": {}}}"#, value()),
        }
    }
}

/// A native call as texts for a model write it.
pub(crate) fn native_call(tool: &str, arguments: &serde_json::Value) -> String {
    format!("{tool}({})", gimbal_messages::spaced(arguments))
}

/// What a reply says.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The thought before it; empty if none.
    pub thought: String,
    /// What it asks for.
    pub content: ReplyContent,
    /// How it was read: to the letter, after taking off what does not belong, or not at all.
    pub tier: Tier,
    /// Whether it asks for something else beside that: then no action may be taken.
    pub more: bool,
    /// What is remarkable about it.
    pub marks: Vec<ReadingMark>,
}

impl Reply {
    fn new(thought: String, content: ReplyContent, tier: Tier) -> Self {
        Self { thought, content, tier, more: false, marks: Vec::new() }
    }

    /// A text that nothing can be made of.
    fn raw(text: &str, expects: Expects) -> Self {
        let text = if expects == Expects::Action { action_text(text) } else { text.trim().to_owned() };
        Self::new(String::new(), ReplyContent::Raw(text), Tier::Raw)
    }
}

/// What an agent's answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expects {
    /// An action of the environment.
    Action,
    /// A message to another agent.
    Message,
}

/// The text of an action without code fences and emphasis.
fn action_text(text: &str) -> String {
    let text = text.trim();
    // Emphasis of the first line ends on it.
    let line = text.split_once('\n').filter(|(line, _)| line.starts_with('*') && line.trim_end().ends_with('*'));
    let bare = line.map(|(line, rest)| format!("{}\n{rest}", undecorated(line)));
    let plain = undecorated(bare.as_deref().unwrap_or(text));
    if !plain.contains("```") {
        return plain.to_owned();
    }
    let lines: Vec<&str> = plain.lines().filter(|line| !line.trim_start().starts_with("```")).collect();
    undecorated(&lines.join("\n")).to_owned()
}

/// What a reply asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyContent {
    /// The final answer.
    Answer(String),
    /// The use of a tool.
    Use(ToolUse),
    /// Neither can be found: the raw text, which then has to pass for an answer (BOG-042).
    Raw(String),
}

/// The use of a tool, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    /// Name, as written.
    pub name: String,
    /// Input.
    pub input: Input,
}

impl ToolUse {
    /// What a native call asks for.
    #[must_use]
    pub fn of(requested: &RequestedCall) -> Self {
        let input = match &requested.arguments {
            Value::Object(arguments) => Input::Arguments(arguments.clone()),
            Value::Null => Input::Arguments(Map::new()),
            Value::String(text) => json::given(Value::from(text.as_str())),
            other => Input::Text(plain(other)),
        };
        Self { name: requested.tool.clone(), input }
    }
}

/// Input of a tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Free text.
    Text(String),
    /// Arguments by name.
    Arguments(Map<String, Value>),
    /// Members of the object that names the tool; some of them may be arguments.
    Beside(Map<String, Value>),
}

impl Input {
    /// Takes the `reasoning` argument out, as one text; empty if there is none. The environment never sees it.
    pub fn take_reasoning(&mut self) -> String {
        match self {
            Self::Text(_) => String::new(),
            Self::Arguments(arguments) | Self::Beside(arguments) => {
                arguments.shift_remove("reasoning").map(|value| plain(&value)).unwrap_or_default()
            }
        }
    }
}

/// A value as one text: strings as they are, lists line by line, anything else as JSON.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join("\n"),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
