//! The family of environments by which a study finds this one.

use gimbal_core::fit::Offers;
use gimbal_core::{Catalogue, EnvError, Environment, TaskId};
use gimbal_env_kit::catalogue;
use serde_json::Value;

use super::{Settings, TitanEnvironment, settings};
use crate::policy::POLICIES;
use crate::tracker;

/// The family `yawning_titan`.
#[derive(Clone, Copy, Debug, Default)]
pub struct YawningTitan;

/// The name by which studies and errors mention the family.
const NAME: &str = "yawning_titan";

pub(super) fn check_task(task: &TaskId) -> Result<(), EnvError> {
    catalogue::check_seed_part(NAME, task)
}

impl Catalogue for YawningTitan {
    fn name(&self) -> &'static str {
        NAME
    }

    fn behaviour(&self) -> u32 {
        crate::BEHAVIOUR
    }

    fn splits(&self) -> &[&'static str] {
        &catalogue::SEED_PARTS
    }

    fn tasks(&self, split: &str, _options: &Value) -> Result<Vec<TaskId>, EnvError> {
        catalogue::seed_part(NAME, split)
    }

    fn schema(&self) -> Value {
        settings::schema()
    }

    fn resolve(&self, options: &Value) -> Result<Value, EnvError> {
        catalogue::resolved(&Settings::read(options)?)
    }

    fn environment(&self, resolved: &Value) -> Value {
        // Names are at the interface: cells that differ in them meet the same environments.
        catalogue::without(resolved, &["names"])
    }

    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        Ok(Box::new(TitanEnvironment::new(Settings::read(options)?)?))
    }

    fn offers(&self) -> Offers {
        catalogue::offers(POLICIES.iter().map(|policy| policy.name()), tracker::queries())
    }
}
