//! Two sides argue over a packet of evidence, and arithmetic decides (ARES-020..065, ARES-130..133).
//!
//! The Architect argues that there is a threat, the Skeptic that there is none. Both cite facts of the packet and nothing else: what is not in
//! it does not exist. No model decides: the judge computes the verdict from confidences or claims. Round 1 is a single turn; a gate may let it
//! stand, and else further rounds, an audit of claims and an active Oracle follow, as the settings say.
//!
//! Its records are in [`gimbal_messages::records::debate`].

mod advocate;
mod audit;
mod case;
mod conclusion;
mod consult;
mod decision;
mod family;
mod form;
mod gate;
pub mod messages;
mod narrator;
mod oracle;
mod reading;
mod resolve;
mod rounds;
mod settings;
mod side;
mod vote;

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_agent::Agent;
use gimbal_core::{
    Architecture, ArchitectureKind, BuildError, Digest, EpisodeStopped, Files, LaneId, Milli, Needs, RecordKind, Stage,
    canonical,
};
use gimbal_evidence::judge::{Arithmetic, Certainty};
use gimbal_evidence::rules::{Decision as Judging, RuleSet};
use gimbal_messages::party;
use gimbal_messages::records::reading::KINDS as READING;
use gimbal_messages::records::{debate as records, engine};
use gimbal_messages::{Contract, StageExt};
use serde_json::{Value, json};

use crate::shared::packet::{PACKET, packet};

use case::Case;
use decision::{Decision, decide};
use messages::Contracts;
use rounds::Exchange;
use side::Role;

pub use gate::{Gate, GateCertainty};
pub use settings::{GateSettings, MeanConfidences, NarratorKind, OracleKind, Settings, SideSettings};
pub use side::Strategy;

/// Number of the behaviour: raised whenever the same settings and replies may lead to other messages, verdicts or records.
const BEHAVIOUR: u32 = 7;

/// The family `debate`.
#[derive(Debug)]
pub struct DebateKind;

impl ArchitectureKind for DebateKind {
    fn name(&self) -> &'static str {
        "debate"
    }

    fn schema(&self) -> Value {
        crate::shared::settings::schema::<Settings>()
    }

    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        Ok(Arc::new(resolve::resolve(self.name(), settings, files)?))
    }

    fn records(&self) -> Vec<RecordKind> {
        [engine::KINDS, READING, records::KINDS].concat()
    }

    fn parties(&self) -> &'static [&'static str] {
        &[records::SIDES[0], records::SIDES[1], party::JUDGE]
    }
}

/// What speaks for a side.
struct Speaker {
    strategy: Strategy,
    /// The agent, where a model speaks.
    agent: Option<Agent>,
    /// The agent of anchored rounds.
    anchored: Option<Agent>,
}

/// What attacks the side that is surer.
enum Oracle {
    Passive,
    Rules,
    Model(Agent),
}

impl Oracle {
    /// The agent, where a model attacks.
    const fn agent(&self) -> Option<&Agent> {
        match self {
            Self::Model(agent) => Some(agent),
            Self::Passive | Self::Rules => None,
        }
    }

    /// Its name in settings and records.
    const fn name(&self) -> &'static str {
        match self {
            Self::Passive => "off",
            Self::Rules => "rules",
            Self::Model(_) => "model",
        }
    }
}

/// Who puts the verdict into words.
enum Narrator {
    Off,
    Template,
    Model(Agent),
}

impl Narrator {
    /// The agent, where a model tells.
    const fn agent(&self) -> Option<&Agent> {
        match self {
            Self::Model(agent) => Some(agent),
            Self::Off | Self::Template => None,
        }
    }

    /// Its name in settings.
    const fn name(&self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Template => "template",
            Self::Model(_) => "model",
        }
    }
}

/// The sides, the judge, and what lies between them.
struct Debate {
    sides: [Speaker; 2],
    /// Who answers claims for each side, where a model does.
    auditors: [Option<Agent>; 2],
    oracle: Option<Agent>,
    active: Oracle,
    narrator: Narrator,
    gate: Option<Gate>,
    judge: Judging,
    arithmetic: Arithmetic,
    certainty: Certainty,
    rounds: u32,
    stops_early: bool,
    anchored: bool,
    skeptic_sees_thesis: bool,
    swap: bool,
    neutral: bool,
    /// Neither side hears the other.
    isolated: bool,
    votes: u32,
    /// Temperature of the votes; that of their roles where there is none.
    vote_temperature: Option<Milli>,
    audit: bool,
    /// Context blocks of the agents that see the packet.
    context: Vec<String>,
    rules: Arc<RuleSet>,
    contracts: Contracts,
}

impl Debate {
    /// Who speaks first.
    const fn opener(&self) -> Role {
        if self.swap { Role::Skeptic } else { Role::Architect }
    }

