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

const SPLITS: [&str; 2] = ["train", "test"];

/// A task is a part of the seeds: training and test episodes meet different draws of the one scenario.
const TASKS: [&str; 2] = ["train", "test"];

pub(super) fn check_task(task: &TaskId) -> Result<(), EnvError> {
    if TASKS.contains(&task.0.as_str()) {
        return Ok(());
    }
    Err(catalogue::unknown("cage2", "task", &task.0, &TASKS))
}

impl Catalogue for Cage2 {
    fn name(&self) -> &'static str {
        "cage2"
    }

    fn behaviour(&self) -> u32 {
        crate::BEHAVIOUR
    }

    fn splits(&self) -> &[&'static str] {
        &SPLITS
    }

    fn tasks(&self, split: &str, _options: &Value) -> Result<Vec<TaskId>, EnvError> {
        if SPLITS.contains(&split) {
            return Ok(vec![TaskId(split.to_owned())]);
        }
        Err(catalogue::unknown("cage2", "split", split, &SPLITS))
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
