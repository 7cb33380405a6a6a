//! Settings of `react`.

use std::sync::Arc;

use gimbal_agent::{Agent, Overrides, Persona};
use gimbal_core::{BuildError, Files};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

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
    let settings: Settings = crate::configuration::read(name, settings, files)?;
    let persona = Arc::new(Persona::load(&settings.persona, files).map_err(|problem| error(&problem))?);
    if let Some(contract) = persona.core.contract {
        let (persona, message) = (&persona.name, contract.name());
        return Err(error(&format!(
            "the persona `{persona}` answers with the message `{message}`, and an agent on its own must answer with an action"
        )));
    }
    let context = crate::settings::context(name, &persona, settings.context)?;
    let agent = Agent::new(persona, &settings.role, &settings.agent).map_err(|problem| error(&problem))?;
    Ok((agent, context))
}
