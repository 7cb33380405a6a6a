//! A mask over native tool calls: the tools as the server is given them, whether one must be called, and by what calls are judged.
//!
//! Published rules: OpenAI's function calling in strict mode and Anthropic's strict tool use take schemas of the same subsets as their
//! structured outputs; Gemini's mode `ANY` makes the model call a function (see `providers.yaml` for sources and dates).

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::{ChatRequest, Completion, Grammar, ModelError, ModelErrorKind, RequestedCall, ToolSpec};
use serde_json::{Map, Value, json};

use super::rules::SchemaRules;
use crate::shape::Shapes;

/// Most strict tools of a request (Anthropic).
const MOST_TOOLS: usize = 20;
/// Most members that may be left out, over all strict schemas of a request (Anthropic).
const MOST_OPTIONAL: usize = 24;
/// Most members of more than one type, over all strict schemas of a request (Anthropic).
const MOST_UNIONS: usize = 16;

/// Whether a tool must be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Exactly one call.
    Call,
    /// A call, or an answer as text.
    Either,
    /// An answer as text.
    Text,
}

/// What is sent of tools under a mask.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NativeMask {
    /// The tools, with the schemas that are sent.
    pub tools: Vec<ToolSpec>,
    /// Whether the server keeps to what is sent, so that calls are judged by it.
    pub strict: bool,
    /// Whether one of them must be called.
    pub choice: Choice,
    /// What the arguments of each tool must be, where the server keeps to it: as sent, without the `null` of members that may be
    /// left out.
    judged: BTreeMap<String, Arc<Grammar>>,
}

/// What a grammar says of tools.
#[derive(Default)]
pub(super) struct Asked<'a> {
    /// The alternatives that call a tool, by its name.
    calls: BTreeMap<&'a str, Vec<&'a Value>>,
    /// Whether one of them names no tool, so that every tool may be called.
    any: bool,
    /// The alternatives that call none.
    texts: Vec<&'a Value>,
}

impl<'a> Asked<'a> {
    /// The alternatives of a schema of an answer.
    pub fn of(schema: &'a Value) -> Self {
        let mut asked = Self::default();
        let branches =
            schema.get("anyOf").and_then(Value::as_array).map_or(std::slice::from_ref(schema), Vec::as_slice);
        for branch in branches {
            let Some(tool) = branch.pointer("/properties/tool") else {
                asked.texts.push(branch);
                continue;
            };
            match tool.get("enum").and_then(Value::as_array) {
                Some(names) => {
                    for name in names.iter().filter_map(Value::as_str) {
                        asked.calls.entry(name).or_default().push(branch);
                    }
                }
                None => asked.any = true,
            }
        }
        asked
    }

    pub fn choice(&self) -> Choice {
        match (self.any || !self.calls.is_empty(), self.texts.is_empty()) {
            (true, true) => Choice::Call,
            (true, false) => Choice::Either,
            (false, _) => Choice::Text,
        }
    }

    /// The schema of an answer as text, where one may be given.
    pub fn text(&self) -> Option<Value> {
        match self.texts[..] {
            [] => None,
            [only] => Some(only.clone()),
            _ => Some(json!({ "anyOf": self.texts })),
        }
    }

    fn allows(&self, tool: &ToolSpec) -> bool {
        self.any || self.calls.contains_key(tool.name.as_str())
    }
}

impl NativeMask {
    /// The tools as they are offered, of which one must be called where the grammar says so.
    ///
    /// # Errors
    /// Why nothing is sent.
    pub fn forced(request: &ChatRequest, asked: &Asked<'_>) -> Result<Self, String> {
        Ok(Self { tools: offered(request, asked)?, strict: false, choice: asked.choice(), judged: BTreeMap::new() })
    }

