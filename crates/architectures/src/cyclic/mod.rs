//! A controller over subtasks that are all connected (CYC-001..021): an executor works on one, then one call analyses
//! the result, keeps the memory, and chooses by the criteria of the ways where control goes next.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::{Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, Needs, RecordKind, Stage};
use serde_json::{Value, json};

use crate::control::messages::{GRAPH, ROUTING};
use crate::control::{self, Cache, Controller};
use crate::family::{Answer, Family, Placed, answer};
use crate::graph::Ways;

/// The family `cyclic`.
#[derive(Debug)]
pub struct CyclicKind;

impl ArchitectureKind for CyclicKind {
    fn name(&self) -> &'static str {
        "cyclic"
    }

    fn schema(&self) -> Value {
        crate::settings::schema::<control::Settings>()
    }

    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        let control = Arc::new(control::resolve(self.name(), Ways::Complete, settings, files)?);
        Ok(Arc::new(Cyclic { control, planned_by: None }))
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

impl Family for CyclicKind {
    fn answers(&self) -> Vec<Answer> {
        vec![answer("planner", &GRAPH), answer("analyzer", &ROUTING), answer("verifier", &crate::gate::Verification)]
    }

    fn agents(&self, settings: &Value, files: &dyn Files) -> Result<(Vec<Placed>, Vec<String>), BuildError> {
        control::agents(false, settings, files)
    }

    fn showing(&self, place: &str, persona: &str) -> Value {
        let member = json!({ "persona": persona });
        if place == "verifier" { json!({ "gate": "evidence", place: member }) } else { json!({ place: member }) }
    }
}

struct Cyclic {
    control: Arc<Controller>,
    /// The model that planned its graph, where the cell says so.
    planned_by: Option<String>,
}

#[async_trait]
impl Architecture for Cyclic {
    fn needs(&self) -> Needs {
        self.control.needs()
    }

    fn resolved(&self) -> Value {
        self.control.resolved("cyclic", self.planned_by.as_deref())
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
        let mut cache = Cache::new();
        loop {
            control.workers.segment(stage, &mut run).await?;
            let routed = control.analyzer.next(stage, &mut run, &mut cache).await?;
            control.enter(stage, &mut run, &routed).await;
        }
    }
}
