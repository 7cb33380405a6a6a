//! Members answer one brief apart, and code counts how far they agree (ARES-098, ARES-122); or they play a game by ballots.
//!
//! **The tribunal.** Every member is given the same brief on a lane of its own; none sees another one's answers. Each answers five questions,
//! and code tabulates for each whether the members are unanimous, have a majority or are split. A rule takes the answer to the task from
//! this count: `unanimous`, `majority`, or `single`, the first member's.
//!
//! **Rounds.** With `rounds: true` each subject of the brief is an agent of the game, and the members play these agents by turns. Each sees what its
//! agent has seen and gives a ballot; the ballots of a round are one call to the environment.
//!
//! Its records are in [`gimbal_messages::records::panel`].

mod expert;
mod family;
pub mod messages;
mod opinion;
mod resolve;
mod rounds;
mod settings;
mod tally;
mod tribunal;

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_agent::Agent;
use gimbal_core::{
    Architecture, ArchitectureKind, BuildError, Digest, EpisodeStopped, Files, Needs, RecordKind, Stage, canonical,
};
use gimbal_evidence::rules::RuleSet;
use gimbal_messages::party;
use gimbal_messages::records::{engine, panel as records, reading};
use serde_json::{Value, json};

use messages::Contracts;

pub use settings::{Rule, Settings};

/// How much of an answer that cannot be used goes back to the model, in characters.
const BROKEN: usize = 2_000;
/// Number of the behaviour: raised whenever the same settings and replies may lead to other messages or calls.
const BEHAVIOUR: u32 = 3;

/// The family `panel`.
#[derive(Debug)]
pub struct PanelKind;

impl ArchitectureKind for PanelKind {
    fn name(&self) -> &'static str {
        "panel"
    }

    fn schema(&self) -> Value {
        crate::shared::settings::schema::<Settings>()
    }

    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        resolve::strict_members(self.name(), settings)?;
        Ok(Arc::new(resolve::resolve(self.name(), settings, files)?))
    }

    fn records(&self) -> Vec<RecordKind> {
        [engine::KINDS, reading::KINDS, records::KINDS].concat()
    }

    fn parties(&self) -> &'static [&'static str] {
        &[party::CHAIR]
    }
}

/// The members, and what is made of their answers.
struct Panel {
    /// Name of the lane and agent of each member.
    members: Vec<(String, Agent)>,
    rule: Rule,
    rounds: bool,
    context: Vec<String>,
    contracts: Contracts,
    /// What an expert over a packet goes by.
    rules: Arc<RuleSet>,
}

#[async_trait]
impl Architecture for Panel {
    fn needs(&self) -> Needs {
        let mut needs = Needs { messages: true, blocks: self.context.clone(), ..Needs::default() };
        if self.rounds {
            needs.subjects = true;
            needs.queries.push(rounds::VIEW.to_owned());
        } else {
            needs.answers = true;
        }
        for (_, agent) in &self.members {
            needs.add_agent(agent.needs());
        }
        needs.roles.sort();
        needs.roles.dedup();
        needs.grammars.sort();
        needs.grammars.dedup();
        needs
    }

    fn resolved(&self) -> Value {
        let agents: Vec<Value> = self.members.iter().map(|(_, agent)| agent.resolved()).collect();
        let contract = if self.rounds { &self.contracts.ballot } else { &self.contracts.opinion };
        json!({
            "architecture": "panel",
            "behaviour": BEHAVIOUR,
            "agents": agents,
            "contract": contract.digest(),
            "rules": Digest::of(&canonical::bytes_of(&self.rules)),
            "rule": if self.rounds { Value::Null } else { json!(self.rule.name()) },
            "rounds": self.rounds,
            "context": self.context,
        })
    }

    fn acts_by_messages(&self) -> bool {
        true
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        if self.rounds { self.play_rounds(stage).await } else { self.tribunal(stage).await }
    }
}
