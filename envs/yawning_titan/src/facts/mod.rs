//! The hard data of the original, as tables of our own shape.

pub mod modes;
pub mod networks;
pub mod options;
pub mod tables;

pub use modes::{MODES, ModeFact};
pub use networks::{FIXED, NETWORKS, NetworkFact, NodeFact};
pub use options::{OPTIONS, REWARD_FUNCTIONS};
