//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod apart;
mod bog_tables;
mod clustered;
mod handled;
mod named;
mod papers;
mod protocol;
mod replication;
mod support;
