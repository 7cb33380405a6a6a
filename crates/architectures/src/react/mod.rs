//! One agent thinks, uses tools and acts (BOG-038, monolithic): a fresh instance in every step (BOG-031), or one
//! conversation for the whole episode (CYC-026).

mod settings;

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_agent::{Agent, Alone, Family, Peers, Team};
use gimbal_core::{
    Architecture, ArchitectureKind, Block, BuildError, EpisodeStopped, Files, LaneId, Needs, RecordKind, Stage,
};
use gimbal_messages::party;
use gimbal_messages::records::{engine, gate};
use serde_json::{Value, json};

use crate::shared::gate::{Gate, GateState, Gated};
pub use settings::Settings;
pub(crate) use settings::resolve;

/// The family `react`.
#[derive(Debug)]
pub struct ReactKind;

impl ArchitectureKind for ReactKind {
    fn name(&self) -> &'static str {
        "react"
    }

    fn schema(&self) -> Value {
        crate::shared::settings::schema::<Settings>()
    }

    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        Ok(Arc::new(settings::resolve(self.name(), settings, files)?))
    }

    fn records(&self) -> Vec<RecordKind> {
        [engine::KINDS, gate::KINDS].concat()
    }

    fn parties(&self) -> &'static [&'static str] {
        &[party::GATE]
    }
}

impl Family for ReactKind {
    fn team(&self, settings: &Value, files: &dyn Files) -> Result<Team, BuildError> {
        Ok(settings::resolve(self.name(), settings, files)?.into_team())
    }

    fn audited(&self) -> Vec<Value> {
        // As in studies: afresh in every step it would see nothing of the environment.
        vec![json!({ "persona": "solver", "conversation": "episode", "context": ["observation"] })]
    }
}

/// The agent of a setting of `react` and its context blocks, in the order in which the prompt shows them: for whoever
/// wants to see the prompt without playing.
///
/// # Errors
/// Which key or file is wrong, and what would be right.
pub fn agent(settings: &Value, files: &dyn Files) -> Result<(Agent, Vec<String>), BuildError> {
    Ok(settings::resolve(ReactKind.name(), settings, files)?.into_agent())
}

/// What a single agent is given beside its persona: blocks that its prompts show before all others, and who watches its calls.
pub(crate) struct Extras<'a> {
    /// Blocks.
    pub blocks: &'a [Block],
    /// Whoever watches.
    pub peers: &'a dyn Peers,
}

impl Extras<'_> {
    /// Nothing and nobody.
    const NONE: Self = Self { blocks: &[], peers: &Alone };
}

pub(crate) struct React {
    agent: Agent,
    /// Names of the context blocks, in the order in which the prompt shows them.
    context: Vec<String>,
    /// What comes before a final answer (CYC-095).
    gate: Option<Gate>,
    /// One conversation for the whole episode, and its most tool calls where they are named.
    whole: Option<Option<u32>>,
}

impl React {
    /// Its agent and its context blocks.
    pub(crate) fn into_agent(self) -> (Agent, Vec<String>) {
        (self.agent, self.context)
    }

    /// Its agents by their places, with the verifier where a gate is before final answers; and the context blocks of the one that acts.
    pub(crate) fn into_team(self) -> Team {
        let verifier = self.gate.map(|gate| ("verifier", gate.verifier()));
        Team::new(std::iter::once(("agent", self.agent)).chain(verifier), self.context)
    }

    fn gated<'a>(&'a self, peers: &'a dyn Peers, gate_state: &'a GateState, spare: Option<u32>) -> Gated<'a> {
        Gated { peers, gate: self.gate.as_ref().map(|gate| (gate, gate_state)), spare }
    }

    /// Plays with something beside the agent. With nothing, the requests are those of [`Architecture::play`].
    ///
    /// # Errors
    /// What stopped the episode.
    pub(crate) async fn play_beside(&self, stage: &dyn Stage, beside: &Extras<'_>) -> Result<(), EpisodeStopped> {
        if let Some(most) = self.whole {
            return self.converse(stage, most, beside).await;
        }
        let session = self.agent.session(stage).await?;
        let first = crate::shared::seen_blocks::observation(&stage.view().await);
        let gate_state = GateState::default();
        loop {
            let mut blocks = beside.blocks.to_vec();
            blocks.extend(
                crate::shared::seen_blocks::deciding(stage, &session, (first.as_ref(), &self.context), false).await?,
            );
            session.step_with(stage, LaneId::MAIN, &blocks, &self.gated(beside.peers, &gate_state, None)).await?;
        }
    }

    /// One conversation from the first observation to the end (CYC-026).
    async fn converse(&self, stage: &dyn Stage, most: Option<u32>, beside: &Extras<'_>) -> Result<(), EpisodeStopped> {
        let session = self.agent.session(stage).await?;
        let view = stage.view().await;
        let first = crate::shared::seen_blocks::observation(&view);
        let context = crate::shared::seen_blocks::beside(&view, first.as_ref(), &self.context);
        let mut blocks: Vec<Block> = beside.blocks.iter().cloned().chain(first).collect();
        blocks.extend(stage.context(LaneId::MAIN, &context).await?);
        let gate_state = GateState::default();
        let most = stage.brief().most_calls(most);
        blocks.push(calls_left(most));
        let segment = session
            .segment(stage, LaneId::MAIN, &blocks, None, (&self.gated(beside.peers, &gate_state, Some(most)), most))
            .await?;
        Err(segment.over.unwrap_or_else(crate::shared::control::spent))
    }
}

/// What the agent is told about its budget, as executors and routers of controllers are told theirs (CYC-026).
fn calls_left(most: u32) -> Block {
    let actions = if most == 1 { "action" } else { "actions" };
    let text = format!("You have at most {most} {actions} for the whole task. A refused action counts.");
    Block { name: "calls_left".to_owned(), text: text.into() }
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

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        self.play_beside(stage, &Extras::NONE).await
    }
}
