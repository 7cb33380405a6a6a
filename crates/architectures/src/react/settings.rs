//! Settings of `react`.

use gimbal_agent::{Agent, Overrides, Persona};
use gimbal_core::{BuildError, Files};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::React;
use crate::shared::gate::{Gate, GateKind};
use crate::shared::member::Member;

/// Settings of `react`. What is left out is as the persona says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Name of a setting in `personas/configurations.yaml` to start from; every other key overrides it.
    pub configuration: Option<String>,
    /// Whether the agent is told what the first work prints and no more: the persona whose name ends in `-strict`, and verdicts
    /// in the history whatever the context (BOG-104).
    pub strict: bool,
    /// Whether the switches stand as in the published artefact where the study does not say otherwise: tools show worked
    /// examples, and improvement asks for an improved thought (BOG-R07, BOG-R08).
    pub artefact: bool,
    /// Persona of the agent.
    pub persona: String,
    /// Role by which the study names the agent's model.
    pub role: String,
    /// How long a conversation lives: a step (BOG-031) or the whole episode (CYC-026).
    pub conversation: Conversation,
    /// Most tool calls of an episode in one conversation (CYC-026, CYC-050), never more than the environment's horizon, which holds where it is
    /// left out.
    pub global_calls: Option<u32>,
    /// What is checked before a final answer: `none`, or `evidence`: each figure must be based on a stored text (CYC-095).
    pub gate: GateKind,
    /// How often the gate holds an answer back before it lets it through all the same; 2 where it is left out.
    pub gate_refusals: Option<u32>,
    /// The one that the gate asks about figures that code does not find; persona and role `verifier`.
    pub verifier: Member,
    /// Context blocks of the prompt; their order is that of the persona (`order` in `prompt.yaml`).
    pub context: Option<Vec<String>>,
    /// Whether the history shows the verdicts of the belief state beside the agent's own past (BOG-104); where it is left out,
    /// it does if the context shows the status.
    pub history_verdicts: Option<bool>,
    /// Overrides of the persona.
    #[serde(flatten)]
    pub agent: Overrides,
}

/// How long a conversation lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Conversation {
    /// A step: all continuity is in the context blocks (BOG-031).
    #[default]
    Step,
    /// The episode: the agent sees the outcome of its actions as they happened, and no blocks but those at the start.
    Episode,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            configuration: None,
            strict: false,
            artefact: false,
            persona: "planner".to_owned(),
            role: "default".to_owned(),
            conversation: Conversation::Step,
            global_calls: None,
            gate: GateKind::None,
            gate_refusals: None,
            verifier: Member::default(),
            context: None,
            history_verdicts: None,
            agent: Overrides::default(),
        }
    }
}

/// The architecture that the settings describe.
pub(crate) fn resolve(name: &str, settings: &Value, files: &dyn Files) -> Result<React, BuildError> {
    let error = |key: &str, error: &dyn std::fmt::Display| BuildError::new(format!("{name}: {error}")).at(key);
    let settings: Settings = crate::shared::configuration::read(name, settings, files)?;
    let named = crate::shared::settings::persona(&settings.persona, settings.strict);
    let persona = Persona::shared(&named, files).map_err(|problem| error("persona", &problem))?;
    if let Some(message) = &persona.core.contract {
        let persona = &persona.name;
        return Err(error(
            "persona",
            &format!(
                "the persona `{persona}` answers with the message `{message}`, and an agent on its own must answer with an \
                 action"
            ),
        ));
    }
    let mut context = crate::shared::settings::context(name, &persona, settings.context)?;
    crate::shared::settings::past(name, &mut context, (settings.history_verdicts, settings.strict))?;
    let common = &crate::shared::settings::switches(settings.artefact).with(&settings.agent);
    let verifier = &settings.verifier;
    let gate = Gate::of(name, (settings.gate, settings.gate_refusals), (verifier, common), files)?;
    let agent = Agent::new(persona, &settings.role, common).map_err(|problem| error(problem.key(), &problem))?;
    let whole = settings.conversation == Conversation::Episode;
    let agent = if whole { agent.acting_often(&settings.agent) } else { agent };
    match settings.global_calls {
        Some(0) => return Err(error("global_calls", &"global_calls must be at least 1")),
        Some(_) if !whole => {
            return Err(error(
                "global_calls",
                &"global_calls bounds one conversation: set `conversation: episode`, or bound `tool_calls` among the \
                  study's `limits`",
            ));
        }
        _ => {}
    }
    Ok(React { agent, context, gate, whole: whole.then_some(settings.global_calls) })
}
