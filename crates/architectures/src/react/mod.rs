//! One agent thinks, uses tools and acts (BOG-038, monolithic); a fresh instance in every step (BOG-031).

mod settings;

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_agent::Agent;
use gimbal_core::{Architecture, ArchitectureKind, BuildError, Files, Halt, LaneId, Needs, Stage};
use serde_json::{Value, json};

pub use settings::Settings;

/// The family `react`.
#[derive(Debug)]
pub struct ReactKind;

impl ArchitectureKind for ReactKind {
    fn name(&self) -> &'static str {
        "react"
    }

    fn schema(&self) -> Value {
        crate::settings::schema::<Settings>()
    }

    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        let (agent, context) = settings::resolve(self.name(), settings, files)?;
        Ok(Arc::new(React { agent, context }))
    }
}

/// The agent of a setting of `react` and its context blocks, in the order in which the prompt shows them: for whoever
/// wants to see the prompt without playing.
///
/// # Errors
/// Which key or file is wrong, and what would be right.
pub fn agent(settings: &Value, files: &dyn Files) -> Result<(Agent, Vec<String>), BuildError> {
    settings::resolve(ReactKind.name(), settings, files)
}

struct React {
    agent: Agent,
    /// Names of the context blocks, in the order in which the prompt shows them.
    context: Vec<String>,
}

#[async_trait]
impl Architecture for React {
    fn needs(&self) -> Needs {
        Needs { blocks: self.context.clone(), ..self.agent.needs() }
    }

    fn resolved(&self) -> Value {
        json!({ "architecture": "react", "agent": self.agent.resolved(), "context": self.context })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), Halt> {
        let seat = self.agent.seat(stage).await?;
        loop {
            let blocks = stage.context(LaneId::TRUNK, &self.context).await?;
            seat.step(stage, LaneId::TRUNK, &blocks).await?;
        }
    }
}
