//! Subtasks in a fixed order (CYC-025, DepDAG): each is worked on once, between them an analyzer keeps the memory; no way
//! leads back.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::{Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, Needs, RecordKind, Stage};
use gimbal_messages::records::control::SegmentStop;
use serde_json::Value;

use crate::control::messages::{GUIDANCE, SUBTASKS};
use crate::control::{self, Controller, Routed};
use crate::family::{Answer, Family, Placed, answer};
use crate::graph::Ways;

/// The family `dag`.
#[derive(Debug)]
pub struct DagKind;

impl ArchitectureKind for DagKind {
    fn name(&self) -> &'static str {
        "dag"
    }

    fn schema(&self) -> Value {
        crate::settings::schema::<control::Settings>()
    }

    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        let control = Arc::new(control::resolve(self.name(), Ways::List, settings, files)?);
        Ok(Arc::new(Dag { control, planned_by: None }))
    }

    fn records(&self) -> Vec<RecordKind> {
        control::records()
    }

    fn has_graph(&self) -> bool {
        true
    }

    fn tell_message(&self, form: &str, message: &str, whole: bool) -> Option<String> {
        control::tell_message(form, message, whole)
    }

    fn parties(&self) -> &'static [&'static str] {
        control::PARTIES
    }
}

impl Family for DagKind {
    fn answers(&self) -> Vec<Answer> {
        vec![answer("planner", &SUBTASKS), answer("analyzer", &GUIDANCE)]
    }

    fn agents(&self, settings: &Value, files: &dyn Files) -> Result<(Vec<Placed>, Vec<String>), BuildError> {
        control::agents(true, settings, files)
    }
}

struct Dag {
    control: Arc<Controller>,
    /// The model that planned its graph, where the cell says so.
    planned_by: Option<String>,
}

#[async_trait]
impl Architecture for Dag {
    fn needs(&self) -> Needs {
        self.control.needs()
    }

    fn resolved(&self) -> Value {
        self.control.resolved("dag", self.planned_by.as_deref())
    }

    fn for_models(&self, models: &BTreeMap<String, String>) -> Option<Arc<dyn Architecture>> {
        let planned_by = Some(self.control.planned_by(models)?);
        Some(Arc::new(Self { control: Arc::clone(&self.control), planned_by }))
    }

    fn lacks(&self, environment: &str) -> Option<String> {
        self.control.lacks(environment, self.planned_by.as_deref())
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let Self { control, planned_by } = self;
        let mut run = control.start(stage, planned_by.as_deref()).await?;
        let mut again = 0;
        loop {
            let segment = control.workers.segment(stage, &mut run).await?;
            let retry = segment.stop == SegmentStop::LocalBudget && again < control.retries;
            let wanted = if retry { run.node } else { run.node + 1 };
            if wanted == run.graph.nodes.len() {
                return Ok(());
            }
            control.analyzer.guide(stage, &mut run).await?;
            again = if retry { again + 1 } else { 0 };
            let routed = Routed { candidates: 1, ..Routed::to(wanted) };
            control.enter(stage, &mut run, &routed).await;
        }
    }
}
