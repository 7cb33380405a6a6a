//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod allocation;
mod common;
#[path = "../../counting.rs"]
#[allow(unsafe_code, reason = "counting needs an allocator of our own, which only passes on")]
mod counting;
mod environment;
mod golden;
mod laws;
mod planner;
mod players;
mod properties;
mod replay;
mod tables;
mod traces;
mod tracker;
