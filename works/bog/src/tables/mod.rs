//! The work's tables from any run that has the cells (BOG-190..192).
//!
//! Rows of several environments are in blocks, each computed within its environment. What a run lacks is a dash and a
//! note, never an error.

pub mod arbiter;
pub mod blocks;
pub mod cascades;
pub mod context;
pub mod contracts;
pub mod contrasts;
pub mod deliberation;
pub mod frame;
pub mod groups;
pub mod hierarchy;
pub mod matrices;
pub mod ranges;
pub mod replication;
pub mod texts;
pub mod tokens;
pub mod trace_contrast;

pub use frame::Frame;
