//! A built-in policy of the environment plays; no model is asked.

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_agent::{Family, Team};
use gimbal_core::{
    Acted, Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, LaneId, Needs, RecordKind, Stage,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Settings of `baseline`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Settings {
    /// Name of the policy, as the environment lists it.
    policy: String,
}

/// The family `baseline`.
#[derive(Debug)]
pub struct BaselineKind;

impl ArchitectureKind for BaselineKind {
    fn name(&self) -> &'static str {
        "baseline"
    }

    fn schema(&self) -> Value {
        crate::shared::settings::schema::<Settings>()
    }

    fn build(&self, settings: &Value, _files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        let Settings { policy } = crate::shared::settings::read(self.name(), settings)?;
        Ok(Arc::new(Baseline { policy }))
    }

    fn records(&self) -> Vec<RecordKind> {
        Vec::new()
    }
}

impl Family for BaselineKind {
    fn asks_agents(&self) -> bool {
        false
    }

    fn team(&self, _settings: &Value, _files: &dyn Files) -> Result<Team, BuildError> {
        Ok(Team::default())
    }
}

struct Baseline {
    policy: String,
}

#[async_trait]
impl Architecture for Baseline {
    fn needs(&self) -> Needs {
        Needs { policies: vec![self.policy.clone()], ..Needs::default() }
    }

    fn resolved(&self) -> Value {
        serde_json::json!({ "architecture": "baseline", "policy": self.policy })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        loop {
            let call = stage.policy(&self.policy).await?;
            if let Acted::Rejected(rejection) = stage.act(LaneId::MAIN, &call, None).await? {
                let policy = &self.policy;
                return Err(EpisodeStopped::infrastructure(format!(
                    "the environment refused its own policy `{policy}`: {rejection}"
                )));
            }
        }
    }
}
