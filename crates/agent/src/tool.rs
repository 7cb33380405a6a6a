//! Tools that an agent may use before it answers: deterministic queries of the tracker.
//!
//! What asks other agents or the agent itself joins here by implementing [`Tool`].

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::{Brief, LaneId, Stage, ToolCall, ToolSpec};
use serde_json::{Map, Value};

use crate::persona::data;
use crate::protocol::Input;

/// Something that an agent may use before it answers.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Carries out a use of the tool.
    ///
    /// # Errors
    /// What went wrong, for the agent to read (BOG-044).
    async fn call(&self, stage: &dyn Stage, lane: LaneId, input: &Input) -> Result<String, String>;
}

/// A tool as it is offered to a model.
#[derive(Clone)]
pub struct Offered {
    /// Generic name.
    pub generic: String,
    /// The name under which the environment publishes it (BOG-058, BOG-063).
    pub name: String,
    /// Specification under the published name, for native calls.
    pub spec: ToolSpec,
    /// Whether the answer must follow its result (BOG-056).
    pub critical: bool,
    /// What carries it out.
    pub tool: Arc<dyn Tool>,
}

impl Offered {
    /// The tools of a persona in an environment; queries that the environment does not answer are left out (the
    /// plan refuses such a pair by `Needs.queries`).
    #[must_use]
    pub fn of(uses: &[data::ToolUse], brief: &Brief, queries: &[ToolSpec]) -> Vec<Self> {
        uses.iter()
            .filter_map(|wanted| {
                let query = queries.iter().find(|query| query.name == wanted.query)?;
                let name = brief.tool_name(&query.name).to_owned();
                Some(Self {
                    generic: query.name.clone(),
                    spec: ToolSpec { name: name.clone(), ..query.clone() },
                    name,
                    critical: wanted.critical,
                    tool: Arc::new(Query { spec: query.clone() }),
                })
            })
            .collect()
    }

    /// Whether a model that writes `name` means this tool. The second value says that it wrote the name of the flag
    /// instead (BOG-224).
    #[must_use]
    pub fn answers_to(&self, name: &str) -> Option<bool> {
        let same = |name: &str| name.eq_ignore_ascii_case(&self.name) || name.eq_ignore_ascii_case(&self.generic);
        if same(name) {
            return Some(false);
        }
        name.strip_prefix("include_tool_").is_some_and(same).then_some(true)
    }
}

/// A read-only query of the tracker.
struct Query {
    spec: ToolSpec,
}

#[async_trait]
impl Tool for Query {
    async fn call(&self, stage: &dyn Stage, lane: LaneId, input: &Input) -> Result<String, String> {
        let arguments = arguments(&self.spec, input)?;
        let call = ToolCall { tool: self.spec.name.clone(), arguments };
        stage.query(lane, &call).await.map_err(|rejection| rejection.message)
    }
}

/// Arguments from what a model wrote: an object, an object as text, or the one required parameter as text.
fn arguments(spec: &ToolSpec, input: &Input) -> Result<BTreeMap<String, Value>, String> {
    let named = |arguments: &Map<String, Value>| {
        arguments.iter().map(|(name, value)| (name.clone(), value.clone())).collect::<BTreeMap<_, _>>()
    };
    match input {
        Input::Arguments(object) => Ok(named(object)),
        Input::Text(text) => {
            if let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) {
                return Ok(named(&object));
            }
            let required: Vec<&str> = spec.required().collect();
            match required.as_slice() {
                [] if text.trim().is_empty() => Ok(BTreeMap::new()),
                [only] => {
                    let value = text.trim().trim_matches(['"', '\'', '`']).to_owned();
                    Ok(BTreeMap::from([((*only).to_owned(), Value::String(value))]))
                }
                [] => Err("this tool takes no input".to_owned()),
                many => Err(format!("the input must be a JSON object with the keys {}", many.join(", "))),
            }
        }
    }
}

/// A specification with the argument `reasoning`, which is journaled and never reaches the world.
#[must_use]
pub fn with_reasoning(spec: &ToolSpec) -> ToolSpec {
    let mut spec = spec.clone();
    let reason =
        serde_json::json!({ "type": "string", "description": "Why you make this call, in a sentence or two." });
    if let Some(properties) = spec.parameters.get_mut("properties").and_then(Value::as_object_mut)
        && !properties.contains_key("reasoning")
    {
        let mut all = Map::from_iter([("reasoning".to_owned(), reason)]);
        all.append(properties);
        *properties = all;
    }
    spec
}

#[cfg(test)]
mod tests {
    use gimbal_core::ToolSpec;
    use serde_json::{Map, Value};

    use super::{Input, arguments, with_reasoning};

    #[test]
    fn reads_inputs_as_models_write_them() {
        let one = ToolSpec::of_strings("look", "Looks.", &[("subject", "what")]);
        let two = ToolSpec::of_strings("weigh", "Weighs.", &[("a", "x"), ("b", "y")]);
        for text in ["lathe", " \"lathe\" ", "`lathe`", r#"{"subject": "lathe"}"#] {
            let found = arguments(&one, &Input::Text(text.to_owned())).unwrap();
            assert_eq!(found.get("subject"), Some(&Value::from("lathe")), "{text}");
        }
        let message = arguments(&two, &Input::Text("lathe".to_owned())).unwrap_err();
        assert_eq!(message, "the input must be a JSON object with the keys a, b");
        assert!(arguments(&two, &Input::Arguments(Map::new())).unwrap().is_empty());
    }

    #[test]
    fn the_reason_stands_first_and_is_not_required() {
        let spec = with_reasoning(&ToolSpec::of_strings("look", "Looks.", &[("subject", "what")]));
        let names: Vec<&String> = spec.parameters["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["reasoning", "subject"]);
        assert_eq!(spec.required().collect::<Vec<_>>(), ["subject"]);
        assert_eq!(with_reasoning(&spec), spec);
    }
}
