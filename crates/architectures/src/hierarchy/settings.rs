//! Settings of `hierarchy`.

use std::sync::Arc;

use gimbal_agent::persona::data::Contract;
use gimbal_agent::tool::DELEGATES;
use gimbal_agent::{Agent, Overrides, Persona};
use gimbal_core::{BuildError, Files};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Arbiter, Hierarchy};

/// Settings of `hierarchy`. What is left out is as the personas say.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Name of a setting in `personas/configurations.yaml` to start from; every other key overrides it.
    pub configuration: Option<String>,
    /// Context blocks of the planner's prompt; their order is that of its persona.
    pub context: Option<Vec<String>>,
    /// Whether the advisers see the history too (BOG-R02).
    pub subagent_history: bool,
    /// The one that decides and acts; persona `lead`, role `planner`.
    pub planner: Member,
    /// The one that looks into subjects; persona `analyst`, role `analyst`.
    pub analyst: Member,
    /// The one that suggests actions; persona `chooser`, role `chooser`.
    pub chooser: Member,
    /// A mediator between the advisers and the planner (BOG-234); none if it is left out.
    pub arbiter: Option<Arbiter>,
    /// Overrides of all three personas.
    #[serde(flatten)]
    pub agent: Overrides,
}

/// Settings of one agent of the hierarchy.
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

/// The agents and their settings.
pub(super) fn resolve(name: &str, settings: &Value, files: &dyn Files) -> Result<Hierarchy, BuildError> {
    let settings: Settings = crate::configuration::read(name, settings, files)?;
    if let Some(arbiter) = &settings.arbiter {
        arbiter.check().map_err(|message| BuildError(format!("{name}: arbiter: {message}")))?;
    }
    let common = &settings.agent;
    let planner = member(name, ("planner", "lead"), (&settings.planner, common), None, files)?;
    let analyst = member(name, ("analyst", "analyst"), (&settings.analyst, common), Some(Contract::Analysis), files)?;
    let chooser =
        member(name, ("chooser", "chooser"), (&settings.chooser, common), Some(Contract::Suggestions), files)?;
    let context = crate::settings::context(name, planner.persona(), settings.context)?;
    let adviser_context = if settings.subagent_history { vec!["history".to_owned()] } else { Vec::new() };
    Ok(Hierarchy { planner, analyst, chooser, context, adviser_context, arbiter: settings.arbiter })
}

/// An agent in its place; `contract` is the message with which it must answer, if it must.
fn member(
    name: &str,
    (place, persona): (&str, &str),
    (member, common): (&Member, &Overrides),
    contract: Option<Contract>,
    files: &dyn Files,
) -> Result<Agent, BuildError> {
    let error = |error: &dyn std::fmt::Display| BuildError(format!("{name}: {place}: {error}"));
    let persona = member.persona.as_deref().unwrap_or(persona);
    let persona = Arc::new(Persona::load(persona, files).map_err(|problem| error(&problem))?);
    if persona.core.contract != contract {
        let words = |contract: Option<Contract>| match contract {
            Some(contract) => format!("with the message `{}`", contract.name()),
            None => "with an action".to_owned(),
        };
        let (is, must) = (words(persona.core.contract), words(contract));
        return Err(error(&format!("the persona `{}` answers {is}, and the {place} must answer {must}", persona.name)));
    }
    let role = member.role.as_deref().unwrap_or(place);
    let overrides = common.with(&member.agent);
    let there: &[&str] = if contract.is_none() { &DELEGATES } else { &[] };
    Agent::among(persona, role, &overrides, there).map_err(|problem| error(&problem))
}
