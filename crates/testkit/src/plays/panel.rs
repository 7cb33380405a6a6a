//! Parallel lanes: several panelists propose at once, the majority acts.

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;
use gimbal_core::{
    Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, LaneId, Needs, RecordKind, Stage,
};
use gimbal_messages::{Record, StageExt, kind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The kind `panel`; setting `members`.
#[derive(Debug)]
pub struct PanelKind;

impl ArchitectureKind for PanelKind {
    fn name(&self) -> &'static str {
        "panel"
    }
    fn schema(&self) -> Value {
        json!({ "type": "object", "properties": { "members": { "type": "integer", "default": 3 } }, "additionalProperties": false })
    }
    fn build(&self, settings: &Value, _files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        super::only(settings, &["members"])?;
        Ok(Arc::new(Panel { members: settings.get("members").and_then(Value::as_u64).unwrap_or(3) }))
    }
    fn records(&self) -> Vec<RecordKind> {
        vec![kind::<Voted>()]
    }

    fn parties(&self) -> &'static [&'static str] {
        &["chair"]
    }
}

/// The panel voted on an action.
#[derive(Debug, Serialize, Deserialize)]
struct Voted {
    /// Votes in all.
    votes: u64,
}

impl Record for Voted {
    const KIND: &'static str = "voted";
}

struct Panel {
    members: u64,
}

#[async_trait]
impl Architecture for Panel {
    fn needs(&self) -> Needs {
        Needs {
            roles: vec!["panelist".to_owned()],
            blocks: vec!["observation".to_owned()],
            messages: true,
            ..Needs::default()
        }
    }

    fn resolved(&self) -> Value {
        json!({ "members": self.members })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        loop {
            let blocks = stage.context(LaneId::MAIN, &["observation".to_owned()]).await?;
            let seen = blocks.first().map(|block| block.text.to_string()).unwrap_or_default();
            let lanes: Vec<LaneId> =
                (0..self.members).map(|member| stage.lane(&format!("panelist-{member}"))).collect();
            let seen = &seen;
            let opinions = join_all(lanes.iter().enumerate().map(|(member, lane)| async move {
                let call = super::choose(stage, *lane, "panelist", seen).await?;
                let said = call.as_ref().map_or(Value::Null, |call| json!({ "tool": call.tool }));
                stage.send(*lane, &format!("panelist-{member}"), "chair", "opinion", said).await;
                Ok::<_, EpisodeStopped>(call)
            }))
            .await;
            stage.join(&lanes).await;
            let mut votes = Vec::new();
            for opinion in opinions {
                votes.extend(opinion?);
            }
            let best = votes.iter().max_by_key(|call| votes.iter().filter(|other| other == call).count()).cloned();
            stage.record(LaneId::MAIN, &Voted { votes: votes.len() as u64 }).await;
            let call = match best {
                Some(call) => call,
                None => {
                    let idle = stage.brief().idle.clone();
                    stage.fallback(LaneId::MAIN, &idle, "no opinion").await;
                    idle
                }
            };
            stage.act(LaneId::MAIN, &call, None).await?;
        }
    }
}
