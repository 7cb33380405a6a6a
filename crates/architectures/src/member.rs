//! One agent of several: its settings, and its place among the others.

use gimbal_agent::persona::data::Contract;
use gimbal_agent::{Agent, Overrides, Persona};
use gimbal_core::{BuildError, Files};
use schemars::JsonSchema;
use serde::Deserialize;

/// Settings of one agent of several.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Member {
    /// Persona of the agent.
    pub persona: Option<String>,
    /// Role by which the study names the agent's model; the study's `default` stands in for it.
    pub role: Option<String>,
    /// Overrides of its persona, before those of all agents.
    #[serde(flatten)]
    pub agent: Overrides,
}

/// The place of an agent.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// Its name, which is the agent's role by default.
    pub name: &'a str,
    /// Its persona by default.
    pub persona: &'a str,
    /// The message with which the agent must answer; an action where there is none.
    pub contract: Option<Contract>,
    /// Tools by which the agent may turn to others.
    pub tools: &'a [&'a str],
}

impl Place<'_> {
    /// The agent that the settings `member` and `common`, those of all agents, put in this place of the architecture
    /// called `name`.
    pub(crate) fn agent(
        &self,
        name: &str,
        (member, common): (&Member, &Overrides),
        files: &dyn Files,
    ) -> Result<Agent, BuildError> {
        let place = self.name;
        let error = |error: &dyn std::fmt::Display| BuildError(format!("{name}: {place}: {error}"));
        let persona = member.persona.as_deref().unwrap_or(self.persona);
        let persona = Persona::shared(persona, files).map_err(|problem| error(&problem))?;
        if persona.core.contract != self.contract {
            let words = |contract: Option<Contract>| match contract {
                Some(contract) => format!("with the message `{}`", contract.name()),
                None => "with an action".to_owned(),
            };
            let (is, must) = (words(persona.core.contract), words(self.contract));
            let name = &persona.name;
            return Err(error(&format!("the persona `{name}` answers {is}, and the {place} must answer {must}")));
        }
        let role = member.role.as_deref().unwrap_or(place);
        let overrides = common.with(&member.agent);
        Agent::among(persona, role, &overrides, self.tools).map_err(|problem| error(&problem))
    }
}
