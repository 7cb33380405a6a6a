//! Settings of `hierarchy`.

use gimbal_agent::Overrides;
use gimbal_agent::persona::data::Contract;
use gimbal_agent::tool::ADVISERS;
use gimbal_core::{BuildError, Files};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Arbiter, Hierarchy};
use crate::member::{Member, Place};

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

/// The agents and their settings.
pub(super) fn resolve(name: &str, settings: &Value, files: &dyn Files) -> Result<Hierarchy, BuildError> {
    let settings: Settings = crate::configuration::read(name, settings, files)?;
    if let Some(arbiter) = &settings.arbiter {
        arbiter.check().map_err(|message| BuildError(format!("{name}: arbiter: {message}")))?;
    }
    let common = &settings.agent;
    let place = |name, persona, contract, tools| Place { name, persona, contract, tools };
    let planner = place("planner", "lead", None, &ADVISERS[..]).agent(name, (&settings.planner, common), files)?;
    let analyst = place("analyst", "analyst", Some(Contract::Analysis), &[]);
    let analyst = analyst.agent(name, (&settings.analyst, common), files)?;
    let chooser = place("chooser", "chooser", Some(Contract::Suggestions), &[]);
    let chooser = chooser.agent(name, (&settings.chooser, common), files)?;
    let context = crate::settings::context(name, planner.persona(), settings.context)?;
    let adviser_context = if settings.subagent_history { vec!["history".to_owned()] } else { Vec::new() };
    Ok(Hierarchy { planner, analyst, chooser, context, adviser_context, arbiter: settings.arbiter })
}
