//! One binary for all tests of this crate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod judges;
mod packets;
#[cfg(feature = "extract")]
mod telemetry;
