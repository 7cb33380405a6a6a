//! One agent of several: its settings, and its place among the others.

use gimbal_agent::{Agent, Overrides, Partners, Persona};
use gimbal_core::{BuildError, Files};
use gimbal_messages::{Delegate, Message};
use schemars::JsonSchema;
use serde::Deserialize;

/// Settings of one agent of several.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Member {
    /// Persona of the agent.
    pub persona: Option<String>,
    /// Role by which the study names the agent's model; else the study's `default`.
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
    pub message: Option<&'static dyn Message>,
    /// Tools by which the agent may turn to others.
    pub delegates: &'static [&'static dyn Delegate],
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
        let error = |key: &str, error: &dyn std::fmt::Display| {
            BuildError::new(format!("{name}: {place}: {error}")).at(format!("{place}.{key}"))
        };
        let persona = member.persona.as_deref().unwrap_or(self.persona);
        let persona = Persona::shared(persona, files).map_err(|problem| error("persona", &problem))?;
        let (is, must) = (persona.core.contract.as_deref(), self.message.map(Message::name));
        if is != must {
            let words = |message: Option<&str>| match message {
                Some(message) => format!("with the message `{message}`"),
                None => "with an action".to_owned(),
            };
            let (name, is, must) = (&persona.name, words(is), words(must));
            let words = format!("the persona `{name}` answers {is}, and the {place} must answer {must}");
            return Err(error("persona", &words));
        }
        let role = member.role.as_deref().unwrap_or(place);
        let overrides = common.with(&member.agent);
        let partners = Partners { message: self.message, delegates: self.delegates };
        Agent::among(persona, role, &overrides, partners).map_err(|problem| error(problem.key(), &problem))
    }
}
