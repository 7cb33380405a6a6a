//! How model calls are arranged: one folder an architecture.
//!
//! | name | control flow |
//! |---|---|
//! | [`baseline`] | a built-in policy of the environment plays; no model is asked |
//! | [`react`] | one agent thinks, uses tools and acts; a fresh instance in every step |
//! | [`hierarchy`] | a planner decides and acts; an analyst and a chooser advise it over contracts |
//! | [`cyclic`] | subtasks that are all connected; a router chooses the next one after each segment |
//! | [`dag`] | subtasks in a fixed order; nothing leads back |
//!
//! *Invariant*: no input or output, no provider, no environment by name.

pub mod baseline;
mod configuration;
pub mod control;
pub mod cyclic;
pub mod dag;
mod first;
pub mod gate;
pub mod graph;
pub mod hierarchy;
mod member;
pub mod react;
mod settings;

use std::sync::Arc;

use gimbal_core::ArchitectureKind;

/// All architectures, in the order in which they are shown.
#[must_use]
pub fn kinds() -> Vec<Arc<dyn ArchitectureKind>> {
    vec![
        Arc::new(baseline::BaselineKind),
        Arc::new(react::ReactKind),
        Arc::new(hierarchy::HierarchyKind),
        Arc::new(cyclic::CyclicKind),
        Arc::new(dag::DagKind),
    ]
}
