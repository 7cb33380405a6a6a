//! The work's tables from any run (CYC-101).
//!
//! Rows are cells of the run. What a run lacks leaves a dash or an empty table with a note, never an error.

pub mod benchmarks;
pub mod beyond;
mod frame;
pub mod noise;
pub mod overall;
pub mod robustness;
pub mod sweeps;
pub mod tokens;

pub use frame::Frame;
