//! Triage of telemetry: scenarios with verified verdicts, as evidence packets that an agent may cite (ARES-070 to ARES-074).
//!
//! | module | what it holds |
//! |---|---|
//! | [`scenario`] | labels, and the criterion by which code gives the verdict |
//! | [`corpus`] | scenarios by split; generators of telemetry; packets |

pub mod corpus;
pub mod scenario;

/// The number of this environment's behaviour; results of different numbers must not be mixed.
pub const BEHAVIOUR: u32 = 1;
