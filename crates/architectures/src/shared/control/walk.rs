//! What families of controllers have in common; a family says how it goes over the subtasks of a graph.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::{
    Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, Needs, RecordKind, Stage, ToolSpec,
};
use gimbal_messages::party;
use gimbal_messages::records::{control, engine, gate};
use serde_json::Value;

use super::{Controller, Run, Settings, resolve, words};
use crate::shared::graph::Ways;

/// How control goes over subtasks.
#[async_trait]
pub(crate) trait Walk: Copy + Send + Sync + 'static {
    /// The name of the family.
    const NAME: &'static str;
    /// The ways of its graphs where a file says nothing else.
    const WAYS: Ways;

    /// Plays an episode from the state before its first segment.
    async fn walk(self, control: &Controller, stage: &dyn Stage, run: &mut Run) -> Result<(), EpisodeStopped>;
}

/// A family of controllers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kind<W>(W);

impl<W: Walk> ArchitectureKind for Kind<W> {
    fn name(&self) -> &'static str {
        W::NAME
    }

    fn schema(&self) -> Value {
        crate::shared::settings::schema::<Settings>()
    }

    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        let control = Arc::new(resolve(W::NAME, W::WAYS, settings, files)?);
        Ok(Arc::new(Controlled { walk: self.0, control, planned_by: None }))
    }

    fn records(&self) -> Vec<RecordKind> {
        [engine::KINDS, control::KINDS, gate::KINDS].concat()
    }

    fn has_graph(&self) -> bool {
        true
    }

    fn tell_message(&self, form: &str, message: &str, whole: bool) -> Option<String> {
        // The words leave things out.
        if whole { None } else { words::message(form, message) }
    }

    fn parties(&self) -> &'static [&'static str] {
        &[party::CONTROLLER, party::GATE, party::JOURNAL]
    }
}

/// A controller with its way of going over subtasks.
struct Controlled<W> {
    walk: W,
    control: Arc<Controller>,
    /// The model that planned its graph, where the cell says so.
    planned_by: Option<String>,
}

#[async_trait]
impl<W: Walk> Architecture for Controlled<W> {
    fn needs(&self) -> Needs {
        self.control.needs()
    }

    fn resolved(&self) -> Value {
        self.control.resolved(W::NAME, self.planned_by.as_deref())
    }

    fn for_models(&self, models: &BTreeMap<String, String>) -> Option<Arc<dyn Architecture>> {
        let planned_by = Some(self.control.planned_by(models)?);
        Some(Arc::new(Self { walk: self.walk, control: Arc::clone(&self.control), planned_by }))
    }

    fn lacks(&self, environment: &str) -> Option<String> {
        self.control.lacks(environment, self.planned_by.as_deref())
    }

    fn misfit(&self, environment: &str, tools: &dyn Fn() -> Option<Arc<[ToolSpec]>>) -> Option<String> {
        let (place, graph) = self.control.maker.given(environment, self.planned_by.as_deref())?;
        let error = graph.check(Some(&tools()?)).err()?;
        Some(format!(
            "{place}: {error}; take another `graph`, such as `suggested`, which is made of the tools that there are"
        ))
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let mut run = self.control.start(stage, self.planned_by.as_deref()).await?;
        self.walk.walk(&self.control, stage, &mut run).await
    }
}
