//! What the architecture shows of its agents.

use gimbal_core::{BuildError, Files};
use serde_json::Value;

use super::{ReflexionKind, agents};
use crate::family::{Answer, Family, Placed, answer};
use crate::reflector::REFLECTION;

impl Family for ReflexionKind {
    fn answers(&self) -> Vec<Answer> {
        vec![answer("reflector", &REFLECTION)]
    }

    fn agents(&self, settings: &Value, files: &dyn Files) -> Result<(Vec<Placed>, Vec<String>), BuildError> {
        agents(settings, files)
    }
}
