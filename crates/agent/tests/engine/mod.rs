//! The engine against canned transcripts.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod forms;
mod masks;
mod turns;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::common::{Canned, TestFiles, Workshop};

use gimbal_agent::{Agent, Flags, Overrides, Persona, Protocol};
use gimbal_core::stage::LaneId;
use gimbal_core::{
    Block, Decoding, EpisodeStopped, Grammar, ModelErrorKind, Speaker, Stop, ToolCall, Usage, UsageSource,
};
use serde_json::json;

use Canned::{Calls, Fails, Says};

fn planner(overrides: Overrides) -> Agent {
    agent(&TestFiles::default(), overrides)
}

fn agent(files: &TestFiles, overrides: Overrides) -> Agent {
    Agent::new(Arc::new(Persona::load("planner", files).unwrap()), "default", &overrides).unwrap()
}

/// The planner with a tool; `critical` as given.
fn inspector(critical: bool, overrides: Overrides) -> Agent {
    let tools = format!("tools:\n  - {{ query: subject_state, critical: {critical} }}");
    agent(&TestFiles::with("personas/planner/core.yaml", "tools: []", &tools), overrides)
}

fn protocol(protocol: Protocol) -> Overrides {
    Overrides { protocol: Some(protocol), ..Overrides::default() }
}

/// Plays to the end as `react` does.
async fn play(agent: &Agent, stage: &Workshop) -> EpisodeStopped {
    let session = agent.session(stage).await.unwrap();
    let names = ["status".to_owned(), "history".to_owned()];
    loop {
        let blocks = gimbal_core::Stage::context(stage, LaneId::MAIN, &names).await.unwrap();
        if let Err(halt) = session.step(stage, LaneId::MAIN, &blocks).await {
            return halt;
        }
    }
}

async fn log_of(agent: &Agent, replies: impl IntoIterator<Item = Canned>) -> (Vec<String>, Workshop) {
    let stage = Workshop::new(replies);
    play(agent, &stage).await;
    (stage.log(), stage)
}
