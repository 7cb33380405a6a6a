//! Settings of `react`.

use std::sync::Arc;

use gimbal_agent::persona::{configurations, data::Configuration};
use gimbal_agent::{Agent, Overrides, Persona};
use gimbal_core::{BuildError, Files, nearest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Settings of `react`. What is left out is as the persona says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Name of a setting in `personas/configurations.yaml` to start from; every other key overrides it.
    pub configuration: Option<String>,
    /// Persona of the agent.
    pub persona: String,
    /// Role by which the study names the agent's model.
    pub role: String,
    /// Context blocks of the prompt; their order is that of the persona (`order` in `prompt.yaml`).
    pub context: Option<Vec<String>>,
    /// Overrides of the persona.
    #[serde(flatten)]
    pub agent: Overrides,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            configuration: None,
            persona: "planner".to_owned(),
            role: "default".to_owned(),
            context: None,
            agent: Overrides::default(),
        }
    }
}

/// The agent and its context blocks.
pub(super) fn resolve(name: &str, settings: &Value, files: &dyn Files) -> Result<(Agent, Vec<String>), BuildError> {
    let error = |error: &dyn std::fmt::Display| BuildError(format!("{name}: {error}"));
    let written: Settings = crate::settings::read(name, settings)?;
    let settings: Settings = match &written.configuration {
        Some(wanted) => {
            let base = configuration(name, wanted, files)?;
            crate::settings::read(name, &merged(base, settings))
                .map_err(|error| BuildError(format!("configuration `{wanted}`: {error}")))?
        }
        None => written,
    };
    let persona = Arc::new(Persona::load(&settings.persona, files).map_err(|problem| error(&problem))?);
    let context = settings.context.unwrap_or_else(|| persona.prompt.context.clone());
    if let Some(twice) =
        context.iter().enumerate().find_map(|(at, block)| context[..at].contains(block).then_some(block))
    {
        return Err(BuildError(format!("{name}: context: the block `{twice}` is named twice")));
    }
    let context = persona.ordered(&context);
    let agent = Agent::new(persona, &settings.role, &settings.agent).map_err(|problem| error(&problem))?;
    Ok((agent, context))
}

/// The settings of the configuration called `wanted`.
fn configuration(name: &str, wanted: &str, files: &dyn Files) -> Result<Map<String, Value>, BuildError> {
    let all = configurations(files).map_err(|error| BuildError(error.to_string()))?;
    let names = || all.iter().map(|configuration| configuration.name.as_str());
    match all.iter().find(|configuration| configuration.name == wanted) {
        Some(Configuration { base, settings, .. }) if base == name => Ok(settings.clone()),
        Some(Configuration { base, .. }) => {
            Err(BuildError(format!("{name}: configuration `{wanted}` is one of `{base}`, not of `{name}`")))
        }
        None => {
            let known: Vec<&str> = names().collect();
            let hint = nearest::hint(wanted, names());
            let known = known.join(", ");
            Err(BuildError(format!("{name}: there is no configuration `{wanted}`{hint} (known: {known})")))
        }
    }
}

/// `base` with every key of `over`; switches are merged one by one.
fn merged(mut base: Map<String, Value>, over: &Value) -> Value {
    for (key, value) in over.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        match (base.get_mut(key).and_then(Value::as_object_mut), value.as_object()) {
            (Some(inner), Some(value)) => {
                inner.extend(value.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
    base.insert("configuration".to_owned(), Value::Null);
    Value::Object(base)
}
