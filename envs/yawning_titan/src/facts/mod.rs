//! The hard data of the original, as tables of our own shape. Options, modes and networks are files in `facts/`.

pub mod modes;
pub mod networks;
pub mod options;
pub mod parameters;
mod read;
pub mod tables;
pub mod value;

pub use modes::{MODES, ModeFact};
pub use networks::{FIXED, NETWORKS, NetworkFact, NodeFact};
pub use options::OPTIONS;
pub use value::REWARD_FUNCTIONS;
