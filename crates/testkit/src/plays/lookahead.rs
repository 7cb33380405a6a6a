//! Looks ahead in branches of the environment: tries every legal call in some futures and takes the best.

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::{
    Architecture, ArchitectureKind, BranchError, BuildError, EpisodeStopped, Files, LaneId, Milli, Needs, RecordKind,
    Stage, ToolCall,
};
use serde_json::{Value, json};

/// Legal calls that are tried.
const CALLS: usize = 64;

/// The kind `lookahead`; settings `futures` (1), `steps` (1) and `policy`, which goes on after the first step.
#[derive(Debug)]
pub struct LookaheadKind;

impl ArchitectureKind for LookaheadKind {
    fn name(&self) -> &'static str {
        "lookahead"
    }
    fn schema(&self) -> Value {
        let whole = json!({ "type": "integer", "minimum": 1 });
        json!({
            "type": "object", "properties": { "futures": whole, "steps": whole, "policy": { "type": "string" } },
            "required": ["policy"], "additionalProperties": false
        })
    }
    fn build(&self, settings: &Value, _files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        super::only(settings, &["futures", "steps", "policy"])?;
        let policy = settings.get("policy").and_then(Value::as_str);
        let policy = policy.ok_or_else(|| BuildError::new("`policy` is missing: name a policy").missing("policy"))?;
        let number = |key: &str| settings.get(key).and_then(Value::as_u64).unwrap_or(1);
        Ok(Arc::new(Lookahead { futures: number("futures"), steps: number("steps"), policy: policy.to_owned() }))
    }
    fn records(&self) -> Vec<RecordKind> {
        Vec::new()
    }
}

struct Lookahead {
    futures: u64,
    steps: u64,
    policy: String,
}

impl Lookahead {
    /// The sum of rewards of a call and of the policy after it, over all futures; `None` where it cannot be made.
    async fn worth(&self, stage: &dyn Stage, call: &ToolCall) -> Result<Option<Milli>, EpisodeStopped> {
        let mut sum = Milli::ZERO;
        for future in 0..self.futures {
            let mut branch = match stage.branch(future).await {
                Ok(branch) => branch,
                Err(error) => return ended(error),
            };
            let mut next = call.clone();
            for _ in 0..self.steps {
                match branch.act(&next).await {
                    Ok(transition) => {
                        sum += transition.reward;
                        if transition.done.is_some() {
                            break;
                        }
                    }
                    Err(error) => return ended(error),
                }
                match branch.policy(&self.policy) {
                    Ok(call) => next = call,
                    Err(error) => return ended(error),
                }
            }
        }
        Ok(Some(sum))
    }
}

/// What cannot be tried is worth nothing, except for the end of the episode itself.
fn ended(error: BranchError) -> Result<Option<Milli>, EpisodeStopped> {
    match error {
        BranchError::EpisodeStopped(halt) => Err(halt),
        _ => Ok(None),
    }
}

#[async_trait]
impl Architecture for Lookahead {
    fn needs(&self) -> Needs {
        Needs { simulator: true, policies: vec![self.policy.clone()], ..Needs::default() }
    }

    fn resolved(&self) -> Value {
        json!({ "futures": self.futures, "policy": self.policy, "steps": self.steps })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        loop {
            let mut best: Option<(Milli, ToolCall)> = None;
            for call in stage.legal(CALLS).await.iter() {
                let worth = self.worth(stage, call).await?;
                if let Some(worth) = worth.filter(|worth| best.as_ref().is_none_or(|(most, _)| worth > most)) {
                    best = Some((worth, call.clone()));
                }
            }
            let call = best.map_or_else(|| stage.brief().idle.clone(), |(_, call)| call);
            stage.act(LaneId::MAIN, &call, None).await?;
        }
    }
}
