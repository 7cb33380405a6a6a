//! The family of environments by which a study finds this one.

use gimbal_core::architecture::Offers;
use gimbal_core::{Catalogue, EnvError, Environment, Part, Questions, TaskId};
use serde_json::Value;

use super::{FinanceEnvironment, POLICIES, Settings, settings, task};
use crate::tracker::{BLOCKS, QUERIES};

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
        serde_json::to_value(Settings::read(options)?).map_err(|error| EnvError::Usage(error.to_string()))
    }

    fn environment(&self, resolved: &Value) -> Value {
        // Who judges and reads, and what is listed, stand at the rim: cells that differ in them meet the same environments.
        let mut environment = resolved.clone();
        if let Some(map) = environment.as_object_mut() {
            for interface in ["judge", "reader", "literals"] {
                map.shift_remove(interface);
            }
        }
        environment
    }

    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        Ok(Box::new(FinanceEnvironment::new(Settings::read(options)?)?))
    }

    fn offers(&self) -> Offers {
        Offers {
            subjects: true,
            simulator: true,
            answers: true,
            policies: POLICIES.map(str::to_owned).to_vec(),
            blocks: BLOCKS.map(str::to_owned).to_vec(),
            queries: QUERIES.map(str::to_owned).to_vec(),
            asks: ["reader", "judge"].map(str::to_owned).to_vec(),
            ..Offers::default()
        }
    }

    fn questions(&self) -> Option<&dyn Questions> {
        Some(self)
    }
}
