//! The planner of a family of tasks: one graph from its description, made once and reused (Gen-Cyc, CYC-021, Eq. 4).

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use gimbal_core::{Architecture, BuildError, EpisodeStopped, Files, Needs, Stage, Stop};
use serde_json::{Value, json};

use super::made::Made;
use super::maker::{Source, request};
use super::settings::resolve_for;
use super::{Controller, Walk};

/// Plans on a stage and does nothing else. It is told the family, its tools and what won before; no goal, no subject and
/// no observation of a task.
pub struct FamilyPlanner {
    controller: Controller,
    made: Mutex<Option<Made>>,
}

impl FamilyPlanner {
    /// The planner of settings of a controller: the same agent, prompt and form that make the graph of an episode there.
    ///
    /// # Errors
    /// Which key or file is wrong, and what would be right.
    pub(crate) fn of<W: Walk>(settings: &Value, files: &dyn Files) -> Result<Self, BuildError> {
        let mut settings = settings.clone();
        settings["graph"] = "planner".into();
        let controller = resolve_for(true, W::NAME, W::WAYS, &settings, files)?;
        Ok(Self { controller, made: Mutex::default() })
    }

    /// What the last play came to.
    #[must_use]
    pub fn made(&self) -> Option<Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Architecture for FamilyPlanner {
    fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        if let Source::Planner(planner) = &self.controller.maker.source {
            needs.add_agent(planner.needs());
        }
        needs
    }

    fn resolved(&self) -> Value {
        json!({ "plans": self.controller.resolved("family", None) })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let maker = &self.controller.maker;
        let Source::Planner(planner) = &maker.source else { return Err(EpisodeStopped::of(Stop::Finished)) };
        let request = request(&stage.brief(), &stage.tools(), maker.bounds(stage, planner), None, &maker.shots);
        let made = maker.planned(stage, planner, request).await?;
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
        Ok(())
    }
}
