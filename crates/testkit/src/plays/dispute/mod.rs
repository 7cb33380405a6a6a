//! Two agents that object to each other until they propose the same action.
//!
//! This throw-away system is the test of the seam for architectures: it has personas, a message, a record and a reader of
//! its own, and nothing outside this folder knows of it.

mod stance;

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_agent::prompt::Question;
use gimbal_agent::{Advice, Agent, Alone, Overrides, Partners, Persona};
use gimbal_core::{
    Architecture, ArchitectureKind, BuildError, EpisodeStopped, FileError, Files, LaneId, Needs, RecordKind, Stage,
    StoryMemory,
};
use gimbal_messages::records::engine;
use gimbal_messages::{Content, Record, StageExt, Tier, kind, spaced};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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

/// The persona of both.
const PERSONA: &str = "disputant";

/// The family `dispute`; setting `turns`.
#[derive(Debug)]
pub struct DisputeKind;

impl ArchitectureKind for DisputeKind {
    fn name(&self) -> &'static str {
        "dispute"
    }
    fn schema(&self) -> Value {
        json!({ "type": "object", "properties": { "turns": { "type": "integer", "default": 4 } }, "additionalProperties": false })
    }
    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        super::only(settings, &["turns"])?;
        let error = |error: &dyn std::fmt::Display| BuildError::new(format!("dispute: {error}"));
        let persona = Persona::shared(PERSONA, &WithPersona(files)).map_err(|problem| error(&problem))?;
        let partners = Partners { message: Some(&Stance), delegates: &[] };
        let agent = |role| Agent::among(Arc::clone(&persona), role, &Overrides::default(), partners);
        let agents = [agent(ROLES[0]), agent(ROLES[1])];
        let [first, second] = agents.map(|agent| agent.map_err(|problem| error(&problem)));
        let turns = settings.get("turns").and_then(Value::as_u64).unwrap_or(4);
        Ok(Arc::new(Dispute { agents: [first?, second?], turns: u32::try_from(turns).unwrap_or(u32::MAX) }))
    }
    fn records(&self) -> Vec<RecordKind> {
        [engine::KINDS, &[kind::<Disputed>()]].concat()
    }
}

/// Files with the persona of this system among them.
struct WithPersona<'a>(&'a dyn Files);

impl Files for WithPersona<'_> {
    fn read(&self, path: &str) -> Result<Option<(String, String)>, FileError> {
        let own = match path {
            "personas/disputant/core.yaml" => include_str!("core.yaml"),
            "personas/disputant/prompt.yaml" => include_str!("prompt.yaml"),
            _ => return self.0.read(path),
        };
        Ok(Some((own.to_owned(), path.to_owned())))
    }
    fn list(&self, folder: &str) -> Vec<String> {
        let own = ["core", "prompt"].map(|file| format!("personas/{PERSONA}/{file}.yaml"));
        let mut all = self.0.list(folder);
        all.extend(own.into_iter().filter(|path| path.starts_with(folder)));
        all.sort();
        all
    }
}

struct Dispute {
    agents: [Agent; 2],
    /// How often an agent may speak before the last proposal is carried out.
    turns: u32,
}

impl Dispute {
    /// The action of one step.
    async fn decide(&self, stage: &dyn Stage) -> Result<Proposal, EpisodeStopped> {
        let lane = LaneId::MAIN;
        let blocks = stage.context(lane, &["observation".to_owned()]).await?;
        let mut last = Proposal::default_of("");
        let (mut turns, mut agreed, mut tier) = (0, false, Tier::Default);
        while turns < self.turns.max(1) && !agreed {
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
        let mut needs = Needs { blocks: vec!["observation".to_owned()], messages: true, ..Needs::default() };
        for agent in &self.agents {
            needs.add_agent(agent.needs());
        }
        needs
    }

    fn resolved(&self) -> Value {
        json!({ "architecture": "dispute", "turns": self.turns, "agents": self.agents.each_ref().map(Agent::resolved) })
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
