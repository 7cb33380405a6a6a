//! The legal calls of a moment, as far as the environment or the tools' schemas list their values.

use serde_json::Value;

use crate::{Environment, ToolCall, ToolSpec};

/// The legal calls now, in the environment's order, at most `cap`. A parameter without listed values gives no call.
#[must_use]
pub fn legal_calls(environment: &dyn Environment, cap: usize) -> Vec<ToolCall> {
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

/// The values that a tool's schema lists for a parameter: all that there are, or examples of many.
fn listed(tool: &ToolSpec, parameter: &str) -> Vec<Value> {
    let property = tool.parameters.get("properties").and_then(|properties| properties.get(parameter));
    let listed = property.and_then(|property| property.get("enum").or_else(|| property.get("examples")));
    listed.and_then(Value::as_array).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::listed;
    use crate::ToolSpec;

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
