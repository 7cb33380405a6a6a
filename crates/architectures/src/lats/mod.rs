//! A tree search over actions, with a model as proposer and as value function, and branches of the environment (LATS, CTHA-131).
//!
//! Before every real step a tree is grown from the present. The node to expand is chosen by UCT; a **proposer** names actions that are worth trying
//! there, each is carried out in a branch of the environment, a **valuer** says how likely the goal is reached from what was seen then, and both its
//! word and the simulated rewards go up the tree. Then the best first action is played. With `reflections` a reflector looks back on simulated paths
//! that failed, and its notes are in later requests of the episode.
//!
//! **What is simulated** is not a step of the episode: calls in branches are counted apart (the record `branched`), and cells are marked `simulator` in all
//! tables. Models are asked outside of branches, about what was seen in them. All branches of a step share one future for each depth, which is never the
//! episode's own, so that siblings meet the same chances. A call that would itself ask a model is not carried out in a branch: the valuer alone judges
//! it. What an answer would be worth is told to nobody, as in the episode itself.
//!
//! **At equal calls**: `answers` bounds the answers of models in a real step.

mod asking;
mod family;
pub mod messages;
mod search;
mod settings;
mod tree;

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_agent::Agent;
use gimbal_core::{
    Acted, Architecture, ArchitectureKind, Block, BuildError, EpisodeStopped, Files, LaneId, Needs, RecordKind, Stage,
};
use gimbal_messages::party;
use gimbal_messages::records::{engine, reading, search as records};
use serde_json::{Value, json};

use crate::shared::reflector::Reflector;
use messages::Reading;
use search::ChosenAction;
use tree::Weights;

pub use settings::{Batching, Settings};

/// Number of the behaviour: raised whenever the same settings and replies may lead to other messages or calls.
const BEHAVIOUR: u32 = 4;
/// First actions that are tried in earnest before the idle call: what a branch took may be refused in another future.
const ATTEMPTS: usize = 3;

/// The family `lats`.
#[derive(Debug)]
pub struct LatsKind;

impl ArchitectureKind for LatsKind {
    fn name(&self) -> &'static str {
        "lats"
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

    fn parties(&self) -> &'static [&'static str] {
        &[party::JOURNAL]
    }
}

/// The agents, and how large a tree they grow.
struct Lats {
    proposer: Agent,
    valuer: Agent,
    reflector: Option<Reflector>,
    /// Context blocks of proposer and valuer.
    contexts: [Vec<String>; 2],
    width: usize,
    depth: u32,
    iterations: u32,
    answers: Option<u32>,
    weights: Weights,
    proposals: Batching,
    values: Batching,
    reflections: u32,
    kept: usize,
    reading: Reading,
}

/// What is kept from step to step.
#[derive(Default)]
struct Episode {
    /// What was seen before the first step.
    first: Option<Block>,
    /// The latest reflections.
    notes: Vec<String>,
    /// Failed paths that were reflected on.
    failed: u32,
}

#[async_trait]
impl Architecture for Lats {
    fn needs(&self) -> Needs {
        let mut needs = Needs { messages: true, simulator: true, ..Needs::default() };
        needs.blocks = self.contexts.concat();
        for agent in [self.proposer.needs(), self.valuer.needs()] {
            needs.add_agent(agent);
        }
        if let Some(reflector) = &self.reflector {
            needs.add_agent(reflector.needs());
        }
        for list in [&mut needs.blocks, &mut needs.roles, &mut needs.native] {
            list.sort();
            list.dedup();
        }
        needs.grammars.sort();
        needs.grammars.dedup();
        needs
    }

    fn resolved(&self) -> Value {
        json!({
            "architecture": "lats",
            "behaviour": BEHAVIOUR,
            "proposer": self.proposer.resolved(),
            "valuer": self.valuer.resolved(),
            "reflector": self.reflector.as_ref().map(Reflector::resolved),
            "contracts": [self.reading.proposals.digest(), self.reading.appraisal.digest()],
            "contexts": self.contexts,
            "width": self.width,
            "depth": self.depth,
            "iterations": self.iterations,
            "answers": self.answers,
            "exploration": format!("{}", self.weights.exploration),
            "value_weight": format!("{}", self.weights.value),
            "proposals": self.proposals,
            "values": self.values,
            "reflections": self.reflections,
            "kept": self.kept,
        })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let first = crate::shared::seen_blocks::observation(&stage.view().await);
        let mut episode = Episode { first, ..Episode::default() };
        loop {
            let found = self.search(stage, &mut episode).await?;
            carry_out(stage, &found).await?;
        }
    }
}

/// Plays the best first action that the environment takes; the idle call where it takes none.
async fn carry_out(stage: &dyn Stage, found: &[ChosenAction]) -> Result<(), EpisodeStopped> {
    for ChosenAction { call, why } in found.iter().take(ATTEMPTS) {
        if let Acted::Stepped(_) = stage.act(LaneId::MAIN, call, Some(why)).await? {
            return Ok(());
        }
    }
    let idle = stage.brief().idle.clone();
    stage.fallback(LaneId::MAIN, &idle, "no proposed action could be taken").await;
    match stage.act(LaneId::MAIN, &idle, None).await? {
        Acted::Stepped(_) => Ok(()),
        Acted::Rejected(rejection) => {
            Err(EpisodeStopped::infrastructure(format!("the environment refused its own idle call: {rejection}")))
        }
    }
}
