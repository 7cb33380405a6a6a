//! Throw-away environments, architectures and models, tiny generated weights, the kill harness.
//!
//! Small environments and architectures use every seam of `gimbal-core` in a third and fourth way, so that a seam
//! that fits one room only shows before a second room needs it. They are for tests and measurements, never for studies.

pub mod environments;
pub mod kill;
pub mod log_tracker;
pub mod models;
pub mod plays;
pub mod tiny_gguf;

use std::sync::Arc;

use gimbal_core::{ArchitectureKind, Catalogue};

/// The throw-away environments that use the seams of core by themselves, in a fixed order.
#[must_use]
pub fn environments() -> Vec<Arc<dyn Catalogue>> {
    vec![
        Arc::new(environments::oracle::OracleFamily),
        Arc::new(environments::corridor::CorridorFamily),
        Arc::new(environments::dossier::DossierFamily),
        Arc::new(environments::counter::CounterFamily),
    ]
}

/// The throw-away architectures, in a fixed order.
#[must_use]
pub fn architectures() -> Vec<Arc<dyn ArchitectureKind>> {
    vec![
        Arc::new(plays::panel::PanelKind),
        Arc::new(plays::learner::LearnerKind),
        Arc::new(plays::policy::PolicyKind),
        Arc::new(plays::advised::AdvisedKind),
    ]
}
