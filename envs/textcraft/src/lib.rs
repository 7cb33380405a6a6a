//! TextCraft's crafting tasks, exactly and fast (CYC-030 to CYC-034).
pub mod bench;
pub mod checksum;
pub mod command;
pub mod count;
pub mod inventory;
pub mod menu;
pub mod names;
pub mod planner;
pub mod play;
pub mod policy;
mod python;
pub mod recording;
pub mod replay;
pub mod returns;
pub mod scene;
mod sim;
pub mod table;
pub mod tasks;
pub mod tree;

pub use scene::Scene;
pub use sim::{Outcome, REPLIES, Said, Simulator};
pub use table::{Table, TableError};
pub use tree::Tree;

/// The number of this simulator's behaviour; results of different numbers must not be mixed. It is raised with every
/// change of what a seed and commands give, and a test on golden digests fails until it is.
pub const BEHAVIOUR: u32 = 1;
