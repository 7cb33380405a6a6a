//! One binary for all tests of this crate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

#[cfg(feature = "extract")]
mod attacks;
mod by_rule;
mod claims;
#[cfg(feature = "extract")]
mod clocks;
#[cfg(feature = "extract")]
mod counted;
#[cfg(feature = "extract")]
mod golden;
mod graphs;
mod judges;
mod listings;
mod packets;
#[cfg(feature = "extract")]
mod pseudonyms;
#[cfg(feature = "extract")]
mod real;
#[cfg(feature = "extract")]
mod reports;
#[cfg(feature = "extract")]
mod selection;
mod signs;
#[cfg(feature = "extract")]
mod statements;
mod support;
#[cfg(feature = "extract")]
mod telemetry;
#[cfg(feature = "extract")]
mod windows;
