//! How model calls are arranged: one folder an architecture.
//!
//! | name | control flow |
//! |---|---|
//! | [`baseline`] | a built-in policy of the environment plays; no model is asked |
//! | [`react`] | one agent thinks, uses tools and acts; a fresh instance in every step |
//! | [`hierarchy`] | a planner decides and acts; an analyst and a chooser advise it by messages |
//! | [`cyclic`] | subtasks that are all connected; a router chooses the next one after each segment |
//! | [`dag`] | subtasks in a fixed order; nothing leads back |
//! | [`debate`] | two sides argue over a packet of evidence; arithmetic decides |
//! | [`panel`] | members answer one brief apart, and their agreement is counted; or they play a game by ballots |
//! | [`reflexion`] | one agent over a session of trials; a reflector notes what went wrong |
//! | [`lats`] | a tree search: a model proposes and values, actions are tried in branches |
//! | [`temporal`] | layers on time scales, held together by contracts, authority and an arbiter |
//!
//! *Invariant*: no input or output, no provider, no environment by name.

mod asked;
pub mod baseline;
mod configuration;
mod contracted;
pub mod control;
pub mod cyclic;
pub mod dag;
pub mod debate;
mod first;
pub mod gate;
pub mod graph;
pub mod hierarchy;
pub mod lats;
mod member;
mod packet;
pub mod panel;
pub mod react;
pub mod reflector;
pub mod reflexion;
mod settings;
pub mod temporal;

use std::sync::Arc;

use gimbal_agent::Agent;
use gimbal_core::ArchitectureKind;
use gimbal_messages::Message;

/// An agent with its place in an architecture.
pub type Placed = (&'static str, Agent);

/// All messages that agents answer with.
#[must_use]
pub fn messages() -> Vec<&'static dyn Message> {
    use control::messages::{GRAPH, GUIDANCE, ROUTING, SUBTASKS, SUMMARY};
    use debate::messages::{ANCHORED_POSITION, AUDIT, ESTIMATE, NARRATION, POSITION};
    use hierarchy::messages::{Analysis, Suggestions};
    use lats::messages::{APPRAISAL, PROPOSALS};
    use panel::messages::{BALLOT, OPINION};
    use reflector::REFLECTION;
    use temporal::messages::{PLAN, POLICY, REFLEX_ACTION, REMARK, TACTICAL_ACTION};
    vec![
        &Analysis,
        &Suggestions,
        &GRAPH,
        &SUBTASKS,
        &ROUTING,
        &GUIDANCE,
        &gate::Verification,
        &SUMMARY,
        &POSITION,
        &ANCHORED_POSITION,
        &AUDIT,
        &ESTIMATE,
        &NARRATION,
        &OPINION,
        &BALLOT,
        &REFLEX_ACTION,
        &TACTICAL_ACTION,
        &PLAN,
        &POLICY,
        &REMARK,
        &REFLECTION,
        &PROPOSALS,
        &APPRAISAL,
    ]
}

/// The architecture and the place in it where an agent answers with the message of this name; none if no agent does.
#[must_use]
pub fn place_of(message: &str) -> Option<(&'static str, &'static str)> {
    Some(match message {
        "analysis" => ("hierarchy", "analyst"),
        "suggestions" => ("hierarchy", "chooser"),
        "graph" => ("cyclic", "planner"),
        "routing" => ("cyclic", "analyzer"),
        "subtasks" => ("dag", "planner"),
        "guidance" => ("dag", "analyzer"),
        "verification" => ("cyclic", "verifier"),
        "position" => ("debate", "architect"),
        "anchored_position" => ("debate", "architect_anchored"),
        "audit" => ("debate", "auditor"),
        "estimate" => ("debate", "oracle_agent"),
        "narration" => ("debate", "narrator_agent"),
        "opinion" => ("panel", "panelist"),
        "ballot" => ("panel", "participant"),
        "reflex_action" | "remark" => ("temporal", "reflex"),
        "tactical_action" => ("temporal", "tactical"),
        "plan" => ("temporal", "strategic"),
        "policy" => ("temporal", "institutional"),
        "reflection" => ("reflexion", "reflector"),
        "proposals" => ("lats", "proposer"),
        "appraisal" => ("lats", "valuer"),
        "summary" => (control::Summariser::PLACE, control::Summariser::PLACE),
        _ => return None,
    })
}

/// All architectures, in the order in which they are shown.
#[must_use]
pub fn kinds() -> Vec<Arc<dyn ArchitectureKind>> {
    vec![
        Arc::new(baseline::BaselineKind),
        Arc::new(react::ReactKind),
        Arc::new(hierarchy::HierarchyKind),
        Arc::new(cyclic::CyclicKind),
        Arc::new(dag::DagKind),
        Arc::new(debate::DebateKind),
        Arc::new(panel::PanelKind),
        Arc::new(temporal::TemporalKind),
        Arc::new(reflexion::ReflexionKind),
        Arc::new(lats::LatsKind),
    ]
}
