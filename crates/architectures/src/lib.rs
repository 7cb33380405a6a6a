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
//! | [`temporal`] | layers on time scales under contracts, authority and an arbiter |
//!
//! Every folder but `shared` is an architecture. `shared` holds what several use: [`control`], [`graph`] and [`gate`] play nothing by themselves.
//!
//! *Invariant*: no input or output, no provider, no environment by name.

pub mod baseline;
pub mod cyclic;
pub mod dag;
pub mod debate;
pub mod hierarchy;
pub mod lats;
pub mod panel;
pub mod react;
pub mod reflexion;
mod shared;
pub mod temporal;

use std::sync::Arc;

use gimbal_agent::Family;
use gimbal_core::ArchitectureKind;
use gimbal_messages::Message;

pub use shared::{control, gate, graph, reflector};

/// All architectures, in the order in which they are shown: a new one is its module above, with a row of the table, and a line here.
#[must_use]
pub fn families() -> Vec<Arc<dyn Family>> {
    vec![
        Arc::new(baseline::BaselineKind),
        Arc::new(react::ReactKind),
        Arc::new(hierarchy::HierarchyKind),
        Arc::new(cyclic::CyclicKind::default()),
        Arc::new(dag::DagKind::default()),
        Arc::new(debate::DebateKind),
        Arc::new(panel::PanelKind),
        Arc::new(temporal::TemporalKind),
        Arc::new(reflexion::ReflexionKind),
        Arc::new(lats::LatsKind),
    ]
}

/// All architectures as studies see them.
#[must_use]
pub fn kinds() -> Vec<Arc<dyn ArchitectureKind>> {
    families().into_iter().map(|family| family as Arc<dyn ArchitectureKind>).collect()
}

/// All whose agents commands show and audit: the architectures, and the summariser of won episodes, which no study plays.
#[must_use]
pub fn shown() -> Vec<Arc<dyn Family>> {
    families().into_iter().chain([Arc::new(control::SummariserKind) as Arc<dyn Family>]).collect()
}

/// All messages that agents answer with.
#[must_use]
pub fn messages() -> Vec<&'static dyn Message> {
    shown().into_iter().flat_map(|family| family.answers()).map(|answer| answer.message).collect()
}
