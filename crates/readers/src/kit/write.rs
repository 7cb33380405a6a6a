//! The writer: an answer in the form that the page asks for.

use gimbal_core::chat::InformationKind;
use gimbal_model::Reply;
use gimbal_model::shape::Shapes;
use serde_json::{Map, Value, json};

use super::{Form, Sheet, plain, spaced};

/// An action of the environment, in both forms that a page can ask for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Act {
    /// As its environment writes it.
    pub text: String,
    /// Name of the tool, for native calls.
    pub tool: String,
    /// Arguments, for native calls.
    pub arguments: Map<String, Value>,
}

impl Act {
    /// A native call.
    #[must_use]
    pub fn native(tool: &str, arguments: Map<String, Value>) -> Self {
        Self { text: String::new(), tool: tool.to_owned(), arguments }
    }

    /// A text with its call.
    #[must_use]
    pub fn of(text: impl Into<String>, tool: &str, arguments: &[(&str, Value)]) -> Self {
        let arguments = arguments.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Self { text: text.into(), tool: tool.to_owned(), arguments }
    }
}

/// Input of a tool that is not an action of the environment.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A text.
    Text(String),
    /// Several values by name.
    Values(Map<String, Value>),
}

/// Longest thought, and what it is cut to where the demanded shape leaves it less room.
const THOUGHT: usize = 200;
const SHORTER: [usize; 4] = [150, 100, 50, 0];

impl Sheet<'_> {
    /// An action.
    #[must_use]
    pub fn act(&self, thought: &str, act: &Act) -> Reply {
        let thought = plain(thought, THOUGHT);
        match self.form {
            Form::Lines => self.text(|thought| format!("Thought: {thought}\nAnswer: {}", act.text), &thought),
            Form::Json => self.text(|thought| json!({ "thought": thought, "action": act.text }).to_string(), &thought),
            Form::Plain => self.text(|_| act.text.clone(), ""),
            Form::Native => self.native(&thought, &act.tool, &act.arguments),
        }
    }

    /// A native call; in its text form where a grammar demands a text.
    fn native(&self, thought: &str, tool: &str, arguments: &Map<String, Value>) -> Reply {
        if self.page.grammar.is_some() {
            let write =
                |thought: &str| json!({ "reasoning": thought, "tool": tool, "arguments": arguments }).to_string();
            return self.text(write, thought);
        }
        let mut all = Map::new();
        let reason = self.tool(tool).and_then(|tool| tool.parameters["properties"].get("reasoning"));
        if let Some(reason) = reason {
            let value = if reason["type"] == "array" { json!([thought]) } else { thought.into() };
            all.insert("reasoning".to_owned(), value);
        }
        all.extend(arguments.clone());
        Reply { text: String::new(), calls: vec![(tool.to_owned(), all.into())], missed: self.missed() }
    }

    /// The use of a tool that informs or hands over.
    #[must_use]
    pub fn use_tool(&self, thought: &str, tool: &str, input: &Input) -> Reply {
        let thought = plain(thought, THOUGHT);
        let value = match input {
            Input::Text(text) => Value::from(plain(text, 200)),
            Input::Values(values) => Value::Object(values.clone()),
        };
        let bare = value.as_str().map_or_else(|| spaced(&value), str::to_owned);
        match self.form {
            Form::Lines | Form::Plain => {
                self.text(|thought| format!("Thought: {thought}\nTool: {tool}: {bare}\nPAUSE"), &thought)
            }
            Form::Json => {
                let write = |thought: &str| json!({ "thought": thought, "tool": tool, "input": value }).to_string();
                self.text(write, &thought)
            }
            Form::Native if self.page.grammar.is_some() => {
                let write = |thought: &str| json!({ "reasoning": thought, "tool": tool, "input": value }).to_string();
                self.text(write, &thought)
            }
            Form::Native => {
                let arguments = match &value {
                    Value::Object(values) => values.clone(),
                    other => {
                        let named = self.tool(tool).and_then(|tool| tool.required().find(|name| *name != "reasoning"));
                        Map::from_iter([(named.unwrap_or("input").to_owned(), other.clone())])
                    }
                };
                self.native(&thought, tool, &arguments)
            }
        }
    }

    /// A message to another agent.
    #[must_use]
    pub fn message(&self, thought: &str, message: &Value) -> Reply {
        let thought = plain(thought, THOUGHT);
        let bare = spaced(message);
        match self.form {
            Form::Lines => self.text(|thought| format!("Thought: {thought}\nAnswer: {bare}"), &thought),
            Form::Json => self.text(|thought| json!({ "thought": thought, "answer": message }).to_string(), &thought),
            Form::Native => {
                self.text(|thought| json!({ "reasoning": thought, "answer": message }).to_string(), &thought)
            }
            Form::Plain => self.text(|_| bare.clone(), ""),
        }
    }

    /// A bare text.
    #[must_use]
    pub fn say(&self, text: &str) -> Reply {
        Reply { text: text.to_owned(), calls: Vec::new(), missed: self.missed() }
    }

    /// A text in the demanded shape; with a shorter thought where it fits only so.
    fn text(&self, write: impl Fn(&str) -> String, thought: &str) -> Reply {
        let text = write(thought);
        let Some(grammar) = self.page.grammar else { return self.say(&text) };
        if Shapes::shared().fits(grammar, &text) {
            return self.say(&text);
        }
        for length in SHORTER.into_iter().filter(|length| *length < thought.len()) {
            let shorter = write(&plain(thought, length));
            if Shapes::shared().fits(grammar, &shorter) {
                return self.say(&shorter);
            }
        }
        self.miss(InformationKind::Form, format!("the demanded shape does not let through: {}", plain(&text, 200)));
        self.say(&text)
    }

    /// Whether this act could be written under the grammar; always where there is none.
    #[must_use]
    pub fn allows(&self, act: &Act) -> bool {
        let Some(grammar) = self.page.grammar else { return true };
        let text = match self.form {
            Form::Lines => format!("Thought: \nAnswer: {}", act.text),
            Form::Json => json!({ "thought": "", "action": act.text }).to_string(),
            Form::Native => json!({ "reasoning": "", "tool": act.tool, "arguments": act.arguments }).to_string(),
            Form::Plain => act.text.clone(),
        };
        Shapes::shared().fits(grammar, &text)
    }
}
