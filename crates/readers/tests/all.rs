//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod advisers;
mod baselines;
mod common;
mod debate;
mod debate_requests;
mod defence;
mod filings;
mod gullible;
mod household;
mod layers;
mod masks;
mod panel;
mod requests;
mod textcraft;
mod triage;

/// The allocator of the program: episodes are small texts and trees, and a quarter of their time here was that of the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
