//! Triage of telemetry: scenarios with verified verdicts, as evidence packets that an agent may cite (ARES-070 to ARES-074).
//!
//! An episode is one scenario. The agent looks facts up and concludes with a verdict, a confidence and the facts that it cites; what
//! was expected is the environment's alone until then.
//!
//! | module | what it holds |
//! |---|---|
//! | [`scenario`] | labels, and the criterion by which code gives the verdict |
//! | [`corpus`] | scenarios by split; generators of telemetry; packets |
//! | [`packet_index`] | a packet as the tools show it |
//! | [`tools`], [`action`] | schemas, calls and texts of the six tools, and how actions are written |
//! | [`environment`], [`tracker`] | the seams of Gimbal on top |
//! | [`policy`] | baselines that need no model |

pub mod action;
pub mod corpus;
pub mod environment;
pub mod packet_index;
pub mod policy;
pub mod scenario;
pub mod tools;
pub mod tracker;
mod workbench;

pub use environment::{GivenPacket, Triage};

/// The number of this environment's behaviour; results of different numbers must not be mixed.
pub const BEHAVIOUR: u32 = 3;
