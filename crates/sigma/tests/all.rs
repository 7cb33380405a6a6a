//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod comparisons;
mod correlations;
#[cfg(feature = "sigma")]
mod engine;
mod folders;
mod hits;
#[cfg(feature = "sigma")]
mod real;
mod records;
#[cfg(feature = "sigma")]
mod several;
mod support;
mod tables;
