//! YAWNING-TITAN's generic network environment, exactly and fast.

pub mod bench;
pub mod checksum;
pub mod config;
pub mod draws;
pub mod facts;
pub mod generator;
pub mod network;
pub mod policy;
pub mod recording;
pub mod replay;
pub mod returns;
pub mod rules;
mod sim;
mod world;

pub use config::{Config, Value};
pub use rules::Kind;
pub use sim::{Scenario, ScenarioError, Simulator, Source};
pub use world::{Did, Intent, Raised, RedKind, Reported};

/// The number of this simulator's behaviour; results of different numbers must not be mixed. It is raised with
/// every change of what a seed gives, and a test on golden digests fails until it is.
pub const BEHAVIOUR: u32 = 1;
