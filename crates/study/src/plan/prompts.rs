//! Whether the prompts of a plan can be made: texts of personas are filled in with what the environments say of themselves,
//! which a persona is not known to bear before. An episode that fails by that fails in every attempt.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use gimbal_core::{
    CallContext, ChatModel, ChatRequest, Completion, Digest, EpisodeStopped, Limits, ModelError, ModelErrorKind,
};

use super::cells::Plan;
use super::error::{Problem, Problems};

/// Requests and actions of an episode in which nobody answers, at most: every role has been asked by then.
const CALLS: u64 = 12;
const ACTIONS: u64 = 2;

/// Longest time for one such episode; what takes longer is left to the run.
const PATIENCE: Duration = Duration::from_secs(10);

/// Begins an episode of everything that is played separately, in memory and without a model.
///
/// # Errors
/// The cells whose prompts cannot be made, each with the place in its persona.
pub(crate) async fn fillable(plan: &Arc<Plan>) -> Result<(), Problems> {
    let mut problems = Problems::default();
    let mut tried: BTreeSet<Digest> = BTreeSet::new();
    for (place, cell) in plan.cells.iter().enumerate().filter(|(_, cell)| !cell.roles.is_empty()) {
        if !tried.insert(Digest::of(cell.manner().as_bytes())) {
            continue;
        }
        let own = Arc::clone(plan);
        // An environment that panics or is slow is for the run to report.
        let begun = tokio::spawn(async move { tokio::time::timeout(PATIENCE, begin(&own, place)).await });
        if let Ok(Ok(Err(halt))) = begun.await
            && halt.lasting
        {
            let what = format!("`{}`: {}", cell.info.id, halt.detail.unwrap_or_default());
            problems.0.push(Problem::new(&plan.study.file, what));
        }
    }
    problems.none()
}

async fn begin(plan: &Plan, place: usize) -> Result<(), EpisodeStopped> {
    let Some(cell) = plan.cells.get(place) else { return Ok(()) };
    let Some(task) = cell.environment.tasks.first() else { return Ok(()) };
    let nobody: Arc<dyn ChatModel> = Arc::new(RequestRecorder::default());
    let limits = Limits { model_calls: Some(CALLS), tool_calls: Some(ACTIONS), ..Limits::default() };
    let change = (cell.played_by(&nobody), |setup: &mut crate::stage::EpisodeSetup| setup.limits = limits);
    plan.in_memory(cell, &*cell.architecture, (task, 0), change).await.map(|_| ())
}

/// A model that records its requests and answers none.
#[derive(Default)]
pub(crate) struct RequestRecorder(Mutex<Vec<String>>);

impl RequestRecorder {
    /// The messages of each request, in order.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl ChatModel for RequestRecorder {
    async fn complete(&self, request: &ChatRequest, _: &CallContext<'_>) -> Result<Completion, ModelError> {
        let messages = request.messages.iter().map(|message| format!("{}: {}", message.speaker.name(), message.text));
        let text = messages.collect::<Vec<_>>().join("\n\n");
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
        Err(ModelError::new(ModelErrorKind::Refusal, "the witness never answers"))
    }
}
