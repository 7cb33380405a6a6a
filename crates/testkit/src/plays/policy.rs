//! A policy of the environment, without a model.

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::{
    Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, LaneId, Needs, RecordKind, Stage,
};
use serde_json::{Value, json};

/// The kind `policy`; setting `policy`.
#[derive(Debug)]
pub struct PolicyKind;

impl ArchitectureKind for PolicyKind {
    fn name(&self) -> &'static str {
        "policy"
    }
    fn schema(&self) -> Value {
        json!({
            "type": "object", "properties": { "policy": { "type": "string" } }, "required": ["policy"],
            "additionalProperties": false
        })
    }
    fn build(&self, settings: &Value, _files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        super::only(settings, &["policy"])?;
        let policy = settings.get("policy").and_then(Value::as_str);
        let policy = policy.ok_or_else(|| BuildError::new("`policy` is missing: name a policy").missing("policy"))?;
        Ok(Arc::new(Policy { policy: policy.to_owned() }))
    }
    fn records(&self) -> Vec<RecordKind> {
        Vec::new()
    }
}

struct Policy {
    policy: String,
}

#[async_trait]
impl Architecture for Policy {
    fn needs(&self) -> Needs {
        Needs { policies: vec![self.policy.clone()], ..Needs::default() }
    }

    fn resolved(&self) -> Value {
        json!({ "policy": self.policy })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        loop {
            let call = stage.policy(&self.policy).await?;
            stage.act(LaneId::MAIN, &call, None).await?;
        }
    }
}
