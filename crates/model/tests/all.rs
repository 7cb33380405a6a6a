//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod embedded;
mod embedded_damage;
mod embedded_weights;
mod gguf;
mod keys;
mod real_server;
mod registry;
mod remote;
mod replay;
mod weights;
