//! The family of environments by which a study finds this one.

use gimbal_core::architecture::Offers;
use gimbal_core::{Catalogue, EnvError, Environment, TaskId, nearest};
use serde_json::Value;

use super::{CraftEnvironment, Settings, settings};
use crate::policy::POLICIES;
use crate::tasks::{self, SPLITS};

/// The family `textcraft`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextCraft;

impl Catalogue for TextCraft {
    fn name(&self) -> &'static str {
        "textcraft"
    }

    fn behaviour(&self) -> u32 {
        crate::BEHAVIOUR
    }

    fn splits(&self) -> &[&'static str] {
        &SPLITS
    }

    fn tasks(&self, split: &str, options: &Value) -> Result<Vec<TaskId>, EnvError> {
        let (_, tree) = Settings::with_tree(options)?;
        let Some(places) = tasks::split(&tree, split) else {
            let hint = nearest::hint(split, SPLITS);
            return Err(EnvError::Usage(format!(
                "`textcraft` has no split `{split}`{hint} (known: {})",
                SPLITS.join(", ")
            )));
        };
        let id = |place: usize| match split {
            "seeds" => place.to_string(),
            _ => tree.names().id(tree.tasks()[place].goal).to_owned(),
        };
        Ok(places.into_iter().map(|place| TaskId(id(place))).collect())
    }

    fn parts(&self) -> &[gimbal_core::Part] {
        &tasks::PARTS
    }

    fn schema(&self) -> Value {
        settings::schema()
    }

    fn resolve(&self, options: &Value) -> Result<Value, EnvError> {
        let settings = Settings::read(options)?;
        serde_json::to_value(settings).map_err(|error| EnvError::Usage(error.to_string()))
    }

    fn environment(&self, resolved: &Value) -> Value {
        // Tools stand at the rim, and recipes are known by their hash, not by where they lie.
        let mut environment = resolved.clone();
        if let Some(map) = environment.as_object_mut() {
            map.shift_remove("tools");
            map.shift_remove("recipes");
        }
        environment
    }

    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        Ok(Box::new(CraftEnvironment::new(options)?))
    }

    fn offers(&self) -> Offers {
        Offers {
            subjects: true,
            simulator: true,
            policies: POLICIES.iter().map(|policy| policy.name().to_owned()).collect(),
            blocks: ["observation", "history", "own_history", "status"].map(str::to_owned).to_vec(),
            queries: ["subject_state", "subject_baseline"].map(str::to_owned).to_vec(),
            ..Offers::default()
        }
    }
}
