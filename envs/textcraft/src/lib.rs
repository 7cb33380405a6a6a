//! TextCraft's crafting tasks, exactly and fast (CYC-030 to CYC-034).
//!
//! A plain typed library, usable alone: no async, no model, no allocation in a step once buffers have grown. A table of
//! recipes becomes a tree by the laws of the original (ADaPT's TextCraft), a seed becomes a scene (a goal, the commands
//! that are shown, their order) with Python's generator, and the simulator answers every text as the original does. Its
//! quirks are kept and marked `QUIRK`; the one that changes what a command makes is behind a switch.
//!
//! ```
//! use std::sync::Arc;
//!
//! use gimbal_textcraft::{Scene, Simulator, Tree, planner};
//!
//! let tree = Tree::shipped()?;
//! let scene = Arc::new(Scene::of(&tree, 3));
//! assert!(scene.prompt().ends_with("Goal: craft lectern."));
//! let mut simulator = Simulator::new(scene);
//! let mut reply = String::new();
//! simulator.step("get 2 oak logs", &mut reply);
//! assert_eq!(reply, "Got 2 oak logs");
//! while let Some(next) = planner::next(&simulator) {
//!     if simulator.step(&next.text(&tree), &mut reply).done {
//!         break;
//!     }
//! }
//! assert_eq!(reply, "Crafted 1 minecraft:lectern");
//! # Ok::<(), Arc<gimbal_textcraft::TableError>>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`table`], [`tree`], [`names`] | recipes as facts, what the laws make of them |
//! | [`scene`], [`tasks`] | what a reset draws; tasks and the splits of the work |
//! | [`command`], [`count`], [`inventory`], [`Simulator`] | the grammar, amounts of any size, play |
//! | [`planner`], [`policy`], [`returns`], [`mod@bench`] | the expert, what players reach, speed |
//! | [`recording`], [`mod@replay`], [`checksum`] | recordings: written, replayed field by field |
//! | [`menu`], [`action`] | literals, and what agents write |
//! | [`environment`], [`tracker`] | the seams of Gimbal on top; nothing above knows them |

pub mod action;
pub mod bench;
pub mod checksum;
pub mod command;
pub mod count;
pub mod environment;
pub mod inventory;
pub mod menu;
pub mod names;
pub mod planner;
pub mod policy;
mod python;
pub mod recording;
pub mod replay;
pub mod returns;
pub mod scene;
mod sim;
pub mod table;
pub mod tasks;
pub mod tracker;
pub mod tree;
mod workbench;

pub use environment::TextCraft;
pub use scene::Scene;
pub use sim::{Outcome, REPLIES, Said, Simulator};
pub use table::{Table, TableError};
pub use tree::Tree;

/// The number of this simulator's behaviour; results of different numbers must not be mixed. It is raised with every
/// change of what a seed and commands give, and a test on golden digests fails until it is.
pub const BEHAVIOUR: u32 = 3;
