//! What a study would take: one episode of every cell is played in memory by a noisy expert.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::Usage;
use serde::Serialize;

use super::cells::{Cell, Plan};
use super::error::{Problem, Problems};
use crate::registry::ModelSource;
use crate::stage::{EpisodeSetup, MemoryRecorder, Role, play_episode};

/// The model that stands in for those of the study.
pub const STAND_IN: &str = "noisy/0.9";

/// What a cell would take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Id of the cell.
    pub cell: String,
    /// Episodes planned.
    pub episodes: u64,
    /// Estimated input tokens of all of them.
    pub input_tokens: u64,
    /// Estimated output tokens of all of them.
    pub output_tokens: u64,
    /// Estimated cost in millionths of a dollar; none where a price is unknown.
    pub cost_microdollars: Option<u64>,
}

/// Estimates every cell of a plan.
///
/// # Errors
/// When an environment cannot be opened or an episode not be played.
pub async fn estimate(plan: &Plan, models: &dyn ModelSource) -> Result<Vec<Estimate>, Problems> {
    let stand_in =
        models.open(STAND_IN).map_err(|error| Problem { place: STAND_IN.to_owned(), what: error.to_string() })?;
    let mut estimates = Vec::with_capacity(plan.cells.len());
    for cell in &plan.cells {
        let roles: BTreeMap<String, Role> = cell
            .roles
            .iter()
            .map(|(role, settings)| {
                (role.clone(), Role { settings: Arc::new(settings.clone()), model: Arc::clone(&stand_in) })
            })
            .collect();
        estimates.push(one(plan, cell, roles).await?);
    }
    Ok(estimates)
}

async fn one(plan: &Plan, cell: &Cell, roles: BTreeMap<String, Role>) -> Result<Estimate, Problems> {
    let fail = |what: String| Problems::from(Problem { place: cell.info.id.clone(), what });
    let part = &cell.environment;
    let task = part.tasks.first().cloned().ok_or_else(|| fail("there is no task".to_owned()))?;
    let id = plan.episode(cell, &task, 0, 0);
    let world = part.family.open(&part.options).map_err(|error| fail(error.to_string()))?;
    let mut setup = EpisodeSetup::new(id.key, task, id.seed, Arc::new(roles));
    setup.limits = plan.limits;
    let recorder = Arc::new(MemoryRecorder::default());
    let played = play_episode(&*cell.architecture, world, setup, recorder.clone()).await;
    played.map_err(|halt| fail(halt.to_string()))?;
    let episodes = plan.episodes_of(cell);
    let (mut sum, mut cost) = (Usage::default(), Some(0_u128));
    for (role, _, _, usage) in recorder.recorded().calls {
        sum.input += usage.input;
        sum.output += usage.output;
        let settings = cell.roles.get(&role).or_else(|| cell.roles.get("default"));
        let price =
            settings.and_then(|settings| plan.models.get(&settings.model)).and_then(|facts| facts.price.as_ref());
        cost = cost.zip(price).map(|(cost, price)| cost + price.cost_exact(&usage));
    }
    let all = |exact: u128| u64::try_from((exact * u128::from(episodes)).div_ceil(1_000_000)).unwrap_or(u64::MAX);
    Ok(Estimate {
        cell: cell.info.id.clone(),
        episodes,
        input_tokens: sum.input * episodes,
        output_tokens: sum.output * episodes,
        cost_microdollars: cost.map(all),
    })
}
