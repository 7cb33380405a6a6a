//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod cells;
mod coverage;
mod folds;
mod independent;
mod log;
mod marks;
mod metrics;
mod properties;
mod rescore;
mod support;
mod tables;
mod trials;
