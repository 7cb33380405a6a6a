//! Artefacts: a file of advice that was written before the episode.

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::fit::ArtefactNeed;
use gimbal_core::{
    Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, LaneId, Needs, RecordKind, Stage,
};
use gimbal_messages::{Record, StageExt, kind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Name of the artefact: action texts, one a line.
pub const ADVICE: &str = "advice";

/// Name of the embedder that is asked for where the advice is scored.
pub const EMBEDDER: &str = "letters";

/// The kind `advised`; settings `optional` (it plays without advice too) and `scored` (a scorer is made of the advice).
#[derive(Debug)]
pub struct AdvisedKind;

impl ArchitectureKind for AdvisedKind {
    fn name(&self) -> &'static str {
        "advised"
    }
    fn schema(&self) -> Value {
        let switch = json!({ "type": "boolean" });
        json!({
            "type": "object", "properties": { "optional": switch, "scored": switch }, "additionalProperties": false
        })
    }
    fn build(&self, settings: &Value, _files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        super::only(settings, &["optional", "scored"])?;
        let is = |key: &str| settings.get(key).and_then(Value::as_bool).unwrap_or_default();
        Ok(Arc::new(Advised { optional: is("optional"), scored: is("scored") }))
    }
    fn records(&self) -> Vec<RecordKind> {
        vec![kind::<Advice>()]
    }
}

struct Advised {
    optional: bool,
    scored: bool,
}

/// What an episode had at hand.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// Hash of the advice; empty where there is none.
    pub digest: String,
    /// What the embedder is, where the advice is scored.
    pub embedder: String,
    /// Lines of it.
    pub lines: u64,
    /// Scores of the lines by their lengths, where the advice is scored.
    pub scores: Vec<i64>,
}

impl Record for Advice {
    const KIND: &'static str = "advice";
}

#[async_trait]
impl Architecture for Advised {
    fn needs(&self) -> Needs {
        let need = if self.optional { ArtefactNeed::optional(ADVICE) } else { ArtefactNeed::required(ADVICE) };
        let need = if self.scored { need.scorer() } else { need };
        let embedders = if self.scored { vec![EMBEDDER.to_owned()] } else { Vec::new() };
        Needs { artefacts: vec![need], embedders, ..Needs::default() }
    }

    fn resolved(&self) -> Value {
        json!({ "optional": self.optional, "scored": self.scored })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let advice = stage.artefact(ADVICE);
        let text =
            advice.as_ref().map(|advice| String::from_utf8_lossy(&advice.bytes).into_owned()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let lengths: Vec<Vec<f32>> = lines.iter().map(|line| vec![line.len() as f32]).collect();
        let record = Advice {
            digest: advice.map(|advice| advice.digest.to_string()).unwrap_or_default(),
            embedder: stage.embedder(EMBEDDER).map(|embedder| embedder.identity()).unwrap_or_default(),
            lines: lines.len() as u64,
            scores: stage.scorer(ADVICE).map(|scorer| scorer.score(&lengths)).unwrap_or_default(),
        };
        stage.record(LaneId::MAIN, &record).await;
        for line in lines.iter().copied().cycle().take(lines.len().max(1) * 64) {
            let call = match stage.parse(line).await {
                Ok(call) => call,
                Err(_) => stage.brief().idle.clone(),
            };
            stage.act(LaneId::MAIN, &call, None).await?;
        }
        Ok(())
    }
}
