//! Grammars for constrained decoding: exactly the legal answers, with a thought of bounded length. In the text protocol a
//! blank line may stand behind the thought: many models part their lines so, and one that may not goes on thinking.
//!
//! A token covers at least one byte, and thoughts are kept to printable ASCII, so a text of `n` bytes takes at most
//! `n` tokens: the bound of the output always exceeds the worst case and no answer is cut short.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::{Grammar, ToolCall, ToolSpec};
use serde_json::{Value, json};

use super::Protocol;
use super::numbers::{Numbers, counted, counted_commands};
use super::open;
use gimbal_messages::{Form, escape, range};

/// What a grammar is made of.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Legal calls; empty where they are not known.
    pub calls: &'a [ToolCall],
    /// The same calls as the environment writes them.
    pub texts: &'a [String],
    /// Whether it is known that no call is legal now, where there is none: then only tools may be used, if there are any.
    pub none_legal: bool,
    /// Which numbers of the calls may be any: they are any number here, whatever numbers the legal calls hold.
    pub numbers: Numbers<'a>,
    /// Tools whose arguments hold free text: their schemas say what a call may be, and legal calls are only examples.
    pub open: &'a [OpenTool],
    /// What the answer must be where it is a message and no action.
    pub message: Option<&'a Form>,
    /// Published names of tools that may be used before the answer, and what their inputs must be.
    pub tools: &'a [(String, Form)],
    /// Longest thought, in characters.
    pub thought: u32,
    /// Tokens that the role allows for a reply.
    pub budget: u32,
}

/// A tool whose arguments hold free text.
#[derive(Clone, Debug)]
pub struct OpenTool {
    /// The tool.
    pub spec: ToolSpec,
    /// How the prompt shows a call of it. `None` if the model is shown the schema.
    pub usage: Option<String>,
}

/// A grammar, and the output bound that its longest text needs where the role's own is too small.
#[derive(Clone, Debug, PartialEq)]
pub struct Shaped {
    /// The grammar.
    pub grammar: Grammar,
    /// The bound to ask for; `None` if the role's own does.
    pub max_output_tokens: Option<u32>,
}

impl Shape<'_> {
    /// Whether nothing but a tool can be used.
    const fn only_tools(&self, open: &[(&str, Form)]) -> bool {
        self.none_legal && self.calls.is_empty() && open.is_empty() && self.message.is_none() && !self.tools.is_empty()
    }
}

/// Longest answer where the legal ones are not known, in characters.
const FREE_TEXT: usize = 160;
/// Keywords, punctuation, white space that a JSON mask lets through, and the end of the text.
const FRAME: usize = 96;

/// The grammar of a reply.
#[must_use]
pub fn shape(protocol: Protocol, shape: Shape<'_>) -> Shaped {
    let is_open = |call: &ToolCall| shape.open.iter().any(|tool| tool.spec.name == call.tool);
    if shape.message.is_none() && shape.calls.iter().any(is_open) {
        let closed = shape.calls.iter().zip(shape.texts).filter(|(call, _)| !is_open(call));
        let (calls, texts): (Vec<ToolCall>, Vec<String>) =
            closed.map(|(call, text)| (call.clone(), text.clone())).unzip();
        return shaped(protocol, Shape { calls: &calls, texts: &texts, ..shape });
    }
    shaped(protocol, shape)
}

