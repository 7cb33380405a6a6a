//! Episodes played in memory, outside any run: on the same stage, by the same layers of models and at the same prices as in
//! one, and nothing of them is written down.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::event::{Body, Event};
use gimbal_core::{Architecture, Brief, ChatModel, EnvError, EpisodeStopped, TaskId, ToolSpec, Usage};

use crate::plan::{Plan, Problem, RequestRecorder};
use crate::registry::ModelSource;
use crate::stage::{Outcome, Recorded, Role};

/// The first cell of a plan, to be played by any architecture.
pub struct Rehearsal {
    plan: Plan,
    roles: Arc<BTreeMap<String, Role>>,
}

/// An episode that was played.
pub struct Rehearsed {
    /// How it ended.
    pub outcome: Outcome,
    /// What it left.
    pub recorded: Recorded,
}

impl Rehearsed {
    /// Calls of a role, and their tokens in all.
    #[must_use]
    pub fn used(&self, role: &str) -> (u64, Usage) {
        let mut sum = (0, Usage::default());
        for call in self.recorded.calls.iter().filter(|call| call.role == role && !call.by_environment) {
            sum.0 += 1;
            sum.1.input += call.usage.input;
            sum.1.output += call.usage.output;
        }
        sum
    }

    /// How many notes of a kind the architecture wrote.
    #[must_use]
    pub fn notes(&self, kind: &str) -> u64 {
        let events = self.recorded.events.iter().filter_map(|bytes| serde_json::from_slice::<Event>(bytes).ok());
        events.filter(|event| matches!(&event.body, Body::Note(note) if note.kind == kind)).count() as u64
    }
}

impl Rehearsal {
    /// Opens the models of the plan's first cell.
    ///
    /// # Errors
    /// When there is no cell, or a model cannot be opened.
    pub fn new(plan: Plan, models: &dyn ModelSource) -> Result<Self, Problem> {
        let wrong = |what: String| Problem::new(&plan.study.file, what);
        let cell = plan.cells.first().ok_or_else(|| wrong("there is no cell to play".to_owned()))?;
        let mut roles = BTreeMap::new();
        for (name, settings) in &cell.roles {
            let model = models.open(&settings.model).map_err(|error| wrong(format!("{}: {error}", settings.model)))?;
            roles.insert(name.clone(), Role { settings: Arc::new(settings.clone()), model });
        }
        Ok(Self { plan, roles: Arc::new(roles) })
    }

    /// The plan's first cell, with models that are not opened: its requests can be shown ([`Rehearsal::prompts`]) without keys and weights, and it
    /// cannot be played.
    ///
    /// # Errors
    /// When there is no cell.
    pub fn unopened(plan: Plan) -> Result<Self, Problem> {
        if plan.cells.is_empty() {
            return Err(Problem::new(&plan.study.file, "there is no cell to show"));
        }
        Ok(Self { plan, roles: Arc::default() })
    }

    /// The tasks of the cell, in order.
    #[must_use]
    pub fn tasks(&self) -> &[TaskId] {
        self.plan.cells.first().map(|cell| cell.environment.tasks.as_slice()).unwrap_or_default()
    }

    /// The environment's brief in a task, and its tools.
    ///
    /// # Errors
    /// When it cannot be opened or begun.
    pub async fn environment(&self, task: &TaskId) -> Result<(Brief, Vec<ToolSpec>), EnvError> {
        let Some(cell) = self.plan.cells.first() else { return Err(EnvError::Usage("there is no cell".to_owned())) };
        let mut environment = cell.environment.family.open(&cell.environment.options)?;
        environment.reset(task, self.plan.episode(cell, task, 0, 0).seed).await?;
        Ok(((*environment.brief()).as_ref().clone(), environment.tools().to_vec()))
    }

    /// Plays an architecture in a run of a task.
    ///
    /// # Errors
    /// The stop of an episode that failed for reasons outside of the agent.
    pub async fn play(
        &self,
        architecture: &dyn Architecture,
        task: &TaskId,
        run: u32,
    ) -> Result<Rehearsed, EpisodeStopped> {
        self.with(architecture, (task, run), Arc::clone(&self.roles)).await
    }

    /// The messages of every request that an architecture makes in a task where no model ever answers.
    ///
    /// # Errors
    /// As [`Rehearsal::play`].
    pub async fn prompts(&self, architecture: &dyn Architecture, task: &TaskId) -> Result<Vec<String>, EpisodeStopped> {
        let Some(cell) = self.plan.cells.first() else {
            return Err(EpisodeStopped::infrastructure("there is no cell"));
        };
        let witness = Arc::new(RequestRecorder::default());
        let model: Arc<dyn ChatModel> = witness.clone();
        self.with(architecture, (task, 0), cell.played_by(&model)).await?;
        Ok(witness.seen())
    }

    async fn with(
        &self,
        architecture: &dyn Architecture,
        (task, run): (&TaskId, u32),
        roles: Arc<BTreeMap<String, Role>>,
    ) -> Result<Rehearsed, EpisodeStopped> {
        let Some(cell) = self.plan.cells.first() else {
            return Err(EpisodeStopped::infrastructure("there is no cell"));
        };
        let (outcome, recorded) = self.plan.in_memory(cell, architecture, (task, run), (roles, |_| ())).await?;
        Ok(Rehearsed { outcome, recorded })
    }

    /// What the calls of an episode cost in dollars; `None` where a price is unknown.
    #[must_use]
    pub fn dollars(&self, played: &Rehearsed) -> Option<f64> {
        let mut sum = 0_u128;
        for call in &played.recorded.calls {
            let role = self.roles.get(&call.role).or_else(|| self.roles.get("default"))?;
            sum += self.plan.models.get(&role.settings.model)?.price.as_ref()?.cost_exact(&call.usage);
        }
        Some(sum as f64 / 1e12)
    }
}
