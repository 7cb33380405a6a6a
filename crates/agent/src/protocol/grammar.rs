//! Grammars for constrained decoding: exactly the legal answers, with a thought of bounded length. In the text protocol a
//! blank line may stand behind the thought: many models part their lines so, and one that may not goes on thinking.
//!
//! A token covers at least one byte, and thoughts are kept to printable ASCII, so a text of `n` bytes takes at most
//! `n` tokens: the bound of the output always exceeds the worst case and no answer is cut short.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use gimbal_core::{Grammar, Manifest, ToolCall, ToolSpec};
use serde_json::{Value, json};

use super::Protocol;
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

/// What says that a number of a call may be any: the schema of its tool, where an argument is any whole number, or what the environment says of the
/// form of a command.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a> {
    /// The tools of the calls.
    pub specs: &'a [ToolSpec],
    /// The facts of the environment's tools.
    pub manifest: &'a Manifest,
}

/// A number of a call that may be any of a range.
struct AnyNumber {
    /// The argument that it is, or that holds it.
    argument: String,
    /// The number of this call.
    digits: String,
    range: RangeInclusive<u64>,
    /// Whether the argument is a command in words.
    in_command: bool,
}

impl Numbers<'_> {
    /// The numbers that an argument of a tool may be, where its schema says that it is a whole number and lists no values.
    fn of_argument(self, tool: &str, name: &str) -> Option<RangeInclusive<u64>> {
        let spec = self.specs.iter().find(|spec| spec.name == tool)?;
        let schema = spec.parameters.get("properties")?.get(name)?;
        let is_number = schema.get("type") == Some(&json!("integer")) && schema.get("enum").is_none();
        is_number.then(|| range::of_schema(schema))
    }

    /// The first number of a call that may be any.
    fn of(self, call: &ToolCall) -> Option<AnyNumber> {
        let own = call.arguments.iter().filter(|(_, value)| value.is_u64()).find_map(|(name, value)| {
            let range = self.of_argument(&call.tool, name)?;
            Some(AnyNumber { argument: name.clone(), digits: value.to_string(), range, in_command: false })
        });
        own.or_else(|| {
            let (argument, digits) = self.manifest.any_number(call)?;
            let range = range::of_schema(&json!({ "minimum": 1 }));
            Some(AnyNumber { argument: argument.to_owned(), digits, range, in_command: true })
        })
    }
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
            let (calls, texts, commands) = counted_commands(shape);
            open.extend(commands);
            (calls, texts)
        }
        Protocol::ReactText | Protocol::Json => {
            let (calls, texts, counted) = counted(shape.calls, shape.texts, shape.numbers);
            open.extend(counted);
            (calls, texts)
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

/// The calls without those that hold any whole number, and these as expressions.
pub(super) fn counted(
    listed: &[ToolCall],
    written: &[String],
    numbers: Numbers<'_>,
) -> (Vec<ToolCall>, Vec<String>, Vec<(&'static str, Form)>) {
    let (mut calls, mut texts, mut seen, mut forms) = (Vec::new(), Vec::new(), BTreeSet::new(), Vec::new());
    // Most tools share one range of numbers.
    let mut latest: Option<(RangeInclusive<u64>, String)> = None;
    let mut number_in = |call: &ToolCall, text: &'_ str| {
        let AnyNumber { digits, range, .. } = numbers.of(call)?;
        let (before, after) = around(text, &digits)?;
        if latest.as_ref().is_none_or(|(known, _)| *known != range) {
            latest = Some((range.clone(), range::whole_numbers(*range.start(), *range.end())?));
        }
        let numbers = latest.as_ref().map_or("", |(_, numbers)| numbers);
        let longest = text.len() + range.end().to_string().len();
        Some((format!("{}{numbers}{}", escape(before), escape(after)), longest))
    };
    for (call, text) in listed.iter().zip(written) {
        let Some((regex, longest)) = number_in(call, text) else {
            calls.push(call.clone());
            texts.push(text.clone());
            continue;
        };
        if seen.insert(regex.clone()) {
            forms.push(("", Form::closed(regex, Value::Null, longest)));
        }
    }
    (calls, texts, forms)
}

/// The calls without those whose only argument is a command that holds any whole number, and these as arguments of their tools.
fn counted_commands<'a>(shape: Shape<'a>) -> (Vec<ToolCall>, Vec<String>, Vec<(&'a str, Form)>) {
    let (mut calls, mut texts) = (Vec::new(), Vec::new());
    let mut commands: BTreeMap<(&str, String), (BTreeSet<String>, usize)> = BTreeMap::new();
    let number_in = |call: &ToolCall| {
        let found = shape.numbers.of(call).filter(|found| found.in_command && call.arguments.len() == 1)?;
        let (before, after) = around(call.string(&found.argument)?, &found.digits)?;
        let numbers = range::whole_numbers(*found.range.start(), *found.range.end())?;
        let longest = before.len() + found.range.end().to_string().len() + after.len();
        Some((found.argument, format!("{}{numbers}{}", escape(before), escape(after)), longest))
    };
    for (call, text) in shape.calls.iter().zip(shape.texts) {
        if let Some((argument, regex, longest)) = number_in(call) {
            let known = commands.entry((&call.tool, argument)).or_default();
            known.0.insert(regex);
            known.1 = known.1.max(longest);
        } else {
            calls.push(call.clone());
            texts.push(text.clone());
        }
    }
    let forms = commands.into_iter().map(|((tool, argument), (regexes, longest))| {
        let pattern = format!("^({})$", alternatives(regexes.into_iter()));
        let schema = object(&Value::from_iter([(argument.as_str(), json!({ "type": "string", "pattern": pattern }))]));
        (tool, Form::closed(String::new(), schema, tool.len() + argument.len() + longest + 16))
    });
    (calls, texts, forms.collect())
}

/// The calls without those that differ from an earlier one in nothing but a number that may be any: a mask takes every number of one of them.
pub fn distinct_but_for_numbers<'c>(
    calls: impl Iterator<Item = &'c ToolCall>,
    numbers: Numbers<'_>,
) -> Vec<&'c ToolCall> {
    let mut seen = BTreeSet::new();
    let is_new = |call: &&ToolCall| {
        let mut key = (*call).clone();
        for (name, value) in &mut key.arguments {
            if value.is_u64() && numbers.of_argument(&call.tool, name).is_some() {
                *value = Value::Null;
            }
        }
        if let Some(found) = numbers.of(call).filter(|found| found.in_command)
            && let Some((before, after)) = call.string(&found.argument).and_then(|text| around(text, &found.digits))
        {
            key.arguments.insert(found.argument, json!([before, after]));
        }
        seen.insert((key.tool.clone(), key.canonical_arguments()))
    };
    calls.filter(is_new).collect()
}

/// What stands before and behind a number, where it is a word of its own in the text.
fn around<'t>(text: &'t str, number: &str) -> Option<(&'t str, &'t str)> {
    let mut found = text.match_indices(number).map(|(at, _)| (&text[..at], &text[at + number.len()..]));
    let apart = |edge: Option<char>| edge.is_none_or(|letter| !letter.is_alphanumeric());
    found.find(|(before, after)| apart(before.chars().next_back()) && apart(after.chars().next()))
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

/// The uses of tools; `key` is where the thought stands.
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
    // Nothing stands for any number.
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
