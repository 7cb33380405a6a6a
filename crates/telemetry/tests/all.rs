//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod kept;
mod raw;
mod readings;
mod support;
