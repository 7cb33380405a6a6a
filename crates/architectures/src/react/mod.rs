//! One agent thinks, uses tools and acts (BOG-038, monolithic): a fresh instance in every step (BOG-031), or one
//! conversation for the whole episode (CYC-026).

mod settings;

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_agent::{Agent, Alone, Ended};
use gimbal_core::{Architecture, ArchitectureKind, Block, BuildError, Files, Halt, LaneId, Needs, Stage};
use serde_json::{Value, json};

use crate::gate::{Gate, Gated, Watch};
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
        Ok(Arc::new(settings::resolve(self.name(), settings, files)?))
    }
}

/// The agent of a setting of `react` and its context blocks, in the order in which the prompt shows them: for whoever
/// wants to see the prompt without playing.
///
/// # Errors
/// Which key or file is wrong, and what would be right.
pub fn agent(settings: &Value, files: &dyn Files) -> Result<(Agent, Vec<String>), BuildError> {
    let React { agent, context, .. } = settings::resolve(ReactKind.name(), settings, files)?;
    Ok((agent, context))
}

struct React {
    agent: Agent,
    /// Names of the context blocks, in the order in which the prompt shows them.
    context: Vec<String>,
    /// What stands before a final answer (CYC-095).
    gate: Option<Gate>,
    /// One conversation for the whole episode, and its most tool calls where they are named.
    whole: Option<Option<u32>>,
}

impl React {
    fn gated<'a>(&'a self, watch: &'a Watch, spare: Option<u32>) -> Gated<'a> {
        Gated { company: &Alone, gate: self.gate.as_ref().map(|gate| (gate, watch)), spare }
    }

    /// One conversation from the first observation to the end (CYC-026).
    async fn converse(&self, stage: &dyn Stage, most: Option<u32>) -> Result<(), Halt> {
        let seat = self.agent.seat(stage).await?;
        let view = stage.view().await;
        let first = crate::first::observation(&view);
        let context = crate::first::beside(&view, first.as_ref(), &self.context);
        let mut blocks: Vec<Block> = first.into_iter().collect();
        blocks.extend(stage.context(LaneId::TRUNK, &context).await?);
        let watch = Watch::default();
        let most = most.unwrap_or(stage.brief().horizon);
        let segment =
            seat.segment(stage, LaneId::TRUNK, &blocks, None, (&self.gated(&watch, Some(most)), most)).await?;
        Err(match segment.ended {
            Ended::Over(halt) => halt,
            Ended::Finished(_) | Ended::Calls => crate::control::spent(),
        })
    }
}

#[async_trait]
impl Architecture for React {
    fn needs(&self) -> Needs {
        let mut needs = Needs { blocks: self.context.clone(), ..self.agent.needs() };
        if let Some(gate) = &self.gate {
            gate.add_needs(&mut needs);
        }
        needs
    }

    fn resolved(&self) -> Value {
        let mut resolved = json!({ "architecture": "react", "agent": self.agent.resolved(), "context": self.context });
        if let Some(most) = self.whole {
            resolved["conversation"] = json!({ "episode": most });
        }
        if let Some(gate) = &self.gate {
            resolved["gate"] = gate.resolved();
        }
        resolved
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), Halt> {
        if let Some(most) = self.whole {
            return self.converse(stage, most).await;
        }
        let seat = self.agent.seat(stage).await?;
        let watch = Watch::default();
        loop {
            let blocks = stage.context(LaneId::TRUNK, &self.context).await?;
            seat.step_with(stage, LaneId::TRUNK, &blocks, &self.gated(&watch, None)).await?;
        }
    }
}
