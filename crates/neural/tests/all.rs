//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod authority;
mod data;
mod eval;
mod labelled;
mod network;
mod shipped;
mod support;
#[cfg(feature = "train")]
mod train;
mod tune;
mod weights;
