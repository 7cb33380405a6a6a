//! The family of environments by which a study finds this one.

use gimbal_core::fit::Offers;
use gimbal_core::{Catalogue, EnvError, Environment, Part, Questions, TaskId};
use gimbal_env_kit::catalogue;
use serde_json::Value;

use super::settings::{self, Settings};
use super::{TriageEnvironment, split};
use crate::policy;
use crate::tracker;

/// The family `triage`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Triage;

impl Catalogue for Triage {
    fn name(&self) -> &'static str {
        "triage"
    }

    fn behaviour(&self) -> u32 {
        crate::BEHAVIOUR
    }

    fn splits(&self) -> &[&'static str] {
        &split::NAMES
    }

    fn tasks(&self, split: &str, options: &Value) -> Result<Vec<TaskId>, EnvError> {
        split::tasks(split, &Settings::read(options)?)
    }

    fn parts(&self) -> &[Part] {
        &split::PARTS
    }

    fn schema(&self) -> Value {
        settings::schema()
    }

    fn resolve(&self, options: &Value) -> Result<Value, EnvError> {
        catalogue::resolved(&Settings::read(options)?.resolved()?)
    }

    fn environment(&self, _resolved: &Value) -> Value {
        // Nothing in this environment is drawn. Cells that differ in the size of packets, in sources or in calls are compared on the same
        // scenarios with the same seeds, and a corrected label changes nobody's draws.
        Value::Object(serde_json::Map::new())
    }

    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        Ok(Box::new(TriageEnvironment::new(Settings::read(options)?)?))
    }

    fn offers(&self) -> Offers {
        let mut offers = catalogue::offers(policy::POLICIES, tracker::queries());
        offers.answers = true;
        offers.materials = vec!["packet".to_owned()];
        offers.blocks.push(tracker::PACKET.to_owned());
        offers
    }

    fn questions(&self) -> Option<&dyn Questions> {
        Some(self)
    }
}
