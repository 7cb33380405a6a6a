//! The settings of a dispute, and what it shows of its agents.

use std::sync::Arc;

use gimbal_agent::{Agent, Answer, Family, Overrides, Partners, Persona, Team};
use gimbal_core::{BuildError, FileError, Files};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CONTEXT, DisputeKind, ROLES, Stance};

/// The persona of both agents.
const PERSONA: &str = "disputant";

/// Settings of a dispute.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Settings {
    /// How often an agent may speak before the last proposal is carried out.
    pub most_turns: u32,
    /// Persona of both agents.
    pub persona: String,
    /// Overrides of the persona.
    #[serde(flatten)]
    pub agent: Overrides,
}

impl Default for Settings {
    fn default() -> Self {
        Self { most_turns: 4, persona: PERSONA.to_owned(), agent: Overrides::default() }
    }
}

impl Settings {
    pub(super) fn schema() -> Value {
        schemars::schema_for!(Self).into()
    }

    /// Reads settings; unknown keys are errors.
    pub(super) fn read(settings: &Value) -> Result<Self, BuildError> {
        let schema = Self::schema();
        let known = schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str());
        crate::plays::only(settings, &known.collect::<Vec<_>>())?;
        Self::deserialize(settings).map_err(error)
    }

    /// The two agents, the first speaker first.
    pub(super) fn agents(&self, files: &dyn Files) -> Result<[Agent; 2], BuildError> {
        let persona = Persona::shared(&self.persona, &WithPersona(files)).map_err(error)?;
        let partners = Partners { message: Some(&Stance), delegates: &[] };
        let agent = |role| Agent::among(Arc::clone(&persona), role, &self.agent, partners);
        let [first, second] = ROLES.map(|role| agent(role).map_err(error));
        Ok([first?, second?])
    }
}

fn error(error: impl std::fmt::Display) -> BuildError {
    BuildError::new(format!("dispute: {error}"))
}

impl Family for DisputeKind {
    fn answers(&self) -> Vec<Answer> {
        vec![Answer::new(ROLES[0], &Stance)]
    }

    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
        let agents = Settings::read(settings)?.agents(files)?;
        Ok(Team::new(ROLES.into_iter().zip(agents), vec![CONTEXT.to_owned()]))
    }

    fn shows_blocks_to_all(&self) -> bool {
        true
    }

    fn showing(&self, _place: &str, persona: &str) -> Value {
        json!({ "persona": persona })
    }
}

/// Files with the persona of this system among them.
struct WithPersona<'a>(&'a dyn Files);

impl Files for WithPersona<'_> {
    fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError> {
        let own = match path {
            "personas/disputant/core.yaml" => include_str!("core.yaml"),
            "personas/disputant/prompt.yaml" => include_str!("prompt.yaml"),
            _ => return self.0.read(path),
        };
        Ok(Some((own.to_owned(), path.to_owned())))
    }
    fn list(&self, folder: &str) -> Vec<String> {
        let own = ["core", "prompt"].map(|file| format!("personas/{PERSONA}/{file}.yaml"));
        let mut all = self.0.list(folder);
        all.extend(own.into_iter().filter(|path| path.starts_with(folder)));
        all.sort();
        all
    }
}
