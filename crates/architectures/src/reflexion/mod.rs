//! One agent as [`react`](crate::react) has it, over a session of trials: after a trial that did not reach the goal a reflector writes a short note,
//! and the latest notes are in the prompts of later trials (CTHA-131).
//!
//! **When.** A trial leaves an account of itself in the memory of the session. The next trial begins with the reflection on it, so that no
//! reflection is written that nobody reads, and its cost belongs to the trial that it serves. The first trial of a session, and a study without
//! `trials`, sends the requests of `react`, byte for byte.
//!
//! **What counts as reached** is what the environment itself says at the end: it ended the episode as solved, or the return is above the threshold of
//! success in its brief. An answer that is judged behind the agent's back is neither: nothing is reflected on, and its reward is told to nobody. Once a
//! goal was reached in a session, no reflection is asked for that goal any more.
//!
//! **What the reflector sees** is what the agent saw: its actions and their results, bounded in tokens, and how the trial ended. What an episode shows
//! with its last step is shown to nobody, and so not to the reflector.

mod family;
mod memory;
mod settings;
mod watching;

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::{
    Architecture, ArchitectureKind, Block, BuildError, EpisodeStopped, Files, LaneId, Needs, RecordKind, Stage,
};
use gimbal_messages::party;
use gimbal_messages::records::{engine, gate, reading, search};
use serde_json::{Value, json};

use crate::react::{Extras, React};
use crate::shared::reflector::{Attempt, Reflector};
use memory::Remembered;
use watching::Watcher;

pub use settings::Settings;

/// Number of the behaviour: raised whenever the same settings and replies may lead to other requests or notes.
const BEHAVIOUR: u32 = 1;

/// The family `reflexion`.
#[derive(Debug)]
pub struct ReflexionKind;

impl ArchitectureKind for ReflexionKind {
    fn name(&self) -> &'static str {
        "reflexion"
    }

    fn schema(&self) -> Value {
        crate::shared::settings::schema::<Settings>()
    }

    fn build(&self, settings: &Value, files: &dyn Files) -> Result<Arc<dyn Architecture>, BuildError> {
        Ok(Arc::new(settings::resolve(self.name(), settings, files)?))
    }

    fn records(&self) -> Vec<RecordKind> {
        [engine::KINDS, gate::KINDS, reading::KINDS, search::KINDS].concat()
    }

    fn parties(&self) -> &'static [&'static str] {
        &[party::GATE, party::JOURNAL]
    }
}

/// An agent and its reflector.
struct Reflexion {
    react: React,
    reflector: Reflector,
    /// Notes that are in later prompts.
    kept: usize,
}

#[async_trait]
impl Architecture for Reflexion {
    fn needs(&self) -> Needs {
        let mut needs = Needs { messages: true, ..self.react.needs() };
        needs.add_agent(self.reflector.needs());
        needs
    }

    fn resolved(&self) -> Value {
        json!({
            "architecture": "reflexion",
            "behaviour": BEHAVIOUR,
            "react": self.react.resolved(),
            "reflector": self.reflector.resolved(),
            "kept": self.kept,
        })
    }

    async fn play(&self, stage: &dyn Stage) -> Result<(), EpisodeStopped> {
        let mut remembered = Remembered::of(stage);
        if let Some(account) = remembered.missed_trial() {
            let texts = remembered.texts();
            let attempt = Attempt { about: "trial", account: &account, notes: &texts, kept: self.kept };
            let note = self.reflector.reflect(stage, LaneId::MAIN, attempt).await?;
            remembered.keep(&account, note, self.kept);
        }
        remembered.store(stage);
        let blocks: Vec<Block> = remembered.block(&stage.brief().goal).into_iter().collect();
        let watcher = Watcher::of(stage).await;
        let played = self.react.play_beside(stage, &Extras { blocks: &blocks, peers: &watcher }).await;
        remembered.take(watcher.account(stage, played.as_ref().err()).await);
        remembered.store(stage);
        played
    }
}
