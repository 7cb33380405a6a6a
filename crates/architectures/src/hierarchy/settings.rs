//! Settings of `hierarchy`.

use gimbal_agent::Overrides;
use gimbal_core::{BuildError, Files};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::messages::{Analysis, DELEGATES, Suggestions};
use super::{Arbiter, Hierarchy};
use crate::shared::member::{Member, Place};
use crate::shared::settings::{HISTORY, OWN_HISTORY};

/// Settings of `hierarchy`. What is left out is as the personas say.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Name of a setting in `personas/configurations.yaml` to start from; every other key overrides it.
    pub configuration: Option<String>,
    /// Whether the agents are told what the first work prints and no more: the personas whose names end in `-strict`, and
    /// verdicts in the history (BOG-104).
    pub strict: bool,
    /// Whether the switches stand as in the published artefact where the study does not say otherwise: tools show worked
    /// examples, improvement asks for an improved thought, the advisers see the history (BOG-R02, BOG-R07, BOG-R08).
    pub artefact: bool,
    /// Context blocks of the planner's prompt; their order is that of its persona.
    pub context: Option<Vec<String>>,
    /// Whether histories show the verdicts of the belief state beside the agents' own past (BOG-104). Where it is left out, the
    /// planner's does if its context shows the status, and the advisers' does not, since they see no status (BOG-073).
    pub history_verdicts: Option<bool>,
    /// Whether the advisers see the history too (BOG-R02); not, where it is left out, but with `artefact`.
    pub subagent_history: Option<bool>,
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
    let mut settings: Settings = crate::shared::configuration::read(name, settings, files)?;
    if let Some(arbiter) = &settings.arbiter {
        arbiter.check().map_err(|(key, message)| {
            BuildError::new(format!("{name}: arbiter: {message}")).at(format!("arbiter.{key}"))
        })?;
    }
    let common = &crate::shared::settings::switches(settings.artefact).with(&settings.agent);
    let strict = settings.strict;
    for (member, persona) in
        [(&mut settings.planner, "lead"), (&mut settings.analyst, "analyst"), (&mut settings.chooser, "chooser")]
    {
        member.persona = Some(crate::shared::settings::persona(member.persona.as_deref().unwrap_or(persona), strict));
    }
    let planner = Place { name: "planner", persona: "lead", message: None, delegates: &DELEGATES };
    let planner = planner.agent(name, (&settings.planner, common), files)?;
    let analyst = Place { name: "analyst", persona: "analyst", message: Some(&Analysis), delegates: &[] };
    let analyst = analyst.agent(name, (&settings.analyst, common), files)?;
    let chooser = Place { name: "chooser", persona: "chooser", message: Some(&Suggestions), delegates: &[] };
    let chooser = chooser.agent(name, (&settings.chooser, common), files)?;
    let mut context = crate::shared::settings::context(name, planner.persona(), settings.context)?;
    crate::shared::settings::past(name, &mut context, (settings.history_verdicts, strict))?;
    let past = if settings.history_verdicts.unwrap_or(strict) { HISTORY } else { OWN_HISTORY };
    let adviser_context =
        if settings.subagent_history.unwrap_or(settings.artefact) { vec![past.to_owned()] } else { Vec::new() };
    Ok(Hierarchy { planner, analyst, chooser, context, adviser_context, arbiter: settings.arbiter })
}
