//! A planner decides and acts; an analyst and a chooser advise it (BOG-038, BOG-056..074).
//!
//! The tree is fixed: the planner asks, the advisers answer, nobody else speaks. All agents are fresh in every step;
//! what the advisers see is the request alone (BOG-073), unless `subagent_history` adds the history (BOG-R02).
//!
//! Its records are in [`gimbal_messages::records::hierarchy`].

pub mod arbiter;
pub mod messages;
mod panel;
mod settings;

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_agent::family::place_by_message;
use gimbal_agent::{Agent, Answer, Family, Persona, Team};
use gimbal_core::{
    Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, LaneId, Needs, RecordKind, Stage,
};
use gimbal_messages::records::{engine, hierarchy as records, reading};
use serde_json::{Value, json};

pub use arbiter::{Arbiter, Rule};
use panel::AdviserPanel;
pub use settings::Settings;

/// Number of the behaviour: raised whenever the same settings and replies may lead to other messages or actions.
const BEHAVIOUR: u32 = 5;

/// The family `hierarchy`.
#[derive(Debug)]
pub struct HierarchyKind;

impl ArchitectureKind for HierarchyKind {
    fn name(&self) -> &'static str {
        "hierarchy"
    }

    fn schema(&self) -> Value {
        crate::shared::settings::schema::<Settings>()
    }

    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        Ok(Arc::new(settings::resolve(self.name(), settings, files)?))
    }

    fn records(&self) -> Vec<RecordKind> {
        [engine::KINDS, reading::KINDS, records::KINDS].concat()
    }
}

impl Family for HierarchyKind {
    fn answers(&self) -> Vec<Answer> {
        vec![Answer::new("analyst", &messages::Analysis), Answer::new("chooser", &messages::Suggestions)]
    }

    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
        let (agents, context) = agents(settings, files)?;
        Ok(Team::new(["planner", "analyst", "chooser"].into_iter().zip(agents), context))
    }

    fn place_of(&self, persona: &Persona) -> Option<&'static str> {
        // Who turns to others and is asked by nobody leads them.
        let core = &persona.core;
        let leads = !core.is_asked() && core.tools.iter().any(|tool| tool.delegate.is_some());
        place_by_message(&self.answers(), persona).or(leads.then_some("planner"))
    }

    fn audited(&self) -> Vec<Value> {
        // The named configurations have all of its agents.
        Vec::new()
    }
}

/// The agents of a setting of `hierarchy`: planner, analyst, chooser, and the planner's context blocks, for whoever wants
/// to see their prompts without playing.
///
/// # Errors
/// Which key or file is wrong, and what would be right.
pub fn agents(settings: &Value, files: &dyn Files) -> Result<([Agent; 3], Vec<String>), BuildError> {
    let hierarchy = settings::resolve(HierarchyKind.name(), settings, files)?;
    Ok(([hierarchy.planner, hierarchy.analyst, hierarchy.chooser], hierarchy.context))
}

/// The agents, and what passes between them.
struct Hierarchy {
    planner: Agent,
    analyst: Agent,
    chooser: Agent,
    /// Context blocks of the planner, in the order in which the prompt shows them.
    context: Vec<String>,
    /// Context blocks of the advisers.
    adviser_context: Vec<String>,
    arbiter: Option<Arbiter>,
}

#[async_trait]
impl Architecture for Hierarchy {
    fn needs(&self) -> Needs {
        let mut needs = Needs { subjects: true, messages: true, ..self.planner.needs() };
        for agent in [&self.analyst, &self.chooser] {
            needs.add_agent(agent.needs());
        }
        let blocks = self.context.iter().chain(&self.adviser_context);
        for block in blocks {
            if !needs.blocks.contains(block) {
                needs.blocks.push(block.clone());
            }
        }
        needs
    }

    fn resolved(&self) -> Value {
        json!({
            "architecture": "hierarchy",
            "behaviour": BEHAVIOUR,
            "planner": self.planner.resolved(),
            "analyst": self.analyst.resolved(),
            "chooser": self.chooser.resolved(),
            "context": self.context,
            "adviser_context": self.adviser_context,
            "arbiter": self.arbiter,
        })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let planner = self.planner.session(stage).await?;
        let first = crate::shared::seen_blocks::observation(&stage.view().await);
        loop {
            let blocks =
                crate::shared::seen_blocks::deciding(stage, &planner, (first.as_ref(), &self.context), true).await?;
            let panel = AdviserPanel::of(self, stage).await?;
            planner.step_with(stage, LaneId::MAIN, &blocks, &panel).await?;
        }
    }
}
