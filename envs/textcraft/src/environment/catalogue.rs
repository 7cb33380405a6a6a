//! The family of environments by which a study finds this one.

use gimbal_core::fit::Offers;
use gimbal_core::{Catalogue, EnvError, Environment, TaskId};
use gimbal_env_kit::catalogue;
use serde_json::Value;

use super::{CraftEnvironment, Settings, settings};
use crate::policy::POLICIES;
use crate::tasks::{self, SPLITS};
use crate::tracker;

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
            return Err(catalogue::unknown("textcraft", "split", split, &SPLITS));
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
        catalogue::resolved(&Settings::read(options)?)
    }

    fn environment(&self, resolved: &Value) -> Value {
        // Tools are at the interface, and recipes are known by their hash, not by where they lie.
        catalogue::without(resolved, &["tools", "recipes"])
    }

    fn open(&self, options: &Value) -> Result<Box<dyn Environment>, EnvError> {
        Ok(Box::new(CraftEnvironment::new(options)?))
    }

    fn offers(&self) -> Offers {
        catalogue::offers(POLICIES.iter().map(|policy| policy.name()), tracker::queries())
    }
}