fn shaped(protocol: Protocol, shape: Shape<'_>) -> Shaped {
    let mut open: Vec<(&str, Form)> = shape
        .open
        .iter()
        .map(|tool| (tool.spec.name.as_str(), open::call(&tool.spec, tool.usage.as_deref())))
        .collect();
    let (calls, texts) = match protocol {
        _ if shape.message.is_some() => (shape.calls.to_vec(), shape.texts.to_vec()),
        Protocol::NativeTools => {
            let found = counted_commands(shape.calls, shape.texts, shape.numbers);
            open.extend(found.forms);
            (found.calls, found.texts)
        }
        Protocol::ReactText | Protocol::Json => {
            let found = counted(shape.calls, shape.texts, shape.numbers);
            open.extend(found.forms);
            (found.calls, found.texts)
        }
    };
    let shape = Shape { calls: &calls, texts: &texts, ..shape };
    let open = if shape.message.is_some() { &[][..] } else { &open[..] };
    let longest = match (shape.message, protocol) {
        (Some(message), _) => message.longest,
        (None, Protocol::ReactText | Protocol::Json) => {
            longest(shape.texts.iter().map(String::len).chain(open_lengths(open)))
        }
        (None, Protocol::NativeTools) => {
            let closed = shape.calls.iter().map(|call| call.tool.len() + call.canonical_arguments().len() + 16);
            longest(closed.chain(open_lengths(open)))
        }
    };
    let tool = shape.tools.iter().map(|(name, input)| name.len() + input.longest).max().unwrap_or(0);
    let fixed = u32::try_from(longest.max(tool) + FRAME).unwrap_or(u32::MAX);
    // An answer is long in bytes and short in tokens: the thought is kept, and the bound raised.
    let thought = shape.thought;
    let needed = fixed.saturating_add(thought);
    let grammar = match protocol {
        Protocol::ReactText => Grammar::Regex(react_text(shape, open, thought)),
        Protocol::Json => Grammar::JsonSchema(json_object(shape, open, thought)),
        Protocol::NativeTools => Grammar::JsonSchema(native_call(shape, open, thought)),
    };
    Shaped { grammar, max_output_tokens: (needed > shape.budget).then_some(needed) }
}

fn open_lengths(open: &[(&str, Form)]) -> impl Iterator<Item = usize> {
    open.iter().map(|(_, form)| form.longest)
}

fn longest(lengths: impl Iterator<Item = usize>) -> usize {
    lengths.max().unwrap_or(FREE_TEXT)
}

fn react_text(shape: Shape<'_>, open: &[(&str, Form)], thought: u32) -> String {
    let answers = match shape.message {
        Some(message) => message.regex.clone(),
        None if shape.texts.is_empty() && open.is_empty() => Form::line(FREE_TEXT).regex,
        None => alternatives(shape.texts.iter().map(|text| escape(text)).chain(regexes(open))),
    };
    let answer = format!("Answer: ({answers})");
    let tools = shape.tools.iter().map(|(name, input)| format!("{}: {}", escape(name), input.regex));
    let uses = format!("Tool: ({})\\nPAUSE", tools.collect::<Vec<_>>().join("|"));
    let last = match shape.tools.is_empty() {
        true => answer,
        false if shape.only_tools(open) => uses,
        false => format!("({answer}|{uses})"),
    };
    format!("Thought: [ -~]{{0,{thought}}}\\n{{1,2}}{last}")
}

fn regexes(open: &[(&str, Form)]) -> impl Iterator<Item = String> {
    open.iter().map(|(_, form)| form.regex.clone())
}

fn alternatives(expressions: impl Iterator<Item = String>) -> String {
    expressions.collect::<Vec<_>>().join("|")
}

/// Printable ASCII without what JSON must escape.
fn thought_schema(characters: u32) -> Value {
    json!({ "type": "string", "pattern": format!("^[ !#-\\[\\]-~]{{0,{characters}}}$") })
}

fn free_text_schema() -> Value {
    json!({ "type": "string", "pattern": format!("^[ !#-\\[\\]-~]{{1,{FREE_TEXT}}}$") })
}

