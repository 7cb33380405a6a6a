//! What the architecture shows of its agents.

use gimbal_agent::{Answer, Family, Placed, Team};
use gimbal_core::{ArchitectureKind, BuildError, Files};
use serde_json::Value;

use super::{Reflexion, ReflexionKind, settings};
use crate::shared::reflector::{REFLECTION, Reflector};

impl Family for ReflexionKind {
    fn answers(&self) -> Vec<Answer> {
        vec![Answer::new(Reflector::PLACE, &REFLECTION)]
    }

    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
        let Reflexion { react, reflector, .. } = settings::resolve(self.name(), settings, files)?;
        let mut team = react.into_team();
        team.agents.push(Placed::new(Reflector::PLACE, reflector.agent));
        Ok(team)
    }
}