    /// One case from the single turn to its last verdict, and what that verdict follows.
    async fn deliberate(&self, case: Case<'_>, stage: &dyn Stage) -> Result<(Decision, &'static str), EpisodeStopped> {
        let mut exchange = Exchange::open(case);
        let lanes = Role::BOTH.map(|role| stage.lane(role.name()));
        let spoken = exchange.first(stage, lanes).await;
        stage.join(&lanes).await;
        spoken?;
        let (mut struck, mut after) = (BTreeSet::new(), "round");
        let mut decision = self.judged(&case, &exchange, &struck)?;
        decision.record(&case, stage, LaneId::MAIN, after, false).await;
        if let Some(gate) = &self.gate
            && !gate.escalates(&case, stage, &exchange, &decision).await?
        {
            let rounds = records::Rounds { rounds: 1, reason: "not_escalated".to_owned() };
            stage.record(LaneId::MAIN, &rounds).await;
            return Ok((decision, after));
        }
        let mut known = BTreeSet::new();
        let reason = loop {
            if let Some(reason) = exchange.stops(&known) {
                break reason;
            }
            known = exchange.cited();
            exchange.next(stage).await?;
            decision = self.judged(&case, &exchange, &struck)?;
            decision.record(&case, stage, LaneId::MAIN, after, false).await;
        };
        let rounds = records::Rounds { rounds: exchange.rounds(), reason: reason.to_owned() };
        stage.record(LaneId::MAIN, &rounds).await;
        if self.audit {
            struck = audit::audit(&case, stage, &exchange).await?;
            (decision, after) = (self.judged(&case, &exchange, &struck)?, "audit");
            decision.record(&case, stage, LaneId::MAIN, after, false).await;
        }
        if let Some(challenged) = oracle::challenge(&case, stage, &exchange, &decision).await? {
            (decision, after) = (challenged, "challenge");
        }
        Ok((decision, after))
    }

    /// The verdict over the last turns.
    fn judged(
        &self,
        case: &Case<'_>,
        exchange: &Exchange<'_>,
        struck: &BTreeSet<String>,
    ) -> Result<Decision, EpisodeStopped> {
        let turns =
            exchange.last().ok_or_else(|| EpisodeStopped::lasting("a debate was judged before either side spoke"))?;
        Ok(decide(case, turns, struck))
    }
}

impl Debate {
    /// The agent of a side in a round, the contract of its message, and whether the round is anchored.
    fn speaker(&self, role: Role, round: u32, heard: bool) -> Result<(&Agent, &Contract, bool), EpisodeStopped> {
        let speaker = &self.sides[role.index()];
        if let Some(agent) = speaker.anchored.as_ref().filter(|_| round > 1 && heard) {
            return Ok((agent, &self.contracts.anchored, true));
        }
        let agent =
            speaker.agent.as_ref().ok_or_else(|| EpisodeStopped::lasting("a side without a model was asked"))?;
        Ok((agent, &self.contracts.position, false))
    }

    /// Whether anyone sends a message to an agent.
    fn sends(&self) -> bool {
        let hears = (self.rounds > 1 && !self.isolated) || self.skeptic_sees_thesis;
        let sides = hears && self.sides.iter().any(|side| side.agent.is_some());
        let around = [self.oracle.as_ref(), self.active.agent(), self.narrator.agent()];
        sides || around.into_iter().chain(self.auditors.each_ref().map(Option::as_ref)).any(|agent| agent.is_some())
    }

    fn all_agents(&self) -> impl Iterator<Item = &Agent> {
        let sides = self.sides.iter().flat_map(|side| side.agent.iter().chain(&side.anchored));
        let around = self.auditors.iter().flatten().chain(&self.oracle);
        sides.chain(around).chain(self.active.agent()).chain(self.narrator.agent())
    }
}

#[async_trait]
impl Architecture for Debate {
    fn needs(&self) -> Needs {
        let mut needs =
            Needs { materials: vec![PACKET.to_owned()], answers: true, messages: self.sends(), ..Needs::default() };
        for agent in self.all_agents() {
            needs.add_agent(agent.needs());
        }
        needs.roles.sort();
        needs.roles.dedup();
        needs.grammars.sort();
        needs.grammars.dedup();
        if self.all_agents().next().is_some() {
            needs.blocks.clone_from(&self.context);
        }
        needs
    }

    fn resolved(&self) -> Value {
        let agents: Vec<Value> = self.all_agents().map(Agent::resolved).collect();
        let strategies = self.sides.each_ref().map(|side| side.strategy.name());
        let means = match self.judge {
            Judging::Positions(gimbal_evidence::judge::Judge::Calibrated { architect, skeptic }) => {
                json!({ "architect": architect, "skeptic": skeptic })
            }
            _ => Value::Null,
        };
        json!({
            "architecture": "debate",
            "behaviour": BEHAVIOUR,
            "strategies": strategies,
            "agents": agents,
            "contracts": self.contracts.digests(),
            "rules": Digest::of(&canonical::bytes_of(&self.rules)),
            "judge": self.judge.name(),
            "means": means,
            "arithmetic": self.arithmetic.name(),
            "certainty": match self.certainty { Certainty::Winner => "winner", Certainty::Margin => "margin" },
            "gate": self.gate.as_ref().map(Gate::resolved),
            "rounds": self.rounds,
            "stops_early": self.stops_early,
            "anchored": self.anchored,
            "skeptic_sees_thesis": self.skeptic_sees_thesis,
            "swap": self.swap,
            "neutral": self.neutral,
            "isolated": self.isolated,
            "votes": self.votes,
            "vote_temperature": self.vote_temperature,
            "audit": self.audit,
            "active_oracle": self.active.name(),
            "narrator": self.narrator.name(),
            "context": self.context,
        })
    }

    fn acts_by_messages(&self) -> bool {
        true
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let packet = packet(stage)?;
        let hints = stage.expert().await.is_some();
        let case = Case { debate: self, packet: &packet, positions: &form::Positions::default(), hints, vote: None };
        let (decision, after) = match self.votes {
            1 => self.deliberate(case, stage).await?,
            votes => (vote::vote(&case, stage, votes).await?, "majority"),
        };
        decision.record(&case, stage, LaneId::MAIN, after, true).await;
        let words = narrator::tell(&case, stage, &decision).await?;
        conclusion::conclude(stage, &decision, words.as_deref()).await
    }
}
