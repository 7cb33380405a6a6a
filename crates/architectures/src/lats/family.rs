//! What the architecture shows of its agents.

use gimbal_core::{BuildError, Files};
use serde_json::{Value, json};

use super::{LatsKind, agents, messages};
use crate::family::{Answer, Family, Placed, answer};

impl Family for LatsKind {
    fn answers(&self) -> Vec<Answer> {
        vec![answer("proposer", &messages::PROPOSALS), answer("valuer", &messages::APPRAISAL)]
    }

    fn agents(&self, settings: &Value, files: &dyn Files) -> Result<(Vec<Placed>, Vec<String>), BuildError> {
        agents(settings, files)
    }

    fn audited(&self) -> Vec<Value> {
        vec![json!({ "reflections": 1 })]
    }
}
