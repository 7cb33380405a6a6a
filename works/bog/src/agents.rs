//! The agents of the work's hierarchy, and what is counted of each of them.

use gimbal_analysis::profile::{Agents, Contrast, Measure};

/// The role of the agent that decides.
pub const PLANNER: &str = "planner";
/// The role of the agent that ranks actions.
pub const CHOOSER: &str = "chooser";
/// The role of the agent that assesses subjects.
pub const ANALYST: &str = "analyst";

/// The agents that a trace contrast always has lines for. A single agent keeps the role `default`; it is the planner of a hierarchy of
/// one.
pub const AGENTS: Agents =
    Agents { deliberating: &[PLANNER, ANALYST, CHOOSER], asked: &[ANALYST, CHOOSER], alone: Some(PLANNER) };

/// Deliberation calls of the planner, or of the only agent.
pub const DELIBERATIONS: Measure = Measure { key: "planner-deliberations", of: planner_deliberations };
/// Messages an invocation of the chooser, over the episodes that invoke it.
pub const MESSAGES: Measure =
    Measure { key: "chooser-messages", of: |contrast| contrast.messages_an_invocation(CHOOSER) };
/// Invocations of the analyst.
pub const INVOCATIONS: Measure =
    Measure { key: "analyst-calls", of: |contrast| Some(f64::from(contrast.invocations_of(ANALYST))) };

/// All, for the traces of a report.
pub const MEASURES: [Measure; 3] = [DELIBERATIONS, MESSAGES, INVOCATIONS];

fn planner_deliberations(contrast: &Contrast) -> Option<f64> {
    Some(f64::from(AGENTS.deliberations(contrast, PLANNER)))
}
