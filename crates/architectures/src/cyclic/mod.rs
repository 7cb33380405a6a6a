//! A controller over subtasks that are all connected (CYC-001..021): an executor works on one, then one call analyses
//! the result, keeps the memory, and chooses by the criteria of the ways where control goes next.

use async_trait::async_trait;
use gimbal_agent::family::place_by_message;
use gimbal_agent::shown::ShownEnvironment;
use gimbal_agent::{Answer, Assignment, Family, Persona, Placed, Team};
use gimbal_core::{BuildError, EpisodeStopped, Files, Stage};
use serde_json::{Value, json};

use crate::shared::control::messages::{GRAPH, ROUTING};
use crate::shared::control::{self, Cache, Controller, FamilyPlanner, Run, Walk};
use crate::shared::graph::Ways;

/// The family `cyclic`.
pub type CyclicKind = control::Kind<Cyclic>;

/// Goes wherever the analyzer chooses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cyclic;

#[async_trait]
impl Walk for Cyclic {
    const NAME: &'static str = "cyclic";
    const WAYS: Ways = Ways::Complete;

    async fn walk(self, control: &Controller, stage: &dyn Stage, run: &mut Run) -> Result<(), EpisodeStopped> {
        let mut cache = Cache::new();
        loop {
            control.workers.segment(stage, run).await?;
            let routed = control.analyzer.next(stage, run, &mut cache).await?;
            control.enter(stage, run, &routed).await;
        }
    }
}

/// The planner of one graph for a family of tasks, with settings of `cyclic`.
///
/// # Errors
/// Which key or file is wrong, and what would be right.
pub fn family_planner(settings: &Value, files: &dyn Files) -> Result<FamilyPlanner, BuildError> {
    FamilyPlanner::of::<Cyclic>(settings, files)
}

impl Family for CyclicKind {
    fn answers(&self) -> Vec<Answer> {
        vec![
            Answer::new("planner", &GRAPH),
            Answer::new("analyzer", &ROUTING),
            Answer::new("verifier", &crate::shared::gate::Verification),
        ]
    }

    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
        control::team::<Cyclic>(settings, files)
    }

    fn place_of(&self, persona: &Persona) -> Option<&'static str> {
        let works = persona.core.contract.is_none() && persona.core.gives_back();
        place_by_message(&self.answers(), persona).or(works.then_some(control::EXECUTOR))
    }

    fn asked(&self, placed: &Placed, shown: &ShownEnvironment) -> Option<Assignment> {
        control::asked::<Cyclic>(placed, shown)
    }

    fn has_router(&self) -> bool {
        true
    }

    fn showing(&self, place: &str, persona: &str) -> Value {
        let member = json!({ "persona": persona });
        if place == "verifier" { json!({ "gate": "evidence", place: member }) } else { json!({ place: member }) }
    }
}