fn object(properties: &Value) -> Value {
    let required: Vec<&String> = properties.as_object().map(|members| members.keys().collect()).unwrap_or_default();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn any_of(mut branches: Vec<Value>) -> Value {
    if branches.len() == 1 { branches.remove(0) } else { json!({ "anyOf": branches }) }
}

fn json_object(shape: Shape<'_>, open: &[(&str, Form)], thought: u32) -> Value {
    if shape.only_tools(open) {
        return any_of(uses("thought", shape, thought).collect());
    }
    let mut branches = vec![match shape.message {
        Some(message) => object(&json!({ "thought": thought_schema(thought), "answer": message.schema })),
        None => {
            let free = (!open.is_empty())
                .then(|| json!({ "type": "string", "pattern": format!("^({})$", alternatives(regexes(open))) }));
            let listed = (!shape.texts.is_empty()).then(|| json!({ "type": "string", "enum": shape.texts }));
            let known: Vec<Value> = listed.into_iter().chain(free).collect();
            let action = if known.is_empty() { free_text_schema() } else { any_of(known) };
            object(&json!({ "thought": thought_schema(thought), "action": action }))
        }
    }];
    branches.extend(uses("thought", shape, thought));
    any_of(branches)
}

/// The uses of tools; `key` is the member that holds the thought.
fn uses(key: &str, shape: Shape<'_>, thought: u32) -> impl Iterator<Item = Value> {
    shape.tools.iter().map(move |(name, input)| {
        let mut properties = serde_json::Map::new();
        properties.insert(key.to_owned(), thought_schema(thought));
        properties.insert("tool".to_owned(), json!({ "type": "string", "enum": [name] }));
        properties.insert("input".to_owned(), input.schema.clone());
        object(&Value::Object(properties))
    })
}

/// A native call in its text form, for models without tool calls of their own.
fn native_call(shape: Shape<'_>, open: &[(&str, Form)], thought: u32) -> Value {
    if let Some(message) = shape.message {
        let answer = object(&json!({ "reasoning": thought_schema(thought), "answer": message.schema }));
        return any_of(std::iter::once(answer).chain(uses("reasoning", shape, thought)).collect());
    }
    let mut by_tool: BTreeMap<&str, Vec<&ToolCall>> = BTreeMap::new();
    for call in shape.calls {
        by_tool.entry(&call.tool).or_default().push(call);
    }
    let branch = |tool: &str, arguments: Value| {
        object(&json!({
            "reasoning": thought_schema(thought),
            "tool": { "type": "string", "enum": [tool] },
            "arguments": arguments,
        }))
    };
    let mut branches = Vec::new();
    for (tool, calls) in by_tool {
        branches.extend(arguments(shape.numbers, tool, &calls).into_iter().map(|arguments| branch(tool, arguments)));
    }
    branches.extend(open.iter().map(|(tool, form)| branch(tool, form.schema.clone())));
    if branches.is_empty() && !shape.only_tools(&[]) {
        branches.push(branch_of_any(thought));
    }
    branches.extend(uses("reasoning", shape, thought));
    any_of(branches)
}

/// Where no legal call is known: any call; the environment says what is wrong with it.
fn branch_of_any(thought: u32) -> Value {
    object(&json!({
        "reasoning": thought_schema(thought),
        "tool": free_text_schema(),
        "arguments": { "type": "object" },
    }))
}

/// Schemas of the arguments that together accept exactly those of `calls` of a tool, with any number where its schema says so:
/// one schema where the values of the parameters may be combined freely, else one schema a call.
fn arguments(numbers: Numbers<'_>, tool: &str, calls: &[&ToolCall]) -> Vec<Value> {
    let calls: Vec<ToolCall> = calls
        .iter()
        .map(|call| {
            let mut call = (*call).clone();
            for (name, value) in &mut call.arguments {
                if numbers.of_argument(tool, name).is_some() {
                    *value = Value::Null;
                }
            }
            call
        })
        .collect();
    let mut values: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    let mut names = BTreeSet::new();
    for call in &calls {
        names.insert(call.arguments.keys().map(String::as_str).collect::<Vec<_>>());
        for (name, value) in &call.arguments {
            let known = values.entry(name).or_default();
            if !known.contains(&value) {
                known.push(value);
            }
        }
    }
    let combinations: usize = values.values().map(Vec::len).product();
    let distinct: BTreeSet<String> = calls.iter().map(|call| call.canonical_arguments()).collect();
    // `null` means any number.
    let of_values = |name: &str, values: &[&Value]| match numbers.of_argument(tool, name) {
        Some(range) if values.iter().any(|value| value.is_null()) => range::schema(&range),
        _ => json!({ "enum": values }),
    };
    let schema = |values: BTreeMap<&str, Vec<&Value>>| {
        let properties: serde_json::Map<String, Value> =
            values.into_iter().map(|(name, values)| (name.to_owned(), of_values(name, &values))).collect();
        object(&Value::Object(properties))
    };
    if names.len() == 1 && combinations == distinct.len() {
        return vec![schema(values)];
    }
    let mut told = BTreeSet::new();
    calls
        .iter()
        .filter(|call| told.insert(call.canonical_arguments()))
        .map(|call| schema(call.arguments.iter().map(|(name, value)| (name.as_str(), vec![value])).collect()))
        .collect()
}

#[cfg(test)]
#[path = "grammar_tests.rs"]
mod tests;
