//! Two agents that object to each other until they propose the same action.
//!
//! This throw-away system is the test of the seam for architectures: it has a persona, a message, a record and a [`Family`] of
//! its own, and nothing outside this folder knows of it.
//!
//! [`Family`]: gimbal_agent::Family

mod family;
mod stance;

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_agent::prompt::Question;
use gimbal_agent::{Advice, Agent, Alone};
use gimbal_core::{
    Architecture, ArchitectureKind, BuildError, EpisodeStopped, Files, LaneId, Needs, RecordKind, Stage, StoryMemory,
};
use gimbal_messages::records::engine;
use gimbal_messages::{Content, Record, StageExt, Tier, kind, spaced};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use family::Settings;
pub use stance::{Proposal, Stance};

/// How a dispute about one step went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disputed {
    /// Whether both proposed the same action in the end.
    pub agreed: bool,
    /// How often an agent spoke.
    pub turns: u32,
    /// Which way the last proposal was read.
    pub tier: Tier,
}

impl Record for Disputed {
    const KIND: &'static str = "disputed";

    fn told(&self, _memory: &mut StoryMemory) -> Option<String> {
        let outcome = if self.agreed { "agreed" } else { "did not agree" };
        Some(format!("the two {outcome} after {} turns", self.turns))
    }
}

/// Roles of the two agents, the first speaker first.
const ROLES: [&str; 2] = ["proposer", "objector"];

/// The context block that both are shown.
const CONTEXT: &str = "observation";

/// The family `dispute`.
#[derive(Debug)]
pub struct DisputeKind;

impl ArchitectureKind for DisputeKind {
    fn name(&self) -> &'static str {
        "dispute"
    }
    fn schema(&self) -> Value {
        Settings::schema()
    }
    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        let settings = Settings::read(settings)?;
        Ok(Arc::new(Dispute { agents: settings.agents(files)?, most_turns: settings.most_turns }))
    }
    fn records(&self) -> Vec<RecordKind> {
        [engine::KINDS, &[kind::<Disputed>()]].concat()
    }
}

struct Dispute {
    agents: [Agent; 2],
    /// How often an agent may speak before the last proposal is carried out.
    most_turns: u32,
}

impl Dispute {
    /// The action of one step.
    async fn decide(&self, stage: &dyn Stage) -> Result<Proposal, EpisodeStopped> {
        let lane = LaneId::MAIN;
        let blocks = stage.context(lane, &[CONTEXT.to_owned()]).await?;
        let mut last = Proposal::default_of("");
        let (mut turns, mut agreed, mut tier) = (0, false, Tier::Default);
        while turns < self.most_turns.max(1) && !agreed {
            let [speaker, other] = if turns % 2 == 0 { [0, 1] } else { [1, 0] }.map(|place: usize| &self.agents[place]);
            let said =
                stage.send(lane, other.role(), speaker.role(), "stance", last.message()).await.unwrap_or_default();
            let (message, session) = (spaced(&said), speaker.session(stage).await?);
            let question = Question { target: "", message: &message };
            let written = match session.advise(stage, lane, &blocks, question, &Alone).await? {
                Advice::Text(text) => Some(text),
                Advice::None(_) => None,
            };
            let (proposal, read) = session.read::<Proposal>(stage, lane, written.as_deref(), question).await?;
            agreed = turns > 0 && !proposal.action.is_empty() && proposal.action == last.action;
            (last, tier, turns) = (proposal, read, turns + 1);
        }
        stage.record(lane, &Disputed { agreed, turns, tier }).await;
        Ok(last)
    }
}

#[async_trait]
impl Architecture for Dispute {
    fn needs(&self) -> Needs {
        let mut needs = Needs { blocks: vec![CONTEXT.to_owned()], messages: true, ..Needs::default() };
        for agent in &self.agents {
            needs.add_agent(agent.needs());
        }
        needs
    }

    fn resolved(&self) -> Value {
        json!({ "architecture": "dispute", "most_turns": self.most_turns, "agents": self.agents.each_ref().map(Agent::resolved) })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        loop {
            let proposal = self.decide(stage).await?;
            let call = match stage.parse(&proposal.action).await {
                Ok(call) => call,
                Err(rejection) => {
                    stage.reject(LaneId::MAIN, &rejection, &proposal.action).await?;
                    let idle = stage.brief().idle.clone();
                    stage.fallback(LaneId::MAIN, &idle, "no proposal").await;
                    idle
                }
            };
            stage.act(LaneId::MAIN, &call, None).await?;
        }
    }
}
