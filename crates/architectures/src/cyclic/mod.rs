//! A controller over subtasks that are all connected (CYC-001..021): an executor works on one, then one call analyses
//! what came of it, keeps the memory, and chooses by the criteria of the ways where control goes next.

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::{Architecture, ArchitectureKind, BuildError, Files, Halt, Needs, Stage};
use serde_json::Value;

use crate::control::{self, Cache, Controller};
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
        Ok(Arc::new(Cyclic(control::resolve(self.name(), Ways::Complete, settings, files)?)))
    }
}

struct Cyclic(Controller);

#[async_trait]
impl Architecture for Cyclic {
    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn resolved(&self) -> Value {
        self.0.resolved("cyclic")
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), Halt> {
        let Self(control) = self;
        let mut run = control.start(stage).await?;
        let mut cache = Cache::new();
        loop {
            control.workers.segment(stage, &mut run).await?;
            let routed = control.analyzer.next(stage, &mut run, &mut cache).await?;
            control.enter(stage, &mut run, &routed).await;
        }
    }
}
