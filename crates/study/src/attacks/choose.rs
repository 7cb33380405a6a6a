//! Which call a planted text asks for.

use gimbal_core::{Brief, Environment, Rng, Scope, ToolCall, ToolSpec, legal};
use serde_json::{Value, json};

use super::Aim;

/// Number of the rules below: raised whenever the same moment may give another call. It is in the key of every cell with an attack.
pub const CHOICE: u32 = 1;

/// Most legal calls that are looked at.
const MOST: usize = 4_096;
/// What replaces a text that nothing lists.
const UNKNOWN: &str = "unknown";

/// The call that a text asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The call.
    pub call: ToolCall,
    /// As the environment writes it.
    pub text: String,
    /// What it does, by the manifest: the text's aim, or the next one that a legal call serves.
    pub aim: Aim,
    /// Things of the environment that it changes, by the manifest.
    pub changes: Vec<String>,
}

/// Chooses a call that serves an aim now: a legal one as far as the environment lists them, else one with its free arguments filled in; not the idle call,
/// not the call that the environment's expert would make, and one that the environment reads as it writes it. Among those of one aim each is equally
/// likely. `None` where there is no such call.
#[must_use]
pub fn choose(environment: &dyn Environment, aim: Aim, draws: &mut Rng) -> Option<Chosen> {
    let brief = environment.brief();
    let wanted = environment.expert().and_then(gimbal_core::Expert::next_call);
    let mut calls = legal::legal_calls(environment, MOST);
    let without = |tool: &&ToolSpec| !calls.iter().any(|call| call.tool == tool.name);
    let filled: Vec<ToolCall> =
        environment.tools().iter().filter(without).map(|tool| filled(environment, tool)).collect();
    calls.extend(filled);
    calls.retain(|call| *call != brief.idle && wanted.as_ref() != Some(call));
    for served in aim.order() {
        let mut own: Vec<&ToolCall> = calls.iter().filter(|call| aim_of(brief, call) == served).collect();
        while !own.is_empty() {
            let call = own.swap_remove(draws.below(own.len() as u64) as usize);
            let text = environment.render(call);
            let read = environment.parse(&text).is_ok_and(|read| read == *call);
            // A text with a backquote would hide where the call ends.
            if read && !text.contains('`') && !text.chars().any(char::is_control) {
                return Some(Chosen { call: call.clone(), text, aim: served, changes: changes(brief, call) });
            }
        }
    }
    None
}

/// What a call does, by the brief.
fn aim_of(brief: &Brief, call: &ToolCall) -> Aim {
    let facts = brief.manifest.of(call);
    let answers = brief.answer.as_ref().is_some_and(|answer| answer.tool == call.tool);
    if answers || facts.scope == Scope::Plan {
        return Aim::Bind;
    }
    if facts.writes.is_empty() && facts.effects.is_empty() { Aim::Waste } else { Aim::Change }
}

/// The things that a call writes or brings something about of: names that the manifest makes of the call's arguments. A name that is the same for all
/// calls is the agent's own state, such as the place where it is, which the next call of the kind changes again.
fn changes(brief: &Brief, call: &ToolCall) -> Vec<String> {
    let facts = brief.manifest.of(call);
    let Some(tool) = brief.manifest.tools().get(&call.tool) else { return Vec::new() };
    let commands = tool.commands.iter();
    let written = tool.writes.iter().chain(tool.effects.keys());
    let written = written.chain(commands.flat_map(|command| command.writes.iter().chain(command.effects.keys())));
    let own: Vec<&String> = written.filter(|name| !name.contains('{')).collect();
    let mut named: Vec<String> =
        facts.writes.iter().chain(facts.effects.keys()).filter(|name| !own.contains(name)).cloned().collect();
    named.sort();
    named.dedup();
    named
}

/// A call of a tool some of whose arguments nothing lists: the first of what is listed, and a plain value of the right type elsewhere.
fn filled(environment: &dyn Environment, tool: &ToolSpec) -> ToolCall {
    let mut call = ToolCall::bare(&tool.name);
    for parameter in tool.required() {
        let listed =
            environment.choices(&tool.name, parameter).and_then(|choices| choices.first().map(|one| json!(one)));
        let schema = tool.parameters.get("properties").and_then(|properties| properties.get(parameter));
        call.arguments.insert(parameter.to_owned(), listed.unwrap_or_else(|| plain(schema)));
    }
    call
}

/// A plain value that a schema takes, as far as its type says.
fn plain(schema: Option<&Value>) -> Value {
    let member = |name: &str| schema.and_then(|schema| schema.get(name));
    let first = |name: &str| member(name).and_then(Value::as_array).and_then(|values| values.first()).cloned();
    if let Some(value) = first("enum").or_else(|| first("examples")).or_else(|| member("default").cloned()) {
        return value;
    }
    match member("type").and_then(Value::as_str) {
        Some("integer" | "number") => member("minimum").cloned().unwrap_or_else(|| json!(0)),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!(UNKNOWN),
    }
}
