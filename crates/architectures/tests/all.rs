//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod architectures;
mod baselines;
mod budgets;
#[path = "../../agent/tests/common/mod.rs"]
mod common;
mod configurations;
mod controllers;
mod debate;
mod defence_requests;
mod gate;
mod hierarchy;
mod on_the_stage;
mod output_bounds;
mod panel;
mod previews;
mod requests;
mod routing;
mod shown_as_sent;
mod temporal;
mod wrapped;
