//! The models of a study, each within another one that looks at what it is asked.

use std::sync::Arc;

use gimbal_core::ChatModel;
use gimbal_model::{ModelFacts, Models, SetupError};
use gimbal_study::registry::ModelSource;

/// The models, and what is put around each.
pub struct Wrapped<F> {
    pub models: Models,
    pub around: F,
}

impl<F: Fn(Arc<dyn ChatModel>) -> Arc<dyn ChatModel> + Send + Sync> ModelSource for Wrapped<F> {
    fn describe(&self, name: &str) -> Result<ModelFacts, SetupError> {
        self.models.describe(name)
    }
    fn ready(&self, name: &str) -> Result<(), SetupError> {
        self.models.ready(name)
    }
    fn open(&self, name: &str) -> Result<Arc<dyn ChatModel>, SetupError> {
        Ok((self.around)(self.models.open(name)?))
    }
}
