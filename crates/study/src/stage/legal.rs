//! The legal calls: enumerated once, and again only when the environment's literals change.

use std::borrow::Cow;
use std::sync::Arc;

use gimbal_core::{Environment, ToolCall, ToolSpec};
use serde_json::Value;

/// The legal calls of a moment, with what they were made of.
#[derive(Debug)]
pub struct Menu {
    cap: usize,
    tools: Arc<[ToolSpec]>,
    /// The environment's literals for every required parameter, in order.
    literals: Vec<Option<Vec<String>>>,
    calls: Arc<[ToolCall]>,
}

/// The required parameters of all tools.
fn parameters(tools: &[ToolSpec]) -> impl Iterator<Item = (&str, &str)> {
    tools.iter().flat_map(|tool| tool.required().map(|parameter| (tool.name.as_str(), parameter)))
}

impl Menu {
    /// The legal calls now, at most `cap`.
    pub fn of(environment: &dyn Environment, cap: usize) -> Self {
        let tools = Arc::clone(environment.tools());
        let owned = |literals: Vec<Cow<'_, str>>| literals.into_iter().map(Cow::into_owned).collect();
        let literals = parameters(&tools).map(|(tool, parameter)| environment.choices(tool, parameter).map(owned));
        Self { cap, literals: literals.collect(), calls: legal_calls(environment, cap).into(), tools }
    }

    /// Whether they would be the same now.
    pub fn stands(&self, environment: &dyn Environment, cap: usize) -> bool {
        let tools = environment.tools();
        let same = |known: &Option<Vec<String>>, now: Option<Vec<Cow<'_, str>>>| match (known, now) {
            (Some(known), Some(now)) => known.iter().eq(now.iter()),
            (None, None) => true,
            _ => false,
        };
        let mut literals = self.literals.iter();
        cap == self.cap
            && (Arc::ptr_eq(tools, &self.tools) || *tools == self.tools)
            && parameters(tools).all(|(tool, parameter)| {
                literals.next().is_some_and(|known| same(known, environment.choices(tool, parameter)))
            })
    }

    /// The calls.
    pub fn calls(&self) -> Arc<[ToolCall]> {
        Arc::clone(&self.calls)
    }
}

/// The legal calls in the environment's order, as far as literals are known.
fn legal_calls(environment: &dyn Environment, cap: usize) -> Vec<ToolCall> {
    let mut calls = Vec::new();
    for tool in environment.tools().iter() {
        let mut partial = vec![ToolCall::bare(&tool.name)];
        for parameter in tool.required() {
            let choices = environment.choices(&tool.name, parameter);
            let choices: Vec<Value> = match choices {
                Some(choices) => choices.into_iter().map(|choice| Value::from(choice.into_owned())).collect(),
                None => listed(tool, parameter),
            };
            let room = cap.saturating_sub(calls.len());
            partial = partial
                .iter()
                .flat_map(|call| choices.iter().map(move |choice| (call, choice)))
                .take(room)
                .map(|(call, choice)| {
                    let mut call = call.clone();
                    call.arguments.insert(parameter.to_owned(), choice.clone());
                    call
                })
                .collect();
        }
        calls.append(&mut partial);
        if calls.len() >= cap {
            break;
        }
    }
    calls.truncate(cap);
    calls
}

/// The values that a tool's schema lists for a parameter: all there are, or examples of many.
fn listed(tool: &ToolSpec, parameter: &str) -> Vec<Value> {
    let property = tool.parameters.get("properties").and_then(|properties| properties.get(parameter));
    let listed = property.and_then(|property| property.get("enum").or_else(|| property.get("examples")));
    listed.and_then(Value::as_array).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use gimbal_core::ToolSpec;
    use serde_json::{Value, json};

    use super::listed;

    #[test]
    fn values_come_from_the_schema_where_the_environment_names_none() {
        let mut tool = ToolSpec::of_strings("take", "Takes.", &[("what", "what"), ("how_many", "how many")]);
        assert_eq!(listed(&tool, "what"), Vec::<Value>::new());
        tool.parameters["properties"]["what"]["enum"] = json!(["a", "b"]);
        tool.parameters["properties"]["how_many"] = json!({ "type": "integer", "minimum": 1, "examples": [1, 4] });
        assert_eq!(listed(&tool, "what"), [json!("a"), json!("b")]);
        assert_eq!(listed(&tool, "how_many"), [json!(1), json!(4)]);
        assert_eq!(listed(&tool, "nothing"), Vec::<Value>::new());
    }
}
