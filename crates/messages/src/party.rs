//! Names of those who send and get messages beside the agents, which have the names of their roles, where several systems have them. Whom an architecture has is stated by its
//! [`ArchitectureKind::parties`](gimbal_core::ArchitectureKind::parties).

/// To all other agents.
pub const ALL: &str = "all";
/// Whoever counts the answers of a panel.
pub const CHAIR: &str = "chair";
/// Whoever chooses subtasks.
pub const CONTROLLER: &str = "controller";
/// Whoever holds answers back.
pub const GATE: &str = "gate";
/// The record of what happened.
pub const JOURNAL: &str = "journal";
/// Whoever computes a verdict.
pub const JUDGE: &str = "judge";
