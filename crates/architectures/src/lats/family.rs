//! What the search shows of its agents.

use gimbal_agent::{Answer, Family, Team};
use gimbal_core::{ArchitectureKind, BuildError, Files};
use serde_json::{Value, json};

use super::{Lats, LatsKind, messages, settings};
use crate::shared::reflector::Reflector;

impl Family for LatsKind {
    fn answers(&self) -> Vec<Answer> {
        vec![Answer::new("proposer", &messages::PROPOSALS), Answer::new("valuer", &messages::APPRAISAL)]
    }

    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
        let Lats { proposer, valuer, reflector, contexts: [context, _], .. } =
            settings::resolve(self.name(), settings, files)?;
        let reflector = reflector.map(|reflector| (Reflector::PLACE, reflector.agent));
        Ok(Team::new([("proposer", proposer), ("valuer", valuer)].into_iter().chain(reflector), context))
    }

    fn audited(&self) -> Vec<Value> {
        vec![json!({ "reflections": 1 })]
    }
}
