//! Sessions: what one trial wrote down, the next one reads.

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::{
    Acted, Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, LaneId, Needs, RecordKind, Stage,
};
use gimbal_messages::{Record, StageExt, kind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The kind `learner`; no settings.
#[derive(Debug)]
pub struct LearnerKind;

impl ArchitectureKind for LearnerKind {
    fn name(&self) -> &'static str {
        "learner"
    }
    fn schema(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }
    fn build(&self, settings: &Value, _files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        super::only(settings, &[])?;
        Ok(Arc::new(Learner))
    }
    fn records(&self) -> Vec<RecordKind> {
        vec![kind::<Refused>()]
    }
}

struct Learner;

/// Kind of the rejection of an action.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
struct Refused(String);

impl Record for Refused {
    const KIND: &'static str = "refused";
}

#[async_trait]
impl Architecture for Learner {
    fn needs(&self) -> Needs {
        Needs {
            roles: vec!["default".to_owned()],
            blocks: vec!["observation".to_owned(), "history".to_owned()],
            ..Needs::default()
        }
    }

    fn resolved(&self) -> Value {
        json!({})
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let names = ["history".to_owned(), "observation".to_owned()];
        let mut lessons: Vec<Value> =
            stage.memory().get("lessons").and_then(|value| value.as_array().cloned()).unwrap_or_default();
        loop {
            let blocks = stage.context(LaneId::MAIN, &names).await?;
            let mut context: Vec<&str> = blocks.iter().map(|block| &*block.text).collect();
            let remembered = format!("trial {}; lessons: {}", stage.trial(), Value::from(lessons.clone()));
            context.push(&remembered);
            let chosen = super::choose(stage, LaneId::MAIN, "default", &context.join("\n")).await?;
            let call = match chosen {
                Some(call) => call,
                None => {
                    let idle = stage.brief().idle.clone();
                    stage.fallback(LaneId::MAIN, &idle, "no answer").await;
                    idle
                }
            };
            lessons.push(json!(call.tool));
            stage.memory().set("lessons", Value::from(lessons.clone()));
            if let Acted::Rejected(rejection) = stage.act(LaneId::MAIN, &call, Some("as learnt")).await? {
                stage.record(LaneId::MAIN, &Refused(rejection.kind.name().to_owned())).await;
            }
        }
    }
}
