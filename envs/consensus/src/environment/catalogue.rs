//! The family of environments by which a study finds this one.

use gimbal_core::fit::Offers;
use gimbal_core::{Catalogue, EnvError, Environment, TaskId};
use gimbal_env_kit::catalogue;
use serde_json::{Value, json};

use super::settings::{self, Settings};
use super::{ConsensusEnvironment, POLICIES, task};
use crate::tracker;

/// The family `consensus`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Consensus;

impl Catalogue for Consensus {
    fn name(&self) -> &'static str {
        "consensus"
    }

    fn behaviour(&self) -> u32 {
        crate::BEHAVIOUR
    }

    fn splits(&self) -> &[&'static str] {
        &task::SPLITS
    }

    fn tasks(&self, split: &str, options: &Value) -> Result<Vec<TaskId>, EnvError> {
        Settings::read(options)?;
        task::tasks(split)
    }

    fn schema(&self) -> Value {
        settings::schema()
    }

    fn resolve(&self, options: &Value) -> Result<Value, EnvError> {
        catalogue::resolved(&Settings::read(options)?)
    }

    fn environment(&self, resolved: &Value) -> Value {
        // Arms with as many agents are compared on the same starts and the same order of adversaries.
        json!({ "agents": resolved.get("agents") })
    }

    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        Ok(Box::new(ConsensusEnvironment::new(Settings::read(options)?)?))
    }

    fn offers(&self) -> Offers {
        catalogue::offers(POLICIES, tracker::queries())
    }
}
