//! The family of environments by which a study finds this one.

use gimbal_core::fit::Offers;
use gimbal_core::{Catalogue, EnvError, Environment, Part, Questions, TaskId};
use gimbal_env_kit::catalogue;
use serde_json::Value;

use super::{FinanceEnvironment, POLICIES, Settings, settings, task};
use crate::tracker;

/// The family `finance_agent`.
#[derive(Clone, Copy, Debug, Default)]
pub struct FinanceAgent;

impl Catalogue for FinanceAgent {
    fn name(&self) -> &'static str {
        "finance_agent"
    }

    fn behaviour(&self) -> u32 {
        crate::BEHAVIOUR
    }

    fn splits(&self) -> &[&'static str] {
        &task::SPLITS
    }

    fn tasks(&self, split: &str, options: &Value) -> Result<Vec<TaskId>, EnvError> {
        task::tasks(split, &Settings::read(options)?)
    }

    fn parts(&self) -> &[Part] {
        &task::PARTS
    }

    fn schema(&self) -> Value {
        settings::schema()
    }

    fn resolve(&self, options: &Value) -> Result<Value, EnvError> {
        catalogue::resolved(&Settings::read(options)?)
    }

    fn environment(&self, resolved: &Value) -> Value {
        // Who judges and reads, and what is listed, are at the interface: cells that differ in them meet the same environments.
        catalogue::without(resolved, &["judge", "reader", "literals"])
    }

    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        Ok(Box::new(FinanceEnvironment::new(Settings::read(options)?)?))
    }

    fn offers(&self) -> Offers {
        Offers {
            answers: true,
            asks: ["reader", "judge"].map(str::to_owned).to_vec(),
            ..catalogue::offers(POLICIES, tracker::queries())
        }
    }

    fn questions(&self) -> Option<&dyn Questions> {
        Some(self)
    }
}
