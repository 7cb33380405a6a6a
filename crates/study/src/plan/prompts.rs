//! Whether the prompts of a plan can be made: texts of personas are filled in with what the environments say of themselves,
//! which a persona is not known to bear before. An episode that fails by that fails in every attempt.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use gimbal_core::{
    CallContext, ChatModel, ChatRequest, Completion, Halt, Limits, ModelError, ModelErrorKind, RoleSettings, Stop,
    canonical,
};
use serde_json::json;

use super::cells::Plan;
use super::error::{Problem, Problems};
use crate::stage::Role;

/// What the agents say of a text that cannot be filled in.
const UNFILLED: &str = "the template cannot be filled in";

/// Requests and actions of an episode in which nobody answers, at most: every role has been asked by then.
const CALLS: u64 = 12;
const ACTIONS: u64 = 2;

/// Longest time for one such episode; what takes longer is left to the run.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether an episode was lost because a text could not be filled in: the next attempt would be lost as well.
pub(crate) fn unfilled(halt: &Halt) -> bool {
    halt.stop == Stop::Infrastructure && halt.detail.as_ref().is_some_and(|detail| detail.contains(UNFILLED))
}

/// Begins an episode of everything that plays apart, in memory and with nobody to answer.
///
/// # Errors
/// The cells whose prompts cannot be made, each with the place in its persona.
pub(crate) async fn fillable(plan: &Arc<Plan>) -> Result<(), Problems> {
    let mut problems = Problems::default();
    let mut tried: BTreeSet<String> = BTreeSet::new();
    for (place, cell) in plan.cells.iter().enumerate().filter(|(_, cell)| !cell.roles.is_empty()) {
        let decoding: Vec<_> = cell.roles.iter().map(|(role, settings)| (role, settings.decoding)).collect();
        let alike = json!([cell.environment.identity(), cell.base, cell.architecture.resolved(), decoding]);
        if !tried.insert(canonical::text(&alike)) {
            continue;
        }
        let own = Arc::clone(plan);
        // A world that panics or takes its time is the run's to tell of.
        let begun = tokio::spawn(async move { tokio::time::timeout(PATIENCE, begin(&own, place)).await });
        if let Ok(Ok(Err(halt))) = begun.await
            && unfilled(&halt)
        {
            let what = format!("`{}`: {}", cell.info.id, halt.detail.unwrap_or_default());
            problems.0.push(Problem { place: plan.study.file.clone(), what });
        }
    }
    problems.none()
}

async fn begin(plan: &Plan, place: usize) -> Result<(), Halt> {
    let Some(cell) = plan.cells.get(place) else { return Ok(()) };
    let Some(task) = cell.environment.tasks.first() else { return Ok(()) };
    let role = |(role, settings): (&String, &RoleSettings)| {
        (role.clone(), Role { settings: Arc::new(settings.clone()), model: Arc::new(Nobody) })
    };
    let roles: Arc<BTreeMap<String, Role>> = Arc::new(cell.roles.iter().map(role).collect());
    let limits = Limits { model_calls: Some(CALLS), tool_calls: Some(ACTIONS), ..Limits::default() };
    let played = plan.in_memory(cell, &*cell.architecture, (task, 0), (roles, |setup| setup.limits = limits)).await;
    played.map(|_| ())
}

/// Never answers.
struct Nobody;

#[async_trait]
impl ChatModel for Nobody {
    async fn complete(&self, _: &ChatRequest, _: &CallContext<'_>) -> Result<Completion, ModelError> {
        Err(ModelError::new(ModelErrorKind::Refusal, "nobody answers"))
    }
}
