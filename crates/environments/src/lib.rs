//! The list of environments. The program, and every test of all environments, take it from here, so that a new one is in each of them.

use std::sync::Arc;

use gimbal_env_kit::workbench::Workbench;

/// The environments, each with its verbs: a new one is a line here.
#[must_use]
pub fn all() -> Vec<Arc<dyn Workbench>> {
    vec![
        Arc::new(gimbal_cage2::Cage2),
        Arc::new(gimbal_yawning_titan::YawningTitan),
        Arc::new(gimbal_textcraft::TextCraft),
        Arc::new(gimbal_alfworld::Alfworld::new()),
        Arc::new(gimbal_finance_agent::FinanceAgent),
        Arc::new(gimbal_triage::Triage),
        Arc::new(gimbal_consensus::Consensus),
    ]
}