    /// The tools with schemas that the server keeps to; beside them the schema of a text, where one may be given.
    ///
    /// # Errors
    /// Why nothing is sent.
    pub fn strict(
        request: &ChatRequest,
        asked: &Asked<'_>,
        rules: SchemaRules,
        text: Option<&Value>,
    ) -> Result<Self, String> {
        let mut tools = offered(request, asked)?;
        let mut judged = BTreeMap::new();
        if asked.choice() == Choice::Text {
            return Ok(Self { tools, strict: true, choice: Choice::Text, judged });
        }
        for tool in &mut tools {
            close(&mut tool.parameters);
            if let Some(branches) = asked.calls.get(tool.name.as_str()) {
                narrow(&mut tool.parameters, branches);
            }
            judged.insert(tool.name.clone(), Arc::new(Grammar::JsonSchema(rules.relaxed(&tool.parameters))));
            tool.parameters = rules.shaped(&tool.parameters);
            if let Some(broken) = rules.broken_by(&tool.parameters).first() {
                return Err(format!("the provider would not accept the schema of the tool `{}` ({broken})", tool.name));
            }
        }
        if rules == SchemaRules::Anthropic
            && let Some(over) = over(&tools, text)
        {
            return Err(format!("the provider would not accept the tools together ({over})"));
        }
        Ok(Self { tools, strict: true, choice: asked.choice(), judged })
    }

    /// Whether the tools are sent as strict ones.
    pub fn sends_strict(&self) -> bool {
        self.strict && self.choice != Choice::Text
    }

    /// The grammar of the calls that the server keeps to.
    pub fn grammar(&self) -> Arc<Grammar> {
        let call = |(name, arguments): (&String, &Arc<Grammar>)| {
            let Grammar::JsonSchema(arguments) = &**arguments else { return Value::Bool(false) };
            json!({
                "type": "object", "properties": { "tool": { "const": name }, "arguments": arguments },
                "required": ["tool", "arguments"], "additionalProperties": false,
            })
        };
        let calls: Vec<Value> = self.judged.iter().map(call).collect();
        Arc::new(Grammar::JsonSchema(json!({ "anyOf": calls })))
    }

    /// The completion without members that only say that there is nothing, where it keeps to what the server was given.
    ///
    /// # Errors
    /// [`ModelErrorKind::BadShape`] with usage and calls, where a server that should keep to its tools did not.
    pub fn judge(&self, mut completion: Completion) -> Result<Completion, ModelError> {
        for call in &mut completion.calls {
            if let Some(Grammar::JsonSchema(schema)) = self.judged.get(&call.tool).map(|grammar| &**grammar) {
                SchemaRules::without_nulls(schema, &mut call.arguments);
            }
        }
        let Some(why) = self.mismatch(&completion.calls).filter(|_| self.strict) else { return Ok(completion) };
        let calls: Vec<String> =
            completion.calls.iter().map(|call| format!("{} {}", call.tool, call.arguments)).collect();
        let partial = if calls.is_empty() { completion.text } else { calls.join("\n").into() };
        Err(ModelError {
            usage: Some(completion.usage),
            partial: Some(partial),
            latency_us: completion.latency_us,
            provider: Box::new(completion.provider),
            ..ModelError::new(ModelErrorKind::BadShape, format!("the answer does not have the demanded shape: {why}"))
        })
    }

    /// Why these calls do not fit, if they do not.
    fn mismatch(&self, calls: &[RequestedCall]) -> Option<String> {
        if calls.is_empty() && self.choice == Choice::Call {
            return Some("it calls no tool".to_owned());
        }
        calls.iter().find_map(|call| match self.judged.get(&call.tool) {
            None => Some(format!("there is no tool `{}` to be called", call.tool)),
            Some(schema) if Shapes::shared().fits(schema, &call.arguments.to_string()) => None,
            Some(_) => Some(format!("the arguments of the call of `{}` are not as its schema demands", call.tool)),
        })
    }
}

/// The tools of a request that the grammar lets be called; all of them where none may be.
fn offered(request: &ChatRequest, asked: &Asked<'_>) -> Result<Vec<ToolSpec>, String> {
    if asked.choice() == Choice::Text {
        return Ok(request.tools.to_vec());
    }
    let tools: Vec<ToolSpec> = request.tools.iter().filter(|tool| asked.allows(tool)).cloned().collect();
    if tools.is_empty() { Err("the grammar allows none of the tools of the request".to_owned()) } else { Ok(tools) }
}

