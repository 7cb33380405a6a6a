//! Small architectures: parallel lanes, sessions with memory, advice from a file, a policy without a model, agents that object to each other.

pub mod advised;
pub mod dispute;
pub mod learner;
pub mod lookahead;
pub mod panel;
pub mod policy;

use gimbal_core::{AskError, AskRequest, BuildError, EpisodeStopped, LaneId, Message, Speaker, Stage, ToolCall};
use serde_json::Value;
use std::sync::Arc;

/// Asks for an action in words that the throw-away models understand; none when the answer was of no use.
async fn choose(
    stage: &dyn Stage,
    lane: LaneId,
    role: &str,
    context: &str,
) -> Result<Option<ToolCall>, EpisodeStopped> {
    let view = stage.view().await;
    let legal = stage.legal(32).await;
    let mut actions = Vec::with_capacity(legal.len());
    for call in legal.iter() {
        actions.push(stage.render(call).await);
    }
    let request = AskRequest {
        messages: vec![
            Arc::new(Message::new(Speaker::System, format!("{} {}", view.brief.role, view.brief.goal))),
            Arc::new(Message::new(Speaker::User, format!("{context}\nlegal: {}", actions.join(" | ")))),
        ],
        grammar: Some(Arc::new(gimbal_core::Grammar::Choice(actions))),
        hint: hint(stage).await,
        ..AskRequest::default()
    };
    match stage.ask(lane, role, request).await {
        Ok(completion) => match stage.parse(&completion.text).await {
            Ok(call) => Ok(Some(call)),
            Err(rejection) => {
                stage.reject(lane, &rejection, &completion.text).await?;
                Ok(None)
            }
        },
        Err(AskError::Model(_)) => Ok(None),
        Err(AskError::EpisodeStopped(halt)) => Err(halt),
    }
}

async fn hint(stage: &dyn Stage) -> Option<gimbal_core::Hint> {
    let expert = stage.expert().await?;
    Some(gimbal_core::Hint { answer: stage.render(&expert).await, alternatives: Vec::new() })
}

/// Refuses settings other than those named.
fn only(settings: &Value, known: &[&str]) -> Result<(), BuildError> {
    let given = settings.as_object().cloned().unwrap_or_default();
    match given.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => {
            let hint = gimbal_core::nearest::hint(key, known.iter().copied());
            Err(BuildError::new(format!("there is no setting `{key}`{hint}")).at(key))
        }
        None => Ok(()),
    }
}
