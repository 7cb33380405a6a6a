//! The family of environments by which a study finds this one.

use gimbal_core::fit::Offers;
use gimbal_core::{Catalogue, EnvError, Environment, TaskId};
use gimbal_env_kit::catalogue;
use serde_json::{Value, json};

use super::{Cage2Environment, Settings, settings};
use crate::policy::POLICIES;
use crate::tracker;

/// The family `cage2`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cage2;

/// The name by which studies and errors mention the family.
const NAME: &str = "cage2";

pub(super) fn check_task(task: &TaskId) -> Result<(), EnvError> {
    catalogue::check_seed_part(NAME, task)
}

impl Catalogue for Cage2 {
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
        // Names and checks are at the interface: cells that differ in them meet the same environments.
        json!({
            "red": resolved["red"],
            "green": resolved["green"],
            "horizon": resolved["horizon"],
            "draws": resolved["draws"],
        })
    }

    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        Ok(Box::new(Cage2Environment::new(Settings::read(options)?)?))
    }

    fn offers(&self) -> Offers {
        catalogue::offers(POLICIES.iter().map(|policy| policy.name()), tracker::queries())
    }
}