/// Closes every object of a schema, as strict tools want it. Objects whose keys the model would choose cannot be written so: they go where
/// they may be left out. Values that hold by default go as well: OpenAI refuses them, and `null` takes their place.
fn close(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    members.remove("default");
    let required: Vec<Value> = members.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        properties.retain(|name, member| !is_map(member) || required.iter().any(|needed| needed == name));
        properties.values_mut().for_each(close);
        members.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(branches)) = members.get_mut(keyword) {
            branches.iter_mut().for_each(close);
        }
    }
    if let Some(items) = members.get_mut("items") {
        close(items);
    }
}

/// Whether a schema is that of an object whose keys it does not list.
fn is_map(schema: &Value) -> bool {
    schema.get("type") == Some(&json!("object")) && schema.get("properties").is_none()
}

/// Brings what the grammar says of a tool into the schema of its arguments: the values that an argument may have, where every
/// alternative lists them, and which members of the alternatives must be there (the reasoning).
fn narrow(parameters: &mut Value, branches: &[&Value]) {
    let mut values: BTreeMap<&str, Option<Vec<Value>>> = BTreeMap::new();
    for branch in branches {
        let arguments = branch.pointer("/properties/arguments/properties").and_then(Value::as_object);
        for (name, schema) in arguments.into_iter().flatten() {
            let known = values.entry(name).or_insert_with(|| Some(Vec::new()));
            match (known.as_mut(), schema.get("enum").and_then(Value::as_array)) {
                (Some(known), Some(more)) => {
                    for value in more {
                        if !known.contains(value) {
                            known.push(value.clone());
                        }
                    }
                }
                _ => *known = None,
            }
        }
    }
    let Some(properties) = parameters.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, values) in values {
        if let (Some(values), Some(Value::Object(property))) = (values, properties.get_mut(name)) {
            property.insert("enum".to_owned(), Value::Array(values));
        }
    }
    let beside = |branch: &&Value, name: &str| {
        branch.get("required").and_then(Value::as_array).is_some_and(|all| all.iter().any(|member| member == name))
    };
    let demanded: Vec<Value> = properties
        .keys()
        .filter(|name| !["tool", "arguments", "input"].contains(&name.as_str()))
        .filter(|name| branches.iter().all(|branch| beside(branch, name)))
        .map(|name| json!(name))
        .collect();
    let Value::Object(members) = parameters else { return };
    if let Value::Array(required) = members.entry("required").or_insert_with(|| json!([])) {
        for name in demanded {
            if !required.contains(&name) {
                required.push(name);
            }
        }
    }
}

/// What the strict schemas of a request have too much of together, if anything.
fn over(tools: &[ToolSpec], text: Option<&Value>) -> Option<String> {
    let schemas = || tools.iter().map(|tool| &tool.parameters).chain(text);
    let counts = [
        ("strict tools", tools.len(), MOST_TOOLS),
        ("members that may be left out", schemas().map(|schema| members(schema, optional)).sum(), MOST_OPTIONAL),
        ("members of several types", schemas().map(|schema| members(schema, union)).sum(), MOST_UNIONS),
    ];
    let over = counts.into_iter().find(|(_, found, most)| found > most);
    over.map(|(what, found, most)| format!("{found} {what}, and at most {most} are allowed"))
}

/// A test of a member: the object that it is of, its name, and its schema.
type OfMember = fn(&Map<String, Value>, &str, &Value) -> bool;

/// How many members of all objects of a schema are so.
fn members(schema: &Value, so: OfMember) -> usize {
    match schema {
        Value::Object(object) => {
            let own = object.get("properties").and_then(Value::as_object).into_iter().flatten();
            own.filter(|(name, member)| so(object, name, member)).count()
                + object.values().map(|inner| members(inner, so)).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(|item| members(item, so)).sum(),
        _ => 0,
    }
}

fn optional(object: &Map<String, Value>, name: &str, _: &Value) -> bool {
    let required = object.get("required").and_then(Value::as_array);
    !required.is_some_and(|all| all.iter().any(|member| member == name))
}

fn union(_: &Map<String, Value>, _: &str, member: &Value) -> bool {
    member.get("anyOf").is_some() || member.get("type").is_some_and(Value::is_array)
}

#[cfg(test)]
#[path = "native_tests.rs"]
mod tests;
