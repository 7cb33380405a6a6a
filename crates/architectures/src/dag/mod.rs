//! Subtasks in a fixed order (CYC-025, DepDAG): each is worked on once, between them an analyzer keeps the memory; no way
//! leads back.

use async_trait::async_trait;
use gimbal_agent::shown::ShownEnvironment;
use gimbal_agent::{Answer, Assignment, Family, Placed, Team};
use gimbal_core::{BuildError, EpisodeStopped, Files, Stage};
use gimbal_messages::records::control::SegmentStop;
use serde_json::Value;

use crate::shared::control::messages::{GUIDANCE, SUBTASKS};
use crate::shared::control::{self, Controller, FamilyPlanner, Routed, Run, Walk};
use crate::shared::graph::Ways;

/// The family `dag`.
pub type DagKind = control::Kind<Dag>;

/// Goes from each subtask to the next one, or does it again where its calls were used up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dag;

#[async_trait]
impl Walk for Dag {
    const NAME: &'static str = "dag";
    const WAYS: Ways = Ways::List;

    async fn walk(self, control: &Controller, stage: &dyn Stage, run: &mut Run) -> Result<(), EpisodeStopped> {
        let mut again = 0;
        loop {
            let segment = control.workers.segment(stage, run).await?;
            let retry = segment.stop == SegmentStop::LocalBudget && again < control.retries;
            let wanted = if retry { run.node } else { run.node + 1 };
            if wanted == run.graph.nodes.len() {
                return Ok(());
            }
            control.analyzer.guide(stage, run).await?;
            again = if retry { again + 1 } else { 0 };
            let routed = Routed { candidates: 1, ..Routed::to(wanted) };
            control.enter(stage, run, &routed).await;
        }
    }
}

/// The planner of one list for a family of tasks, with settings of `dag`.
///
/// # Errors
/// Which key or file is wrong, and what would be right.
pub fn family_planner(settings: &Value, files: &dyn Files) -> Result<FamilyPlanner, BuildError> {
    FamilyPlanner::of::<Dag>(settings, files)
}

impl Family for DagKind {
    fn answers(&self) -> Vec<Answer> {
        vec![Answer::new("planner", &SUBTASKS), Answer::new("analyzer", &GUIDANCE)]
    }

    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
        control::team::<Dag>(settings, files)
    }

    fn asked(&self, placed: &Placed, shown: &ShownEnvironment) -> Option<Assignment> {
        control::asked::<Dag>(placed, shown)
    }
}
